//! Holds the session that this process serves: its lock, and the note of what must be undone and removed at its end.

use crate::error::AgentError;
use crate::kernel;
use crate::leftovers::clean_up_after;
use crate::refusal::{AtPath, Refusal};
use crate::session_folder::{
    Note, is_session_name, make_private, sessions_of, touch_seen, try_lock,
};
use crate::undo::{remove_noted, run_noted};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Says where an agent serves, for whom and how long.
#[derive(Debug, Clone)]
pub struct AgentOptions {
    /// Folder of engines, snapshots and runs on this host.
    pub home: PathBuf,
    /// Chosen by the lab.
    pub session: String,
    /// How long to run without a lab.
    pub lease: Duration,
    /// Who the lab is, for users who look at the host.
    pub lab: String,
}

impl AgentOptions {
    /// Returns the folder of the session.
    pub(crate) fn folder(&self) -> Result<PathBuf, AgentError> {
        if !is_session_name(&self.session) {
            return Err(AgentError::BadSession(self.session.clone()));
        }
        Ok(sessions_of(&self.home).join(&self.session))
    }
}

/// The session that this process serves.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) home: PathBuf,
    pub(crate) folder: PathBuf,
    note: Mutex<Note>,
    _lock: File,
}

impl Session {
    /// Takes the session; `None` when another process has it.
    pub(crate) fn take(options: &AgentOptions) -> Result<Option<Self>, AgentError> {
        let folder = options.folder()?;
        make_private(&folder).map_err(AgentError::refused(&folder))?;
        let Some(lock) = try_lock(&folder).map_err(AgentError::refused(&folder))? else {
            return Ok(None);
        };
        clean_up_after(&folder); // left by an agent of the same session
        let pid = std::process::id();
        let session = Self {
            home: options.home.clone(),
            note: Mutex::new(Note {
                pid,
                start_ticks: kernel::start_ticks(pid).unwrap_or(0),
                boot_id: kernel::boot_id(),
                lab: options.lab.clone(),
                lease_s: options.lease.as_secs(),
                ..Note::default()
            }),
            folder,
            _lock: lock,
        };
        session.seen();
        session
            .note()
            .write(&session.folder)
            .map_err(AgentError::refused(&session.folder))?;
        Ok(Some(session))
    }

    /// Notes, before it is made, a path that must be removed.
    pub(crate) fn note_temporary(&self, path: &Path) -> Result<(), Refusal> {
        let mut note = self.note();
        note.temporary.insert(path.to_owned());
        note.write(&self.folder).at(&self.folder)
    }

    /// Notes that the path has been removed.
    pub(crate) fn forget_temporary(&self, path: &Path) {
        let mut note = self.note();
        if note.temporary.remove(path) {
            // A stale entry in the note does no harm: a missing path is not removed again.
            let _ = note.write(&self.folder);
        }
    }

    /// Notes, before the change is made, the command that undoes it.
    pub(crate) fn note_at_end(&self, name: String, argv: Vec<String>) -> Result<(), Refusal> {
        if argv.is_empty() {
            return Err(Refusal::new("unknown-request", name, "no program is named"));
        }
        let mut note = self.note();
        note.at_end.insert(name, argv);
        note.write(&self.folder).at(&self.folder)
    }

    /// Notes that the change has been undone.
    pub(crate) fn forget_at_end(&self, name: &str) -> Result<(), Refusal> {
        let mut note = self.note();
        note.at_end.remove(name);
        note.write(&self.folder).at(&self.folder)
    }

    /// Notes a process that was started.
    pub(crate) fn note_child(&self, pid: u32, start_ticks: u64) {
        let mut note = self.note();
        note.children
            .retain(|(pid, ticks)| kernel::start_ticks(*pid) == Some(*ticks));
        note.children.insert((pid, start_ticks));
        // Without the note only an agent that is killed leaves the process behind.
        let _ = note.write(&self.folder);
    }

    /// Notes that the lab has been heard.
    pub(crate) fn seen(&self) {
        touch_seen(&self.folder);
    }

    /// Undoes the changes of the session, removes what was made for it, then its folder.
    pub(crate) fn remove(&self) {
        let note = self.note();
        run_noted(&note);
        remove_noted(&note);
        let _ = fs::remove_dir_all(&self.folder);
    }

    fn note(&self) -> MutexGuard<'_, Note> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::leftovers::sweep;

    fn options(home: &Path) -> AgentOptions {
        AgentOptions {
            home: home.to_owned(),
            session: "s-1".to_owned(),
            lease: Duration::from_secs(300),
            lab: String::new(),
        }
    }

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Sweeps until a condition holds: programs that other tests start hold this process's locks until they run.
    fn sweep_until(home: &Path, is_swept: impl Fn() -> bool) {
        let latest = Instant::now() + Duration::from_secs(5);
        while !is_swept() {
            assert!(Instant::now() < latest, "a dead session is left");
            sweep(home);
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_session_is_one_process_s() {
        let home = scratch("session-taken");
        let first = Session::take(&options(&home)).unwrap().unwrap();
        assert!(Session::take(&options(&home)).unwrap().is_none());
        sweep(&home);
        assert!(first.folder.is_dir(), "a living session is not swept");
        first.remove();
        assert!(!first.folder.exists());
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn what_a_killed_agent_left_is_removed_by_the_next() {
        let home = scratch("session-swept");
        let left = home.join("run/left");
        fs::create_dir_all(&left).unwrap();
        let session = Session::take(&options(&home)).unwrap().unwrap();
        session.note_temporary(&left).unwrap();
        let folder = session.folder.clone();
        drop(session); // as when it is killed: the lock is released, the note stays
        sweep_until(&home, || !left.exists() && !folder.exists());
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn a_change_that_a_killed_agent_made_is_undone_by_the_next() {
        let home = scratch("session-undone");
        let session = Session::take(&options(&home)).unwrap().unwrap();
        let undone = home.join("undone");
        let forgotten = home.join("forgotten");
        for (name, path) in [("shaping", &undone), ("other", &forgotten)] {
            let argv = ["touch".to_owned(), path.to_string_lossy().into_owned()];
            session.note_at_end(name.to_owned(), argv.into()).unwrap();
        }
        session.forget_at_end("other").unwrap();
        drop(session); // as when it is killed
        sweep_until(&home, || undone.exists());
        assert!(!forgotten.exists());
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn a_session_undoes_its_changes_at_its_end() {
        let home = scratch("session-ended");
        let session = Session::take(&options(&home)).unwrap().unwrap();
        let undone = home.join("undone");
        let argv = ["touch".to_owned(), undone.to_string_lossy().into_owned()];
        session
            .note_at_end("shaping".to_owned(), argv.into())
            .unwrap();
        assert!(
            session
                .note_at_end("nothing".to_owned(), Vec::new())
                .is_err()
        );
        session.remove();
        assert!(undone.exists());
        fs::remove_dir_all(home).unwrap();
    }
}
