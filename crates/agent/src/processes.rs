//! Starts processes, keeps their output and exit codes, and leaves none behind.

use crate::answer::Answer;
use crate::kernel;
use crate::refusal::{AtPath, Refusal};
use crate::request::{OutputStream, ProcessId, SpawnRequest};
use crate::session::Session;
use crate::spawn;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, pidfd_open, wait, waitid,
};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes kept of a stream that nobody reads; then the process waits.
const KEPT_BYTES: usize = 16 << 20;
const BLOCK_BYTES: usize = 1 << 16;
/// Bytes returned at once.
const REPLY_BYTES: usize = 4 << 20;
/// How long processes may take to end until they are left to the kernel: a disk may hang.
const END_TIMEOUT: Duration = Duration::from_secs(10);
const END_PAUSE: Duration = Duration::from_millis(10);

/// Holds the processes of a session.
#[derive(Debug)]
pub(crate) struct Processes {
    children: Mutex<HashMap<u32, Child>>,
    /// A process has started or ended.
    changed: Condvar,
    /// The session ends: no process is started any more, as nobody would end it.
    is_ending: AtomicBool,
}

#[derive(Debug)]
struct Child {
    start_ticks: u64,
    /// Negative: the signal that ended it.
    exit: Option<i32>,
    stdout: Option<Arc<Kept>>,
    stderr: Option<Arc<Kept>>,
}

impl Processes {
    /// Starts to wait for processes to end.
    pub(crate) fn begin() -> Arc<Self> {
        let processes = Arc::new(Self {
            children: Mutex::default(),
            changed: Condvar::new(),
            is_ending: AtomicBool::new(false),
        });
        let reaping = Arc::clone(&processes);
        thread::spawn(move || reaping.reap());
        processes
    }

    /// Starts a process.
    pub(crate) fn spawn(
        &self,
        request: &SpawnRequest,
        input: &[u8],
        session: &Session,
    ) -> Result<Value, Refusal> {
        let mut command = spawn::command(request, input)?;
        let mut children = self.children(); // held: the process may end before it is known
        let program = Path::new(&request.argv[0]);
        self.expect_session(program)?;
        let mut child = command.spawn().at(program)?;
        drop(command); // and with it our ends of its streams
        let pid = child.id();
        let start_ticks = kernel::Stat::read(pid).map_or(0, |stat| stat.start_ticks);
        // If the session's end began meanwhile, it may have listed its children before this one started.
        self.expect_session(program).inspect_err(|_| {
            let _ = kernel::kill_group(pid, start_ticks);
        })?;
        session.note_child(pid, start_ticks);
        children.insert(
            pid,
            Child {
                start_ticks,
                exit: None,
                stdout: child.stdout.take().map(Kept::begin),
                stderr: child.stderr.take().map(Kept::begin),
            },
        );
        drop(children);
        self.changed.notify_all();
        Ok(json!({"pid": pid, "start_ticks": start_ticks}))
    }

    /// Fails once the session ends.
    fn expect_session(&self, program: &Path) -> Result<(), Refusal> {
        if self.is_ending.load(Ordering::SeqCst) {
            let text = "the session is ending";
            return Err(Refusal::new("ended", program.to_string_lossy(), text));
        }
        Ok(())
    }

    /// Signals any process, started here or not.
    pub(crate) fn signal(
        &self,
        process: ProcessId,
        signal: i32,
        to_group: bool,
    ) -> Result<(), Refusal> {
        let ProcessId { pid, start_ticks } = process;
        let name = format!("process {pid}");
        let known = Signal::from_named_raw(signal);
        let Some(signal) = known else {
            return Err(Refusal::new(
                "unknown-request",
                name,
                format!("{signal} is not a signal"),
            ));
        };
        let send = if to_group {
            kernel::signal_group
        } else {
            kernel::signal
        };
        send(pid, start_ticks, signal).at(Path::new(&name))
    }

    /// Returns what `wait` would without waiting; `None`: it was not started here, or another is being started.
    pub(crate) fn look(&self, process: ProcessId) -> Option<Value> {
        let children = self.children.try_lock().ok()?;
        let child = children.get(&process.pid)?;
        let is_same = child.start_ticks == process.start_ticks;
        is_same.then(|| json!({"has_ended": child.exit.is_some(), "exit": child.exit}))
    }

    /// Waits for the end of a process. Its exit code is known only if it was started here.
    pub(crate) fn wait(&self, process: ProcessId, timeout: Duration) -> Result<Value, Refusal> {
        let deadline = Instant::now() + timeout;
        let mut children = self.children();
        loop {
            match children.get(&process.pid) {
                Some(child) if child.start_ticks == process.start_ticks => {
                    if let Some(exit) = child.exit {
                        return Ok(json!({"has_ended": true, "exit": exit}));
                    }
                }
                _ => {
                    drop(children);
                    return wait_for_other(process, deadline);
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(json!({"has_ended": false, "exit": null}));
            }
            let waited = self.changed.wait_timeout(children, left);
            children = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns the output of a process from an offset on; waits for the first byte.
    pub(crate) fn output(
        &self,
        process: ProcessId,
        stream: OutputStream,
        offset: u64,
        timeout: Duration,
    ) -> Result<Answer, Refusal> {
        let children = self.children();
        let child = children.get(&process.pid);
        let kept = child.and_then(|child| match stream {
            OutputStream::Stdout => child.stdout.clone(),
            OutputStream::Stderr => child.stderr.clone(),
        });
        drop(children);
        let kept = kept.ok_or_else(|| Refusal::no_handle("output", u64::from(process.pid)))?;
        Ok(kept.take(offset, timeout))
    }

    /// Ends all processes started here, and those that they started. No other is started from now on.
    pub(crate) fn end_all(&self) {
        self.is_ending.store(true, Ordering::SeqCst);
        let deadline = Instant::now() + END_TIMEOUT;
        while Instant::now() < deadline {
            let children = kernel::children();
            if children.is_empty() {
                return;
            }
            for pid in children {
                if let Some(ticks) = kernel::start_ticks(pid) {
                    let _ = kernel::kill_group(pid, ticks);
                    let _ = kernel::signal(pid, ticks, Signal::KILL);
                }
            }
            thread::sleep(END_PAUSE);
        }
    }

    /// Collects exit codes, also those of orphans of its processes.
    fn reap(&self) {
        loop {
            // Checked first and collected under the lock: until then nobody else gets its pid.
            let ended = waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let mut children = self.children();
            if ended.is_err() && children.values().all(|child| child.exit.is_some()) {
                drop(self.changed.wait(children)); // until the next is started
                continue;
            }
            while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                let child = u32::try_from(pid.as_raw_nonzero().get());
                if let Some(child) = child.ok().and_then(|pid| children.get_mut(&pid)) {
                    child.exit = Some(exit_code(status));
                }
            }
            drop(children);
            self.changed.notify_all();
        }
    }

    fn children(&self) -> MutexGuard<'_, HashMap<u32, Child>> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn exit_code(status: WaitStatus) -> i32 {
    let signal = status.terminating_signal().map(|signal| -signal);
    status.exit_status().or(signal).unwrap_or(0)
}

fn wait_for_other(process: ProcessId, deadline: Instant) -> Result<Value, Refusal> {
    let name = format!("process {}", process.pid);
    let ended = json!({"has_ended": true, "exit": null});
    let id = kernel::process_id(process.pid).at(Path::new(&name))?;
    let handle = match pidfd_open(id, PidfdFlags::empty()) {
        Err(Errno::SRCH) => return Ok(ended),
        handle => handle.at(Path::new(&name))?,
    };
    if kernel::start_ticks(process.pid) != Some(process.start_ticks) {
        return Ok(ended);
    }
    let left = deadline.saturating_duration_since(Instant::now());
    let left = Timespec::try_from(left).ok();
    let mut polled = [PollFd::new(&handle, PollFlags::IN)];
    let count = poll(&mut polled, left.as_ref()).at(Path::new(&name))?;
    Ok(json!({"has_ended": count > 0, "exit": null}))
}

/// Holds the unread output of a process.
#[derive(Debug, Default)]
struct Kept {
    state: Mutex<KeptState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct KeptState {
    bytes: VecDeque<u8>,
    /// Offset of the first byte that is kept.
    offset: u64,
    is_end: bool,
}

impl Kept {
    fn begin(from: impl Read + Send + 'static) -> Arc<Self> {
        let kept = Arc::new(Self::default());
        let filling = Arc::clone(&kept);
        thread::spawn(move || filling.fill(from));
        kept
    }

    fn fill(&self, mut from: impl Read) {
        let mut block = vec![0; BLOCK_BYTES];
        loop {
            let count = match from.read(&mut block) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let mut state = self.state();
            while state.bytes.len() + count > KEPT_BYTES {
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
            }
            state.bytes.extend(&block[..count]);
            drop(state);
            self.changed.notify_all();
        }
        self.state().is_end = true;
        self.changed.notify_all();
    }

    fn take(&self, offset: u64, timeout: Duration) -> Answer {
        let deadline = Instant::now() + timeout;
        let mut state = self.state();
        let taken = offset.saturating_sub(state.offset);
        let taken =
            usize::try_from(taken).map_or(state.bytes.len(), |taken| taken.min(state.bytes.len()));
        state.bytes.drain(..taken);
        state.offset += taken as u64;
        if state.bytes.is_empty() {
            state.bytes.shrink_to(BLOCK_BYTES);
        }
        self.changed.notify_all();
        while state.bytes.is_empty() && !state.is_end {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let count = state.bytes.len().min(REPLY_BYTES);
        Answer {
            value: json!({
                "offset": state.offset,
                "is_end": state.is_end && count == state.bytes.len(),
            }),
            body: state.bytes.range(..count).copied().collect(),
        }
    }

    fn state(&self) -> MutexGuard<'_, KeptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
