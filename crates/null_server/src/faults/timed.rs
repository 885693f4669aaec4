//! Limits a fault to a window of time.

use super::{FaultError, nanoseconds};
use std::str::FromStr;

/// A span of time, counted from the epoch of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeWindow {
    /// Its beginning, in nanoseconds after the epoch.
    pub at_ns: u64,
    /// Its length.
    pub length_ns: u64,
}

const EXPECTED: &str = "write when it begins and how long it lasts, such as 40s+10s";

impl TimeWindow {
    /// Returns whether an instant, in nanoseconds after the epoch, lies in it.
    #[must_use]
    pub fn holds(&self, since_epoch_ns: u64) -> bool {
        since_epoch_ns
            .checked_sub(self.at_ns)
            .is_some_and(|into| into < self.length_ns)
    }

    /// Returns its end, in nanoseconds after the epoch.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.at_ns.saturating_add(self.length_ns)
    }
}

impl FromStr for TimeWindow {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let (at, length) = text
            .split_once('+')
            .ok_or_else(|| FaultError::new(text, EXPECTED))?;
        Ok(Self {
            at_ns: nanoseconds(at)?,
            length_ns: nanoseconds(length)?,
        })
    }
}

/// Something that holds always, or in its window only: `FAULT` or `FAULT@40s+10s`.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedFault<T> {
    /// What holds.
    pub fault: T,
    /// When; `None` for always.
    pub window: Option<TimeWindow>,
}

impl<T> TimedFault<T> {
    /// Makes a fault that holds always.
    pub fn always(fault: T) -> Self {
        Self {
            fault,
            window: None,
        }
    }

    /// Returns the fault that holds at an instant; `None` outside of the window, and before there is an epoch for it.
    pub fn at(&self, since_epoch_ns: Option<u64>) -> Option<&T> {
        match self.window {
            None => Some(&self.fault),
            Some(window) => since_epoch_ns
                .is_some_and(|instant| window.holds(instant))
                .then_some(&self.fault),
        }
    }
}

impl<T> FromStr for TimedFault<T>
where
    T: FromStr<Err = FaultError>,
{
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        // A plus sign marks a window; shares of a distribution follow an @, too.
        let timed = text.rsplit_once('@').filter(|(_, tail)| tail.contains('+'));
        Ok(match timed {
            Some((fault, window)) => Self {
                fault: fault.parse()?,
                window: Some(window.parse()?),
            },
            None => Self::always(text.parse()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::Frequency;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_window_begins_and_lasts() {
        let window: TimeWindow = "40s+10s".parse().unwrap();
        assert!(!window.holds(40 * SECOND - 1) && window.holds(40 * SECOND));
        assert!(window.holds(50 * SECOND - 1) && !window.holds(50 * SECOND));
        let error = "40s".parse::<TimeWindow>().unwrap_err();
        assert!(error.to_string().contains("40s+10s"));
    }

    #[test]
    fn a_fault_holds_always_or_in_its_window() {
        let always: TimedFault<Frequency> = "3%".parse().unwrap();
        assert!(always.at(None).is_some());
        let timed: TimedFault<Frequency> = "3%@1s+1s".parse().unwrap();
        assert_eq!(timed.at(None), None);
        assert_eq!(timed.at(Some(SECOND)), Some(&Frequency::Share(0.03)));
        assert_eq!(timed.at(Some(2 * SECOND)), None);
    }
}
