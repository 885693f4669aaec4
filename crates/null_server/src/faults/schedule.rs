//! Fault: the server accepts requests but sends no reply.

use super::{FaultError, TimeWindow, TimedFault, nanoseconds};
use std::str::FromStr;

/// Silences that come again and again: `100ms/1s` for 100 ms at the end of each second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Length of each silence.
    pub length_ns: u64,
    /// From the beginning of one to that of the next. The first one begins this long after the epoch.
    pub every_ns: u64,
}

const EXPECTED: &str =
    "write how long and how often, such as 100ms/1s, the first shorter than the second";

impl FromStr for Stall {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let given = || FaultError::new(text, EXPECTED);
        let (length, every) = text.split_once('/').ok_or_else(given)?;
        let (length_ns, every_ns) = (nanoseconds(length)?, nanoseconds(every)?);
        (length_ns < every_ns)
            .then_some(Self {
                length_ns,
                every_ns,
            })
            .ok_or_else(given)
    }
}

impl Stall {
    /// Returns the silence that an instant lies in.
    fn around(&self, instant_ns: u64) -> Option<TimeWindow> {
        let at_ns = instant_ns / self.every_ns * self.every_ns;
        let window = TimeWindow {
            at_ns,
            length_ns: self.length_ns,
        };
        (at_ns > 0 && window.holds(instant_ns)).then_some(window)
    }
}

/// All silences of a plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SilenceSchedule {
    pub(crate) stalls: Vec<TimedFault<Stall>>,
    pub(crate) freezes: Vec<TimeWindow>,
}

impl SilenceSchedule {
    pub(crate) fn is_empty(&self) -> bool {
        self.stalls.is_empty() && self.freezes.is_empty()
    }

    /// Returns when a reply that is due may leave; instants in nanoseconds after the epoch.
    pub(crate) fn release(&self, due_ns: u64) -> u64 {
        let mut instant = due_ns;
        // Silences may touch or overlap: the end of one can lie in another.
        while let Some(end) = self.silence_end(instant) {
            instant = end;
        }
        instant
    }

    fn silence_end(&self, instant_ns: u64) -> Option<u64> {
        let stalled = |timed: &TimedFault<Stall>| {
            timed
                .at(Some(instant_ns))
                .and_then(|stall| stall.around(instant_ns))
        };
        let frozen = |window: &&TimeWindow| window.holds(instant_ns);
        let stalls = self.stalls.iter().filter_map(stalled);
        let freezes = self.freezes.iter().filter(frozen).copied();
        stalls.chain(freezes).map(|window| window.end_ns()).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn schedule(stalls: &[&str], freezes: &[&str]) -> SilenceSchedule {
        SilenceSchedule {
            stalls: stalls.iter().map(|text| text.parse().unwrap()).collect(),
            freezes: freezes.iter().map(|text| text.parse().unwrap()).collect(),
        }
    }

    #[test]
    fn a_stall_comes_again_each_period_but_not_at_the_very_beginning() {
        let schedule = schedule(&["100ms/1s"], &[]);
        for (due, leaves) in [
            (0, 0),
            (50, 50),
            (999, 999),
            (1000, 1100),
            (1099, 1100),
            (1100, 1100),
            (7001, 7100),
        ] {
            assert_eq!(schedule.release(due * MS), leaves * MS, "{due} ms");
        }
    }

    #[test]
    fn a_stall_may_be_limited_to_a_window() {
        let schedule = schedule(&["100ms/1s@2s+2s"], &[]);
        for (due, leaves) in [(1050, 1050), (2050, 2100), (3050, 3100), (4050, 4050)] {
            assert_eq!(schedule.release(due * MS), leaves * MS, "{due} ms");
        }
    }

    #[test]
    fn silences_that_touch_are_one() {
        let schedule = schedule(&["100ms/1s"], &["500ms+500ms", "1100ms+1s"]);
        assert_eq!(schedule.release(600 * MS), 2100 * MS);
        assert_eq!(schedule.release(499 * MS), 499 * MS);
    }

    #[test]
    fn a_stall_that_never_ends_is_refused() {
        for given in ["1s/1s", "100ms", "100ms/0s"] {
            let error = given.parse::<Stall>().unwrap_err();
            assert!(error.to_string().contains("100ms/1s"), "{given}");
        }
    }
}
