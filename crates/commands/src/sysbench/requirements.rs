//! Judges the requirements on a script's run (`script --require`).

use super::record_fields::CountsSnapshot;
use crate::arguments::{Requirement, RequirementMetric, RequirementValue, quantile_value};
use crate::run::figures::grouped;
use dbdyno_drive::falls_short;
use dbdyno_meter::Histogram;
use dbdyno_sysbench::Engine;
use dbdyno_sysbench::text::Counts;

/// Holds what was counted from the end of the warm-up to the end of the run.
struct JudgedTotals {
    duration_s: f64,
    counts: Counts,
    times: Histogram,
    /// Of the events that had not ended, so far.
    unended: Histogram,
    /// Arrivals that no user took, with `--rate`.
    backlog: Option<u64>,
}

/// Returns a line for each requirement, and whether all hold.
pub(super) fn verdicts(requirements: &[Requirement], engine: &Engine) -> (Vec<String>, bool) {
    let totals = JudgedTotals::read(engine);
    let judge = |requirement: &Requirement| {
        let value = totals.as_ref().map_or_else(
            || Err("not measured, the run ended before its measured time began".to_owned()),
            |totals| totals.value(requirement.metric),
        );
        requirement.verdict(&value)
    };
    let (holds, lines): (Vec<bool>, Vec<String>) = requirements.iter().map(judge).unzip();
    (lines, holds.into_iter().all(|holds| holds))
}

impl JudgedTotals {
    fn read(engine: &Engine) -> Option<Self> {
        let first = CountsSnapshot::where_measuring_began(engine)?;
        let page = CountsSnapshot::read(engine);
        let mut unended = Histogram::new();
        for age_ns in engine.figures.ages_in_hand(page.at_ns) {
            unended.record(age_ns);
        }
        Some(Self {
            duration_s: page.at_ns.saturating_sub(first.at_ns) as f64 / 1e9,
            counts: page.counts.since(&first.counts),
            times: page.times.since(&first.times),
            unended,
            backlog: engine.control.undone_arrivals(page.at_ns),
        })
    }

    fn value(&self, metric: RequirementMetric) -> RequirementValue {
        let counts = &self.counts;
        let value = match metric {
            RequirementMetric::Transactions => Some((counts.events as f64 / self.duration_s, "")),
            RequirementMetric::Statements => Some((counts.queries() as f64 / self.duration_s, "")),
            RequirementMetric::Quantile(q) => quantile_value(&self.times, &self.unended, q),
            RequirementMetric::Longest => quantile_value(&self.times, &self.unended, 1.0),
            RequirementMetric::Errors => {
                if let Some(why) = self.shortfall() {
                    return Err(why);
                }
                let unended = self.unended.count();
                let (bad, all) = (counts.errors + unended, counts.events + unended);
                (counts.events > 0).then(|| (bad as f64 * 100.0 / all as f64, ""))
            }
            // A script's event that fails is repeated, or ends the run.
            RequirementMetric::Failed => None,
            RequirementMetric::Reconnects => Some((counts.reconnects as f64, "")),
        };
        value.ok_or_else(|| "not measured, no event ended".to_owned())
    }

    /// Returns how many arrivals were not done, if those that wait for a moment don't explain it.
    fn shortfall(&self) -> Option<String> {
        let (waiting, done) = (self.backlog?, self.counts.events);
        let due = done + waiting;
        falls_short(due, done).then(|| {
            let (waiting, due) = (grouped(waiting), grouped(due));
            format!("{waiting} of {due} arrivals were not done by the end")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(events: u64, errors: u64, backlog: Option<u64>) -> JudgedTotals {
        let mut times = Histogram::new();
        for ms in 1..=100 {
            times.record(ms * 1_000_000);
        }
        JudgedTotals {
            duration_s: 10.0,
            counts: Counts {
                events,
                errors,
                reads: 14 * events,
                writes: 4 * events,
                other: 2 * events,
                reconnects: 0,
            },
            times,
            unended: Histogram::new(),
            backlog,
        }
    }

    fn line(totals: &JudgedTotals, text: &str) -> (bool, String) {
        let requirement: Requirement = text.parse().unwrap();
        requirement.verdict(&totals.value(requirement.metric))
    }

    #[test]
    fn rates_times_and_errors_are_those_of_the_run() {
        let totals = totals(1000, 5, None);
        assert_eq!(
            line(&totals, "tps>=100"),
            (true, "PASS tps>=100: 100".into())
        );
        assert!(!line(&totals, "qps>2000").0);
        assert!(!line(&totals, "p99<20ms").0);
        assert!(line(&totals, "p50<60ms").0);
        assert_eq!(
            line(&totals, "max<=100ms"),
            (true, "PASS max<=100ms: 100 ms".into())
        );
        assert_eq!(
            line(&totals, "errors<0.5%"),
            (false, "FAIL errors<0.5%: 0.5 %".into())
        );
        assert!(line(&totals, "reconnects<=0").0);
    }

    #[test]
    fn events_that_had_not_ended_count_with_their_time_so_far() {
        let mut stuck = totals(1000, 0, None);
        stuck.unended.record(9_000_000_000);
        assert_eq!(
            line(&stuck, "max<=100ms").1,
            "FAIL max<=100ms: 9000 ms, events that had not ended included"
        );
        assert!(!line(&stuck, "errors<=0%").0);
    }

    #[test]
    fn arrivals_that_nobody_took_are_no_success() {
        let few = totals(10, 0, Some(900));
        assert_eq!(
            line(&few, "errors<1%"),
            (
                false,
                "FAIL errors<1%: 900 of 910 arrivals were not done by the end".into()
            )
        );
        assert!(line(&totals(1000, 0, Some(2)), "errors<1%").0);
    }

    #[test]
    fn a_run_without_an_event_meets_nothing_about_events() {
        let mut nothing = totals(0, 0, None);
        nothing.times = Histogram::new();
        for text in ["p99<1s", "errors<1%"] {
            let (holds, line) = line(&nothing, text);
            assert!(
                !holds && line.ends_with("not measured, no event ended"),
                "{line}"
            );
        }
    }
}
