//! The folder of a session: its lock, its socket, and a note of what must be removed at its end.

use crate::error::AgentError;
use crate::kernel;
use crate::refusal::{AtPath, Refusal};
use rustix::fs::{FlockOperation, flock};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an agent goes on without a lab.
pub const DEFAULT_LEASE: Duration = Duration::from_secs(300);
const NOTE: &str = "note.json";
const SEEN: &str = "seen";
/// A folder without a note is one that is being made, unless it is older.
const BEING_MADE: Duration = Duration::from_secs(60);
/// A command of the session's end that takes longer is killed.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);
const COMMAND_PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Where an agent serves, for whom and how long.
#[derive(Debug, Clone)]
pub struct AgentOptions {
    /// Folder of engines, snapshots and runs on this host.
    pub home: PathBuf,
    /// Chosen by the lab.
    pub session: String,
    /// How long to go on without a lab.
    pub lease: Duration,
    /// Who the lab is, for those who look at the host.
    pub lab: String,
}

impl AgentOptions {
    /// The folder of the session.
    pub(crate) fn folder(&self) -> Result<PathBuf, AgentError> {
        if !is_session_name(&self.session) {
            return Err(AgentError::BadSession(self.session.clone()));
        }
        Ok(sessions_of(&self.home).join(&self.session))
    }
}

fn is_session_name(name: &str) -> bool {
    let is_fine = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
    (1..=64).contains(&name.len()) && name.chars().all(is_fine)
}

fn sessions_of(home: &Path) -> PathBuf {
    home.join("agents")
}

/// Path by which the socket of a session's folder is named, however long that folder's path is.
pub(crate) fn socket_path(folder: &Path) -> io::Result<(File, PathBuf)> {
    use std::os::fd::AsRawFd;
    let handle = File::open(folder)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}/socket", handle.as_raw_fd()));
    Ok((handle, path))
}

/// What a session leaves to be removed if its agent is killed.
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
        clean_up_after(&folder); // of an agent of the same session
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
            .write(&session.note())
            .map_err(AgentError::refused(&session.folder))?;
        Ok(Some(session))
    }

    /// Notes, before it happens, what will have to be removed.
    pub(crate) fn note_temporary(&self, path: &Path) -> Result<(), Refusal> {
        let mut note = self.note();
        note.temporary.insert(path.to_owned());
        self.write(&note).at(&self.folder)
    }

    /// Takes note that it has been removed.
    pub(crate) fn forget_temporary(&self, path: &Path) {
        let mut note = self.note();
        if note.temporary.remove(path) {
            // A note that names too much does no harm: what is gone is not removed again.
            let _ = self.write(&note);
        }
    }

    /// Notes, before the change is made, by which command it is undone.
    pub(crate) fn note_at_end(&self, name: String, argv: Vec<String>) -> Result<(), Refusal> {
        if argv.is_empty() {
            return Err(Refusal::new("unknown-request", name, "no program is named"));
        }
        let mut note = self.note();
        note.at_end.insert(name, argv);
        self.write(&note).at(&self.folder)
    }

    /// Takes note that it has been undone.
    pub(crate) fn forget_at_end(&self, name: &str) -> Result<(), Refusal> {
        let mut note = self.note();
        note.at_end.remove(name);
        self.write(&note).at(&self.folder)
    }

    /// Notes a process that was started.
    pub(crate) fn note_child(&self, pid: u32, start_ticks: u64) {
        let mut note = self.note();
        note.children
            .retain(|(pid, ticks)| kernel::start_ticks(*pid) == Some(*ticks));
        note.children.insert((pid, start_ticks));
        // Without it only an agent that is killed leaves the process behind.
        let _ = self.write(&note);
    }

    /// The lab has been heard.
    pub(crate) fn seen(&self) {
        let _ = fs::write(self.folder.join(SEEN), b"");
    }

    /// Undoes what was changed and removes what was made for the session, then its folder.
    pub(crate) fn remove(&self) {
        let note = self.note();
        run_noted(&note);
        remove_noted(&note);
        let _ = fs::remove_dir_all(&self.folder);
    }

    fn write(&self, note: &Note) -> io::Result<()> {
        let unfinished = self.folder.join("note.unfinished");
        fs::write(&unfinished, serde_json::to_vec(note)?)?;
        fs::rename(unfinished, self.folder.join(NOTE))
    }

    fn note(&self) -> MutexGuard<'_, Note> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
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

fn try_lock(folder: &Path) -> io::Result<Option<File>> {
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

/// An agent of a home.
#[derive(Debug, Serialize)]
pub(crate) struct Found {
    session: String,
    is_alive: bool,
    /// Since its lab was heard.
    idle_s: u64,
    #[serde(flatten)]
    note: Note,
}

/// All agents of a home, living and dead.
pub(crate) fn find_all(home: &Path) -> Result<Vec<Found>, Refusal> {
    let folder = sessions_of(home);
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).at(&folder)?.flatten() {
        let path = entry.path();
        let Some(note) = read_note(&path) else {
            continue;
        };
        let is_alive = kernel::start_ticks(note.pid) == Some(note.start_ticks)
            && note.boot_id == kernel::boot_id();
        found.push(Found {
            session: entry.file_name().to_string_lossy().into_owned(),
            is_alive,
            idle_s: age(&path.join(SEEN)).map_or(0, |age| age.as_secs()),
            note,
        });
    }
    found.sort_by(|a, b| a.session.cmp(&b.session));
    Ok(found)
}

/// Has another agent end; removes what a dead one left.
pub(crate) fn end(home: &Path, session: &str) -> Result<(), Refusal> {
    let folder = sessions_of(home).join(session);
    if !is_session_name(session) || !folder.is_dir() {
        return Err(Refusal::new("not-found", session, "there is no such agent"));
    }
    if let Some(note) = read_note(&folder) {
        kernel::signal(note.pid, note.start_ticks, Signal::TERM).unwrap_or(());
    }
    for _ in 0..200 {
        if !folder.is_dir() || remove_dead(&folder).at(&folder)? {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err(Refusal::new("timeout", session, "the agent does not end"))
}

/// Removes what dead agents left; nobody waits for the answer.
pub(crate) fn sweep(home: &Path) {
    let folders = fs::read_dir(sessions_of(home)).into_iter().flatten();
    for folder in folders.flatten().map(|entry| entry.path()) {
        let is_made =
            folder.join(NOTE).exists() || age(&folder).is_some_and(|age| age > BEING_MADE);
        if is_made {
            let _ = remove_dead(&folder);
        }
    }
}

/// Whether the session of a folder was dead, and what it left is removed.
fn remove_dead(folder: &Path) -> io::Result<bool> {
    let lock = match try_lock(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        lock => lock?,
    };
    if lock.is_none() {
        return Ok(false);
    }
    clean_up_after(folder);
    fs::remove_dir_all(folder)?;
    Ok(true)
}

/// Kills and removes what an agent noted that was killed itself.
fn clean_up_after(folder: &Path) {
    let Some(note) = read_note(folder) else {
        return;
    };
    if note.boot_id == kernel::boot_id() {
        for (pid, start_ticks) in &note.children {
            let _ = kernel::kill_group(*pid, *start_ticks);
        }
        run_noted(&note); // a restart has undone what was changed in the kernel
    }
    remove_noted(&note);
}

fn run_noted(note: &Note) {
    for argv in note.at_end.values() {
        // It fails where the change was undone already, or not yet made.
        let _ = run_briefly(argv);
    }
}

/// Runs a command without input, output and the session's environment.
fn run_briefly(argv: &[String]) -> io::Result<()> {
    let [program, arguments @ ..] = argv else {
        return Ok(());
    };
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("PATH", COMMAND_PATH)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let deadline = Instant::now() + COMMAND_TIMEOUT;
    // An error means that the thread that collects ended processes was quicker: it has ended.
    while child.try_wait()?.is_none() {
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn remove_noted(note: &Note) {
    for path in note.temporary.iter().rev() {
        // What can't be removed is named by the next doctor's or clean's list of the folder.
        let _ = remove_tree(path);
    }
}

/// Removes a folder or a control group, whose files go with it.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    if path.starts_with("/sys/fs/cgroup") {
        for _ in 0..100 {
            match fs::remove_dir(path) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(Duration::from_millis(20)); // its processes are ending
                }
                done => return done,
            }
        }
    }
    let facts = fs::symlink_metadata(path)?;
    if !facts.is_dir() {
        return fs::remove_file(path);
    }
    for _ in 0..20 {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                std::thread::sleep(Duration::from_millis(100)); // a process that is ending adds a file
            }
            done => return done,
        }
    }
    fs::remove_dir_all(path)
}

fn read_note(folder: &Path) -> Option<Note> {
    serde_json::from_slice(&fs::read(folder.join(NOTE)).ok()?).ok()
}

fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(home: &Path) -> AgentOptions {
        AgentOptions {
            home: home.to_owned(),
            session: "s-1".to_owned(),
            lease: DEFAULT_LEASE,
            lab: String::new(),
        }
    }

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
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
        drop(session); // as when it is killed: the lock goes, the note stays
        sweep(&home);
        assert!(!left.exists() && !folder.exists());
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
        sweep(&home);
        assert!(undone.exists() && !forgotten.exists());
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
    fn names_of_sessions_are_plain() {
        for name in ["", "../x", "a b", "a/b", &"x".repeat(65)] {
            assert!(!is_session_name(name), "{name}");
        }
        assert!(is_session_name("db1-4f3A"));
    }
}
