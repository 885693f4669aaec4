//! Describes files, folders and the space they lie in.

use crate::answer::Answer;
use crate::refusal::{AtPath, Refusal};
use rustix::fs::{Access, access, statvfs};
use serde::Serialize;
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

const MODE_BITS: u32 = 0o7777;

/// Lists a folder, as JSON in the body.
pub(crate) fn list(path: &Path, recursive: bool) -> Result<Answer, Refusal> {
    let mut entries = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let folder = path.join(&below);
        let names = match fs::read_dir(&folder) {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && !below.as_os_str().is_empty() =>
            {
                continue;
            }
            names => names.at(&folder)?,
        };
        for name in names {
            let name = below.join(name.at(&folder)?.file_name());
            // A file that has disappeared meanwhile is left out.
            let Ok(facts) = fs::symlink_metadata(path.join(&name)) else {
                continue;
            };
            if recursive && facts.is_dir() {
                folders.push(name.clone());
            }
            entries.push(Described::of(&name, &facts));
        }
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let body = serde_json::to_vec(&entries).unwrap_or_default();
    Ok(Answer {
        value: json!({"count": entries.len()}),
        body,
    })
}

/// Describes a file as the kernel reports it.
#[derive(Debug, Serialize)]
struct Described {
    path: PathBuf,
    kind: &'static str,
    bytes: u64,
    disk_bytes: u64,
    mode: u32,
    uid: u32,
    gid: u32,
    modified_ns: i64,
    device: u64,
    inode: u64,
}

impl Described {
    fn of(path: &Path, facts: &fs::Metadata) -> Self {
        Self {
            path: PathBuf::from(path.to_string_lossy().into_owned()),
            kind: kind_of(facts.file_type()),
            bytes: facts.len(),
            disk_bytes: facts.blocks() * 512,
            mode: facts.mode() & MODE_BITS,
            uid: facts.uid(),
            gid: facts.gid(),
            modified_ns: facts.mtime() * 1_000_000_000 + facts.mtime_nsec(),
            device: facts.dev(),
            inode: facts.ino(),
        }
    }
}

fn kind_of(kind: fs::FileType) -> &'static str {
    match kind {
        _ if kind.is_dir() => "directory",
        _ if kind.is_file() => "file",
        _ if kind.is_symlink() => "link",
        _ if kind.is_socket() => "socket",
        _ => "other",
    }
}

/// Describes files, each with its real path and whether this user may write it.
pub(crate) fn stat(paths: &[PathBuf], follow: bool) -> Answer {
    let describe = |path: &PathBuf| -> Result<Value, Refusal> {
        let facts = if follow {
            fs::metadata(path)
        } else {
            fs::symlink_metadata(path)
        };
        let mut value = json!(Described::of(path, &facts.at(path)?));
        value["real_path"] = json!(fs::canonicalize(path).ok());
        value["target"] = json!(fs::read_link(path).ok());
        value["is_writable"] = json!(access(path, Access::WRITE_OK).is_ok());
        Ok(value)
    };
    let described = paths.iter().map(|path| match describe(path) {
        Ok(value) => value,
        Err(refusal) => json!({"error": refusal}),
    });
    json!({"files": described.collect::<Vec<_>>()}).into()
}

/// Resolves the links of a path; its missing part stays unchanged.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    for there in path.ancestors() {
        if let (Ok(real), Ok(missing)) = (fs::canonicalize(there), path.strip_prefix(there)) {
            return real.components().chain(missing.components()).collect();
        }
    }
    path.to_owned()
}

/// Returns the space where a path, or its nearest existing parent, lies.
pub(crate) fn space(path: &Path) -> Result<Value, Refusal> {
    let there = path.ancestors().find(|path| path.exists());
    let there = there.unwrap_or(Path::new("/"));
    let space = statvfs(there).at(there)?;
    Ok(json!({
        "path": there,
        "size_bytes": space.f_frsize * space.f_blocks,
        "free_bytes": space.f_frsize * space.f_bavail,
    }))
}
