//! Defines the arguments of `search`.

use super::load::{ErrorArguments, LoadArguments, OutputArguments, When, spoken_order};
use super::pacing::phases;
use super::parse::{nanoseconds, seconds};
use super::{ServerArguments, WorkloadOptions};
use crate::cli_error::CliError;
use crate::order::{LoadOrder, PacingOrder, SearchOrder, WorkloadChoice};
use clap::Args;
use dbdyno_drive::Arrivals;

const SECOND_NS: u64 = 1_000_000_000;

const LONG_ABOUT: &str = "\
Find the highest rate at which a server meets a service-level objective (SLO): a bound on its response times.

Connections are opened once. Rates are tried one after the other; each probe drives a few seconds
to settle, then a measured window. The rate doubles until the bound is broken. Then the gap
between the highest rate that held and the lowest that broke is halved until it is as small as
--precision. The answer must hold in a second probe.

A rate holds if the quantile of the response time stays below the bound, the backlog does not
grow, all events that were due were done, and none failed. Response times start when events were
due. A probe that broke because the client itself had no time to spare is repeated; if it is the
client each time, the result says so. Exit code 1: no rate held, or the search was interrupted.";

const EXAMPLES: &str = "\
Examples:
  The highest rate of point selects of which 99 % are answered within 20 ms:
    dbdyno-load search sysbench/oltp_point_select --tables 4 --rows 50000 --host db.example --threads 64 \\
        --slo 'p99<20ms'

  A quick first estimate, in half the time:
    dbdyno-load search sysbench/oltp_read_write --tables 4 --rows 50000 --host db.example --threads 64 \\
        --slo 'p95<50ms' --first-rate 500 --precision 10% --settle 2s --window 10s";

/// Searches for the highest rate that meets an objective.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Find the highest rate that keeps response times below a bound",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct SearchArguments {
    /// Workload, such as sysbench/oltp_read_write
    #[arg(value_name = "WORKLOAD")]
    pub(crate) workload: String,

    #[command(flatten)]
    pub(crate) search: ProbeArguments,

    #[command(flatten)]
    pub(crate) server: ServerArguments,

    #[command(flatten)]
    pub(crate) load: LoadArguments,

    #[command(flatten)]
    pub(crate) errors: ErrorArguments,

    #[command(flatten)]
    pub(crate) output: OutputArguments,

    #[command(flatten)]
    pub(crate) options: WorkloadOptions,
}

/// The objective, and how rates are tried.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct ProbeArguments {
    /// Bound on a response time quantile, such as 'p99<20ms'
    ///
    /// Use quotes, because < redirects input in a shell. Examples: p95<500us · p99.9<1s
    #[arg(long, alias = "promise", value_name = "pQ<DURATION", value_parser = objective)]
    pub(crate) slo: Objective,

    /// Rate of the first probe, in events per second
    #[arg(long, value_name = "EVENTS_PER_S", default_value_t = 100.0)]
    pub(crate) first_rate: f64,

    /// Precision of the answer: how far the lowest rate that broke may lie above the highest that held
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    pub(crate) precision: f64,

    /// Time to settle in each probe, before its measured window
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = seconds)]
    pub(crate) settle: u32,

    /// Length of the measured window of each probe
    #[arg(long, value_name = "DURATION", default_value = "20s", value_parser = seconds)]
    pub(crate) window: u32,

    /// Warm-up at the first rate, before the first probe
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = seconds)]
    pub(crate) warm_up: u32,

    /// Gaps between the due times of events
    #[arg(long, value_enum, value_name = "GAPS", default_value = "poisson")]
    pub(crate) arrivals: Arrivals,
}

impl SearchArguments {
    /// What is to be searched for, as an order.
    pub(crate) fn order(&self) -> Result<LoadOrder, CliError> {
        let when = When {
            pacing: PacingOrder::Search(self.search.order()),
            phases: phases(self.search.warm_up, 0),
            events: None,
        };
        let what = WorkloadChoice::new(self.workload.clone(), &self.options.0);
        spoken_order(what, &self.server, &self.load, &self.errors, when)
    }
}

impl ProbeArguments {
    fn order(&self) -> SearchOrder {
        SearchOrder {
            quantile: self.slo.quantile,
            response_ns: self.slo.response_ns,
            first_per_s: self.first_rate,
            precision: self.precision,
            settle_ns: u64::from(self.settle) * SECOND_NS,
            window_ns: u64::from(self.window) * SECOND_NS,
            arrivals: self.arrivals,
        }
    }
}

/// A quantile and its bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Objective {
    pub(crate) quantile: f64,
    pub(crate) response_ns: u64,
}

fn objective(text: &str) -> Result<Objective, String> {
    let wrong = || "write for example 'p99<20ms' or 'p99.9 < 1s'".to_owned();
    let (quantile, bound) = text.split_once('<').ok_or_else(wrong)?;
    let percent = quantile.trim().strip_prefix('p').ok_or_else(wrong)?;
    let percent: f64 = percent.parse().map_err(|_| wrong())?;
    if !(percent > 0.0 && percent < 100.0) {
        return Err(format!(
            "p{percent} is not between p0 and p100; {}",
            wrong()
        ));
    }
    let response_ns = nanoseconds(bound)?;
    if response_ns == 0 {
        return Err(format!("no response time is below 0; {}", wrong()));
    }
    Ok(Objective {
        // p99.9 is 0.999 and not 0.9990000000000001.
        quantile: (percent * 1e7).round() / 1e9,
        response_ns,
    })
}

/// `5%` or `0.05`.
fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent, 0.01),
        None => (text.trim(), 1.0),
    };
    let share = number.trim().parse::<f64>().map(|number| number * unit);
    share
        .ok()
        .filter(|share| *share > 0.0 && *share <= 1.0)
        .ok_or_else(|| "write for example 5% or 0.05; above 0 and at most 100%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_objective_is_a_quantile_and_a_bound() {
        let parsed = |text| objective(text).map(|p| (p.quantile, p.response_ns));
        assert_eq!(parsed("p99<20ms"), Ok((0.99, 20_000_000)));
        assert_eq!(parsed(" p99.9 < 1s "), Ok((0.999, SECOND_NS)));
        assert_eq!(parsed("p50<500us"), Ok((0.5, 500_000)));
        for wrong in [
            "", "p99", "99<20ms", "p99>20ms", "p100<1s", "p0<1s", "p99<0s", "p99<x",
        ] {
            assert!(objective(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_share_is_a_percentage_or_a_fraction() {
        assert_eq!(share("5%"), Ok(0.05));
        assert_eq!(share("0.2"), Ok(0.2));
        for wrong in ["", "0%", "5", "101%", "-1%", "nan"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }
}
