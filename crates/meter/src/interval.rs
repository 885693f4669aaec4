//! Records one second of a run: counts, errors and histograms.

use crate::{ErrorCodeCounts, Histogram};

/// Holds how many transaction and statement types a workload has, and whether lateness is recorded (open loop only).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntervalShape {
    /// Transaction types of the workload.
    pub transaction_types: usize,
    /// Statement types of the workload.
    pub statement_types: usize,
    /// Whether the client's own lateness is recorded.
    pub open_loop: bool,
}

/// Counts of one transaction type.
#[derive(Debug, Clone, Default)]
pub struct TransactionCounts {
    /// Events that began in this second.
    pub started: u64,
    /// Events that ended well in this second.
    pub completed: u64,
    /// Those of `completed` that needed more than one attempt.
    pub completed_after_retry: u64,
    /// Those of `completed` that ended in the rollback which their own law asks for.
    pub rolled_back: u64,
    /// Events given up in this second.
    pub failed: u64,
    /// Attempts repeated, by the error that caused it.
    pub retries: ErrorCodeCounts,
    /// From the instant an event was due to its end, repeats included.
    pub response: Histogram,
    /// From the instant an event's first statement was sent to its end, repeats included.
    pub service: Histogram,
    /// From the instant an event's first statement was sent to the end of the first attempt, whether
    /// it went well or not.
    pub first_attempt: Histogram,
    /// Events that began when they were due and ended well at the first attempt: each time here stands
    /// for one in all three above. Nearly all events of a closed loop are of this kind, and writing one
    /// histogram costs a third of writing three. [`Interval::merge`] puts them where they belong.
    punctual_first_attempts: Histogram,
}

/// Counts of one statement type.
#[derive(Debug, Clone, Default)]
pub struct StatementCounts {
    /// Statements answered without an error.
    pub completed: u64,
    /// Statements answered with an error, by code.
    pub errors: ErrorCodeCounts,
    /// From sending to the last byte of the reply, answered with or without an error.
    pub service: Histogram,
}

/// Plain counters of a second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IntervalCounters {
    /// Statements that returned a result set (sysbench's classification, quirk Q-SB-6).
    pub reads: u64,
    /// Statements that changed at least one row.
    pub writes: u64,
    /// All other statements that were answered without an error.
    pub others: u64,
    /// Rows received.
    pub rows: u64,
    /// Bytes written to the sockets, encryption included.
    pub bytes_sent: u64,
    /// Bytes read from the sockets, encryption included.
    pub bytes_received: u64,
    /// Connections opened again after they were lost.
    pub reconnects: u64,
}

impl IntervalCounters {
    fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.others += other.others;
        self.rows += other.rows;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.reconnects += other.reconnects;
    }
}

/// Holds what a worker itself did in a second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkerLoad {
    /// Time not spent waiting for replies or for the next due instant.
    pub busy_ns: u64,
    /// CPU time of the worker's thread.
    pub cpu_ns: u64,
    /// Returns from waiting.
    pub wake_ups: u64,
    /// Connections found ready at those returns; divided by `wake_ups`, the size of a batch.
    pub served: u64,
    /// Time in which the thread could have run and no processor was given to it. 0 where the kernel does not report it.
    pub cpu_wait_ns: u64,
    /// Longest time in which the thread left its connections alone although it was not to wait: it woke up late, or
    /// took long over one turn. A stopped process shows here, and in none of the times above. At most a second.
    pub gap_max_ns: u64,
}

/// One second of one worker, or of several merged.
#[derive(Debug, Clone)]
pub struct Interval {
    /// Which second of the run, from 0.
    pub second: u32,
    /// When it began, on the monotonic clock.
    pub monotonic_ns: u64,
    /// How long it was: a second, except the last of a run that was stopped.
    pub duration_ns: u64,
    /// By transaction type.
    pub transactions: Vec<TransactionCounts>,
    /// By statement type.
    pub statements: Vec<StatementCounts>,
    /// Counters of the whole second.
    pub tally: IntervalCounters,
    /// Connections ready for work when the second ended.
    pub connections_live: u32,
    /// Events that were due and not yet sent when the second ended (open loop).
    pub backlog: u64,
    /// How much later than due the client sent although a connection was free (open loop).
    pub lateness: Option<Histogram>,
    /// One entry a worker. A worker fills the first of its own interval.
    pub workers: Vec<WorkerLoad>,
}

impl Interval {
    /// Creates an empty interval of one worker.
    #[must_use]
    pub fn new(shape: IntervalShape) -> Self {
        Self {
            second: 0,
            monotonic_ns: 0,
            duration_ns: 0,
            transactions: default_vec(shape.transaction_types),
            statements: default_vec(shape.statement_types),
            tally: IntervalCounters::default(),
            connections_live: 0,
            backlog: 0,
            lateness: shape.open_loop.then(Histogram::new),
            workers: vec![WorkerLoad::default()],
        }
    }

    /// Creates an interval of one worker in which nothing is counted: it has no histograms, and merges into any other.
    #[must_use]
    pub fn idle() -> Self {
        Self::new(IntervalShape {
            transaction_types: 0,
            statement_types: 0,
            open_loop: false,
        })
    }

    /// Returns whether it can be filled: whether [`idle`](Self::idle) did not create it.
    #[must_use]
    pub fn has_histograms(&self) -> bool {
        !self.transactions.is_empty()
    }

    /// Returns whether nothing was counted since it was created or cleared. Gauges and the worker's load are no counts.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.tally == IntervalCounters::default()
            && self.transactions.iter().all(TransactionCounts::is_blank)
            && self.statements.iter().all(StatementCounts::is_blank)
            && self
                .lateness
                .as_ref()
                .is_none_or(|lateness| lateness.count() == 0)
    }

    /// Forgets everything and keeps the memory, for the next use by one worker.
    pub fn clear(&mut self) {
        self.second = 0;
        self.monotonic_ns = 0;
        self.duration_ns = 0;
        self.transactions
            .iter_mut()
            .for_each(TransactionCounts::clear);
        self.statements.iter_mut().for_each(StatementCounts::clear);
        self.tally = IntervalCounters::default();
        self.connections_live = 0;
        self.backlog = 0;
        if let Some(lateness) = &mut self.lateness {
            lateness.clear();
        }
        self.workers.clear();
        self.workers.push(WorkerLoad::default());
    }

    /// Adds another interval of the same shape: the same second of other workers, or other seconds. The
    /// longer duration stays; workers are put side by side.
    pub fn merge(&mut self, other: &Self) {
        self.duration_ns = self.duration_ns.max(other.duration_ns);
        self.merge_counts(other);
        self.connections_live += other.connections_live;
        self.backlog += other.backlog;
        self.workers.extend_from_slice(&other.workers);
    }

    /// Adds the counts and histograms of another interval of the same shape, for totals over seconds.
    pub fn merge_counts(&mut self, other: &Self) {
        for (mine, theirs) in self.transactions.iter_mut().zip(&other.transactions) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.statements.iter_mut().zip(&other.statements) {
            mine.merge(theirs);
        }
        self.tally.add(&other.tally);
        if let (Some(mine), Some(theirs)) = (&mut self.lateness, &other.lateness) {
            mine.merge(theirs);
        }
    }

    /// Events of all types that ended well.
    #[must_use]
    pub fn completed(&self) -> u64 {
        self.transactions
            .iter()
            .map(|counts| counts.completed)
            .sum()
    }

    /// Events of all types that were given up.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.transactions.iter().map(|counts| counts.failed).sum()
    }

    /// Counts statements answered without an error.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.tally.reads + self.tally.writes + self.tally.others
    }
}

/// Makes them one by one: copies of an empty histogram would write to all of its memory.
fn default_vec<T: Default>(count: usize) -> Vec<T> {
    std::iter::repeat_with(T::default).take(count).collect()
}

impl TransactionCounts {
    /// Counts an event that ended well, so long after it was due and after its first statement was sent.
    /// In the three histograms it is found after the interval was merged into another.
    #[inline]
    pub fn complete(&mut self, response_ns: u64, service_ns: u64, attempts: u32) {
        self.completed += 1;
        if attempts == 1 && response_ns == service_ns {
            return self.punctual_first_attempts.record(service_ns);
        }
        self.response.record(response_ns);
        self.service.record(service_ns);
        match attempts {
            1 => self.first_attempt.record(service_ns),
            _ => self.completed_after_retry += 1,
        }
    }

    fn is_blank(&self) -> bool {
        let histograms = [
            &self.response,
            &self.service,
            &self.first_attempt,
            &self.punctual_first_attempts,
        ];
        self.started + self.completed + self.rolled_back + self.failed == 0
            && self.retries.is_empty()
            && histograms.iter().all(|histogram| histogram.count() == 0)
    }

    fn clear(&mut self) {
        self.started = 0;
        self.completed = 0;
        self.completed_after_retry = 0;
        self.rolled_back = 0;
        self.failed = 0;
        self.retries.clear();
        self.response.clear();
        self.service.clear();
        self.first_attempt.clear();
        self.punctual_first_attempts.clear();
    }

    fn merge(&mut self, other: &Self) {
        self.started += other.started;
        self.completed += other.completed;
        self.completed_after_retry += other.completed_after_retry;
        self.rolled_back += other.rolled_back;
        self.failed += other.failed;
        self.retries.merge(&other.retries);
        self.response.merge(&other.response);
        self.service.merge(&other.service);
        self.first_attempt.merge(&other.first_attempt);
        for mine in [
            &mut self.response,
            &mut self.service,
            &mut self.first_attempt,
        ] {
            mine.merge(&other.punctual_first_attempts);
        }
    }
}

impl StatementCounts {
    fn is_blank(&self) -> bool {
        self.completed == 0 && self.errors.is_empty() && self.service.count() == 0
    }

    fn clear(&mut self) {
        self.completed = 0;
        self.errors.clear();
        self.service.clear();
    }

    fn merge(&mut self, other: &Self) {
        self.completed += other.completed;
        self.errors.merge(&other.errors);
        self.service.merge(&other.service);
    }
}

#[cfg(test)]
mod tests;
