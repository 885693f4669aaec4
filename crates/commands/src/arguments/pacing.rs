//! Defines the arguments that say when events are due, and for how long.

use super::parse::{nanoseconds, seconds};
use super::profile::{RateText, rate, rate_of};
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::order::{PacingOrder, PhaseOrder, StreamOrder};
use clap::{ArgGroup, Args};
use dbdyno_drive::{Arrivals, Think, ThinkDistribution};

const SECOND_NS: u64 = 1_000_000_000;

/// A number of events has no limit of time: 136 years.
const UNTIL_EVENTS_S: u32 = u32::MAX;

const WARM_UP_S: u32 = 5;
const WINDOW_S: u32 = 60;

/// When events are due, and for how long.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Pacing")]
#[command(group = ArgGroup::new("open_loop").args(["rate", "rate_of"]).multiple(true))]
pub(crate) struct PacingArguments {
    /// Events per second (open loop); each is due even if no connection is free [default: closed loop]
    ///
    /// One number, or segments one after the other from second 0, warm-up included: RATE:DURATION is a
    /// step, FROM..TO:DURATION a ramp, 0:DURATION a pause. The last rate continues to the end of the run;
    /// segments beyond the end are not driven. Examples: 2000 · 500:30s,1000:30s · 100..2000:60s,2000
    #[arg(long, value_name = "EVENTS_PER_S", value_parser = rate)]
    pub(crate) rate: Option<RateText>,

    /// Events per second of one transaction type; may be given several times
    ///
    /// Rates are written as for --rate. All types run at the same time. If --rate is given, too, the workload
    /// chooses the types of its events. Examples: new_order=450 · payment=100..500:60s
    #[arg(long, value_name = "TYPE=EVENTS_PER_S", value_parser = rate_of)]
    pub(crate) rate_of: Vec<(String, RateText)>,

    /// Gaps between the due times of --rate and --rate-of
    #[arg(
        long,
        value_enum,
        value_name = "GAPS",
        default_value = "poisson",
        requires = "open_loop"
    )]
    pub(crate) arrivals: Arrivals,

    /// Mean think time after each event (closed loop) [default: none]
    ///
    /// Think time is not part of any measured time: a response time starts when the think time ends. At
    /// second 0 every connection is in the middle of a think time, so that they don't start in one burst.
    #[arg(long, value_name = "DURATION", value_parser = nanoseconds, conflicts_with = "open_loop")]
    pub(crate) think: Option<u64>,

    /// Distribution of the think times of --think
    #[arg(
        long,
        value_enum,
        alias = "think-law",
        value_name = "DISTRIBUTION",
        default_value = "exponential",
        requires = "think"
    )]
    pub(crate) think_distribution: ThinkDistribution,

    /// Length of the measured window [default: 60s; with segments of --rate as long as they last, and 60s more
    /// if the last has no end; with --events until they are done]
    #[arg(long, aliases = ["duration", "window"], value_name = "DURATION", value_parser = seconds)]
    pub(crate) time: Option<u32>,

    /// Length of the warm-up before the measured window [default: 5s; 0s with segments of --rate or
    /// with --events]
    #[arg(long, aliases = ["warmup", "warmup-time"], value_name = "DURATION", value_parser = seconds)]
    pub(crate) warm_up: Option<u32>,

    /// End after this many events in total
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) events: Option<u64>,
}

impl PacingArguments {
    pub(super) fn pacing(&self) -> PacingOrder {
        let arrivals = self.arrivals;
        match &self.rate {
            None if self.rate_of.is_empty() => PacingOrder::Closed {
                think: self.think.map(|mean_ns| Think {
                    mean_ns,
                    law: self.think_distribution,
                }),
            },
            Some(rate) if self.rate_of.is_empty() && rate.fixed_per_s().is_some() => {
                PacingOrder::FixedRate {
                    rate_per_s: rate.fixed_per_s().unwrap_or(0.0),
                    arrivals,
                }
            }
            _ => PacingOrder::VariedRate {
                streams: self.streams(),
                arrivals,
            },
        }
    }

    /// Whether it is not said when events are due, so that the workload's own rates hold.
    pub(super) fn leaves_rates(&self) -> bool {
        self.rate.is_none() && self.rate_of.is_empty() && self.think.is_none()
    }

    /// Whether it is not said how long, either.
    pub(super) fn leaves_phases(&self) -> bool {
        self.time.is_none() && self.warm_up.is_none() && self.events.is_none()
    }

    fn streams(&self) -> Vec<StreamOrder> {
        let stream = |transaction: Option<&String>, rate: &RateText| StreamOrder {
            transaction: transaction.cloned(),
            profile: rate.stretches.clone(),
        };
        let untyped = self.rate.iter().map(|rate| stream(None, rate));
        let typed = self
            .rate_of
            .iter()
            .map(|(name, rate)| stream(Some(name), rate));
        untyped.chain(typed).collect()
    }

    pub(super) fn phases(&self) -> Vec<PhaseOrder> {
        let (warm_up_s, window_s) = match (self.events, self.profile_s()) {
            (Some(_), _) => (0, UNTIL_EVENTS_S),
            (None, Some(profile_s)) => (0, profile_s),
            (None, None) => (WARM_UP_S, WINDOW_S),
        };
        let warm_up_s = self.warm_up.unwrap_or(warm_up_s);
        // sysbench's `--events=1000 --time=0` has no limit of time.
        let time = self.time.filter(|&time_s| time_s > 0);
        phases(warm_up_s, time.unwrap_or(window_s))
    }

    /// Refuses a run without a measured window: its warm-up would be reported as the result.
    pub(super) fn refuse_no_window(&self) -> Result<(), CliError> {
        match (self.time, self.events) {
            (Some(0), None) => Err(CliError::request(
                ErrorCode::NothingToMeasure,
                "--time 0s leaves nothing to measure",
            )
            .hint("give at least 1s, or a number of events (--events)")),
            _ => Ok(()),
        }
    }

    /// How long the stretches want the run to be; `None` when all rates are fixed.
    fn profile_s(&self) -> Option<u32> {
        let typed = self.rate_of.iter().map(|(_, rate)| rate);
        let rates = || self.rate.iter().chain(typed.clone());
        let wanted_s = |rate: &RateText| {
            let timed_s = rate.duration_ns().div_ceil(SECOND_NS);
            timed_s + if rate.goes_on { u64::from(WINDOW_S) } else { 0 }
        };
        if rates().all(|rate| rate.fixed_per_s().is_some()) {
            return None;
        }
        let longest_s = rates().map(wanted_s).max()?;
        Some(u32::try_from(longest_s).unwrap_or(u32::MAX))
    }
}

/// Warm-up and window, without what lasts no time.
pub(super) fn phases(warm_up_s: u32, window_s: u32) -> Vec<PhaseOrder> {
    let phase = |name: &str, seconds: u32| PhaseOrder {
        name: name.to_owned(),
        duration_ns: u64::from(seconds) * SECOND_NS,
    };
    let phases = [phase("warm-up", warm_up_s), phase("window", window_s)];
    phases
        .into_iter()
        .filter(|phase| phase.duration_ns > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Spoken {
        #[command(flatten)]
        pacing: PacingArguments,
    }

    fn spoken(words: &[&str]) -> Result<PacingArguments, clap::Error> {
        let words = ["run"].iter().chain(words);
        Spoken::try_parse_from(words).map(|spoken| spoken.pacing)
    }

    fn order(words: &[&str]) -> serde_json::Value {
        serde_json::to_value(spoken(words).unwrap().pacing()).unwrap()
    }

    fn seconds_of(words: &[&str]) -> Vec<u64> {
        let phases = spoken(words).unwrap().phases();
        phases
            .iter()
            .map(|phase| phase.duration_ns / SECOND_NS)
            .collect()
    }

    #[test]
    fn the_words_become_the_kinds_of_the_contract() {
        assert_eq!(order(&[]), serde_json::json!({"kind": "closed"}));
        assert_eq!(order(&["--think", "100ms"])["think"]["law"], "exponential");
        assert_eq!(order(&["--rate", "2000"])["kind"], "fixed-rate");
        let varied = order(&["--rate", "1..5:9s", "--rate-of", "a=3", "--rate-of", "b=4"]);
        assert_eq!(varied["kind"], "varied-rate");
        let types = [0, 1, 2].map(|place| varied["streams"][place]["transaction"].clone());
        assert_eq!(
            serde_json::json!(types),
            serde_json::json!([null, "a", "b"])
        );
    }

    #[test]
    fn the_run_is_as_long_as_its_stretches_unless_said_otherwise() {
        assert_eq!(seconds_of(&[]), [5, 60]);
        assert_eq!(seconds_of(&["--rate-of", "a=3"]), [5, 60]);
        assert_eq!(seconds_of(&["--rate", "500:30s,1000:30s"]), [60]);
        assert_eq!(seconds_of(&["--rate", "1..5:30s,5"]), [90]);
        assert_eq!(
            seconds_of(&["--rate", "1:30s", "--warm-up", "5s", "--time", "9s"]),
            [5, 9]
        );
        let without_limit = u64::from(u32::MAX);
        assert_eq!(
            seconds_of(&["--rate", "1:30s", "--events", "3"]),
            [without_limit]
        );
    }

    #[test]
    fn no_time_is_no_limit_for_a_number_of_events_and_otherwise_nothing_to_measure() {
        let events = ["--events", "3", "--time", "0", "--warm-up", "2s"];
        assert_eq!(seconds_of(&events), [2, u64::from(u32::MAX)]);
        let refusal = |words: &[&str]| spoken(words).unwrap().refuse_no_window();
        refusal(&events).unwrap();
        refusal(&["--time", "1s"]).unwrap();
        for words in [&["--time", "0s"][..], &["--rate", "5", "--time", "0"]] {
            let error = refusal(words).unwrap_err().to_string();
            assert!(error.contains("nothing to measure"), "{error}");
        }
    }

    #[test]
    fn open_and_closed_loop_do_not_mix() {
        for words in [
            &["--think", "1s", "--rate", "5"][..],
            &["--think", "1s", "--rate-of", "a=5"],
            &["--think-distribution", "constant"],
            &["--arrivals", "constant"],
        ] {
            assert!(spoken(words).is_err(), "{words:?}");
        }
    }
}
