//! Draws think time: the rest of a connection between two events.

use super::Share;
use crate::DriveError;
use dbdyno_chance::{RandomKind, RandomSource, Stream};

/// Longest mean, a day: a longer one is a mistake in the unit.
const LONGEST_NS: u64 = 86_400_000_000_000;

/// Says how long a connection rests after each event. The rest is in no measured time: a
/// response time runs from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "arguments", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "arguments", serde(deny_unknown_fields))]
pub struct Think {
    /// Mean of the rests.
    pub mean_ns: u64,
    /// How they scatter.
    pub law: ThinkDistribution,
}

/// How rests scatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "arguments",
    derive(clap::ValueEnum, serde::Deserialize, serde::Serialize)
)]
#[cfg_attr(feature = "arguments", serde(rename_all = "kebab-case"))]
pub enum ThinkDistribution {
    /// All the same.
    Constant,
    /// Most are short, a few are long.
    Exponential,
}

impl Think {
    pub(super) fn check(self) -> Result<(), DriveError> {
        if (1..=LONGEST_NS).contains(&self.mean_ns) {
            return Ok(());
        }
        Err(DriveError::Request(format!(
            "a think time of {} ns is not between 1 ns and 24 h; omit it for no think time",
            self.mean_ns
        )))
    }

    fn draw_ns(self, stream: &mut Stream) -> u64 {
        let mean_ns = self.mean_ns as f64;
        match self.law {
            ThinkDistribution::Constant => self.mean_ns,
            ThinkDistribution::Exponential => (-(1.0 - stream.next_double()).ln() * mean_ns) as u64,
        }
    }

    /// Draws what is left of a rest at an instant unrelated to its beginning: any part of a
    /// constant rest, and of an exponential one as much as of a new one.
    fn draw_rest_of_ns(self, stream: &mut Stream) -> u64 {
        match self.law {
            ThinkDistribution::Constant => (stream.next_double() * self.mean_ns as f64) as u64,
            ThinkDistribution::Exponential => self.draw_ns(stream),
        }
    }
}

/// Draws the rests of one worker's connections. Each connection has its own stream, keyed by the seed and
/// its number in the whole load, so its rests do not depend on how many workers there are.
#[derive(Debug)]
pub(crate) struct Rests {
    think: Think,
    connections: Vec<RestState>,
}

#[derive(Debug)]
struct RestState {
    stream: Stream,
    /// End of the rest under way; `None` during an event.
    until_ns: Option<u64>,
}

impl Rests {
    /// Starts every connection in the middle of a rest. If all rests began at once, a burst of the
    /// whole concurrency would open the run, and recur with a constant distribution.
    pub(super) fn new(think: Think, share: Share, seed: u64, start_ns: u64) -> Self {
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed,
        };
        let rest = |connection| {
            let mut stream = source.keyed("think", u64::from(share.number_of(connection)));
            let until_ns = Some(start_ns + think.draw_rest_of_ns(&mut stream));
            RestState { stream, until_ns }
        };
        Self {
            think,
            connections: (0..share.count()).map(rest).collect(),
        }
    }

    /// Returns when the rest of a free connection ends. A connection that was lost and is open again rests no longer:
    /// its user would have gone on thinking, and then have waited.
    pub(super) fn until_ns(&mut self, connection: u32, now_ns: u64) -> u64 {
        let RestState { stream, until_ns } = &mut self.connections[connection as usize];
        *until_ns.get_or_insert_with(|| now_ns + self.think.draw_ns(stream))
    }

    /// Ends the rest; returns the instant at which the next event is due.
    pub(super) fn end(&mut self, connection: u32) -> Option<u64> {
        self.connections[connection as usize].until_ns.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START_NS: u64 = 1_000;

    fn rests(law: ThinkDistribution, worker: u32, workers: u32) -> Rests {
        let think = Think {
            mean_ns: 1_000_000,
            law,
        };
        let share = Share {
            worker,
            workers,
            connections: 1_000,
        };
        Rests::new(think, share, 7, START_NS)
    }

    /// Returns the ends of the first two rests, the second begun at the end of the first.
    fn first_two(rests: &mut Rests, connection: u32) -> [u64; 2] {
        let first_ns = rests.until_ns(connection, START_NS);
        assert_eq!(rests.end(connection), Some(first_ns));
        [first_ns, rests.until_ns(connection, first_ns) - first_ns]
    }

    #[test]
    fn constant_rests_are_the_mean_and_begin_spread_over_it() {
        let mut rests = rests(ThinkDistribution::Constant, 0, 1);
        let both: Vec<_> = (0..1_000)
            .map(|index| first_two(&mut rests, index))
            .collect();
        assert!(both.iter().all(|&[_, second]| second == 1_000_000));
        let early = both.iter().filter(|[first, _]| first - START_NS < 250_000);
        let early = early.count() as f64;
        assert!(
            (early - 250.0).abs() < 70.0,
            "five standard deviations: {early}"
        );
    }

    #[test]
    fn exponential_rests_have_the_mean_and_its_spread() {
        let mut rests = rests(ThinkDistribution::Exponential, 0, 1);
        let seconds: Vec<f64> = (0..1_000)
            .map(|index| first_two(&mut rests, index)[1] as f64)
            .collect();
        let mean = seconds.iter().sum::<f64>() / 1_000.0;
        let variance = seconds.iter().map(|ns| (ns - mean).powi(2)).sum::<f64>() / 1_000.0;
        assert!((mean / 1e6 - 1.0).abs() < 0.16, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.25, "{variance}");
    }

    #[test]
    fn rests_do_not_depend_on_the_number_of_workers() {
        let (mut alone, mut third) = (
            rests(ThinkDistribution::Exponential, 0, 1),
            rests(ThinkDistribution::Exponential, 2, 3),
        );
        assert_eq!(first_two(&mut third, 5), first_two(&mut alone, 17));
    }

    #[test]
    fn a_rest_goes_on_while_its_connection_is_opened_again() {
        let mut rests = rests(ThinkDistribution::Exponential, 0, 1);
        let until_ns = rests.until_ns(3, START_NS);
        assert_eq!(
            rests.until_ns(3, until_ns + 5),
            until_ns,
            "and may be over by then"
        );
        rests.end(3);
        assert!(rests.until_ns(3, until_ns + 5) >= until_ns + 5);
    }

    #[test]
    fn a_rest_without_sense_is_refused() {
        for mean_ns in [0, u64::MAX] {
            let law = ThinkDistribution::Constant;
            assert!(Think { mean_ns, law }.check().is_err());
        }
    }
}
