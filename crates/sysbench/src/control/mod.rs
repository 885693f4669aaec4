//! Decides when events may begin, and when a run is over.
//!
//! [`Engine`](crate::Engine) has the three calls that surround an event (`more_events`, `event_start`, `event_stop`);
//! here is what they look at.

mod arrivals;
mod events;

pub(crate) use arrivals::{FULL, ROOM};

use arrivals::Arrivals;

use crate::text::QueueFigures;
use crate::{Figures, Seeds, Settings};
use dbdyno_fiber::monotonic_ns;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The limits of a run, and who ended it.
#[derive(Debug)]
pub struct Control {
    limits: Limits,
    begun: StartedEvents,
    threads_running: AtomicU32,
    /// 0 before the start.
    began_ns: AtomicU64,
    /// An error in `thread_done` or `done`, after the work was done.
    done_failed: AtomicBool,
    /// 0 before the end.
    ended_ns: AtomicU64,
    arrivals: Option<Arrivals>,
}

/// Read at every event, written a few times a run.
#[derive(Debug)]
#[repr(align(64))]
struct Limits {
    /// Events end that began before; no other begins.
    time_is_up: AtomicBool,
    stopped: AtomicBool,
    failed: AtomicBool,
    /// Whether each event costs a random number, as it does where sysbench has a histogram.
    draws: bool,
    /// When no event begins any more; `u64::MAX` without a time limit.
    end_ns: AtomicU64,
    /// When nobody has a reason to go on any more: the time limit, unless a forced shutdown follows it, or the first
    /// failure.
    over_ns: AtomicU64,
    is_forced: bool,
    /// Events that end before don't count: the warm-up.
    counts_from_ns: AtomicU64,
    /// Events over all users; 0: no limit.
    events: u64,
}

/// Events that were begun, where they are limited. It has a line of the cache to itself.
#[derive(Debug, Default)]
#[repr(align(64))]
struct StartedEvents(AtomicU64);

impl Control {
    /// Makes the limits that were asked for; nothing runs yet.
    #[must_use]
    pub fn new(settings: &Settings, seeds: &Seeds) -> Self {
        let arrivals = (settings.rate > 0).then(|| Arrivals::new(settings.rate, seeds.arrivals()));
        Self {
            limits: Limits {
                time_is_up: AtomicBool::new(false),
                stopped: AtomicBool::new(false),
                failed: AtomicBool::new(false),
                draws: settings.percentile > 0,
                end_ns: AtomicU64::new(u64::MAX),
                over_ns: AtomicU64::new(u64::MAX),
                is_forced: settings.forced_shutdown_s.is_some(),
                counts_from_ns: AtomicU64::new(0),
                events: settings.events,
            },
            begun: StartedEvents::default(),
            threads_running: AtomicU32::new(0),
            began_ns: AtomicU64::new(0),
            done_failed: AtomicBool::new(false),
            ended_ns: AtomicU64::new(0),
            arrivals,
        }
    }

    /// Ends the run: no event begins any more.
    pub fn stop(&self) {
        self.limits.stopped.store(true, Ordering::Relaxed);
    }

    /// Ends the run as failed.
    pub fn fail(&self) {
        self.limits.failed.store(true, Ordering::Relaxed);
        self.over_by(monotonic_ns());
    }

    /// Notes an error in `thread_done` or `done`. It ends nothing.
    pub(crate) fn fail_done(&self) {
        self.done_failed.store(true, Ordering::Relaxed);
    }

    /// Returns whether `thread_done` or `done` failed.
    pub(crate) fn has_failed_done(&self) -> bool {
        self.done_failed.load(Ordering::Relaxed)
    }

    fn over_by(&self, ns: u64) {
        self.limits.over_ns.fetch_min(ns, Ordering::Relaxed);
    }

    /// Returns since when no user has a reason to go on, if the time has come.
    #[must_use]
    pub fn over_since_ns(&self) -> Option<u64> {
        let over_ns = self.limits.over_ns.load(Ordering::Relaxed);
        (over_ns <= monotonic_ns()).then_some(over_ns)
    }

    /// Returns whether something failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.limits.failed.load(Ordering::Relaxed)
    }

    /// Returns whether the run is over for some other reason than its limits.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.limits.stopped.load(Ordering::Relaxed) || self.has_failed()
    }

    /// Returns whether the time limit had come by an instant.
    pub(crate) fn is_past(&self, ns: u64) -> bool {
        ns >= self.limits.end_ns.load(Ordering::Relaxed)
    }

    /// Counts users that have been initialised and have not ended.
    #[must_use]
    pub fn threads_running(&self) -> u32 {
        self.threads_running.load(Ordering::Relaxed)
    }

    /// Returns when the run began, if it has.
    #[must_use]
    pub fn began_ns(&self) -> Option<u64> {
        let began_ns = self.began_ns.load(Ordering::Acquire);
        (began_ns > 0).then_some(began_ns)
    }

    /// Returns when the run ended, if it has: what is counted per second is divided by the time until then. The report and
    /// what a script does after it come later.
    #[must_use]
    pub fn ended_ns(&self) -> Option<u64> {
        let ended_ns = self.ended_ns.load(Ordering::Acquire);
        (ended_ns > 0).then_some(ended_ns)
    }

    /// Ends the time of the run. All users have taken leave, or are given up.
    pub(crate) fn end(&self, ns: u64) {
        self.ended_ns.store(ns, Ordering::Release);
    }

    pub(crate) fn user_is_ready(&self) {
        self.threads_running.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn user_is_over(&self) {
        self.threads_running.fetch_sub(1, Ordering::Relaxed);
    }

    /// Sets the instants of a run: its start, the end of its warm-up and its end.
    pub(crate) fn begin(&self, start_ns: u64, counts_from_ns: u64, end_ns: Option<u64>) {
        let limits = &self.limits;
        limits
            .counts_from_ns
            .store(counts_from_ns, Ordering::Relaxed);
        limits
            .end_ns
            .store(end_ns.unwrap_or(u64::MAX), Ordering::Relaxed);
        if !limits.is_forced {
            self.over_by(end_ns.unwrap_or(u64::MAX));
        }
        if let Some(arrivals) = &self.arrivals {
            arrivals.begin(start_ns);
        }
        self.began_ns.store(start_ns, Ordering::Release);
    }

    /// Ends the time for users that have not looked at a clock.
    pub(crate) fn end_time(&self) {
        self.limits.time_is_up.store(true, Ordering::Relaxed);
    }

    /// Returns the state of the queue, with `--rate`.
    pub(crate) fn queue(&self, figures: &Figures, now_ns: u64) -> Option<QueueFigures> {
        Some(QueueFigures {
            length: self.backlog(now_ns)?,
            concurrency: figures.busy(),
        })
    }

    /// With `--rate`, counts arrivals that were due before the time limit and that no user has taken.
    #[must_use]
    pub fn backlog(&self, now_ns: u64) -> Option<u64> {
        let end_ns = self.limits.end_ns.load(Ordering::Relaxed);
        let arrivals = self.arrivals.as_ref()?;
        Some(arrivals.waiting(now_ns.min(end_ns)))
    }

    /// Counts as [`backlog`](Self::backlog) does, without arrivals beyond the limit of events: nobody was to take them.
    #[must_use]
    pub fn undone_arrivals(&self, now_ns: u64) -> Option<u64> {
        let waiting = self.backlog(now_ns)?;
        let begun = self.begun.0.load(Ordering::Relaxed);
        Some(match self.limits.events {
            0 => waiting,
            events => waiting.min(events.saturating_sub(begun)),
        })
    }
}
