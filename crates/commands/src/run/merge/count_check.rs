//! Checks that the counts of a record agree with one another, so that an altered or damaged record is refused.

use super::share_reader::{EndRow, StartRow};
use dbdyno_drive::UNTIMED_CODES;
use dbdyno_meter::Interval;

/// Holds the sums of a share's seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EventTotals {
    pub(super) started: u64,
    pub(super) completed: u64,
    pub(super) failed: u64,
    /// Answers to a ROLLBACK after an error: each is classified, and no statement of the workload.
    rollbacks: u64,
    /// Errors of statements.
    errors: u64,
}

impl EventTotals {
    /// Adds a second; otherwise returns which of its counts contradict each other.
    pub(super) fn add(&mut self, start: &StartRow, interval: &Interval) -> Result<(), String> {
        let transactions = interval.transactions.iter();
        for (counts, name) in transactions.zip(&start.transaction_types) {
            let completed = counts.completed;
            for (times, found) in [("response", &counts.response), ("service", &counts.service)] {
                agree(
                    &format!("{times} times of {name}"),
                    found.count(),
                    completed,
                    completed,
                )?;
            }
            self.started += counts.started;
            self.completed += completed;
            self.failed += counts.failed;
        }
        let mut answered = 0;
        for (counts, name) in interval.statements.iter().zip(&start.statement_types) {
            let errors = counts.errors.total();
            let untimed = counts
                .errors
                .iter()
                .filter(|(code, _)| UNTIMED_CODES.contains(code));
            let untimed: u64 = untimed.map(|(_, count)| count).sum();
            let most = counts.completed.saturating_add(errors);
            let times = counts.service.count();
            agree(
                &format!("times of the statement {name}"),
                times,
                most.saturating_sub(untimed),
                most,
            )?;
            answered += counts.completed;
            self.errors += errors;
        }
        let classified = interval.answered();
        let most = (answered + self.errors).saturating_sub(self.rollbacks);
        agree("reads, writes and others", classified, answered, most)?;
        self.rollbacks += classified - answered;
        let under_way = self
            .started
            .checked_sub(self.completed.saturating_add(self.failed));
        match under_way {
            Some(events) if events <= u64::from(start.concurrency) => Ok(()),
            _ => Err(format!(
                "{} events begun, {} completed and {} given up so far do not fit {} connections",
                self.started, self.completed, self.failed, start.concurrency
            )),
        }
    }

    /// Returns which count of the end contradicts the seconds. A run that failed may have lost some of them.
    pub(super) fn check(&self, end: &EndRow) -> Result<(), String> {
        if end.status == "failed" {
            return Ok(());
        }
        let under_way = end.in_flight_at_end;
        let started = end.scheduled.saturating_sub(end.unsent);
        let (most_completed, most_failed) = (self.completed + under_way, self.failed + under_way);
        agree(
            "events begun in all seconds",
            self.started,
            started,
            started,
        )?;
        agree(
            "events completed",
            end.completed,
            self.completed,
            most_completed,
        )?;
        agree("events given up", end.failed, self.failed, most_failed)?;
        let ended = end.completed.saturating_add(end.failed);
        agree("events completed or given up", ended, started, started)
    }
}

/// Refuses a count outside of the limits that other counts set.
fn agree(what: &str, found: u64, least: u64, most: u64) -> Result<(), String> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    let expected = match least == most {
        true => least.to_string(),
        false => format!("{least} to {most}"),
    };
    Err(format!(
        "{what}: {found}, and by its other counts {expected}"
    ))
}
