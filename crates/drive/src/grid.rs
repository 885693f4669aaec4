//! Maps the phases to the seconds of a run.

use crate::Phase;
use dbdyno_meter::{SECOND_NS, clock};
use std::thread;
use std::time::Duration;

/// Maps seconds to phases for all workers and all segments of a run. A segment begins with `first_second` at
/// `start_ns`; every phase begins on a second.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    pub(crate) start_ns: u64,
    pub(crate) first_second: u32,
    /// Name of a phase and the second it ends before.
    phases: Vec<(String, u32)>,
}

impl Grid {
    /// Creates a grid; `zero_ns` is when second 0 of the run begins.
    pub(crate) fn new(zero_ns: u64, first_second: u32, phases: &[Phase]) -> Self {
        let mut end = first_second;
        let phases = phases
            .iter()
            .map(|phase| {
                end = end.saturating_add(phase.seconds);
                (phase.name.clone(), end)
            })
            .collect();
        Self {
            start_ns: zero_ns + u64::from(first_second) * SECOND_NS,
            first_second,
            phases,
        }
    }

    /// Returns when second 0 of the run began.
    pub(crate) fn zero_ns(&self) -> u64 {
        self.start_ns
            .saturating_sub(u64::from(self.first_second) * SECOND_NS)
    }

    /// Returns the second after the last.
    pub(crate) fn end_second(&self) -> u32 {
        self.phases
            .last()
            .map_or(self.first_second, |&(_, end)| end)
    }

    /// Returns how many seconds of the segment come before its last phase: its warm-up.
    pub(crate) fn seconds_before_last_phase(&self) -> u32 {
        let before = self.phases.iter().rev().nth(1);
        before.map_or(0, |(_, end)| end - self.first_second)
    }

    pub(crate) fn begin_ns(&self, second: u32) -> u64 {
        self.start_ns + u64::from(second - self.first_second) * SECOND_NS
    }

    pub(crate) fn end_ns(&self) -> u64 {
        self.begin_ns(self.end_second())
    }

    /// Sleeps until the segment begins, and returns how much later it woke.
    pub(crate) fn await_start(&self) -> u64 {
        loop {
            let now_ns = clock::monotonic_ns();
            let left_ns = self.start_ns.saturating_sub(now_ns);
            if left_ns == 0 {
                return now_ns - self.start_ns;
            }
            thread::sleep(Duration::from_nanos(left_ns));
        }
    }

    /// Returns the name of the phase that a second belongs to.
    pub(crate) fn phase(&self, second: u32) -> &str {
        self.phases
            .iter()
            .find(|&&(_, end)| second < end)
            .or(self.phases.last())
            .map_or("", |(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_belong_to_the_phase_they_lie_in() {
        let phase = |name: &str, seconds| Phase {
            name: name.to_owned(),
            seconds,
        };
        let grid = Grid::new(
            500,
            0,
            &[phase("warm-up", 2), phase("none", 0), phase("window", 3)],
        );
        let phases: Vec<_> = (0..5).map(|second| grid.phase(second)).collect();
        assert_eq!(phases, ["warm-up", "warm-up", "window", "window", "window"]);
        assert_eq!(grid.end_second(), 5);
        assert_eq!(grid.seconds_before_last_phase(), 2);
        assert_eq!(grid.end_ns(), 500 + 5 * SECOND_NS);
    }

    #[test]
    fn phases_longer_than_seconds_can_be_counted_do_not_end_early() {
        let phase = |name: &str, seconds| Phase {
            name: name.to_owned(),
            seconds,
        };
        let grid = Grid::new(500, 0, &[phase("warm-up", 5), phase("window", u32::MAX)]);
        assert_eq!(grid.end_second(), u32::MAX);
        assert_eq!(grid.phase(9), "window");
    }

    #[test]
    fn a_later_leg_goes_on_counting() {
        let probe = Phase {
            name: "probe 1".to_owned(),
            seconds: 2,
        };
        let grid = Grid::new(500, 7, &[probe]);
        assert_eq!(grid.start_ns, 500 + 7 * SECOND_NS);
        assert_eq!(grid.begin_ns(8), 500 + 8 * SECOND_NS);
        assert_eq!((grid.end_second(), grid.phase(8)), (9, "probe 1"));
        assert_eq!(grid.seconds_before_last_phase(), 0);
    }
}
