//! Finds the agents of this host, ends them, and removes what dead agents left.

use crate::kernel;
use crate::refusal::{AtPath, Refusal};
use crate::session_folder::{Note, age, is_session_name, sessions_of, since_seen, try_lock};
use crate::undo::{remove_noted, run_noted};
use rustix::process::Signal;
use serde::Serialize;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

/// A younger folder without a note is still being made.
const BEING_MADE: Duration = Duration::from_secs(60);

/// Describes an agent of a home.
#[derive(Debug, Serialize)]
pub(crate) struct KnownAgent {
    session: String,
    is_alive: bool,
    /// Seconds since its lab was heard.
    idle_s: u64,
    #[serde(flatten)]
    note: Note,
}

/// Finds all agents of a home, living and dead.
pub(crate) fn find_all(home: &Path) -> Result<Vec<KnownAgent>, Refusal> {
    let folder = sessions_of(home);
    let mut agents = Vec::new();
    for entry in fs::read_dir(&folder).at(&folder)?.flatten() {
        let path = entry.path();
        let Some(note) = Note::read(&path) else {
            continue;
        };
        let is_alive = kernel::start_ticks(note.pid) == Some(note.start_ticks)
            && note.boot_id == kernel::boot_id();
        agents.push(KnownAgent {
            session: entry.file_name().to_string_lossy().into_owned(),
            is_alive,
            idle_s: since_seen(&path).map_or(0, |age| age.as_secs()),
            note,
        });
    }
    agents.sort_by(|a, b| a.session.cmp(&b.session));
    Ok(agents)
}

/// Ends another agent; removes what a dead one left.
///
/// A session that is gone has ended: each agent sweeps as it starts, so what was listed may be gone by now.
pub(crate) fn end(home: &Path, session: &str) -> Result<(), Refusal> {
    let folder = sessions_of(home).join(session);
    if !is_session_name(session) {
        return Err(Refusal::new("not-found", session, "there is no such agent"));
    }
    let note = Note::read(&folder);
    if let Some(note) = &note {
        kernel::signal(note.pid, note.start_ticks, Signal::TERM).unwrap_or(());
    }
    // Its processes and each undo command have 10 s to end.
    let commands = note.map_or(0, |note| note.at_end.len());
    let mut outcome = Ok(false);
    for _ in 0..240 + 200 * commands {
        if !folder.is_dir() {
            return Ok(());
        }
        outcome = remove_dead(&folder); // another agent that sweeps may be removing it, too
        if matches!(outcome, Ok(true)) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    outcome.at(&folder)?;
    Err(Refusal::new("timeout", session, "the agent does not end"))
}

/// Removes what dead agents left; nobody waits for the result.
pub(crate) fn sweep(home: &Path) {
    let folders = fs::read_dir(sessions_of(home)).into_iter().flatten();
    for folder in folders.flatten().map(|entry| entry.path()) {
        let is_made = Note::exists(&folder) || age(&folder).is_some_and(|age| age > BEING_MADE);
        if is_made {
            let _ = remove_dead(&folder);
        }
    }
}

/// Removes what a dead session left; returns whether it was dead.
fn remove_dead(folder: &Path) -> io::Result<bool> {
    let lock = match try_lock(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        lock => lock?,
    };
    if lock.is_none() {
        return Ok(false);
    }
    clean_up_after(folder);
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(true),
    }
}

/// Kills and removes everything that a killed agent noted.
pub(crate) fn clean_up_after(folder: &Path) {
    let Some(note) = Note::read(folder) else {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session_folder::make_private;

    #[test]
    fn a_session_that_another_agent_has_swept_is_ended() {
        let home = std::env::temp_dir().join(format!("agent-leftovers-{}", std::process::id()));
        let folder = sessions_of(&home).join("db1-4f3a");
        make_private(&folder).unwrap();
        let end_it = |name| end(&home, name).err().map(|refusal| refusal.code);
        assert_eq!(end_it("db1-4f3a"), None);
        assert!(!folder.exists());
        assert_eq!(end_it("db1-4f3a"), None);
        assert_eq!(end_it("../home"), Some("not-found"));
        fs::remove_dir_all(&home).unwrap();
    }
}
