//! Draws delays of replies from a distribution.

use super::frequency::percent;
use super::{FaultError, nanoseconds};
use dbdyno_chance::Stream;
use std::str::FromStr;

/// Describes how long replies are held back.
#[derive(Debug, Clone, PartialEq)]
pub enum DelayDistribution {
    /// Always as long, in nanoseconds.
    Constant(u64),
    /// Anything between two bounds alike.
    Uniform(u64, u64),
    /// Exponential, with this mean.
    Exponential(u64),
    /// One of several values, each with its share.
    Peaks(Vec<(u64, f64)>),
}

const EXPECTED: &str = "write constant:5ms, uniform:4ms..40ms, exponential:15ms, or \
                        two-peak:5ms@98%,80ms@2% with shares that make 100%";

impl DelayDistribution {
    /// Returns the next delay in nanoseconds.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        match self {
            Self::Constant(value) => *value,
            Self::Uniform(low, high) => {
                let width = (high - low) as f64;
                low + (stream.next_double() * width).round() as u64
            }
            // 1 - u is never 0, so that the logarithm is finite.
            Self::Exponential(mean) => (-(1.0 - stream.next_double()).ln() * *mean as f64) as u64,
            Self::Peaks(peaks) => {
                let mut rest = stream.next_double();
                let chosen = peaks.iter().find(|(_, share)| {
                    rest -= share;
                    rest < 0.0
                });
                chosen.or(peaks.last()).map_or(0, |&(value, _)| value)
            }
        }
    }
}

impl FromStr for DelayDistribution {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let given = || FaultError::new(text, EXPECTED);
        let (name, values) = text.split_once(':').ok_or_else(given)?;
        match name {
            "constant" => nanoseconds(values).map(Self::Constant),
            "exponential" => nanoseconds(values).map(Self::Exponential),
            "uniform" => {
                let (low, high) = values.split_once("..").ok_or_else(given)?;
                let (low, high) = (nanoseconds(low)?, nanoseconds(high)?);
                (low <= high)
                    .then_some(Self::Uniform(low, high))
                    .ok_or_else(given)
            }
            "two-peak" | "peaks" => peaks(values).ok_or_else(given),
            _ => Err(given()),
        }
    }
}

fn peaks(values: &str) -> Option<DelayDistribution> {
    let peak = |text: &str| {
        let (value, share) = text.split_once('@')?;
        Some((nanoseconds(value).ok()?, percent(share)?))
    };
    let peaks: Vec<_> = values.split(',').map(peak).collect::<Option<_>>()?;
    let sum: f64 = peaks.iter().map(|(_, share)| share).sum();
    ((sum - 1.0).abs() < 1e-9).then_some(DelayDistribution::Peaks(peaks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_chance::{RandomKind, RandomSource};

    const DRAWS: usize = 200_000;

    /// Draws from a distribution, sorted by size.
    fn drawn(distribution: &str) -> Vec<u64> {
        let distribution: DelayDistribution = distribution.parse().unwrap();
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed: 1,
        };
        let mut stream = source.keyed("test", 0);
        let mut draws: Vec<_> = (0..DRAWS).map(|_| distribution.draw(&mut stream)).collect();
        draws.sort_unstable();
        draws
    }

    fn quantile(sorted: &[u64], share: f64) -> f64 {
        sorted[(share * sorted.len() as f64) as usize] as f64
    }

    #[test]
    fn exponential_delays_have_the_quantiles_of_the_law() {
        let draws = drawn("exponential:15ms");
        for share in [0.1, 0.5, 0.9, 0.99, 0.999_f64] {
            let expected = -15e6 * (1.0 - share).ln();
            let off = quantile(&draws, share) / expected - 1.0;
            assert!(off.abs() < 0.03, "quantile {share} is off by {off}");
        }
    }

    #[test]
    fn uniform_delays_fill_their_interval_evenly() {
        let draws = drawn("uniform:4ms..40ms");
        assert!(draws[0] >= 4_000_000 && draws[DRAWS - 1] <= 40_000_000);
        for share in [0.01, 0.25, 0.5, 0.75, 0.99] {
            let expected = 4e6 + share * 36e6;
            assert!(
                (quantile(&draws, share) - expected).abs() < 0.2e6,
                "{share}"
            );
        }
    }

    #[test]
    fn peaks_have_their_shares_and_nothing_lies_between() {
        let draws = drawn("two-peak:5ms@98%,80ms@2%");
        let slow = draws.iter().filter(|&&delay| delay == 80_000_000).count();
        let fast = draws.iter().filter(|&&delay| delay == 5_000_000).count();
        assert_eq!(slow + fast, DRAWS);
        assert!((slow as f64 / DRAWS as f64 - 0.02).abs() < 0.001, "{slow}");
        assert!(
            drawn("constant:5ms")
                .iter()
                .all(|&delay| delay == 5_000_000)
        );
    }

    #[test]
    fn what_is_no_law_is_told_what_is() {
        for given in [
            "5ms",
            "normal:5ms",
            "uniform:40ms..4ms",
            "two-peak:5ms@98%,80ms@3%",
            "two-peak:5ms,80ms",
        ] {
            let error = given.parse::<DelayDistribution>().unwrap_err();
            assert!(error.to_string().contains("exponential:15ms"), "{given}");
        }
        assert!(
            "constant:5"
                .parse::<DelayDistribution>()
                .unwrap_err()
                .to_string()
                .contains("unit")
        );
    }
}
