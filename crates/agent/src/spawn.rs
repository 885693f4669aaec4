//! Makes the command of a process: its environment, its streams, its user and its control group.

use crate::refusal::{AtPath, Refusal};
use crate::request::{Sink, SpawnRequest};
use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Builds the command, ready to be started.
pub(crate) fn command(request: &SpawnRequest, input: &[u8]) -> Result<Command, Refusal> {
    let [program, arguments @ ..] = request.argv.as_slice() else {
        return Err(Refusal::new("unknown-request", "", "no program is named"));
    };
    let mut command = Command::new(program);
    command.args(arguments).env_clear();
    for name in &request.inherit {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
        .envs(&request.env)
        .stdin(source(input)?)
        .stdout(sink(&request.stdout)?)
        .stderr(sink(&request.stderr)?)
        .current_dir(request.cwd.as_deref().unwrap_or(Path::new("/")));
    if let Some(gid) = request.gid {
        command.gid(gid);
    }
    if let Some(uid) = request.uid {
        command.uid(uid);
    }
    let group = request.control_group.as_deref().map(procs_of).transpose()?;
    begin(&mut command, group);
    Ok(command)
}

/// Provides its input, in memory and without a name: it may hold passwords.
fn source(input: &[u8]) -> Result<Stdio, Refusal> {
    if input.is_empty() {
        return Ok(Stdio::null());
    }
    let name = Path::new("standard input");
    let mut file = File::from(memfd_create("dbdyno-stdin", MemfdFlags::CLOEXEC).at(name)?);
    file.write_all(input).at(name)?;
    file.rewind().at(name)?;
    Ok(file.into())
}

fn sink(sink: &Sink) -> Result<Stdio, Refusal> {
    Ok(match sink {
        Sink::Null => Stdio::null(),
        Sink::Keep => Stdio::piped(),
        Sink::File(path) => OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o640)
            .open(path)
            .at(path)?
            .into(),
    })
}

fn procs_of(group: &Path) -> Result<File, Refusal> {
    let path = group.join("cgroup.procs");
    OpenOptions::new().write(true).open(&path).at(&path)
}

/// Has the process begin a session, so that a signal to its group reaches its helpers and it gets processors as a service
/// does (Linux shares them by session), and enter a control group before its program begins, so that all its memory is
/// counted there.
#[expect(
    unsafe_code,
    reason = "only a process itself can act between fork and exec"
)]
fn begin(command: &mut Command, group: Option<File>) {
    let begin = move || {
        // SAFETY: setsid is async-signal-safe and takes nothing.
        if unsafe { libc::setsid() } < 0 {
            return Err(io::Error::last_os_error());
        }
        if let Some(group) = &group {
            // SAFETY: write is async-signal-safe; the descriptor is the closure's own and the byte outlives the call.
            let written = unsafe { libc::write(group.as_raw_fd(), b"0".as_ptr().cast(), 1) };
            if written != 1 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: the closure calls nothing but setsid and write, and neither allocates nor takes a lock.
    unsafe { command.pre_exec(begin) };
}
