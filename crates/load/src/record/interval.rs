//! Writes the record of one second.

use super::named::Named;
use super::packed::{Packed, PackedSecond};
use dbdyno_drive::IntervalRecord;
use dbdyno_meter::{ErrorCodeCounts, Interval, WorkerLoad, encoded_text};
use dbdyno_workload::Workload;
use serde::Serialize;

/// Names of the transaction and statement types of a run, in the order in which they are counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TypeNames<'a> {
    pub(crate) transactions: &'a [&'a str],
    pub(crate) statements: &'a [&'a str],
}

impl<'a> TypeNames<'a> {
    pub(crate) fn of(workload: &'a dyn Workload) -> Self {
        let spec = workload.spec();
        Self {
            transactions: &spec.transaction_types,
            statements: &spec.statement_types,
        }
    }
}

/// Holds one second over all workers.
#[derive(Debug, Serialize)]
pub(crate) struct IntervalLine<'a> {
    record: &'static str,
    second: u32,
    phase: &'a str,
    monotonic_ns: u64,
    realtime_ns: u64,
    duration_ns: u64,
    transactions: Named<&'a str, TransactionLine>,
    statements: Named<&'a str, StatementLine>,
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
    rolled_back: u64,
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
        names: TypeNames<'a>,
        packed: &PackedSecond,
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
            transactions: transactions(interval, names.transactions, packed),
            statements: statements(interval, names.statements, packed),
            reads: tally.reads,
            writes: tally.writes,
            others: tally.others,
            rows: tally.rows,
            bytes_sent: tally.bytes_sent,
            bytes_received: tally.bytes_received,
            connections_live: interval.connections_live,
            reconnects: tally.reconnects,
            backlog: interval.backlog,
            lateness: text(&packed.lateness),
            workers: interval.workers.iter().map(WorkerLine::of).collect(),
        }
    }
}

fn transactions<'a>(
    interval: &Interval,
    names: &[&'a str],
    packed: &PackedSecond,
) -> Named<&'a str, TransactionLine> {
    let both = interval.transactions.iter().zip(&packed.transactions);
    let lines = both.map(|(counts, times)| TransactionLine {
        started: counts.started,
        completed: counts.completed,
        completed_after_retry: counts.completed_after_retry,
        rolled_back: counts.rolled_back,
        failed: counts.failed,
        retries: codes(&counts.retries),
        response: text(&times.response),
        service: text(&times.service),
        first_attempt: text(&times.first_attempt),
    });
    Named(names.iter().copied().zip(lines).collect())
}

fn statements<'a>(
    interval: &Interval,
    names: &[&'a str],
    packed: &PackedSecond,
) -> Named<&'a str, StatementLine> {
    let both = interval.statements.iter().zip(&packed.statements);
    let lines = both.map(|(counts, service)| StatementLine {
        completed: counts.completed,
        errors: codes(&counts.errors),
        service: text(service),
    });
    Named(names.iter().copied().zip(lines).collect())
}

fn codes(codes: &ErrorCodeCounts) -> Named<String, u64> {
    Named(
        codes
            .iter()
            .map(|(code, count)| (code.to_string(), count))
            .collect(),
    )
}

fn text(packed: &Packed) -> Option<String> {
    packed.as_deref().map(encoded_text)
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
