//! Reads what the kernel reports about this host and its processes, and signals processes.

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};
use std::fs;
use std::io;

/// Returns the clock ticks from boot to the start of a process; `None` if it has ended.
pub(crate) fn start_ticks(pid: u32) -> Option<u64> {
    let stat = Stat::read(pid)?;
    (!matches!(stat.state, 'Z' | 'X')).then_some(stat.start_ticks)
}

/// Holds fields of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) state: char,
    pub(crate) parent: u32,
    pub(crate) start_ticks: u64,
}

impl Stat {
    /// Reads a process that exists, a zombie included.
    pub(crate) fn read(pid: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        // The command name before it may contain spaces and parentheses.
        let mut fields = text[text.rfind(')')? + 1..].split_ascii_whitespace();
        Some(Self {
            state: fields.next()?.chars().next()?,
            parent: fields.next()?.parse().ok()?,
            start_ticks: fields.nth(17)?.parse().ok()?,
        })
    }
}

/// Returns the children of this process, without those that have ended and were not waited for.
pub(crate) fn children() -> Vec<u32> {
    let own = std::process::id();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| {
        Stat::read(*pid).is_some_and(|stat| stat.parent == own && !matches!(stat.state, 'Z' | 'X'))
    })
    .collect()
}

/// Signals a process if it is still the one that was started then.
pub(crate) fn signal(pid: u32, ticks: u64, signal: Signal) -> io::Result<()> {
    let id = process_id(pid)?;
    let handle = pidfd_open(id, PidfdFlags::empty())?;
    if start_ticks(pid) != Some(ticks) {
        return Err(rustix::io::Errno::SRCH.into());
    }
    Ok(pidfd_send_signal(handle, signal)?)
}

/// Signals the group of a process that leads one.
pub(crate) fn signal_group(pid: u32, ticks: u64, signal: Signal) -> io::Result<()> {
    if start_ticks(pid) != Some(ticks) {
        return Err(rustix::io::Errno::SRCH.into());
    }
    Ok(kill_process_group(process_id(pid)?, signal)?)
}

/// Kills a process and its group at once.
pub(crate) fn kill_group(pid: u32, ticks: u64) -> io::Result<()> {
    signal_group(pid, ticks, Signal::KILL)
}

pub(crate) fn process_id(pid: u32) -> io::Result<Pid> {
    let id = i32::try_from(pid).ok().and_then(Pid::from_raw);
    id.ok_or_else(|| rustix::io::Errno::SRCH.into())
}

/// Returns the boot ID, which differs at each boot.
pub(crate) fn boot_id() -> String {
    text("/proc/sys/kernel/random/boot_id")
}

/// Reads a file of the kernel, without its line's end; empty if it can't be read.
pub(crate) fn text(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.trim_end().to_owned()
}

const IO_URING_PARAMETERS_BYTES: usize = 120;

/// Returns the kernel's error when an io_uring is requested; 0 if it is granted.
#[expect(unsafe_code, reason = "no safe call makes a ring without keeping it")]
pub(crate) fn io_uring_errno() -> i32 {
    let mut parameters = [0_u64; IO_URING_PARAMETERS_BYTES / 8];
    // SAFETY: the parameters are as large as struct io_uring_params, zeroed, and outlive the call.
    let handle = unsafe { libc::syscall(libc::SYS_io_uring_setup, 1, parameters.as_mut_ptr()) };
    match i32::try_from(handle) {
        Ok(handle) if handle >= 0 => {
            // SAFETY: the handle was just opened and nobody else has it.
            unsafe { libc::close(handle) };
            0
        }
        _ => last_errno(),
    }
}

/// Returns the kernel's error when native asynchronous I/O is requested; 0 if it is granted.
#[expect(unsafe_code, reason = "the C library has no function for it")]
pub(crate) fn native_aio_errno() -> i32 {
    let mut context: libc::c_ulong = 0;
    // SAFETY: the kernel writes one word to the context, which outlives the call.
    if unsafe { libc::syscall(libc::SYS_io_setup, 1, &raw mut context) } < 0 {
        return last_errno();
    }
    // SAFETY: the context was just created and has no request.
    unsafe { libc::syscall(libc::SYS_io_destroy, context) };
    0
}

fn last_errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_parentheses_does_not_shift_the_fields() {
        let rest = "0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 9 9";
        let stat = Stat::parse(&format!("7 (a b) c) S 42 7 7 {rest}")).unwrap();
        assert_eq!(
            (stat.state, stat.parent, stat.start_ticks),
            ('S', 42, 987_654)
        );
    }

    #[test]
    fn a_process_with_another_start_is_not_signalled() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let ticks = start_ticks(child.id()).unwrap();
        let error = signal(child.id(), ticks + 1, Signal::KILL).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ESRCH));
        assert!(children().contains(&child.id()));
        signal(child.id(), ticks, Signal::KILL).unwrap();
        child.wait().unwrap();
        assert_eq!(start_ticks(child.id()), None);
    }

    #[test]
    fn the_kernel_answers_both_kinds_of_asynchronous_io() {
        for errno in [io_uring_errno(), native_aio_errno()] {
            assert!((0..200).contains(&errno), "{errno}");
        }
    }
}
