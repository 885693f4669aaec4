//! Undoes what a session changed on this host, and removes its files and rules.

use crate::session_folder::Note;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A command of the session's end that takes longer than this is killed.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);
const COMMAND_PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Held while commands run.
static UNDOING: Mutex<()> = Mutex::new(());

/// Waits until no command runs, and blocks new ones: the end of a session kills all children of this process.
pub(crate) fn block_undo() -> MutexGuard<'static, ()> {
    UNDOING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the commands that undo changes of the running kernel.
pub(crate) fn run_noted(note: &Note) {
    let _undoing = block_undo();
    for argv in note.at_end.values() {
        // It fails if the change is already undone, or was not made yet.
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
    // An error means that the command has ended and the collecting thread has already reaped it.
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

/// Removes folders and control groups.
pub(crate) fn remove_noted(note: &Note) {
    for path in note.temporary.iter().rev() {
        // The next `doctor` or `clean` lists what can't be removed.
        let _ = remove_tree(path);
    }
}

/// Removes a folder or a control group, whose files disappear with it.
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
