//! Watches for the server's answer.
//!
//! The thread looks at all open connections a few times a second. One whose request is without any byte of an answer
//! for too long is broken off, so that its user goes on. While no connection receives anything, the kernel is asked
//! whether the path to the server is there: a server that is stalled or stopped still has a kernel that acknowledges.
//! This costs a statement two stores to its own number.
//!
//! sysbench waits for ever, so only our own form does this.

use crate::Engine;
use crate::figures::Counter;
use dbdyno_drive::{Cause, Failure, Outage, OutageLog, outages, path_failure};
use dbdyno_fiber::{Signal, monotonic_ns};
use dbdyno_meter::SECOND_NS;
use dbdyno_wire::{allow_zero_window, break_off, check_path};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two looks at the connections.
const LOOK_NS: u64 = 50_000_000;

/// So long without anything heard, and the kernel is asked about the path.
const SILENT_NS: u64 = SECOND_NS;

/// Time between two such questions.
const BETWEEN_QUESTIONS_NS: u64 = SECOND_NS / 2;

/// The client library's number for a connection that was lost while an answer was awaited.
const LOST: u16 = super::client_error::SERVER_LOST;

/// Holds what is asked of the watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerLimits {
    /// How long a request may be without any byte of an answer; `None`: for ever.
    pub answer_timeout: Option<Duration>,
}

/// All connections of a process, as the watch sees them.
#[derive(Debug)]
pub(crate) struct AnswerWatch {
    limits: AnswerLimits,
    state: Mutex<WatchState>,
}

#[derive(Debug, Default)]
struct WatchState {
    next_number: u64,
    open: BTreeMap<u64, OpenConnection>,
    /// Most that were open at the same time.
    most_open: u32,
    outages: OutageLog,
    /// Why the first user could not go on for want of a connection.
    failure: Option<Failure>,
    /// Where the connections go.
    peer: String,
    /// When anything was heard for the last time.
    heard_ns: u64,
    next_question_ns: u64,
    /// When the connections were looked at for the last time.
    looked_ns: u64,
    /// Events completed in each second since the run began, and those before the last look.
    completed: Vec<u64>,
    completed_before: u64,
}

#[derive(Debug)]
struct OpenConnection {
    socket: RawFd,
    progress: Arc<AnswerProgress>,
    /// What the progress was at the last look, and since when it is so.
    seen: u64,
    since_ns: u64,
    /// It was made after another one was lost.
    is_reopened: bool,
}

/// Says how far a connection is. Only its own thread changes it.
#[derive(Debug, Default)]
struct AnswerProgress {
    /// Odd while an answer is awaited; the half of it grows with everything that is heard.
    steps: AtomicU64,
    /// It was broken off for want of an answer.
    is_given_up: AtomicBool,
}

/// Holds what became of the connections of a run.
#[derive(Debug, Clone, Default)]
pub struct ConnectionAccount {
    /// Stretches with lost connections, or without a path.
    pub outages: Vec<Outage>,
    /// Why the run has failed, where it failed for want of a connection.
    pub failure: Option<Failure>,
}

/// A connection's place in the watch. It ends before the socket is closed.
#[derive(Debug)]
pub(super) struct WatchedConnection {
    watch: Arc<AnswerWatch>,
    number: u64,
    progress: Arc<AnswerProgress>,
}

/// The thread that looks. It ends with this.
pub(crate) struct Watching {
    end: Signal,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl AnswerWatch {
    pub(crate) fn new(limits: AnswerLimits) -> Self {
        Self {
            limits,
            state: Mutex::default(),
        }
    }

    /// Takes a connection into the watch until what this gives is dropped. `is_reopened`: another was lost for it.
    pub(super) fn add(
        self: &Arc<Self>,
        socket: &impl AsRawFd,
        peer: &str,
        is_reopened: bool,
    ) -> WatchedConnection {
        let (progress, now_ns) = (Arc::<AnswerProgress>::default(), monotonic_ns());
        let mut state = self.lock();
        let number = state.next_number;
        state.next_number += 1;
        let connection = OpenConnection {
            socket: socket.as_raw_fd(),
            progress: Arc::clone(&progress),
            seen: 0,
            since_ns: now_ns,
            is_reopened,
        };
        state.open.insert(number, connection);
        state.most_open = state.most_open.max(state.open.len() as u32);
        if state.peer.is_empty() {
            peer.clone_into(&mut state.peer);
        }
        if is_reopened {
            state.outages.reopen(now_ns);
        }
        WatchedConnection {
            watch: Arc::clone(self),
            number,
            progress,
        }
    }

    /// Records why a user can't go on, unless another one failed before.
    pub(super) fn fail(&self, failure: Failure) {
        self.lock().failure.get_or_insert(failure);
    }

    /// Begins to look, until what this gives is dropped.
    pub(crate) fn start(self: &Arc<Self>, engine: &Arc<Engine>) -> Watching {
        let (end, is_over) = (Signal::new(), Arc::<AtomicBool>::default());
        let (watch, engine) = (Arc::clone(self), Arc::clone(engine));
        let (ended, over) = (end.clone(), Arc::clone(&is_over));
        let look_on = move || {
            while !over.load(Ordering::Acquire) {
                let generation = ended.generation();
                let now_ns = monotonic_ns();
                watch.lock().look(&engine, watch.limits, now_ns);
                ended.wait_past(generation, Some(now_ns + LOOK_NS));
            }
        };
        let builder = std::thread::Builder::new().name("answers".to_owned());
        let thread = builder.spawn(look_on);
        Watching {
            end,
            is_over,
            thread: Some(thread.expect("the system gives a thread")),
        }
    }

    /// Returns what became of the connections up to now.
    pub(crate) fn account(&self, engine: &Engine) -> ConnectionAccount {
        let state = self.lock();
        let zero_ns = engine.control.began_ns().unwrap_or_else(monotonic_ns);
        let outages = outages(
            vec![state.outages.clone()],
            state.most_open,
            zero_ns,
            &state.completed,
        );
        let lives_with = engine.settings.database.ignore.matches(LOST);
        let path = path_failure(&outages, lives_with, &state.peer, zero_ns);
        let failure = match (&state.failure, path) {
            // A connection that was reset, or waited for too long, over a path that is gone: the path is the reason.
            (Some(failure), Some(path)) if failure.cause != Cause::Network => Some(path),
            (Some(failure), _) => Some(failure.clone()),
            (None, path) => path,
        };
        ConnectionAccount { outages, failure }
    }

    fn lock(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchState {
    fn look(&mut self, engine: &Engine, limits: AnswerLimits, now_ns: u64) {
        self.count_events(engine, now_ns);
        self.listen(now_ns);
        if now_ns >= self.next_question_ns {
            self.next_question_ns = now_ns + BETWEEN_QUESTIONS_NS;
            self.look_at_path(engine, now_ns);
        }
        // Users of a process that was stopped itself have to read first what came meanwhile: the next look judges.
        let was_stopped = now_ns >= self.looked_ns + SECOND_NS;
        self.looked_ns = now_ns;
        if let Some(limit) = limits.answer_timeout.filter(|_| !was_stopped) {
            self.end_unanswered(limit, now_ns);
        }
    }

    fn count_events(&mut self, engine: &Engine, now_ns: u64) {
        let Some(began_ns) = engine.control.began_ns() else {
            return;
        };
        let second = (now_ns.saturating_sub(began_ns) / SECOND_NS) as usize;
        if self.completed.len() <= second {
            self.completed.resize(second + 1, 0);
        }
        let completed = engine.figures.total(Counter::Event);
        self.completed[second] +=
            completed - std::mem::replace(&mut self.completed_before, completed);
    }

    /// Notes which connections have heard anything since the last look.
    fn listen(&mut self, now_ns: u64) {
        let (mut has_heard, mut has_heard_reopened) = (false, false);
        for connection in self.open.values_mut() {
            let steps = connection.progress.steps.load(Ordering::Relaxed);
            if steps == connection.seen {
                continue;
            }
            if steps >> 1 > connection.seen >> 1 {
                has_heard = true;
                has_heard_reopened |= connection.is_reopened;
            }
            connection.seen = steps;
            connection.since_ns = now_ns;
        }
        if has_heard {
            self.heard_ns = now_ns;
            self.outages.hear(has_heard_reopened, now_ns);
        }
    }

    /// Lets a silent server read nothing without its path counting as lost. Notes that the path is lost, where the
    /// kernel says so of most of the connections that it is asked about.
    fn look_at_path(&mut self, engine: &Engine, now_ns: u64) {
        for connection in waiting(&self.open) {
            if now_ns >= connection.since_ns + SILENT_NS {
                let timeout = engine.settings.database.path_timeout;
                // A socket of this machine has no path.
                let _: io::Result<()> = allow_zero_window(connection.socket(), timeout);
            }
        }
        let is_quiet = now_ns >= self.heard_ns + SILENT_NS && self.heard_ns > 0;
        if !is_quiet || self.outages.is_path_lost() {
            return;
        }
        let lost = self.outages.check_path(
            waiting(&self.open),
            |connection| check_path(connection.socket()),
            &self.peer,
            self.heard_ns,
            now_ns,
        );
        if let Some(text) = lost {
            engine.log.warning(&text);
        }
    }

    /// Breaks off the connections whose request is without any byte of an answer for too long.
    fn end_unanswered(&self, limit: Duration, now_ns: u64) {
        let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        for connection in waiting(&self.open) {
            if now_ns.saturating_sub(connection.since_ns) >= limit_ns {
                connection
                    .progress
                    .is_given_up
                    .store(true, Ordering::Release);
                break_off(connection.socket());
            }
        }
    }
}

fn waiting(open: &BTreeMap<u64, OpenConnection>) -> impl Iterator<Item = &OpenConnection> {
    let all = open.values();
    all.filter(|connection| connection.seen & 1 == 1)
}

impl OpenConnection {
    #[expect(
        unsafe_code,
        reason = "a connection leaves the watch, under its lock, before its socket is closed"
    )]
    fn socket(&self) -> BorrowedFd<'_> {
        // SAFETY: the holder of this has the lock, so the connection is still in the watch and its socket open.
        unsafe { BorrowedFd::borrow_raw(self.socket) }
    }
}

impl WatchedConnection {
    /// Records that a request leaves, and its answer is awaited.
    #[inline]
    pub(super) fn ask(&self) {
        let steps = self.progress.steps.load(Ordering::Relaxed);
        self.progress.steps.store(steps | 1, Ordering::Relaxed);
    }

    /// Records that a part of the answer has come.
    pub(super) fn hear_part(&self) {
        let steps = self.progress.steps.load(Ordering::Relaxed);
        self.progress.steps.store(steps + 2, Ordering::Relaxed);
    }

    /// Records that the answer has come.
    #[inline]
    pub(super) fn hear(&self) {
        let steps = self.progress.steps.load(Ordering::Relaxed);
        self.progress
            .steps
            .store((steps | 1) + 1, Ordering::Relaxed);
    }

    /// Returns how long it was waited for in vain, if the connection was broken off for that.
    pub(super) fn given_up_after(&self) -> Option<Duration> {
        let is_given_up = self.progress.is_given_up.load(Ordering::Acquire);
        self.watch.limits.answer_timeout.filter(|_| is_given_up)
    }

    /// Records that the connection is lost.
    pub(super) fn lose(&self, cause: Cause) {
        self.watch.lock().outages.lose(monotonic_ns(), cause);
    }
}

impl Drop for WatchedConnection {
    fn drop(&mut self) {
        self.watch.lock().open.remove(&self.number);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        self.end.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // the thread itself has reported a panic
        }
    }
}

impl ConnectionAccount {
    /// Returns whether the run says nothing about the server: it was not reached, or gave no answer.
    #[must_use]
    pub fn is_without_server(&self) -> bool {
        let loss = self.failure.as_ref().map(|failure| failure.cause);
        matches!(loss, Some(Cause::Network | Cause::NoAnswer))
    }
}
