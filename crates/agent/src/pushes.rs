//! Receives files with a known SHA-256: resumes where an earlier push ended, and verifies before use.

use crate::refusal::{AtPath, Refusal};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const BLOCK_BYTES: usize = 1 << 20;

/// Holds the pushes of this session that have begun.
#[derive(Debug)]
pub(crate) struct Pushes {
    incoming: PathBuf,
    open: Mutex<HashMap<String, Arc<File>>>,
}

impl Pushes {
    pub(crate) fn new(incoming: PathBuf) -> Self {
        Self {
            incoming,
            open: Mutex::default(),
        }
    }

    /// Returns whether the file is there, and otherwise how much of it has arrived.
    pub(crate) fn begin(&self, sha256: &str, path: &Path) -> Result<Value, Refusal> {
        check_name(sha256)?;
        if hash_of(path).is_ok_and(|hash| hash == sha256) {
            return Ok(json!({"is_there": true}));
        }
        let incoming = &self.incoming;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(incoming)
            .at(incoming)?;
        let unfinished = self.unfinished(sha256);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&unfinished)
            .at(&unfinished)?;
        let mut open = self.open();
        if !open.contains_key(sha256)
            && flock(&file, FlockOperation::NonBlockingLockExclusive).is_err()
        {
            let text = "another session is copying it";
            return Err(Refusal::new("busy", unfinished.to_string_lossy(), text));
        }
        let bytes = file.metadata().at(&unfinished)?.len();
        open.entry(sha256.to_owned())
            .or_insert_with(|| Arc::new(file));
        Ok(json!({"is_there": false, "bytes": bytes}))
    }

    /// Adds a part.
    pub(crate) fn chunk(&self, sha256: &str, offset: u64, body: &[u8]) -> Result<(), Refusal> {
        let file = self.file(sha256)?;
        file.write_all_at(body, offset).at(&self.unfinished(sha256))
    }

    /// Moves the whole file to its place; deletes a file with other content.
    pub(crate) fn finish(&self, sha256: &str, path: &Path, mode: u32) -> Result<(), Refusal> {
        let file = self.file(sha256)?;
        let unfinished = self.unfinished(sha256);
        let hash = hash_of(&unfinished).at(&unfinished)?;
        self.open().remove(sha256);
        if hash != sha256 {
            fs::remove_file(&unfinished).at(&unfinished)?;
            let text = format!("its content has the SHA-256 {hash}");
            return Err(Refusal::new("mismatch", path.to_string_lossy(), text));
        }
        file.set_permissions(Permissions::from_mode(mode))
            .at(&unfinished)?;
        file.sync_all().at(&unfinished)?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).at(parent)?;
        }
        fs::rename(&unfinished, path).at(path)
    }

    fn file(&self, sha256: &str) -> Result<Arc<File>, Refusal> {
        let file = self.open().get(sha256).cloned();
        file.ok_or_else(|| Refusal::new("no-handle", sha256, "no copy of it has begun"))
    }

    fn unfinished(&self, sha256: &str) -> PathBuf {
        self.incoming.join(sha256)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<File>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check_name(sha256: &str) -> Result<(), Refusal> {
    if sha256.len() == 64 && sha256.bytes().all(|sign| sign.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(Refusal::new(
        "unknown-request",
        sha256,
        "it is not a SHA-256",
    ))
}

/// Returns the SHA-256 of a file, in hexadecimal digits.
pub(crate) fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut hash, mut block) = (Sha256::new(), vec![0; BLOCK_BYTES]);
    loop {
        match file.read(&mut block)? {
            0 => break,
            count => hash.update(&block[..count]),
        }
    }
    Ok(hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_goes_on_where_it_ended_and_other_content_is_thrown_away() {
        let folder = std::env::temp_dir().join(format!("agent-push-{}", std::process::id()));
        let path = folder.join("bin/program");
        let sha256 = "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"; // abcd
        let first = Pushes::new(folder.join("incoming"));
        assert_eq!(first.begin(sha256, &path).unwrap()["bytes"], 0);
        first.chunk(sha256, 0, b"ab").unwrap();

        let second = Pushes::new(folder.join("incoming"));
        assert_eq!(second.begin(sha256, &path).unwrap_err().code, "busy");
        drop(first);
        assert_eq!(second.begin(sha256, &path).unwrap()["bytes"], 2);
        second.chunk(sha256, 2, b"xx").unwrap();
        assert_eq!(
            second.finish(sha256, &path, 0o755).unwrap_err().code,
            "mismatch"
        );
        assert!(!path.exists());

        assert_eq!(second.begin(sha256, &path).unwrap()["bytes"], 0);
        second.chunk(sha256, 0, b"abcd").unwrap();
        second.finish(sha256, &path, 0o755).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abcd");
        assert_eq!(second.begin(sha256, &path).unwrap()["is_there"], true);
        assert_eq!(fs::read_dir(folder.join("incoming")).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_name_that_is_no_hash_is_refused() {
        let pushes = Pushes::new(PathBuf::from("/nowhere"));
        assert!(pushes.begin("../../etc/passwd", Path::new("/x")).is_err());
    }
}
