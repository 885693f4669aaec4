//! Decides when a client begins its rounds.

use super::SECOND_NS;

/// Less than this since the last look at the clock, and the tool sleeps out the second.
const IN_TIME_NS: u64 = 950_000_000;

/// A rate of rounds. All times are since the run began.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RoundPacing {
    /// As fast as the server takes them.
    Free,
    /// As the tool does it: one round, and from the next second on a burst at the beginning of each. A second that came
    /// late is not made good.
    Burst {
        per_s: u64,
        checked_ns: Option<u64>,
        awake_ns: u64,
    },
    /// Evenly; a round that came late doesn't move those after it.
    Even { gap_ns: f64, start_ns: Option<u64> },
}

impl RoundPacing {
    pub(super) fn burst(per_s: u64) -> Self {
        Self::Burst {
            per_s,
            checked_ns: None,
            awake_ns: 0,
        }
    }

    /// Paces so many rows a second, so many of them in a round.
    pub(super) fn even(rows_per_s: u32, rows: u64) -> Self {
        Self::Even {
            gap_ns: rows as f64 * SECOND_NS as f64 / f64::from(rows_per_s),
            start_ns: None,
        }
    }

    /// Returns the instant before which round `round` (from 0) isn't made.
    pub(super) fn awake_ns(&mut self, round: u64, now_ns: u64) -> u64 {
        match self {
            Self::Free => 0,
            Self::Burst { awake_ns, .. } => *awake_ns,
            Self::Even { gap_ns, start_ns } => {
                let start_ns = *start_ns.get_or_insert(now_ns);
                start_ns + (round as f64 * *gap_ns) as u64
            }
        }
    }

    /// Records that round `round` was made.
    pub(super) fn made(&mut self, round: u64, now_ns: u64) {
        let Self::Burst {
            per_s,
            checked_ns,
            awake_ns,
        } = self
        else {
            return;
        };
        if !round.is_multiple_of(*per_s) {
            return;
        }
        let since = checked_ns.unwrap_or(now_ns);
        *awake_ns = match now_ns.saturating_sub(since) < IN_TIME_NS {
            true => since + SECOND_NS,
            false => now_ns,
        };
        *checked_ns = Some(*awake_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instants of the first rounds when nothing else holds them up, but for a stall of the server.
    fn instants(
        round_pacing: &mut RoundPacing,
        rounds: u64,
        stall: impl Fn(u64) -> u64,
    ) -> Vec<u64> {
        let mut now_ns = 0;
        let instant = |round| {
            now_ns = round_pacing.awake_ns(round, now_ns).max(now_ns) + stall(round);
            round_pacing.made(round, now_ns);
            now_ns / 10_000_000
        };
        (0..rounds).map(instant).collect()
    }

    #[test]
    fn a_late_second_is_not_made_good_in_bursts_and_is_evenly() {
        let stall = |round| if round == 2 { 1_700_000_000 } else { 0 };
        let bursts = instants(&mut RoundPacing::burst(2), 6, stall);
        assert_eq!(bursts, [0, 100, 270, 270, 270, 370]);
        let even = instants(&mut RoundPacing::even(100, 50), 8, stall);
        assert_eq!(even, [0, 50, 270, 270, 270, 270, 300, 350]);
    }

    #[test]
    fn without_a_rate_every_round_is_made_at_once() {
        assert_eq!(instants(&mut RoundPacing::Free, 3, |_| 0), [0, 0, 0]);
    }
}
