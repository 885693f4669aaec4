//! Defines the record of one second.

use super::named::Named;
use super::packed::{Packed, PackedSecond};
use dbdyno_drive::IntervalRecord;
use dbdyno_meter::{ErrorCodeCounts, Interval, WorkerLoad, encoded_text};
use dbdyno_workload::Workload;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IntervalLine<'a> {
    #[serde(skip_deserializing)]
    record: &'static str,
    pub(crate) second: u32,
    pub(crate) phase: Cow<'a, str>,
    pub(crate) monotonic_ns: u64,
    pub(crate) realtime_ns: u64,
    pub(crate) duration_ns: u64,
    pub(crate) transactions: Named<Cow<'a, str>, TransactionLine>,
    pub(crate) statements: Named<Cow<'a, str>, StatementLine>,
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) others: u64,
    pub(crate) rows: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    pub(crate) connections_live: u32,
    pub(crate) reconnects: u64,
    pub(crate) backlog: u64,
    pub(crate) lateness: Option<String>,
    pub(crate) workers: Vec<WorkerLine>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TransactionLine {
    pub(crate) started: u64,
    pub(crate) completed: u64,
    pub(crate) completed_after_retry: u64,
    pub(crate) rolled_back: u64,
    pub(crate) failed: u64,
    pub(crate) retries: Named<String, u64>,
    pub(crate) response: Option<String>,
    pub(crate) service: Option<String>,
    pub(crate) first_attempt: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StatementLine {
    pub(crate) completed: u64,
    pub(crate) errors: Named<String, u64>,
    pub(crate) service: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WorkerLine {
    pub(crate) busy_ns: u64,
    pub(crate) cpu_ns: u64,
    pub(crate) wake_ups: u64,
    pub(crate) served: u64,
    pub(crate) cpu_wait_ns: u64,
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
            phase: record.phase.into(),
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
) -> Named<Cow<'a, str>, TransactionLine> {
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
    named(names, lines)
}

fn statements<'a>(
    interval: &Interval,
    names: &[&'a str],
    packed: &PackedSecond,
) -> Named<Cow<'a, str>, StatementLine> {
    let both = interval.statements.iter().zip(&packed.statements);
    let lines = both.map(|(counts, service)| StatementLine {
        completed: counts.completed,
        errors: codes(&counts.errors),
        service: text(service),
    });
    named(names, lines)
}

fn named<'a, T>(names: &[&'a str], lines: impl Iterator<Item = T>) -> Named<Cow<'a, str>, T> {
    let names = names.iter().map(|&name| Cow::Borrowed(name));
    Named(names.zip(lines).collect())
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
