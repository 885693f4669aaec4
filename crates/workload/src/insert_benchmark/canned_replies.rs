//! Replies as a server that holds the rows of the load would, for runs without a server.

use super::benchmark_context::BenchmarkContext;
use super::statement::BenchmarkStatement;
use super::step::BenchmarkStep;
use crate::canned::{changed, rows_reply};
use dbdyno_wire::{BufferedRows, Parameter, Reply};

/// Returns what the server says to a statement of this kind, by its number.
pub(super) fn reply(
    benchmark_context: &BenchmarkContext,
    kind: usize,
    rows: &mut BufferedRows,
) -> Reply {
    let is = |other: BenchmarkStatement| kind == other as usize;
    let options = &benchmark_context.options;
    if is(BenchmarkStatement::Insert) || is(BenchmarkStatement::Delete) {
        return changed(benchmark_context.plan.rows_per_commit);
    }
    if is(BenchmarkStatement::FindMin) || is(BenchmarkStatement::FindMax) {
        let key = match is(BenchmarkStatement::FindMin) {
            true => 1,
            false => options.plan_of(BenchmarkStep::Load).rows_per_client(),
        };
        rows.push(&[Parameter::Int(key as i64)]);
        return rows_reply(1, 1);
    }
    let is_query = (BenchmarkStatement::RangeMarketsegment as usize
        ..=BenchmarkStatement::Point as usize)
        .contains(&kind);
    match is_query {
        true => rows_reply(u64::from(options.rows_per_query), 3),
        false => changed(0),
    }
}
