//! Adds up seconds.

use crate::record::all_responses;
use dbdyno_drive::Load;
use dbdyno_meter::{ErrorCodeCounts, Histogram, Interval, IntervalShape, WorkerLoad};

/// Sums up several seconds, and their length.
#[derive(Debug)]
pub(super) struct Totals {
    pub(super) counts: Interval,
    pub(super) duration_ns: u64,
    pub(super) backlog: u64,
    /// Fewest connections at the end of any of the seconds.
    pub(super) connections_low: Option<u32>,
    /// Sums of each worker.
    workers: Vec<WorkerLoad>,
}

impl Totals {
    pub(super) fn new(shape: IntervalShape) -> Self {
        Self {
            counts: Interval::new(shape),
            duration_ns: 0,
            backlog: 0,
            connections_low: None,
            workers: Vec::new(),
        }
    }

    /// Creates empty totals, of the shape of a load's intervals.
    pub(super) fn of(load: &Load) -> Self {
        let spec = load.workload.spec();
        Self::new(IntervalShape {
            transaction_types: spec.transaction_types.len(),
            statement_types: spec.statement_types.len(),
            open_loop: load.pacing.has_due_instants(),
        })
    }

    pub(super) fn add(&mut self, interval: &Interval) {
        self.counts.merge_counts(interval);
        self.duration_ns += interval.duration_ns;
        self.backlog = interval.backlog;
        let live = interval.connections_live;
        self.connections_low = Some(self.connections_low.map_or(live, |low| low.min(live)));
        let workers = interval.workers.len().max(self.workers.len());
        self.workers.resize(workers, WorkerLoad::default());
        for (sum, worker) in self.workers.iter_mut().zip(&interval.workers) {
            sum.busy_ns += worker.busy_ns;
            sum.cpu_ns += worker.cpu_ns;
            sum.wake_ups += worker.wake_ups;
            sum.served += worker.served;
            sum.cpu_wait_ns += worker.cpu_wait_ns;
        }
    }

    pub(super) fn clear(&mut self) {
        self.counts.clear();
        self.duration_ns = 0;
        self.connections_low = None;
        self.workers.clear();
    }

    /// Returns `count` divided by the time really measured.
    pub(super) fn rate(&self, count: u64) -> f64 {
        if self.duration_ns == 0 {
            return 0.0;
        }
        count as f64 * 1e9 / self.duration_ns as f64
    }

    /// Returns the share of the time in which the busiest worker was not waiting.
    pub(super) fn busiest_share(&self) -> f64 {
        self.highest_share(|worker| worker.busy_ns)
    }

    /// Returns the share of the time in which the worker that lacked a processor most could have run.
    pub(super) fn cpu_wait_share(&self) -> f64 {
        self.highest_share(|worker| worker.cpu_wait_ns)
    }

    /// Returns the CPU time of all workers per statement answered, with or without an error. `None` without any.
    pub(super) fn cpu_ns_per_statement(&self) -> Option<f64> {
        let statements = self.counts.answered() + self.errors().total();
        let cpu_ns = self.sum(|worker| worker.cpu_ns);
        (statements > 0).then(|| cpu_ns as f64 / statements as f64)
    }

    /// Returns the connections found ready at one return from waiting. `None` without any.
    pub(super) fn batch(&self) -> Option<f64> {
        let wake_ups = self.sum(|worker| worker.wake_ups);
        (wake_ups > 0).then(|| self.sum(|worker| worker.served) as f64 / wake_ups as f64)
    }

    /// Merges the response times of all transaction types.
    pub(super) fn response(&self) -> Histogram {
        all_responses(&self.counts)
    }

    /// Merges the errors of all statement types, by code.
    pub(super) fn errors(&self) -> ErrorCodeCounts {
        let mut all = ErrorCodeCounts::default();
        self.counts
            .statements
            .iter()
            .for_each(|counts| all.merge(&counts.errors));
        all
    }

    /// Returns the attempts repeated, by the error that caused it.
    pub(super) fn retries(&self) -> ErrorCodeCounts {
        let mut all = ErrorCodeCounts::default();
        self.counts
            .transactions
            .iter()
            .for_each(|counts| all.merge(&counts.retries));
        all
    }

    fn sum(&self, part: impl Fn(&WorkerLoad) -> u64) -> u64 {
        self.workers.iter().map(part).sum()
    }

    fn highest_share(&self, part: impl Fn(&WorkerLoad) -> u64) -> f64 {
        let highest_ns = self.workers.iter().map(part).max().unwrap_or(0);
        if self.duration_ns == 0 {
            return 0.0;
        }
        highest_ns as f64 / self.duration_ns as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: IntervalShape = IntervalShape {
        transaction_types: 1,
        statement_types: 1,
        open_loop: false,
    };

    /// Returns a second and a half of two workers.
    fn totals() -> Totals {
        let mut totals = Totals::new(SHAPE);
        for (duration_ns, completed, busy_ns, live) in [
            (1_000_000_000, 300, 800_000_000, 64),
            (500_000_000, 150, 100_000_000, 60),
        ] {
            let mut interval = Interval::new(SHAPE);
            interval.duration_ns = duration_ns;
            interval.transactions[0].completed = completed;
            interval.tally.reads = completed;
            interval.connections_live = live;
            let worker = WorkerLoad {
                busy_ns,
                cpu_ns: 1_500 * completed,
                wake_ups: 10,
                served: completed,
                cpu_wait_ns: 30_000_000,
                gap_max_ns: 0,
            };
            interval.workers = vec![worker; 2];
            totals.add(&interval);
        }
        totals
    }

    #[test]
    fn rates_divide_by_the_time_measured() {
        let mut totals = totals();
        assert!((totals.rate(totals.counts.completed()) - 300.0).abs() < 1e-9);
        assert!((totals.busiest_share() - 0.6).abs() < 1e-9);
        totals.clear();
        assert_eq!(totals.rate(1), 0.0);
    }

    #[test]
    fn what_the_client_did_is_told_over_all_workers() {
        let totals = totals();
        assert_eq!(totals.cpu_ns_per_statement(), Some(3_000.0));
        assert_eq!(totals.batch(), Some(22.5));
        assert!((totals.cpu_wait_share() - 0.04).abs() < 1e-9);
        assert_eq!(totals.connections_low, Some(60));
        let nothing = Totals::new(SHAPE);
        assert_eq!(
            (nothing.cpu_ns_per_statement(), nothing.batch()),
            (None, None)
        );
    }
}
