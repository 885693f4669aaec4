//! Rows for populate: drawn, written into INSERT statements and summed up, but sent nowhere.

use dbdyno_chance::{RandomKind, RandomSource};
use dbdyno_meter::clock;
use dbdyno_workload::{WorkloadError, population};
use std::hint::black_box;

const ROWS: u64 = 1_000_000;

/// Nanoseconds of CPU a row.
pub(crate) fn cost_ns(kind: RandomKind) -> Result<f64, WorkloadError> {
    let options = [("table_size".to_owned(), ROWS.to_string())];
    let source = RandomSource { kind, seed: 1 };
    let population = population("sysbench/oltp_read_write", &options, source)?;
    let mut rows = population.rows(0, 0);
    let mut statement = Vec::new();
    let began_ns = clock::thread_cpu_ns();
    while rows.next_statement(&mut statement) > 0 {
        black_box(&statement);
    }
    black_box(rows.sums());
    Ok((clock::thread_cpu_ns() - began_ns) as f64 / ROWS as f64)
}
