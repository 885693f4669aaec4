//! Records each statement of a worker.

use crate::log::StatementRecord;
use crate::sql::{KINDS, SHAPES};
use dbdyno_meter::clock::monotonic_ns;
use std::collections::BTreeMap;
use std::sync::mpsc::Sender;

/// Stands for preparing, which no row of the table of shapes is about.
pub(crate) const PREPARE_ROW: u8 = SHAPES.len() as u8;

/// The row that fits everything.
pub(crate) const OTHER_ROW: u8 = PREPARE_ROW - 1;

/// Records handed to the writing thread at once.
const BATCH: usize = 2048;

/// How long a record waits for others at most.
const FLUSH_NS: u64 = 200_000_000;

/// Returns the kind of a row.
pub(crate) fn kind_of(row: u8) -> &'static str {
    match KINDS.get(usize::from(row)) {
        Some(&first) => SHAPES[first].kind,
        None => "prepare",
    }
}

/// Counts of one worker.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkerCounters {
    /// By row of the table of shapes, preparing last.
    pub(crate) statements: Vec<u64>,
    pub(crate) errors: BTreeMap<u16, u64>,
    pub(crate) drops: u64,
    pub(crate) bytes_received: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) longest_statement_ns: u64,
    pub(crate) longest_stall_ns: u64,
}

/// Counts, and hands each statement's instants to the thread that writes them.
#[derive(Debug)]
pub(crate) struct TrafficRecorder {
    counters: WorkerCounters,
    error_count: u64,
    is_timed: bool,
    log: Option<Sender<Vec<StatementRecord>>>,
    batch: Vec<StatementRecord>,
    /// From here on the records of the batch wait for the instant at which they leave.
    stamped: usize,
    /// When the first record of the batch came.
    batch_ns: u64,
    /// Replies held back.
    waiting: u64,
    waiting_since_ns: u64,
    last_reply_ns: u64,
}

impl TrafficRecorder {
    pub(crate) fn new(log: Option<Sender<Vec<StatementRecord>>>, is_timed: bool) -> Self {
        let counters = WorkerCounters {
            statements: vec![0; SHAPES.len() + 1],
            ..WorkerCounters::default()
        };
        Self {
            counters,
            error_count: 0,
            is_timed,
            log,
            batch: Vec::new(),
            stamped: 0,
            batch_ns: 0,
            waiting: 0,
            waiting_since_ns: 0,
            last_reply_ns: 0,
        }
    }

    #[inline]
    pub(crate) fn received(&mut self, bytes: usize) {
        self.counters.bytes_received += bytes as u64;
    }

    /// Records that a statement ends in an error.
    pub(crate) fn failed(&mut self, code: u16) {
        self.error_count += 1;
        *self.counters.errors.entry(code).or_default() += 1;
    }

    /// Counts statements that ended in an error.
    pub(crate) fn errors(&self) -> u64 {
        self.error_count
    }

    /// Records that a reply is held back.
    pub(crate) fn waits(&mut self, arrived_ns: u64) {
        if self.waiting == 0 {
            self.waiting_since_ns = arrived_ns;
        }
        self.waiting += 1;
    }

    /// Replies that were held back are so no more.
    pub(crate) fn end_waits(&mut self, count: usize) {
        self.waiting = self.waiting.saturating_sub(count as u64);
    }

    /// Records that a statement's reply is encoded and will leave with the next write.
    #[inline]
    pub(crate) fn answered(&mut self, arrived_ns: u64, connection: u32, row: u8, code: u16) {
        self.counters.statements[usize::from(row)] += 1;
        self.counters.drops += u64::from(code == crate::statistics::DROPPED);
        if self.is_timed {
            self.batch.push(StatementRecord {
                arrived_ns,
                replied_ns: 0,
                connection,
                row,
                code,
            });
        }
    }

    /// Records that everything answered has been written.
    #[inline]
    pub(crate) fn sent(&mut self, bytes: usize) {
        self.counters.bytes_sent += bytes as u64;
        if self.stamped < self.batch.len() {
            self.stamp();
        }
    }

    fn stamp(&mut self) {
        let now_ns = monotonic_ns();
        let since_ns = self.last_reply_ns.max(self.waiting_since_ns);
        if self.waiting_since_ns > 0 && since_ns < now_ns {
            let stall_ns = now_ns - since_ns;
            self.counters.longest_stall_ns = self.counters.longest_stall_ns.max(stall_ns);
        }
        if self.waiting == 0 {
            self.waiting_since_ns = 0;
        }
        self.last_reply_ns = now_ns;
        for record in &mut self.batch[self.stamped..] {
            record.replied_ns = now_ns;
            let took_ns = now_ns.saturating_sub(record.arrived_ns);
            self.counters.longest_statement_ns = self.counters.longest_statement_ns.max(took_ns);
        }
        if self.stamped == 0 {
            self.batch_ns = now_ns;
        }
        self.stamped = self.batch.len();
        if self.log.is_none() {
            self.batch.clear();
            self.stamped = 0;
        } else if self.stamped >= BATCH {
            self.flush();
        }
    }

    /// Returns when records should be handed on, if there are any.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        (!self.batch.is_empty()).then_some(self.batch_ns + FLUSH_NS)
    }

    pub(crate) fn flush_if_due(&mut self, now_ns: u64) {
        if self.next_ns().is_some_and(|due_ns| due_ns <= now_ns) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH + 64));
        self.stamped = 0;
        if let Some(log) = &self.log {
            // If the file could not be written, nothing receives it; the error is reported at the end.
            let _ = log.send(batch);
        }
    }

    /// Hands the last records on.
    pub(crate) fn close(mut self) -> WorkerCounters {
        self.flush();
        self.counters
    }
}

impl WorkerCounters {
    /// Adds another worker's counts.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.statements.resize(other.statements.len(), 0);
        for (mine, theirs) in self.statements.iter_mut().zip(&other.statements) {
            *mine += theirs;
        }
        for (&code, count) in &other.errors {
            *self.errors.entry(code).or_default() += count;
        }
        self.drops += other.drops;
        self.bytes_received += other.bytes_received;
        self.bytes_sent += other.bytes_sent;
        self.longest_statement_ns = self.longest_statement_ns.max(other.longest_statement_ns);
        self.longest_stall_ns = self.longest_stall_ns.max(other.longest_stall_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_stall_is_the_time_without_a_reply_while_a_statement_waits() {
        let mut recorder = TrafficRecorder::new(None, true);
        let now_ns = monotonic_ns();
        recorder.answered(now_ns, 1, 0, 0);
        recorder.sent(10);
        assert_eq!(recorder.counters.longest_stall_ns, 0, "nothing waited");
        recorder.last_reply_ns = now_ns - 5_000_000_000;
        recorder.waits(now_ns - 3_000_000_000);
        recorder.waits(now_ns - 1_000_000_000);
        recorder.end_waits(1);
        recorder.answered(now_ns - 3_000_000_000, 1, 0, 0);
        recorder.sent(10);
        let stall_ns = recorder.counters.longest_stall_ns;
        assert!(
            (3_000_000_000..4_000_000_000).contains(&stall_ns),
            "{stall_ns}"
        );
        assert!(recorder.counters.longest_statement_ns >= 3_000_000_000);
        assert_eq!(recorder.counters.statements[0], 2);
    }

    #[test]
    fn every_record_reaches_the_log_with_the_instant_of_its_reply() {
        let (sender, receiver) = channel();
        let mut recorder = TrafficRecorder::new(Some(sender), true);
        let count = 2 * BATCH + 3;
        for number in 0..count as u32 {
            recorder.answered(1, number, 0, 0);
            recorder.sent(1);
        }
        assert!(recorder.next_ns().is_some());
        let counters = recorder.close();
        let records: Vec<_> = receiver.into_iter().flatten().collect();
        assert_eq!(records.len(), count);
        assert_eq!(counters.bytes_sent, count as u64);
        assert!(records.iter().all(|record| record.replied_ns > 1));
        assert!(records.is_sorted_by_key(|record| record.connection));
    }

    #[test]
    fn counts_of_workers_are_added_and_extremes_kept() {
        let mut one = TrafficRecorder::new(None, false);
        one.failed(1213);
        one.answered(0, 1, 2, 1213);
        let mut other = TrafficRecorder::new(None, false);
        other.failed(1213);
        other.answered(0, 1, 2, crate::statistics::DROPPED);
        let mut sum = WorkerCounters::default();
        sum.merge(&one.close());
        sum.merge(&other.close());
        assert_eq!((sum.statements[2], sum.errors[&1213], sum.drops), (2, 2, 1));
    }
}
