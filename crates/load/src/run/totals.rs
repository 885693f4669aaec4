//! Seconds added up.

use crate::record::all_responses;
use dbdyno_meter::{Codes, Histogram, Interval, Shape};

/// Several seconds as one, and how long they were.
#[derive(Debug)]
pub(super) struct Totals {
    pub(super) counts: Interval,
    pub(super) duration_ns: u64,
    /// Busy time of each worker.
    busy_ns: Vec<u64>,
    pub(super) backlog: u64,
}

impl Totals {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            counts: Interval::new(shape),
            duration_ns: 0,
            busy_ns: Vec::new(),
            backlog: 0,
        }
    }

    pub(super) fn add(&mut self, interval: &Interval) {
        self.counts.merge_counts(interval);
        self.duration_ns += interval.duration_ns;
        self.backlog = interval.backlog;
        self.busy_ns
            .resize(interval.workers.len().max(self.busy_ns.len()), 0);
        for (sum, worker) in self.busy_ns.iter_mut().zip(&interval.workers) {
            *sum += worker.busy_ns;
        }
    }

    pub(super) fn clear(&mut self) {
        self.counts.clear();
        self.duration_ns = 0;
        self.busy_ns.clear();
    }

    /// `count` divided by the time really measured.
    pub(super) fn rate(&self, count: u64) -> f64 {
        if self.duration_ns == 0 {
            return 0.0;
        }
        count as f64 * 1e9 / self.duration_ns as f64
    }

    /// Share of the time in which the busiest worker was not waiting.
    pub(super) fn busiest_share(&self) -> f64 {
        let busiest = self.busy_ns.iter().max().copied().unwrap_or(0);
        if self.duration_ns == 0 {
            0.0
        } else {
            busiest as f64 / self.duration_ns as f64
        }
    }

    /// Response times of all transaction types.
    pub(super) fn response(&self) -> Histogram {
        all_responses(&self.counts)
    }

    /// Errors of all statement types, by code.
    pub(super) fn errors(&self) -> Codes {
        let mut all = Codes::default();
        self.counts
            .statements
            .iter()
            .for_each(|counts| all.merge(&counts.errors));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_meter::WorkerLoad;

    #[test]
    fn rates_divide_by_the_time_measured() {
        let shape = Shape {
            transaction_types: 1,
            statement_types: 1,
            open_loop: false,
        };
        let mut totals = Totals::new(shape);
        for (duration_ns, completed, busy_ns) in [
            (1_000_000_000, 300, 800_000_000),
            (500_000_000, 150, 100_000_000),
        ] {
            let mut interval = Interval::new(shape);
            interval.duration_ns = duration_ns;
            interval.transactions[0].completed = completed;
            interval.workers = vec![
                WorkerLoad {
                    busy_ns,
                    ..WorkerLoad::default()
                };
                2
            ];
            totals.add(&interval);
        }
        assert!((totals.rate(totals.counts.completed()) - 300.0).abs() < 1e-9);
        assert!((totals.busiest_share() - 0.6).abs() < 1e-9);
        totals.clear();
        assert_eq!(totals.rate(1), 0.0);
    }
}
