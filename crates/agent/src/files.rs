//! Reads, writes, makes and removes files.

use crate::answer::Answer;
use crate::frame::MAX_BODY_BYTES;
use crate::refusal::{AtPath, Refusal};
use crate::request::{MakeRequest, WriteHow, WriteRequest};
use crate::session::Session;
use crate::undo::remove_tree;
use rustix::fs::{Advice, fadvise};
use rustix::io::Errno;
use serde_json::json;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

const PRIVATE_FILE: u32 = 0o600;
/// Minus the bits that the process's mask takes away.
const DEFAULT_FILE: u32 = 0o666;
const DEFAULT_FOLDER: u32 = 0o777;

/// Reads files one after the other; each is described by its length or its refusal.
pub(crate) fn read(
    paths: &[PathBuf],
    offset: i64,
    limit: Option<usize>,
    owners: Option<&[u32]>,
) -> Answer {
    let mut body = Vec::new();
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let room = MAX_BODY_BYTES - body.len();
        let limit = limit.unwrap_or(usize::MAX).min(room + 1);
        match read_one(path, offset, limit, owners) {
            Ok(bytes) if bytes.len() > room => {
                let text = "more than one reply takes; read it in parts";
                files.push(
                    json!({"error": Refusal::new("too-large", path.to_string_lossy(), text)}),
                );
            }
            Ok(bytes) => {
                files.push(json!({"bytes": bytes.len()}));
                body.extend(bytes);
            }
            Err(refusal) => files.push(json!({"error": refusal})),
        }
    }
    Answer {
        value: json!({"files": files}),
        body,
    }
}

/// Reads one file without waiting for a writer: another process's pipe is read as empty.
fn read_one(
    path: &Path,
    offset: i64,
    limit: usize,
    owners: Option<&[u32]>,
) -> Result<Vec<u8>, Refusal> {
    let follow = if owners.is_some() {
        libc::O_NOFOLLOW
    } else {
        0
    };
    let mut file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | follow)
        .open(path)
        .at(path)?;
    if let Some(owners) = owners {
        let facts = file.metadata().at(path)?;
        if !facts.is_file() || !owners.contains(&facts.uid()) {
            return Err(Errno::PERM).at(path);
        }
    }
    if offset != 0 {
        let end = if offset < 0 {
            file.metadata().at(path)?.len()
        } else {
            0
        };
        let begin = end.saturating_add_signed(offset);
        file.seek(SeekFrom::Start(begin)).at(path)?;
    }
    let mut bytes = Vec::new();
    file.take(limit as u64).read_to_end(&mut bytes).at(path)?;
    Ok(bytes)
}

/// Writes a file as asked.
pub(crate) fn write(request: &WriteRequest, body: &[u8]) -> Result<(), Refusal> {
    let path = &request.path;
    let default = match request.how {
        WriteHow::InPlace => DEFAULT_FILE,
        _ => PRIVATE_FILE,
    };
    let mode = request.mode.unwrap_or(default);
    let mut options = OpenOptions::new();
    options.write(true).mode(mode);
    let target = match request.how {
        WriteHow::Replace => unfinished(path),
        _ => path.clone(),
    };
    match request.how {
        WriteHow::Replace => options.create_new(true),
        WriteHow::Append => options.append(true).create(true),
        WriteHow::InPlace => options.create(true).truncate(true),
    };
    let mut file = options.open(&target).at(&target)?;
    let mut fill = || -> Result<(), Refusal> {
        if request.how == WriteHow::Replace {
            // The process's umask may have cleared bits.
            file.set_permissions(Permissions::from_mode(mode))
                .at(path)?;
            give(&target, request.uid, request.gid)?;
        }
        file.write_all(body).at(path)?;
        if target == *path {
            return Ok(());
        }
        fs::rename(&target, path).at(path)
    };
    fill().inspect_err(|_| {
        if request.how == WriteHow::Replace {
            let _ = fs::remove_file(&target);
        }
    })
}

fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", random_letters()))
}

/// Returns eight unpredictable letters.
fn random_letters() -> String {
    let mut bytes = [0; 5];
    // Without it names are only easier to predict; an existing file is never used.
    let _ = File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes));
    let number = bytes
        .iter()
        .fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    (0..8)
        .map(|place| {
            char::from(b"abcdefghijklmnopqrstuvwxyz234567"[(number >> (5 * place) & 31) as usize])
        })
        .collect()
}

/// Makes a folder; a folder that the session must remove is noted before it exists.
pub(crate) fn make(request: &MakeRequest, session: &Session) -> Result<(), Refusal> {
    if let Some(temporary) = &request.temporary {
        if request.is_new && temporary == &request.path && temporary.symlink_metadata().is_ok() {
            return Err(Errno::EXIST).at(temporary); // not ours to remove
        }
        session.note_temporary(temporary)?;
    }
    let path = &request.path;
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).at(parent)?;
    }
    let mode = request.mode.unwrap_or(DEFAULT_FOLDER);
    match DirBuilder::new().mode(mode).create(path) {
        Err(error)
            if error.kind() == io::ErrorKind::AlreadyExists && !request.is_new && path.is_dir() => {
        }
        made => made.at(path)?,
    }
    give(path, request.uid, request.gid)?;
    match request.mode {
        Some(mode) => fs::set_permissions(path, Permissions::from_mode(mode)).at(path),
        None => Ok(()),
    }
}

fn give(path: &Path, uid: Option<u32>, gid: Option<u32>) -> Result<(), Refusal> {
    if uid.is_none() && gid.is_none() {
        return Ok(());
    }
    chown(path, uid, gid).at(path)
}

pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Refusal> {
    fs::rename(from, to).at(from)
}

/// Removes a file, an empty folder, or a folder with all that is in it.
pub(crate) fn remove(path: &Path, recursive: bool) -> Result<(), Refusal> {
    if recursive {
        return remove_tree(path).at(path);
    }
    let facts = fs::symlink_metadata(path).at(path)?;
    if facts.is_dir() {
        fs::remove_dir(path).at(path)
    } else {
        fs::remove_file(path).at(path)
    }
}

/// Waits until the files below a folder are on the device, then has the kernel forget their pages.
pub(crate) fn write_back(folder: &Path) -> Result<(), Refusal> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).at(&folder)? {
            let entry = entry.at(&folder)?;
            let kind = entry.file_type().at(&entry.path())?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let file = File::open(entry.path()).at(&entry.path())?;
                file.sync_all().at(&entry.path())?;
                files.push(entry.path());
            }
        }
    }
    for path in files {
        let file = File::open(&path).at(&path)?;
        fadvise(&file, 0, None, Advice::DontNeed).at(&path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("agent-files-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn request(path: &Path, how: WriteHow) -> WriteRequest {
        WriteRequest {
            path: path.to_owned(),
            how,
            mode: Some(0o640),
            uid: None,
            gid: None,
        }
    }

    #[test]
    fn a_file_is_written_as_asked_and_nothing_is_left_of_one_that_is_refused() {
        let folder = scratch("write");
        let path = folder.join("f");
        write(&request(&path, WriteHow::Replace), b"one").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
        write(&request(&path, WriteHow::Append), b" two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        write(&request(&path, WriteHow::InPlace), b"short").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"short");
        fs::create_dir(folder.join("d")).unwrap();
        write(&request(&folder.join("d"), WriteHow::Replace), b"").unwrap_err();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_are_read_together_and_each_refusal_is_its_own() {
        let folder = scratch("read");
        fs::write(folder.join("a"), "0123456789").unwrap();
        let paths = [folder.join("a"), folder.join("missing"), folder.join("a")];
        let answer = read(&paths, 2, Some(3), None);
        assert_eq!(answer.body, b"234234");
        assert_eq!(answer.value["files"][0]["bytes"], 3);
        assert_eq!(answer.value["files"][1]["error"]["code"], "not-found");
        let answer = read(&[folder.join("a")], -4, None, None);
        assert_eq!(answer.body, b"6789");
        let others = read(&[folder.join("a")], 0, None, Some(&[4_000_000]));
        assert_eq!(others.value["files"][0]["error"]["code"], "denied");
        let large = File::create(folder.join("large")).unwrap();
        large.set_len(MAX_BODY_BYTES as u64 + 1).unwrap();
        let answer = read(&[folder.join("large")], 0, None, None);
        assert_eq!(answer.value["files"][0]["error"]["code"], "too-large");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn random_names_differ() {
        assert_ne!(random_letters(), random_letters());
        assert_eq!(random_letters().len(), 8);
    }
}
