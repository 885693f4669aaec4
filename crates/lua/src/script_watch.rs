//! Tracks a running script: whether it reaches waits, and how long it may run without.

use dbdyno_sysbench::Engine;
use std::cell::Cell;

/// Processor time between two checks of a script: the time slice of one that never waits.
pub(crate) const TICK_MS: u32 = 5;

/// How long after the end of a run, by its time limit or by a failure, an event may compute without a wait.
const AFTERTIME_NS: u64 = 5_000_000_000;

/// Commands are granted a multiple of the time limit: they may fill files.
const COMMAND_TIMEOUTS: u32 = 10;

/// Errors that a script may catch before it gets one at every instruction.
const PATIENT_VERDICTS: u32 = 3;

/// Stage of a script, which determines how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The body, `init`, reports, farewells: until the time limit.
    Brief,
    /// A command, such as `prepare`.
    Command,
    /// A user's initialisation: until the main thread has waited for it long enough.
    Init,
    /// Events: until the run is over, and some time longer.
    Run,
}

/// Holds cells that the script's own thread writes, its signal handlers included.
#[derive(Debug)]
pub(crate) struct Watched {
    stage: Cell<Stage>,
    /// Counts calls that could wait: a script that makes none in a long time keeps others from running.
    waits: Cell<u32>,
    /// Value of `waits` at the last tick, for how many ticks it has not changed, and since when.
    seen_waits: Cell<u32>,
    busy_ticks: Cell<u32>,
    busy_since_ns: Cell<u64>,
    /// Whether the script is to end.
    condemned: Cell<bool>,
    /// How often it was interrupted to end.
    verdicts: Cell<u32>,
}

impl Watched {
    pub(crate) const fn new() -> Self {
        Self {
            stage: Cell::new(Stage::Brief),
            waits: Cell::new(0),
            seen_waits: Cell::new(0),
            busy_ticks: Cell::new(0),
            busy_since_ns: Cell::new(0),
            condemned: Cell::new(false),
            verdicts: Cell::new(0),
        }
    }

    pub(crate) fn enters(&self, stage: Stage) {
        self.stage.set(stage);
    }

    /// Notes that the script reached a call that can wait, or began anew.
    #[inline]
    pub(crate) fn comes_to_a_wait(&self) {
        self.waits.set(self.waits.get().wrapping_add(1));
    }

    /// Counts a tick. Returns true if the script has not reached a wait in it.
    pub(crate) fn tick(&self) -> bool {
        if self.seen_waits.replace(self.waits.get()) == self.waits.get() {
            self.busy_ticks.set(self.busy_ticks.get().saturating_add(1));
        } else {
            self.busy_ticks.set(0);
            self.busy_since_ns.set(0);
        }
        self.is_busy()
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy_ticks.get() > 0
    }

    /// Requests the end of the script.
    pub(crate) fn condemn(&self) {
        self.condemned.set(true);
    }

    /// Returns whether earlier requests to end had no effect: the script catches errors.
    pub(crate) fn hears_nothing(&self) -> bool {
        self.verdicts.set(self.verdicts.get() + 1);
        self.verdicts.get() > PATIENT_VERDICTS
    }

    /// Returns whether the script has computed for too long.
    pub(crate) fn is_too_long(&self, engine: &Engine, now_ns: u64) -> bool {
        if self.condemned.get() {
            return true;
        }
        if !self.is_busy() {
            return false;
        }
        if self.busy_since_ns.get() == 0 {
            self.busy_since_ns.set(now_ns);
        }
        match self.stage.get() {
            Stage::Brief => self.outlasts(engine.settings.script_timeout_s),
            Stage::Command => {
                let timeout_s = engine.settings.script_timeout_s;
                self.outlasts(timeout_s.saturating_mul(COMMAND_TIMEOUTS))
            }
            Stage::Init => engine.control.has_failed(),
            Stage::Run => engine.control.over_since_ns().is_some_and(|over_ns| {
                now_ns >= over_ns.max(self.busy_since_ns.get()) + AFTERTIME_NS
            }),
        }
    }

    /// Returns whether the script has been busy for so many seconds; 0: no limit.
    fn outlasts(&self, seconds: u32) -> bool {
        let ticks = seconds.saturating_mul(1000 / TICK_MS);
        ticks > 0 && self.busy_ticks.get() >= ticks
    }

    /// Returns whether a time limit holds for the script.
    pub(crate) fn has_time_limit(&self) -> bool {
        matches!(self.stage.get(), Stage::Brief | Stage::Command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ticks_without_a_wait_between_them_count() {
        let watched = Watched::new();
        watched.comes_to_a_wait();
        assert!(!watched.tick());
        assert!(watched.tick());
        assert!(watched.tick());
        watched.comes_to_a_wait();
        assert!(!watched.tick());
        assert!(!watched.is_busy());
    }

    #[test]
    fn a_time_limit_is_counted_in_ticks_and_none_lasts_for_ever() {
        let watched = Watched::new();
        for _ in 0..1000 / TICK_MS {
            watched.tick();
        }
        assert!(watched.outlasts(1));
        assert!(!watched.outlasts(2));
        assert!(!watched.outlasts(0));
    }
}
