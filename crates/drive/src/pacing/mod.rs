//! Decides when events are due.
//!
//! The worker loop asks its [`Pace`] only four questions: what does this free connection do now, when is
//! something due next, what is due now, how many events wait. Think time, steps and ramps are answers to these
//! questions.

mod dues;
mod pace;
mod profile;
mod schedule;
mod think;

pub(crate) use pace::{Due, FreeAction, Pace};
pub use profile::{RateStream, Stretch};
pub use think::{Think, ThinkDistribution};

use crate::DriveError;

/// Determines when events become due.
#[derive(Debug, Clone, PartialEq)]
pub enum Pacing {
    /// A connection starts its next event when the last one is done. Waits behind a stall are not
    /// counted.
    Closed {
        /// Rest of a connection after each event; `None`: it goes on at once.
        think: Option<Think>,
    },
    /// Events are due at given instants, regardless of earlier events; an event's response time
    /// runs from that instant.
    FixedRate {
        /// Events a second, over all connections.
        rate_per_s: f64,
        /// The gaps between them.
        arrivals: Arrivals,
    },
    /// As a fixed rate, but with changing rates and fixed transaction types.
    VariedRate {
        /// Streams of events that run side by side.
        streams: Vec<RateStream>,
        /// The gaps between the events of each.
        arrivals: Arrivals,
    },
}

/// Gaps between due instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "arguments",
    derive(clap::ValueEnum, serde::Deserialize, serde::Serialize)
)]
#[cfg_attr(feature = "arguments", serde(rename_all = "kebab-case"))]
pub enum Arrivals {
    /// Exponential, as of many independent visitors.
    Poisson,
    /// All the same.
    Constant,
}

impl Pacing {
    /// Returns whether events are due regardless of earlier events.
    #[must_use]
    pub fn is_open_loop(&self) -> bool {
        !matches!(self, Self::Closed { .. })
    }

    /// Returns whether response time runs from a due instant, so that the client can be late.
    #[must_use]
    pub fn has_due_instants(&self) -> bool {
        !matches!(self, Self::Closed { think: None })
    }

    /// Checks the values; `transaction_types` is the number of types of the workload.
    pub(crate) fn check(&self, transaction_types: usize) -> Result<(), DriveError> {
        let wrong = |what: String| Err(DriveError::Request(what));
        match self {
            Self::Closed { think } => think.map_or(Ok(()), Think::check),
            Self::FixedRate { rate_per_s, .. } if !(1e-3..=1e7).contains(rate_per_s) => {
                wrong(format!(
                    "a rate of {rate_per_s} events per second is not between 0.001 and 10,000,000"
                ))
            }
            Self::FixedRate { .. } => Ok(()),
            Self::VariedRate { streams, .. } if streams.is_empty() => {
                wrong("a varied rate has no stream: at least one is needed".to_owned())
            }
            Self::VariedRate { streams, .. } => streams
                .iter()
                .try_for_each(|stream| stream.check(transaction_types)),
        }
    }
}

/// Says which of all connections a worker owns: every `workers`-th, beginning with its own index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub(crate) worker: u32,
    pub(crate) workers: u32,
    pub(crate) connections: u32,
}

impl Share {
    /// Returns the number of a worker's connection in the whole load.
    pub(crate) fn number_of(&self, connection: u32) -> u32 {
        self.worker + connection * self.workers
    }

    /// Returns how many connections the worker owns.
    pub(crate) fn count(&self) -> u32 {
        (self.connections - self.worker).div_ceil(self.workers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_without_sense_are_refused() {
        for rate_per_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let pacing = Pacing::FixedRate {
                rate_per_s,
                arrivals: Arrivals::Constant,
            };
            assert!(pacing.check(1).is_err(), "{rate_per_s}");
        }
    }
}
