//! Makes rows for populate: draws them, writes them as values of a prepared INSERT and sums them up, but sends nothing.

use dbdyno_chance::{RandomKind, RandomSource};
use dbdyno_meter::clock;
use dbdyno_workload::{WorkloadError, population};
use std::hint::black_box;

const ROWS: u64 = 1_000_000;

/// Rows of a request, as populate has them.
const ROWS_AT_ONCE: usize = 1000;

/// Nanoseconds of CPU a row.
pub(crate) fn cost_ns(kind: RandomKind) -> Result<f64, WorkloadError> {
    let options = [("table_size".to_owned(), ROWS.to_string())];
    let source = RandomSource { kind, seed: 1 };
    let population = population("sysbench/oltp_read_write", &options, source)?;
    let form = population
        .row_form(0)
        .expect("rows of sysbench can be bound");
    let mut bound = form.bound_rows(ROWS_AT_ONCE);
    let (began_ns, mut made) = (clock::thread_cpu_ns(), 0);
    for part in 0..population.parts(0) {
        let mut rows = population.rows(0, part);
        while let Some(count @ 1..) = rows.bind(&mut bound) {
            made += count;
            black_box(bound.encoded());
            bound.clear();
        }
        black_box(rows.sums());
    }
    assert_eq!(made, ROWS, "rows of all parts together");
    Ok((clock::thread_cpu_ns() - began_ns) as f64 / ROWS as f64)
}
