//! Summarises what a server did, for its end.

use crate::log::StatementRecord;
use crate::record::{WorkerCounters, kind_of};
use crate::sql::SHAPES;
use serde::Serialize;
use std::collections::BTreeMap;

/// The code in logs that stands for a connection closed instead of an answer: what client libraries call it.
pub(crate) const DROPPED: u16 = 2013;

/// Holds what a server did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// Connections accepted, those that were refused apart.
    pub connections: u32,
    /// Connections refused by the plan.
    pub refused: u64,
    /// Statements answered, by kind; statements that ended in an error or a drop count too.
    pub statements: BTreeMap<&'static str, u64>,
    /// Errors answered to statements, by code.
    pub errors: BTreeMap<u16, u64>,
    /// Connections closed instead of an answer.
    pub drops: u64,
    /// Bytes read from clients.
    pub bytes_received: u64,
    /// Bytes written to clients.
    pub bytes_sent: u64,
    /// CPU time of the process, if the server was alone in it.
    pub process_cpu_ns: u64,
    /// Where the plan's instants counted from, on the monotonic clock; `None` if it never began.
    pub epoch_ns: Option<u64>,
    /// Longest time from a statement's arrival to its reply; 0 if no time was taken.
    pub longest_statement_ns: u64,
    /// Longest time without any reply of a worker while statements waited; 0 if no time was taken.
    pub longest_stall_ns: u64,
    /// Exact quantiles of the time from arrival to reply, by kind; empty if the times were not kept.
    pub times: BTreeMap<&'static str, Quantiles>,
}

/// Order statistics of all values: the smallest value that the share of values does not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Quantiles {
    /// How many values there are.
    pub count: u64,
    /// The smallest.
    pub min_ns: u64,
    /// The median.
    pub p50_ns: u64,
    /// 90 % are not above it.
    pub p90_ns: u64,
    /// 95 % are not above it.
    pub p95_ns: u64,
    /// 99 % are not above it.
    pub p99_ns: u64,
    /// 99.9 % are not above it.
    pub p999_ns: u64,
    /// The largest.
    pub max_ns: u64,
}

/// Times from arrival to reply, by kind, every one of them.
#[derive(Debug, Default)]
pub(crate) struct Times(BTreeMap<&'static str, Vec<u64>>);

impl Times {
    pub(crate) fn add(&mut self, record: &StatementRecord) {
        let took_ns = record.replied_ns.saturating_sub(record.arrived_ns);
        self.0.entry(kind_of(record.row)).or_default().push(took_ns);
    }

    pub(crate) fn quantiles(self) -> BTreeMap<&'static str, Quantiles> {
        let quantiles = |(kind, values)| Some((kind, Quantiles::of(values)?));
        self.0.into_iter().filter_map(quantiles).collect()
    }
}

impl Quantiles {
    /// Quantiles of values in any order; `None` of none.
    fn of(mut values: Vec<u64>) -> Option<Self> {
        values.sort_unstable();
        let (&min_ns, &max_ns) = (values.first()?, values.last()?);
        let at = |permille: usize| values[(values.len() * permille).div_ceil(1000).max(1) - 1];
        Some(Self {
            count: values.len() as u64,
            min_ns,
            p50_ns: at(500),
            p90_ns: at(900),
            p95_ns: at(950),
            p99_ns: at(990),
            p999_ns: at(999),
            max_ns,
        })
    }
}

impl Statistics {
    /// Counts statements answered, of all kinds.
    #[must_use]
    pub fn statement_count(&self) -> u64 {
        self.statements.values().sum()
    }

    pub(crate) fn of(counters: &WorkerCounters, times: Times) -> Self {
        let mut statements = BTreeMap::new();
        for (row, &count) in counters.statements.iter().enumerate() {
            if count > 0 {
                *statements.entry(kind_of(row as u8)).or_default() += count;
            }
        }
        Self {
            statements,
            errors: counters.errors.clone(),
            drops: counters.drops,
            bytes_received: counters.bytes_received,
            bytes_sent: counters.bytes_sent,
            longest_statement_ns: counters.longest_statement_ns,
            longest_stall_ns: counters.longest_stall_ns,
            times: times.quantiles(),
            ..Self::default()
        }
    }
}

/// Returns names of all kinds of statements, each once.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    let first = |(row, shape): (usize, &'static crate::sql::StatementShape)| {
        (kind_of(row as u8) == shape.kind && crate::sql::KINDS[row] == row).then_some(shape.kind)
    };
    SHAPES.iter().enumerate().filter_map(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_occurred() {
        let quantiles = Quantiles::of((1..=1000).rev().collect()).unwrap();
        assert_eq!(
            (
                quantiles.min_ns,
                quantiles.p50_ns,
                quantiles.p99_ns,
                quantiles.p999_ns,
                quantiles.max_ns
            ),
            (1, 500, 990, 999, 1000)
        );
        let one = Quantiles::of(vec![7]).unwrap();
        assert!(
            [one.min_ns, one.p50_ns, one.p999_ns, one.max_ns]
                .iter()
                .all(|&value| value == 7)
        );
        assert_eq!(Quantiles::of(Vec::new()), None);
    }

    #[test]
    fn kinds_are_named_once() {
        let mut all: Vec<_> = kinds().collect();
        assert!(all.contains(&"commit") && all.contains(&"point_select"));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
