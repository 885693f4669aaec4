//! Reads a process and its threads from `/proc`.

use crate::ThreadsError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, getrlimit, pidfd_open, setrlimit};
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

/// Largest answer of the files of a thread, in bytes: `syscall` has nine numbers, `schedstat` three.
const ANSWER_BYTES: usize = 256;

/// Files of a thread that are read: where it waits, and how long it ran and waited for a processor.
const THREAD_FILES: [&str; 2] = ["syscall", "schedstat"];

/// Raises the soft limit of open files to the hard one: a sampler keeps two files of each thread open.
pub fn allow_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    // Without it, the error names the first thread above the limit.
    let _ = setrlimit(Resource::Nofile, raised);
}

/// A handle that stays that of one process, also where its id is given to another one.
#[derive(Debug)]
pub(crate) struct ProcessHandle(OwnedFd);

impl ProcessHandle {
    /// Opens it; `None`: there is no such process, or the kernel has no such handles.
    pub(crate) fn open(pid: u32) -> Option<Self> {
        let pid = Pid::from_raw(pid.try_into().ok()?)?;
        pidfd_open(pid, PidfdFlags::empty()).ok().map(Self)
    }

    /// Returns whether the process has ended, also where its parent has not asked for its exit status yet.
    pub(crate) fn has_ended(&self) -> bool {
        let mut watched = [PollFd::new(&self.0, PollFlags::IN)];
        poll(&mut watched, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }
}

/// A process that is watched.
#[derive(Debug)]
pub(crate) struct WatchedProcess {
    pub(crate) pid: u32,
    memory: File,
    main_thread: Option<File>,
}

impl WatchedProcess {
    /// Opens a process.
    ///
    /// # Errors
    ///
    /// It is not there, or its memory may not be read: it belongs to another user, or the Yama module allows it to
    /// ancestors only.
    pub(crate) fn open(pid: u32) -> Result<Self, ThreadsError> {
        expect_thread_files("/proc/self")?;
        let path = format!("/proc/{pid}/mem");
        let memory = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ThreadsError::NoProcess(pid),
            _ => ThreadsError::Refused { path, error },
        })?;
        Ok(Self {
            pid,
            memory,
            main_thread: File::open(format!("/proc/{pid}/task/{pid}/stat")).ok(),
        })
    }

    /// Returns whether a signal or a debugger has stopped it: then none of its threads goes on, whatever it waits for.
    pub(crate) fn is_stopped(&self) -> bool {
        let mut bytes = [0; ANSWER_BYTES];
        let answer = self.main_thread.as_ref();
        let count = answer.map_or(Ok(0), |file| file.read_at(&mut bytes, 0));
        is_stopped(&bytes[..count.unwrap_or(0)])
    }

    /// Ids of its threads.
    pub(crate) fn thread_ids(&self) -> Result<Vec<u32>, ThreadsError> {
        let folder = format!("/proc/{}/task", self.pid);
        let entries = fs::read_dir(&folder).map_err(|_| ThreadsError::NoProcess(self.pid))?;
        let names = entries.flatten().map(|entry| entry.file_name());
        Ok(names
            .filter_map(|name| name.to_str()?.parse().ok())
            .collect())
    }

    /// Copies memory; fewer bytes where the mapping ends. The process is not stopped.
    pub(crate) fn read_memory(&self, address: u64, bytes: &mut [u8]) -> io::Result<usize> {
        self.memory.read_at(bytes, address)
    }

    /// Opens the files of a thread; `None`: it has ended.
    pub(crate) fn thread(&self, id: u32) -> Result<Option<WatchedThread>, ThreadsError> {
        let folder = format!("/proc/{}/task/{id}", self.pid);
        let open = |name: &str| {
            let path = format!("{folder}/{name}");
            match File::open(&path) {
                Ok(file) => Ok(Some(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(ThreadsError::Refused { path, error }),
            }
        };
        let [call, schedule] = THREAD_FILES;
        let (Some(call), Some(schedule)) = (open(call)?, open(schedule)?) else {
            return Ok(None);
        };
        let name = fs::read_to_string(format!("{folder}/comm")).unwrap_or_default();
        Ok(Some(WatchedThread {
            name: name.trim_end().to_owned(),
            call,
            schedule,
        }))
    }
}

/// Fails where the kernel was built without a file of threads: of a single thread, its absence says that it has ended.
fn expect_thread_files(folder: &str) -> Result<(), ThreadsError> {
    THREAD_FILES.iter().try_for_each(|name| {
        let path = format!("{folder}/{name}");
        fs::metadata(&path)
            .map(drop)
            .map_err(ThreadsError::refused(path))
    })
}

/// A thread that is watched. Its files stay open: each reading is one system call.
#[derive(Debug)]
pub(crate) struct WatchedThread {
    /// As the program named it.
    pub(crate) name: String,
    call: File,
    schedule: File,
}

/// Describes where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadState {
    /// On a processor or on the run queue.
    Running,
    /// Blocked without a system call: a page fault, unless the process is stopped.
    Faulting,
    /// Blocked in a system call.
    Blocked(BlockedIn),
}

/// A system call that a thread is blocked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockedIn {
    pub(crate) number: i64,
    pub(crate) arguments: [u64; 6],
    pub(crate) stack_pointer: u64,
}

/// Processor time and time on the run queue since the thread began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ScheduledTime {
    pub(crate) on_cpu_ns: u64,
    pub(crate) run_queue_ns: u64,
}

impl ScheduledTime {
    /// Returns what was spent since an earlier reading.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            on_cpu_ns: self.on_cpu_ns.saturating_sub(earlier.on_cpu_ns),
            run_queue_ns: self.run_queue_ns.saturating_sub(earlier.run_queue_ns),
        }
    }
}

impl WatchedThread {
    /// Returns where it is now; an error: it has ended.
    pub(crate) fn state(&self) -> io::Result<ThreadState> {
        let mut bytes = [0; ANSWER_BYTES];
        let count = self.call.read_at(&mut bytes, 0)?;
        parse_state(&bytes[..count]).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Returns its processor time; an error: it has ended.
    pub(crate) fn scheduled(&self) -> io::Result<ScheduledTime> {
        let mut bytes = [0; ANSWER_BYTES];
        let count = self.schedule.read_at(&mut bytes, 0)?;
        parse_scheduled(&bytes[..count]).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// Parses `PID (NAME) STATE …`; the name may have brackets, too.
fn is_stopped(bytes: &[u8]) -> bool {
    let name_end = bytes.iter().rposition(|&byte| byte == b')');
    let state = name_end.and_then(|end| bytes.get(end + 2));
    matches!(state, Some(b'T' | b't'))
}

/// Parses `running`; `-1 SP PC`: blocked without a call; else `NUMBER ARGUMENT… SP PC`.
fn parse_state(bytes: &[u8]) -> Option<ThreadState> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut words = text.split_ascii_whitespace();
    let first = words.next()?;
    if first == "running" {
        return Some(ThreadState::Running);
    }
    let number: i64 = first.parse().ok()?;
    if number < 0 {
        return Some(ThreadState::Faulting);
    }
    let mut arguments = [0; 6];
    for argument in &mut arguments {
        *argument = hexadecimal(words.next()?)?;
    }
    let stack_pointer = hexadecimal(words.next()?)?;
    Some(ThreadState::Blocked(BlockedIn {
        number,
        arguments,
        stack_pointer,
    }))
}

fn hexadecimal(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

fn parse_scheduled(bytes: &[u8]) -> Option<ScheduledTime> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut words = text.split_ascii_whitespace();
    Some(ScheduledTime {
        on_cpu_ns: words.next()?.parse().ok()?,
        run_queue_ns: words.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_where_a_thread_is() {
        assert_eq!(parse_state(b"running\n"), Some(ThreadState::Running));
        assert_eq!(
            parse_state(b"-1 0x7ffd 0x7f0a\n"),
            Some(ThreadState::Faulting)
        );
        let blocked = parse_state(b"202 0x10 0x80 0x2 0x0 0x0 0xffffffff 0x7ffd00 0x7f0a\n");
        let Some(ThreadState::Blocked(call)) = blocked else {
            panic!("{blocked:?}");
        };
        assert_eq!((call.number, call.stack_pointer), (202, 0x7ffd00));
        assert_eq!(call.arguments[5], 0xffff_ffff);
        assert_eq!(parse_state(b"202 0x10"), None);
    }

    #[test]
    fn a_kernel_without_a_file_of_threads_is_named_by_it() {
        assert!(expect_thread_files("/proc/self").is_ok());
        let folder = std::env::temp_dir().join(format!("thread-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("schedstat"), "0 0 0").unwrap();
        let error = expect_thread_files(folder.to_str().unwrap()).unwrap_err();
        fs::remove_dir_all(&folder).unwrap();
        assert!(
            error.to_string().contains("/syscall can't be read"),
            "{error}"
        );
    }

    #[test]
    fn a_stopped_process_is_known_by_the_letter_after_its_name() {
        assert!(is_stopped(b"7 (mysqld) T 1 7 7 0"));
        assert!(is_stopped(b"7 (a) S (b) t 1 7 7 0"));
        assert!(!is_stopped(b"7 (T) T) S 1 7 7 0"));
        assert!(!is_stopped(b"7 (mysqld)") && !is_stopped(b""));
    }

    #[test]
    fn this_process_can_be_watched() {
        let process = WatchedProcess::open(std::process::id()).unwrap();
        let ids = process.thread_ids().unwrap();
        let thread = process.thread(ids[0]).unwrap().unwrap();
        assert!(thread.scheduled().unwrap().on_cpu_ns > 0);
        let word = 0x1234_5678_9abc_def0_u64;
        let mut copy = [0; 8];
        let address = std::ptr::from_ref(&word) as u64;
        assert_eq!(process.read_memory(address, &mut copy).unwrap(), 8);
        assert_eq!(u64::from_ne_bytes(copy), word);
        assert!(process.thread(u32::MAX).unwrap().is_none());
        assert!(!process.is_stopped());
    }

    #[test]
    fn the_end_of_a_process_is_noticed_before_its_parent_asks() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let handle = ProcessHandle::open(child.id()).unwrap();
        assert!(!handle.has_ended());
        child.kill().unwrap();
        let limit = Timespec {
            tv_sec: 10,
            tv_nsec: 0,
        };
        let mut watched = [PollFd::new(&handle.0, PollFlags::IN)];
        poll(&mut watched, Some(&limit)).unwrap();
        assert!(handle.has_ended());
        child.wait().unwrap();
        assert!(handle.has_ended());
        assert!(ProcessHandle::open(child.id()).is_none());
    }

    #[test]
    fn a_process_that_is_not_there_is_named() {
        let error = WatchedProcess::open(u32::MAX - 1).unwrap_err();
        assert!(matches!(error, ThreadsError::NoProcess(_)), "{error}");
    }
}
