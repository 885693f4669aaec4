//! The record of one second.

use super::named::Named;
use dbdyno_drive::IntervalRecord;
use dbdyno_meter::{Codes, Encoder, Histogram, Interval, WorkerLoad};
use dbdyno_workload::Workload;
use serde::Serialize;

/// One second over all workers.
#[derive(Debug, Serialize)]
pub(crate) struct IntervalLine<'a> {
    record: &'static str,
    second: u32,
    phase: &'a str,
    monotonic_ns: u64,
    realtime_ns: u64,
    duration_ns: u64,
    transactions: Named<&'static str, TransactionLine>,
    statements: Named<&'static str, StatementLine>,
    reads: u64,
    writes: u64,
    others: u64,
    rows: u64,
    bytes_sent: u64,
    bytes_received: u64,
    connections_live: u32,
    reconnects: u64,
    backlog: u64,
    lateness: Option<String>,
    workers: Vec<WorkerLine>,
}

#[derive(Debug, Serialize)]
struct TransactionLine {
    started: u64,
    completed: u64,
    completed_after_retry: u64,
    failed: u64,
    retries: Named<String, u64>,
    response: Option<String>,
    service: Option<String>,
    first_attempt: Option<String>,
}

#[derive(Debug, Serialize)]
struct StatementLine {
    completed: u64,
    errors: Named<String, u64>,
    service: Option<String>,
}

#[derive(Debug, Serialize)]
struct WorkerLine {
    busy_ns: u64,
    cpu_ns: u64,
    wake_ups: u64,
    served: u64,
    cpu_wait_ns: u64,
}

impl<'a> IntervalLine<'a> {
    pub(crate) fn of(
        record: &IntervalRecord<'a>,
        workload: &dyn Workload,
        encoder: &mut Encoder,
    ) -> Self {
        let interval = record.interval;
        let tally = interval.tally;
        Self {
            record: "interval",
            second: interval.second,
            phase: record.phase,
            monotonic_ns: interval.monotonic_ns,
            realtime_ns: record.realtime_ns,
            duration_ns: interval.duration_ns,
            transactions: transactions(interval, workload.transaction_types(), encoder),
            statements: statements(interval, workload.statement_types(), encoder),
            reads: tally.reads,
            writes: tally.writes,
            others: tally.others,
            rows: tally.rows,
            bytes_sent: tally.bytes_sent,
            bytes_received: tally.bytes_received,
            connections_live: interval.connections_live,
            reconnects: tally.reconnects,
            backlog: interval.backlog,
            lateness: interval
                .lateness
                .as_ref()
                .and_then(|times| encoded(times, encoder)),
            workers: interval.workers.iter().map(WorkerLine::of).collect(),
        }
    }
}

fn transactions(
    interval: &Interval,
    names: &[&'static str],
    encoder: &mut Encoder,
) -> Named<&'static str, TransactionLine> {
    let lines = interval.transactions.iter().map(|counts| TransactionLine {
        started: counts.started,
        completed: counts.completed,
        completed_after_retry: counts.completed_after_retry,
        failed: counts.failed,
        retries: codes(&counts.retries),
        response: encoded(&counts.response, encoder),
        service: encoded(&counts.service, encoder),
        first_attempt: encoded(&counts.first_attempt, encoder),
    });
    Named(names.iter().copied().zip(lines).collect())
}

fn statements(
    interval: &Interval,
    names: &[&'static str],
    encoder: &mut Encoder,
) -> Named<&'static str, StatementLine> {
    let lines = interval.statements.iter().map(|counts| StatementLine {
        completed: counts.completed,
        errors: codes(&counts.errors),
        service: encoded(&counts.service, encoder),
    });
    Named(names.iter().copied().zip(lines).collect())
}

fn codes(codes: &Codes) -> Named<String, u64> {
    Named(
        codes
            .iter()
            .map(|(code, count)| (code.to_string(), count))
            .collect(),
    )
}

/// `None` for a histogram without a value: most of a record would be empty ones otherwise.
fn encoded(histogram: &Histogram, encoder: &mut Encoder) -> Option<String> {
    (histogram.count() > 0).then(|| encoder.encode(histogram))
}

impl WorkerLine {
    fn of(load: &WorkerLoad) -> Self {
        Self {
            busy_ns: load.busy_ns,
            cpu_ns: load.cpu_ns,
            wake_ups: load.wake_ups,
            served: load.served,
            cpu_wait_ns: load.cpu_wait_ns,
        }
    }
}
