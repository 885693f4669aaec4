//! The seconds of a run and the phases laid over them.

use crate::Phase;

/// Length of an interval.
pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// One grid for all workers: second 0 begins at `start_ns`, every phase begins on a second.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    pub(crate) start_ns: u64,
    /// Name of a phase and the second it ends before.
    phases: Vec<(String, u32)>,
}

impl Grid {
    pub(crate) fn new(start_ns: u64, phases: &[Phase]) -> Self {
        let mut end = 0;
        let phases = phases
            .iter()
            .map(|phase| {
                end += phase.seconds;
                (phase.name.clone(), end)
            })
            .collect();
        Self { start_ns, phases }
    }

    pub(crate) fn seconds(&self) -> u32 {
        self.phases.last().map_or(0, |&(_, end)| end)
    }

    pub(crate) fn begin_ns(&self, second: u32) -> u64 {
        self.start_ns + u64::from(second) * SECOND_NS
    }

    pub(crate) fn end_ns(&self) -> u64 {
        self.begin_ns(self.seconds())
    }

    /// Name of the phase that a second belongs to.
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
            &[phase("warm-up", 2), phase("none", 0), phase("window", 3)],
        );
        let phases: Vec<_> = (0..5).map(|second| grid.phase(second)).collect();
        assert_eq!(phases, ["warm-up", "warm-up", "window", "window", "window"]);
        assert_eq!(grid.seconds(), 5);
        assert_eq!(grid.end_ns(), 500 + 5 * SECOND_NS);
    }
}
