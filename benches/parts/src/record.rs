//! Measures the cost of timing a point select and of writing it down: one clock read, the histograms of statement
//! and transaction, the log of silences. The counters stay in both loops: they are the result of a run.
//!
//! In a run, two system calls lie between two statements and push the worker's memory out of the nearest
//! cache; here a walk through as much memory as that cache holds does, in both loops. Both then read the
//! clock once, because a clock read waits for all memory asked for before, as the end of a system call does:
//! without it, the waiting for the walk would be taken for a cost of the record.

use dbdyno_chance::{RandomKind, RandomSource};
use dbdyno_meter::{Interval, IntervalShape, SilenceLog, clock};
use std::hint::black_box;

const BLOCKS: usize = 40;
const STATEMENTS: usize = 5_000;
/// More than the first-level data cache of any common processor.
const WALK_BYTES: usize = 64 * 1024;
const LINE_BYTES: usize = 64;

/// Mean of the service times, as of 64 connections at 200,000 statements a second.
const MEAN_NS: f64 = 320_000.0;

/// Nanoseconds of CPU a statement, the median of many pairs of blocks with and without.
pub(crate) fn cost_ns() -> f64 {
    let times = times();
    let mut page = Interval::new(IntervalShape {
        transaction_types: 1,
        statement_types: 1,
        open_loop: false,
    });
    let mut silences = SilenceLog::new(clock::monotonic_ns());
    let mut walk = vec![0_u8; WALK_BYTES];
    let mut differences: Vec<f64> = (0..BLOCKS)
        .map(|_| {
            let with_ns = cpu_ns_of(&times, &mut walk, |ns| {
                let now_ns = clock::monotonic_ns();
                silences.record_reply(now_ns, |last_reply_ns| last_reply_ns);
                let sent_ns = now_ns - ns;
                count(&mut page);
                let ns = now_ns - sent_ns;
                page.statements[0].service.record(ns);
                page.transactions[0].complete(ns, ns, 1);
            });
            let without_ns = cpu_ns_of(&times, &mut walk, |_| count(&mut page));
            (with_ns - without_ns) / STATEMENTS as f64
        })
        .collect();
    black_box(page.completed());
    differences.sort_unstable_by(f64::total_cmp);
    differences[BLOCKS / 2]
}

fn count(page: &mut Interval) {
    page.statements[0].completed += 1;
    page.transactions[0].started += 1;
}

fn cpu_ns_of(times: &[u64], walk: &mut [u8], mut work: impl FnMut(u64)) -> f64 {
    let began_ns = clock::thread_cpu_ns();
    for &ns in times {
        walk.iter_mut()
            .step_by(LINE_BYTES)
            .for_each(|byte| *byte = byte.wrapping_add(1));
        black_box(clock::monotonic_ns());
        work(black_box(ns));
        black_box(&*walk);
    }
    (clock::thread_cpu_ns() - began_ns) as f64
}

/// Exponential times.
fn times() -> Vec<u64> {
    let kind = RandomKind::Dbdyno;
    let mut stream = RandomSource { kind, seed: 1 }.keyed("record", 0);
    (0..STATEMENTS)
        .map(|_| (-(1.0 - stream.next_double()).ln() * MEAN_NS) as u64)
        .collect()
}
