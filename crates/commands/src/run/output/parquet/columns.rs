//! Lists the columns of the table of seconds.

use super::column::ColumnKind::{self, Float, Int, Packed, Text};
use super::column::FieldValue;
use super::row::{TableRow, bytes, int, quantile};

type TableColumn = (
    &'static str,
    ColumnKind,
    for<'r> fn(&'r TableRow<'_>) -> FieldValue<'r>,
);

/// Name, kind and value of each column, in the order of the file.
pub(super) const COLUMNS: &[TableColumn] = &[
    ("second", Int, |row| int(row.interval().second)),
    ("phase", Text, |row| FieldValue::Text(row.record.phase)),
    ("monotonic_ns", Int, |row| int(row.interval().monotonic_ns)),
    ("realtime_ns", Int, |row| int(row.record.realtime_ns)),
    ("duration_ns", Int, |row| int(row.interval().duration_ns)),
    ("kind", Text, |row| FieldValue::Text(row.kind())),
    ("name", Text, |row| {
        row.name.map_or(FieldValue::Null, FieldValue::Text)
    }),
    ("started", Int, |row| row.events(|counts| counts.started)),
    ("completed", Int, |row| int(row.completed())),
    ("rolled_back", Int, |row| {
        row.events(|counts| counts.rolled_back)
    }),
    ("completed_after_retry", Int, |row| {
        row.events(|counts| counts.completed_after_retry)
    }),
    ("failed", Int, |row| row.events(|counts| counts.failed)),
    ("retries", Int, |row| {
        row.events(|counts| counts.retries.total())
    }),
    ("errors", Int, |row| row.errors()),
    ("tps", Float, |row| row.tps()),
    ("qps", Float, |row| row.qps()),
    ("mean_ns", Float, |row| {
        row.times
            .mean_ns()
            .map_or(FieldValue::Null, FieldValue::Float)
    }),
    ("min_ns", Int, |row| {
        row.times.min_ns().map_or(FieldValue::Null, int)
    }),
    ("p50_ns", Int, |row| quantile(&row.times, 0.5)),
    ("p95_ns", Int, |row| quantile(&row.times, 0.95)),
    ("p99_ns", Int, |row| quantile(&row.times, 0.99)),
    ("p999_ns", Int, |row| quantile(&row.times, 0.999)),
    ("max_ns", Int, |row| quantile(&row.times, 1.0)),
    ("histogram", Packed, |row| bytes(row.packed)),
    ("service_p50_ns", Int, |row| row.service_at(0.5)),
    ("service_p95_ns", Int, |row| row.service_at(0.95)),
    ("service_p99_ns", Int, |row| row.service_at(0.99)),
    ("service_p999_ns", Int, |row| row.service_at(0.999)),
    ("service_max_ns", Int, |row| row.service_at(1.0)),
    ("service_histogram", Packed, |row| {
        row.packed_of(|packed| &packed.service)
    }),
    ("first_attempt_histogram", Packed, |row| {
        row.packed_of(|packed| &packed.first_attempt)
    }),
    ("reads", Int, |row| {
        row.whole(|interval| interval.tally.reads)
    }),
    ("writes", Int, |row| {
        row.whole(|interval| interval.tally.writes)
    }),
    ("others", Int, |row| {
        row.whole(|interval| interval.tally.others)
    }),
    ("rows", Int, |row| row.whole(|interval| interval.tally.rows)),
    ("bytes_sent", Int, |row| {
        row.whole(|interval| interval.tally.bytes_sent)
    }),
    ("bytes_received", Int, |row| {
        row.whole(|interval| interval.tally.bytes_received)
    }),
    ("connections_live", Int, |row| {
        row.whole(|interval| interval.connections_live.into())
    }),
    ("reconnects", Int, |row| {
        row.whole(|interval| interval.tally.reconnects)
    }),
    ("backlog", Int, |row| row.whole(|interval| interval.backlog)),
    ("lateness_p99_ns", Int, |row| row.lateness_at(0.99)),
    ("lateness_max_ns", Int, |row| row.lateness_at(1.0)),
    ("lateness_histogram", Packed, |row| bytes(row.lateness)),
    ("client_busy_share", Float, |row| row.client_busy_share()),
    ("client_cpu_ns", Int, |row| {
        row.workers(|worker| worker.cpu_ns)
    }),
    ("client_cpu_wait_ns", Int, |row| {
        row.workers(|worker| worker.cpu_wait_ns)
    }),
    ("client_wake_ups", Int, |row| {
        row.workers(|worker| worker.wake_ups)
    }),
    ("client_served", Int, |row| {
        row.workers(|worker| worker.served)
    }),
];
