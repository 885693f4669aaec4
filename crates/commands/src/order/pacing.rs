//! Reads from an order when events are due.

use super::load::whole_seconds;
use crate::cli_error::CliError;
use dbdyno_drive::{Arrivals, Pacing, RateStream, Search, Stretch, Think};
use dbdyno_meter::SECOND_NS;
use dbdyno_workload::{RateProfile, RateSegment, Workload, WorkloadError, transaction_type};
use serde::{Deserialize, Serialize};

/// Says when events are due.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum PacingOrder {
    /// The next event starts when the last one is done and the connection has rested.
    Closed {
        /// `None`: no rest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        think: Option<Think>,
    },
    /// Events are due at given instants.
    FixedRate {
        /// Events a second over all connections.
        rate_per_s: f64,
        /// Gaps between them.
        arrivals: Arrivals,
    },
    /// Events are due at rates that change.
    VariedRate {
        /// Arrivals that run in parallel.
        streams: Vec<StreamOrder>,
        /// Gaps between the events of each.
        arrivals: Arrivals,
    },
    /// Rates are tried to find the highest that meets the objective.
    Search(SearchOrder),
}

/// Describes the objective of the search, and how to search.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchOrder {
    /// Share of the events whose response time must be below `response_ns`.
    pub(crate) quantile: f64,
    pub(crate) response_ns: u64,
    /// Rate of the first probe, and of the phases before it.
    pub(crate) first_per_s: f64,
    pub(crate) precision: f64,
    pub(crate) settle_ns: u64,
    pub(crate) window_ns: u64,
    pub(crate) arrivals: Arrivals,
}

/// Describes events of one kind.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamOrder {
    /// Name of their transaction type; `None`: the workload chooses.
    #[serde(default)]
    pub(crate) transaction: Option<String>,
    pub(crate) profile: Vec<Stretch>,
}

impl PacingOrder {
    /// Returns the rates of a workload with these transaction types.
    pub(super) fn following(course: &RateProfile, types: &[&str]) -> Self {
        let stretch = |stretch: &RateSegment| Stretch {
            duration_ns: u64::from(stretch.seconds) * SECOND_NS,
            from_per_s: stretch.from_per_s,
            to_per_s: stretch.to_per_s,
        };
        let streams = course
            .streams
            .iter()
            .map(|(transaction, stretches)| StreamOrder {
                transaction: Some(types[usize::from(*transaction)].to_owned()),
                profile: stretches.iter().map(stretch).collect(),
            });
        Self::VariedRate {
            streams: streams.collect(),
            arrivals: Arrivals::Poisson,
        }
    }

    /// Returns the pacing of this workload.
    pub(super) fn pacing(&self, workload: &dyn Workload) -> Result<Pacing, WorkloadError> {
        Ok(match self {
            Self::Closed { think } => Pacing::Closed { think: *think },
            &Self::FixedRate {
                rate_per_s,
                arrivals,
            } => Pacing::FixedRate {
                rate_per_s,
                arrivals,
            },
            Self::VariedRate { streams, arrivals } => Pacing::VariedRate {
                streams: streams
                    .iter()
                    .map(|stream| stream.stream(workload))
                    .collect::<Result<_, _>>()?,
                arrivals: *arrivals,
            },
            Self::Search(search) => Pacing::FixedRate {
                rate_per_s: search.first_per_s,
                arrivals: search.arrivals,
            },
        })
    }

    /// Returns how long the longest profile lasts; `None` without one.
    fn profile_ns(&self) -> Option<u64> {
        let Self::VariedRate { streams, .. } = self else {
            return None;
        };
        streams.iter().map(StreamOrder::duration_ns).max()
    }

    /// Returns a remark about a profile that is longer than the run.
    pub(super) fn remark(&self, run_ns: u64) -> Option<String> {
        let profile_ns = self.profile_ns()?;
        let seconds = |ns: u64| ns as f64 / 1e9;
        (profile_ns > run_ns).then(|| {
            format!(
                "the segments of the rate last {} s, but the run only {} s: the rest is not driven",
                seconds(profile_ns),
                seconds(run_ns)
            )
        })
    }
}

impl StreamOrder {
    fn stream(&self, workload: &dyn Workload) -> Result<RateStream, WorkloadError> {
        let transaction = self.transaction.as_deref();
        Ok(RateStream {
            transaction: transaction
                .map(|name| transaction_type(workload, name))
                .transpose()?,
            profile: self.profile.clone(),
        })
    }

    fn duration_ns(&self) -> u64 {
        let durations = self.profile.iter().map(|stretch| stretch.duration_ns);
        durations.fold(0, u64::saturating_add)
    }
}

impl SearchOrder {
    /// Returns the search, its phases in whole seconds.
    pub(super) fn search(&self) -> Result<Search, CliError> {
        Ok(Search {
            quantile: self.quantile,
            response_ns: self.response_ns,
            first_per_s: self.first_per_s,
            arrivals: self.arrivals,
            precision: self.precision,
            settle_s: whole_seconds("the settling of a probe", self.settle_ns)?,
            window_s: whole_seconds("the window of a probe", self.window_ns)?,
        })
    }
}
