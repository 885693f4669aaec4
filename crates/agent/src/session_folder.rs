//! Names, locks and reads the folder of a session on this host, and the note that lies in it.

use crate::clocks::monotonic_ns;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

const NOTE: &str = "note.json";
const SEEN: &str = "seen";

/// Lists what must be removed if a session's agent is killed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) pid: u32,
    pub(crate) start_ticks: u64,
    pub(crate) boot_id: String,
    pub(crate) lab: String,
    pub(crate) lease_s: u64,
    /// Folders and control groups.
    pub(crate) temporary: BTreeSet<PathBuf>,
    /// Processes, by pid and start time.
    pub(crate) children: BTreeSet<(u32, u64)>,
    /// Commands that undo changes of the running kernel, by name.
    #[serde(default)]
    pub(crate) at_end: BTreeMap<String, Vec<String>>,
}

impl Note {
    /// Reads the note of a session's folder; `None` without a complete one.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(NOTE)).ok()?).ok()
    }

    /// Returns whether a session's folder has a note, readable or not.
    pub(crate) fn exists(folder: &Path) -> bool {
        folder.join(NOTE).exists()
    }

    /// Replaces the note in a session's folder as a whole.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let unfinished = folder.join("note.unfinished");
        fs::write(&unfinished, serde_json::to_vec(self)?)?;
        fs::rename(unfinished, folder.join(NOTE))
    }
}

/// Returns whether a session may have this name.
pub(crate) fn is_session_name(name: &str) -> bool {
    let is_fine = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
    (1..=64).contains(&name.len()) && name.chars().all(is_fine)
}

/// Returns the parent of all session folders.
pub(crate) fn sessions_of(home: &Path) -> PathBuf {
    home.join("agents")
}

/// Notes that the lab of a session's folder has been heard. By a clock that nobody sets: after a step of the file's time
/// an agent in use would look as if its lab had left it.
pub(crate) fn touch_seen(folder: &Path) {
    let _ = fs::write(folder.join(SEEN), monotonic_ns().to_string()); // without it only the list of agents is wrong
}

/// Returns how long ago the lab was heard; `None` if that was not noted in this boot.
pub(crate) fn since_seen(folder: &Path) -> Option<Duration> {
    let seen_ns = fs::read_to_string(folder.join(SEEN)).ok()?.parse().ok()?;
    monotonic_ns()
        .checked_sub(seen_ns)
        .map(Duration::from_nanos)
}

/// Returns how long ago a folder changed.
pub(crate) fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

/// Returns a short path to the socket of a session's folder, however long the folder's path is.
pub(crate) fn socket_path(folder: &Path) -> io::Result<(File, PathBuf)> {
    use std::os::fd::AsRawFd;
    let handle = File::open(folder)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}/socket", handle.as_raw_fd()));
    Ok((handle, path))
}

/// Makes the folder of a session, which only its user may open.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(parent)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Locks a session, as long as the file is open; `None` if a living agent holds the lock.
pub(crate) fn try_lock(folder: &Path) -> io::Result<Option<File>> {
    let lock = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(folder.join("lock"))?;
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(lock)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_note_of_an_earlier_version_is_read() {
        let note = r#"{"pid":1,"start_ticks":2,"boot_id":"b","lab":"l","lease_s":300,"temporary":[],"children":[]}"#;
        assert!(
            serde_json::from_str::<Note>(note)
                .unwrap()
                .at_end
                .is_empty()
        );
    }

    #[test]
    fn a_clock_that_is_set_does_not_change_when_a_lab_was_heard() {
        let folder = std::env::temp_dir().join(format!("session-seen-{}", std::process::id()));
        make_private(&folder).unwrap();
        touch_seen(&folder);
        let file = File::open(folder.join(SEEN)).unwrap();
        for written in [SystemTime::UNIX_EPOCH, SystemTime::now() + HOUR] {
            file.set_modified(written).unwrap();
            assert!(since_seen(&folder).is_some_and(|since| since < HOUR / 60));
        }
        let later_ns = monotonic_ns() + HOUR.as_nanos() as u64; // of a boot before this one
        fs::write(folder.join(SEEN), later_ns.to_string()).unwrap();
        assert_eq!(since_seen(&folder), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn names_of_sessions_are_plain() {
        for name in ["", "../x", "a b", "a/b", &"x".repeat(65)] {
            assert!(!is_session_name(name), "{name}");
        }
        assert!(is_session_name("db1-4f3A"));
    }
}
