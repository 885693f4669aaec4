//! Hands the standard streams of a lab over to the daemon of the session, which the relay starts if need be.

use crate::error::AgentError;
use crate::lab_connection::hand_over;
use crate::session::AgentOptions;
use crate::session_folder::socket_path;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Precedes the first frame: what a login shell prints comes before it.
pub const GREETING: &[u8] = b"\ndbdyno-agent 1\n";
const START_TIMEOUT: Duration = Duration::from_secs(10);
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// Hands the standard streams over and sleeps until the daemon ends the connection. `daemon` is the command that serves
/// the session; `None`: it must already run.
///
/// # Errors
///
/// There is no daemon and none could be started.
pub fn relay(options: &AgentOptions, daemon: Option<Command>) -> Result<(), AgentError> {
    let folder = options.folder()?;
    let stream = match (connect(&folder), daemon) {
        (Ok(stream), _) => stream,
        (Err(_), Some(daemon)) => start(&folder, daemon)?,
        (Err(_), None) => return Err(AgentError::NoSession(options.session.clone())),
    };
    let mut out = io::stdout();
    out.write_all(GREETING)
        .and_then(|()| out.flush())
        .and_then(|()| hand_over(&stream, io::stdin().as_fd(), out.as_fd()))
        .map_err(AgentError::refused(&folder))?;
    // SSH ends the connection with this process, so it lives as long as the daemon wants the connection.
    let _ = (&stream).read_to_end(&mut Vec::new());
    Ok(())
}

fn connect(folder: &Path) -> io::Result<UnixStream> {
    let (_handle, path) = socket_path(folder)?;
    UnixStream::connect(path)
}

fn start(folder: &Path, mut daemon: Command) -> Result<UnixStream, AgentError> {
    let not_started = |error: io::Error| AgentError::NotStarted(error.to_string());
    let mut child = daemon
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .current_dir("/")
        .process_group(0) // a signal to the relay's group does not reach it
        .spawn()
        .map_err(not_started)?;
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        if let Ok(stream) = connect(folder) {
            return Ok(stream);
        }
        let exit = child.try_wait().map_err(not_started)?;
        if exit.is_some_and(|exit| !exit.success()) || Instant::now() > deadline {
            return Err(AgentError::NotStarted(last_words(&mut child)));
        }
        thread::sleep(RETRY_INTERVAL);
    }
}

fn last_words(child: &mut std::process::Child) -> String {
    let _ = child.kill();
    let mut text = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        let _ = stderr.read_to_string(&mut text);
    }
    text.trim().to_owned()
}
