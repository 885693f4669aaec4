//! Judges the requirements on a run (`--require`) over the phase that the summary describes.

use super::figures::grouped;
use super::output::{Output, Second};
use super::totals::Totals;
use crate::arguments::{Requirement, RequirementMetric, RequirementValue, quantile_value};
use crate::record::{all_responses, all_services};
use crate::terminal;
use dbdyno_drive::{Load, RunOutcome, Start, Status, falls_short};
use dbdyno_meter::Histogram;
use std::cell::Cell;
use std::io::{self, Write};

/// Prints one line per requirement after the run.
pub(super) struct RequirementChecker<'a> {
    requirements: &'a [Requirement],
    load: &'a Load,
    window: Totals,
    /// Events that waited when the window began.
    backlog_before: u64,
    /// Whether records go to standard output.
    is_stdout_taken: bool,
    /// Becomes true when a requirement does not hold.
    has_failed: &'a Cell<bool>,
}

/// Holds what the requirements on a run, or on a merged one, are judged by.
pub(super) struct JudgedWindow<'a> {
    pub(super) totals: &'a Totals,
    /// Events that waited when the window began.
    pub(super) backlog_before: u64,
    /// How long events that had not ended when the run did had been due by then, or why that is not known.
    pub(super) unended: Result<&'a Histogram, String>,
    /// Events that never ended.
    pub(super) abandoned: u64,
    pub(super) is_open_loop: bool,
    pub(super) has_due_instants: bool,
    /// Why a window without events has none.
    pub(super) reason: String,
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
            backlog_before: 0,
            is_stdout_taken,
            has_failed,
        }
    }

    fn write(&self, out: &mut impl Write, outcome: &RunOutcome) -> io::Result<()> {
        let judged = JudgedWindow {
            totals: &self.window,
            backlog_before: self.backlog_before,
            unended: Ok(&outcome.unended),
            abandoned: outcome.abandoned,
            is_open_loop: self.load.pacing.is_open_loop(),
            has_due_instants: self.load.pacing.has_due_instants(),
            reason: reason(&outcome.status),
        };
        let holds = judged.write(out, self.requirements)?;
        self.has_failed.set(!holds);
        Ok(())
    }
}

/// Calls `write` with the place for verdicts: below the text, or standard error if records take standard output.
pub(super) fn write_verdicts<T>(
    is_stdout_taken: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<T> {
    if is_stdout_taken {
        return write(&mut terminal::stderr());
    }
    let mut out = terminal::stdout();
    writeln!(out)?;
    write(&mut out)
}

impl JudgedWindow<'_> {
    /// Writes a line for each requirement, and returns whether all hold.
    pub(super) fn write(
        &self,
        out: &mut (impl Write + ?Sized),
        requirements: &[Requirement],
    ) -> io::Result<bool> {
        let mut all_hold = true;
        for requirement in requirements {
            let (holds, line) = requirement.verdict(&self.value(requirement.metric));
            all_hold &= holds;
            writeln!(out, "{line}")?;
        }
        Ok(all_hold)
    }

    fn value(&self, metric: RequirementMetric) -> RequirementValue {
        let value = match metric {
            RequirementMetric::Quantile(q) => self.quantile(q)?,
            RequirementMetric::Longest => self.quantile(1.0)?,
            RequirementMetric::Errors | RequirementMetric::Failed => {
                if let Some(why) = self.shortfall() {
                    return Err(why);
                }
                share(metric, self.totals, self.abandoned).map(|share| (share, ""))
            }
            _ => rate(metric, self.totals).map(|rate| (rate, "")),
        };
        value.ok_or_else(|| format!("not measured, {}", self.reason))
    }

    fn quantile(&self, q: f64) -> Result<Option<(f64, &'static str)>, String> {
        let unended = self.unended.clone()?;
        Ok(quantile_value(&self.times(), unended, q))
    }

    /// Returns how many due events were not done, if those that wait for a moment don't explain it.
    fn shortfall(&self) -> Option<String> {
        let counts = &self.totals.counts;
        let started: u64 = counts
            .transactions
            .iter()
            .map(|counts| counts.started)
            .sum();
        let due = (started + self.totals.backlog).saturating_sub(self.backlog_before);
        let done = counts.completed() + counts.failed();
        let is_short = self.is_open_loop && falls_short(due, done);
        is_short.then(|| {
            let (undone, due) = (grouped(due - done), grouped(due));
            format!("{undone} of {due} due events were not done by the end")
        })
    }

    /// Returns response times if events are due at given instants, else service times, as in the summary.
    fn times(&self) -> Histogram {
        match self.has_due_instants {
            true => all_responses(&self.totals.counts),
            false => all_services(&self.totals.counts),
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
        } else {
            self.backlog_before = second.record.interval.backlog;
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &RunOutcome) -> io::Result<()> {
        write_verdicts(self.is_stdout_taken, |mut out| {
            self.write(&mut out, outcome)
        })
    }
}

/// Returns the share of the events that failed, or met an error, in percent. `abandoned` events never ended.
fn share(metric: RequirementMetric, window: &Totals, abandoned: u64) -> Option<f64> {
    let counts = &window.counts;
    let failed = counts.failed() + abandoned;
    let ended = counts.completed() + failed;
    let types = counts.transactions.iter();
    let repeated: u64 = types.map(|counts| counts.completed_after_retry).sum();
    let bad = match metric {
        RequirementMetric::Errors => repeated + failed,
        _ => failed,
    };
    (window.duration_ns > 0 && ended > 0).then(|| bad as f64 * 100.0 / ended as f64)
}

fn rate(metric: RequirementMetric, window: &Totals) -> Option<f64> {
    let value = match metric {
        RequirementMetric::Transactions => window.rate(window.counts.completed()),
        RequirementMetric::Statements => window.rate(window.counts.answered()),
        _ => window.counts.tally.reconnects as f64,
    };
    (window.duration_ns > 0).then_some(value)
}

fn reason(status: &Status) -> String {
    match status {
        Status::Complete => "no transaction ended in the window".to_owned(),
        Status::Interrupted => "the run was interrupted before".to_owned(),
        Status::Failed(failure) => format!("the run failed before: {failure}"),
    }
}

#[cfg(test)]
mod tests;
