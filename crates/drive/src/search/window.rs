//! Adds up the seconds of a probe's window while they pass on to the observer.

use super::{Level, Observer};
use crate::observe::{IntervalRecord, Start};
use dbdyno_meter::Histogram;
use std::io;

/// Passes the seconds of a probe from the pool to the observer, and adds them up.
pub(super) struct ProbeWindow<'a> {
    /// Name of the phase that is judged; `None`: none is.
    phase: Option<String>,
    sums: WindowTotals,
    messages: &'a mut Vec<String>,
    observer: &'a mut dyn Observer,
}

/// Holds the sums on which the verdict is based.
#[derive(Debug, Default)]
pub(super) struct WindowTotals {
    pub(super) started: u64,
    pub(super) completed: u64,
    pub(super) failed: u64,
    /// Response times of all transaction types.
    pub(super) response: Histogram,
    /// How much later than due events were sent although a connection was free.
    pub(super) lateness: Histogram,
    /// Longest time that a worker left its connections alone, of each second. The second before the window is
    /// included: it leaves a backlog behind, or reaches into the window.
    pub(super) gaps_ns: Vec<u64>,
    pub(super) duration_ns: u64,
    /// Time not spent waiting, by worker.
    pub(super) busy_ns: Vec<u64>,
    pub(super) backlog_first: u64,
    /// Backlog at the end of each second.
    pub(super) backlogs: Vec<u64>,
}

impl<'a> ProbeWindow<'a> {
    pub(super) fn new(
        phase: Option<String>,
        messages: &'a mut Vec<String>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        Self {
            phase,
            sums: WindowTotals::default(),
            messages,
            observer,
        }
    }

    pub(super) fn into_sums(self) -> WindowTotals {
        self.sums
    }
}

impl Observer for ProbeWindow<'_> {
    fn started(&mut self, start: &Start) -> io::Result<()> {
        self.observer.started(start)
    }

    fn interval(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        if self.phase.as_deref() == Some(record.phase) {
            self.sums.add(record);
        } else {
            self.sums.backlog_first = record.interval.backlog;
            self.sums.gaps_ns = vec![longest_gap_ns(record)];
        }
        self.observer.interval(record)
    }

    fn message(&mut self, level: Level, text: &str) -> io::Result<()> {
        if self.messages.iter().any(|message| message == text) {
            return Ok(());
        }
        self.messages.push(text.to_owned());
        self.observer.message(level, text)
    }
}

fn longest_gap_ns(record: &IntervalRecord<'_>) -> u64 {
    let workers = record.interval.workers.iter();
    workers.map(|worker| worker.gap_max_ns).max().unwrap_or(0)
}

impl WindowTotals {
    fn add(&mut self, record: &IntervalRecord<'_>) {
        let interval = record.interval;
        for counts in &interval.transactions {
            self.started += counts.started;
            self.response.merge(&counts.response);
        }
        if let Some(lateness) = &interval.lateness {
            self.lateness.merge(lateness);
        }
        self.completed += interval.completed();
        self.failed += interval.failed();
        self.duration_ns += interval.duration_ns;
        self.backlogs.push(interval.backlog);
        self.gaps_ns.push(longest_gap_ns(record));
        let workers = interval.workers.len().max(self.busy_ns.len());
        self.busy_ns.resize(workers, 0);
        for (sum, worker) in self.busy_ns.iter_mut().zip(&interval.workers) {
            *sum += worker.busy_ns;
        }
    }

    pub(super) fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        // The upper edge of the last slot may lie above the longest time.
        let edge_ns = self.response.quantile_ns(quantile)?;
        Some(edge_ns.min(self.response.max_ns()))
    }

    /// Returns the client's own lateness at a quantile of all events. Those that waited for a connection are in no
    /// histogram of lateness: the client was not late for them.
    pub(super) fn client_late_ns(&self, quantile: f64) -> u64 {
        let later = (1.0 - quantile) * self.started as f64 / self.lateness.count() as f64;
        if later.is_nan() || later >= 1.0 {
            return 0;
        }
        let edge_ns = self.lateness.quantile_ns(1.0 - later).unwrap_or(0);
        edge_ns.min(self.lateness.max_ns())
    }

    pub(super) fn backlog_last(&self) -> u64 {
        self.backlogs.last().copied().unwrap_or(self.backlog_first)
    }

    /// Returns the events that became due in the window.
    pub(super) fn due(&self) -> u64 {
        (self.started + self.backlog_last()).saturating_sub(self.backlog_first)
    }

    /// Returns the share of the time in which the busiest worker was not waiting.
    pub(super) fn client_busy(&self) -> f64 {
        let busiest = self.busy_ns.iter().max().copied().unwrap_or(0);
        if self.duration_ns == 0 {
            return 0.0;
        }
        busiest as f64 / self.duration_ns as f64
    }
}
