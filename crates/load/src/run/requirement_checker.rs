//! Judges the requirements on a run (`--require`) over the phase that the summary describes.

use super::output::{Output, Second};
use super::totals::Totals;
use crate::arguments::{Requirement, RequirementMetric};
use crate::record::{all_responses, all_services};
use crate::terminal;
use dbdyno_drive::{Load, RunOutcome, Start, Status};
use dbdyno_meter::Histogram;
use std::cell::Cell;
use std::io::{self, Write};

/// Prints one line per requirement after the run.
pub(super) struct RequirementChecker<'a> {
    requirements: &'a [Requirement],
    load: &'a Load,
    window: Totals,
    /// Whether records go to standard output.
    is_stdout_taken: bool,
    /// Becomes true when a requirement does not hold.
    has_failed: &'a Cell<bool>,
}

impl<'a> RequirementChecker<'a> {
    pub(super) fn new(
        requirements: &'a [Requirement],
        load: &'a Load,
        is_stdout_taken: bool,
        has_failed: &'a Cell<bool>,
    ) -> Self {
        Self {
            requirements,
            load,
            window: Totals::of(load),
            is_stdout_taken,
            has_failed,
        }
    }

    fn write(&self, out: &mut impl Write, outcome: &RunOutcome) -> io::Result<()> {
        let times = self.times();
        for requirement in self.requirements {
            let value = value(requirement.metric, &self.window, &times);
            let holds =
                value.is_some_and(|value| requirement.comparison.holds(value, requirement.limit));
            if !holds {
                self.has_failed.set(true);
            }
            let verdict = if holds { "PASS" } else { "FAIL" };
            let found = value.map_or_else(
                || format!("not measured, {}", reason(&outcome.status)),
                |value| value_text(requirement, value),
            );
            writeln!(out, "{verdict} {}: {found}", requirement.text)?;
        }
        Ok(())
    }

    /// Returns response times if events are due at given instants, else service times, as in the summary.
    fn times(&self) -> Histogram {
        match self.load.pacing.has_due_instants() {
            true => all_responses(&self.window.counts),
            false => all_services(&self.window.counts),
        }
    }
}

impl Output for RequirementChecker<'_> {
    fn started(&mut self, _start: &Start) -> io::Result<()> {
        Ok(())
    }

    fn second(&mut self, second: &mut Second<'_>) -> io::Result<()> {
        if second.is_judged(self.load) {
            self.window.add(second.record.interval);
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &RunOutcome) -> io::Result<()> {
        match self.is_stdout_taken {
            true => self.write(&mut terminal::stderr(), outcome),
            false => {
                let mut out = terminal::stdout();
                writeln!(out)?;
                self.write(&mut out, outcome)
            }
        }
    }
}

/// Returns the value in the metric's own unit; `None` if nothing suitable was measured.
fn value(metric: RequirementMetric, window: &Totals, times: &Histogram) -> Option<f64> {
    let counts = &window.counts;
    let ended = counts.completed() + counts.failed();
    let share = |count: u64| (ended > 0).then(|| count as f64 * 100.0 / ended as f64);
    let is_measured = window.duration_ns > 0;
    let rate = |count: u64| is_measured.then(|| window.rate(count));
    match metric {
        RequirementMetric::Transactions => rate(counts.completed()),
        RequirementMetric::Statements => rate(counts.answered()),
        RequirementMetric::Quantile(q) => {
            let edge_ns = times.quantile_ns(q)?; // may lie above the longest time
            Some(edge_ns.min(times.max_ns()) as f64)
        }
        RequirementMetric::Longest => (times.count() > 0).then(|| times.max_ns() as f64),
        RequirementMetric::Errors => {
            let types = counts.transactions.iter();
            let repeated: u64 = types.map(|counts| counts.completed_after_retry).sum();
            share(repeated + counts.failed())
        }
        RequirementMetric::Failed => share(counts.failed()),
        RequirementMetric::Reconnects => is_measured.then_some(counts.tally.reconnects as f64),
    }
}

fn reason(status: &Status) -> String {
    match status {
        Status::Complete => "no transaction ended in the window".to_owned(),
        Status::Interrupted => "the run was interrupted before".to_owned(),
        Status::Failed(failure) => format!("the run failed before: {failure}"),
    }
}

/// Formats the value in the unit of the limit, to the third decimal.
fn value_text(requirement: &Requirement, value: f64) -> String {
    let number = format!("{:.3}", value / requirement.unit.size);
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number} {}", requirement.unit.name)
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests;
