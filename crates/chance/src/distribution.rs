//! Parses distributions from a user's text.

use crate::Sampler;
use std::fmt;
use std::str::FromStr;

/// Describes how whole numbers are spread over an interval; the interval comes later, with [`Distribution::sampler`].
///
/// Parameters have the meaning and the defaults of sysbench's options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distribution {
    /// Every number is as likely as every other.
    Uniform,
    /// The mean of several uniform draws: a bell around the middle.
    Gaussian {
        /// Draws in the mean (`rand-spec-iter`).
        iterations: u32,
    },
    /// sysbench 1.0's default: a bell over the whole interval, and a narrow hot band in its middle.
    Special {
        /// Draws in the mean of the bell (`rand-spec-iter`).
        iterations: u32,
        /// Width of the band, percent of the interval (`rand-spec-pct`).
        percent: u32,
        /// Share of the draws that fall in the band, percent (`rand-spec-res`).
        reserved: u32,
    },
    /// The lowest numbers are the hot ones: a share `1 - h` of the draws in the lowest `h` of the interval.
    Pareto {
        /// `rand-pareto-h`, between 0 and 1.
        h: f64,
    },
    /// Zipf's law; the lowest number is the most frequent.
    Zipfian {
        /// `rand-zipfian-exp`, zero or more.
        exponent: f64,
    },
}

/// The words that [`Distribution`] can be read from.
const WORDS: &str = "uniform, gaussian[:ITERATIONS], special[:ITERATIONS:PERCENT:RESERVED], pareto[:H] or \
                     zipfian[:EXPONENT]";

/// Reports a distribution that doesn't exist, or an invalid parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistributionError {
    /// The text given.
    pub given: String,
    /// What is allowed instead.
    pub allowed: String,
}

impl fmt::Display for DistributionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { given, allowed } = self;
        write!(f, "distribution {given:?}: {allowed} is allowed")
    }
}

impl std::error::Error for DistributionError {}

impl Distribution {
    /// `gaussian` with sysbench's defaults.
    pub const GAUSSIAN: Self = Self::Gaussian { iterations: 12 };
    /// `special` with sysbench's defaults.
    pub const SPECIAL: Self = Self::Special {
        iterations: 12,
        percent: 1,
        reserved: 75,
    };
    /// `pareto` with sysbench's defaults.
    pub const PARETO: Self = Self::Pareto { h: 0.2 };
    /// `zipfian` with sysbench's defaults.
    pub const ZIPFIAN: Self = Self::Zipfian { exponent: 0.8 };

    /// Applies the distribution to `low..=high`.
    ///
    /// # Panics
    /// When `low` is above `high`.
    pub fn sampler(&self, low: u32, high: u32) -> Sampler {
        assert!(low <= high, "an interval from {low} to {high} is empty");
        Sampler::new(*self, low, high)
    }

    /// Returns what is wrong with the parameters, if anything is.
    pub fn parameter_error(&self) -> Option<&'static str> {
        match *self {
            Self::Gaussian { iterations: 0 } | Self::Special { iterations: 0, .. } => {
                Some("one iteration or more")
            }
            Self::Special { percent, .. } if percent > 100 => Some("0 to 100 percent"),
            Self::Special { reserved, .. } if reserved > 100 => Some("0 to 100 percent reserved"),
            Self::Pareto { h } if !(h > 0.0 && h < 1.0) => Some("an h between 0 and 1"),
            Self::Zipfian { exponent } if !(exponent >= 0.0 && exponent.is_finite()) => {
                Some("an exponent of zero or more")
            }
            _ => None,
        }
    }

    /// Assigns the values after the colons to the parameters, in order.
    fn with_parameters(self, values: &[&str]) -> Option<Self> {
        let whole = |text: &str| text.parse::<u32>().ok();
        let real = |text: &str| text.parse::<f64>().ok();
        match (self, values) {
            (kept, []) => Some(kept),
            (Self::Gaussian { .. }, [iterations]) => Some(Self::Gaussian {
                iterations: whole(iterations)?,
            }),
            (Self::Special { .. }, [iterations, percent, reserved]) => Some(Self::Special {
                iterations: whole(iterations)?,
                percent: whole(percent)?,
                reserved: whole(reserved)?,
            }),
            (Self::Pareto { .. }, [h]) => Some(Self::Pareto { h: real(h)? }),
            (Self::Zipfian { .. }, [exponent]) => Some(Self::Zipfian {
                exponent: real(exponent)?,
            }),
            _ => None,
        }
    }
}

impl FromStr for Distribution {
    type Err = DistributionError;

    /// Reads `uniform`, `zipfian`, `zipfian:0.8`, `special:12:1:75`, ...
    fn from_str(text: &str) -> Result<Self, DistributionError> {
        let error = |allowed: &str| DistributionError {
            given: text.to_owned(),
            allowed: allowed.to_owned(),
        };
        let mut parts = text.split(':');
        let defaults = match parts.next() {
            Some("uniform") => Self::Uniform,
            Some("gaussian") => Self::GAUSSIAN,
            Some("special") => Self::SPECIAL,
            Some("pareto") => Self::PARETO,
            Some("zipfian") => Self::ZIPFIAN,
            _ => return Err(error(WORDS)),
        };
        let values: Vec<&str> = parts.collect();
        let distribution = defaults
            .with_parameters(&values)
            .ok_or_else(|| error(WORDS))?;
        match distribution.parameter_error() {
            Some(allowed) => Err(error(allowed)),
            None => Ok(distribution),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Distribution;

    #[test]
    fn a_name_alone_has_the_defaults_of_sysbench() {
        assert_eq!("special".parse(), Ok(Distribution::SPECIAL));
        assert_eq!(
            "zipfian".parse(),
            Ok(Distribution::Zipfian { exponent: 0.8 })
        );
    }

    #[test]
    fn parameters_follow_after_colons() {
        assert_eq!("pareto:0.1".parse(), Ok(Distribution::Pareto { h: 0.1 }));
        let special = Distribution::Special {
            iterations: 5,
            percent: 2,
            reserved: 50,
        };
        assert_eq!("special:5:2:50".parse(), Ok(special));
    }

    #[test]
    fn wrong_names_and_parameters_are_refused_with_what_is_allowed() {
        for (text, hint) in [
            ("zipf", "zipfian"),
            ("uniform:1", "uniform"),
            ("pareto:1", "between 0 and 1"),
            ("pareto:nan", "between 0 and 1"),
            ("zipfian:-1", "zero or more"),
            ("gaussian:0", "one iteration"),
            ("special:1:2", "special"),
        ] {
            let message = text.parse::<Distribution>().map_err(|e| e.to_string());
            assert!(
                message.as_ref().is_err_and(|m| m.contains(hint)),
                "{text}: {message:?}"
            );
        }
    }
}
