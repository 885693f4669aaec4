//! Keeps the time on the main thread while users run.

use super::Program;
use super::workers::Workers;
use crate::Engine;
use crate::control::{FULL, ROOM};
use crate::figures::Ledger;
use dbdyno_fiber::{Signal, monotonic_ns};
use dbdyno_meter::SECOND_NS;
use std::sync::{Arc, Mutex, PoisonError};

/// How long its script may take to end after it was interrupted for the first time.
const GRACE_NS: u64 = 3 * SECOND_NS;

/// How often a script that doesn't end is interrupted again, and how late a failure is noticed.
const RETRY_NS: u64 = SECOND_NS;

/// How often the queue is looked at, with `--rate`: it fills up in thirteen milliseconds at most a second's
/// ten million.
const LOOK_NS: u64 = 5_000_000;

/// Describes how the users came to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunEnd {
    /// All of them.
    Over,
    /// Not all: the grace after the time limit is over.
    Forced,
    /// Not all: a script doesn't come back.
    Stuck,
}

/// The instants of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instants {
    pub(super) start_ns: u64,
    /// The end of the warm-up, or the start.
    pub(super) counts_from_ns: u64,
    pub(super) end_ns: Option<u64>,
    pub(super) force_ns: Option<u64>,
}

impl Instants {
    pub(super) fn new(engine: &Engine, start_ns: u64) -> Self {
        let settings = &engine.settings;
        let seconds = |count: u32| u64::from(count) * SECOND_NS;
        let counts_from_ns = start_ns + seconds(settings.warmup_s);
        let end_ns = (settings.time_s > 0).then(|| counts_from_ns + seconds(settings.time_s));
        let grace_ns = settings.forced_shutdown_s.map(seconds);
        Self {
            start_ns,
            counts_from_ns,
            end_ns,
            force_ns: end_ns.zip(grace_ns).map(|(end, grace)| end + grace),
        }
    }

    fn has_warmup(&self) -> bool {
        self.counts_from_ns > self.start_ns
    }
}

/// Keeps the time of a run.
pub(super) struct RunWatch<'a> {
    pub(super) engine: &'a Engine,
    pub(super) program: &'a Arc<dyn Program>,
    pub(super) workers: &'a Workers,
    pub(super) ledger: &'a Mutex<Ledger>,
    pub(super) changed: &'a Signal,
    pub(super) instants: Instants,
    /// How long after the end, by the time limit or by a failure, a worker thread may be away from its scheduler.
    pub(super) stop_timeout_ns: u64,
}

impl RunWatch<'_> {
    /// Waits until all users have come to their end or are given up.
    pub(super) fn keep(&self) -> RunEnd {
        let mut warming_up = self.instants.has_warmup();
        let mut next_look_ns = 0;
        loop {
            let generation = self.changed.generation();
            if self.workers.are_over() {
                return RunEnd::Over;
            }
            let now_ns = monotonic_ns();
            if warming_up && now_ns >= self.instants.counts_from_ns {
                warming_up = false;
                self.begin_anew();
            }
            if has_come(self.instants.end_ns, now_ns) {
                self.engine.control.end_time();
            }
            if has_come(self.instants.force_ns, now_ns) {
                return RunEnd::Forced;
            }
            if now_ns >= next_look_ns {
                next_look_ns = now_ns + RETRY_NS;
                if self.is_stuck(now_ns) {
                    return RunEnd::Stuck;
                }
            }
            self.look_at_queue(now_ns);
            let wake_ns = self.next_ns(warming_up, next_look_ns, now_ns);
            self.changed.wait_past(generation, Some(wake_ns));
        }
    }

    /// Ends the warm-up.
    fn begin_anew(&self) {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        *ledger = super::ledger_after_warm_up(self.engine, self.instants.counts_from_ns);
    }

    /// Interrupts scripts whose threads don't come back: they are in C code that takes long, since a script itself lets
    /// others have their turn. True if that is of no use.
    fn is_stuck(&self, now_ns: u64) -> bool {
        let over_ns = self.engine.control.over_since_ns();
        let Some(over_ns) = over_ns.filter(|ns| now_ns >= ns + self.stop_timeout_ns) else {
            return false;
        };
        let stuck = self
            .workers
            .stuck_since(over_ns.max(now_ns.saturating_sub(self.stop_timeout_ns)));
        if stuck.is_empty() {
            return false;
        }
        let interrupt = |worker| self.program.interrupt(worker);
        let useless = stuck.into_iter().map(interrupt).filter(|can| !can).count() > 0;
        useless || now_ns >= over_ns + self.stop_timeout_ns + GRACE_NS
    }

    fn look_at_queue(&self, now_ns: u64) {
        let control = &self.engine.control;
        let is_full = control
            .backlog(now_ns)
            .is_some_and(|waiting| waiting > ROOM);
        if is_full && !control.is_stopped() && !has_come(self.instants.end_ns, now_ns) {
            self.engine.log.fatal(FULL);
            control.fail();
        }
    }

    fn next_ns(&self, warming_up: bool, next_look_ns: u64, now_ns: u64) -> u64 {
        let ahead = |ns: Option<u64>| ns.filter(|&ns| ns > now_ns);
        let warm_ns = warming_up.then_some(self.instants.counts_from_ns);
        let has_queue = self.engine.settings.rate > 0;
        let look_ns = has_queue.then_some(now_ns + LOOK_NS);
        let instants = [
            ahead(warm_ns),
            ahead(self.instants.end_ns),
            ahead(self.instants.force_ns),
            look_ns,
        ];
        let nearest = instants.into_iter().flatten();
        nearest.fold(next_look_ns, u64::min)
    }
}

fn has_come(instant_ns: Option<u64>, now_ns: u64) -> bool {
    instant_ns.is_some_and(|ns| now_ns >= ns)
}
