//! Tests how intervals merge, and when they are blank.

use super::*;

const SHAPE: IntervalShape = IntervalShape {
    transaction_types: 1,
    statement_types: 2,
    open_loop: true,
};

fn filled(seed: u64) -> Interval {
    let mut interval = Interval::new(SHAPE);
    interval.duration_ns = 1_000_000_000;
    interval.connections_live = 4;
    interval.backlog = seed;
    interval.tally.reads = 10 * seed;
    interval.transactions[0].completed = seed;
    interval.transactions[0].retries.add(1213);
    interval.transactions[0].response.record(seed * 1_000);
    interval.statements[1].service.record(seed * 100);
    interval.workers[0].wake_ups = seed;
    if let Some(lateness) = &mut interval.lateness {
        lateness.record(seed);
    }
    interval
}

#[test]
fn merging_workers_adds_counts_and_lists_the_workers() {
    let mut merged = filled(3);
    merged.merge(&filled(5));
    assert_eq!(merged.completed(), 8);
    assert_eq!(merged.answered(), 80);
    assert_eq!((merged.connections_live, merged.backlog), (8, 8));
    assert_eq!(merged.transactions[0].retries.total(), 2);
    assert_eq!(merged.transactions[0].response.count(), 2);
    assert_eq!(merged.statements[1].service.max_ns(), 500);
    assert_eq!(merged.lateness.as_ref().map(Histogram::count), Some(2));
    let wake_ups: Vec<_> = merged.workers.iter().map(|w| w.wake_ups).collect();
    assert_eq!(wake_ups, [3, 5]);
    assert_eq!(merged.duration_ns, 1_000_000_000);
}

#[test]
fn a_completed_event_is_found_in_every_histogram_it_belongs_to() {
    let mut page = Interval::new(SHAPE);
    let counts = &mut page.transactions[0];
    counts.complete(500, 500, 1);
    counts.complete(900, 600, 1);
    counts.complete(2_000, 2_000, 3); // its first attempt was recorded when it failed
    let mut merged = Interval::new(SHAPE);
    merged.merge(&page);
    let counts = &merged.transactions[0];
    assert_eq!((counts.completed, counts.completed_after_retry), (3, 1));
    let count_and_mean = |histogram: &Histogram| (histogram.count(), histogram.mean_ns());
    assert_eq!(count_and_mean(&counts.response), (3, Some(3_400.0 / 3.0)));
    assert_eq!(count_and_mean(&counts.service), (3, Some(3_100.0 / 3.0)));
    assert_eq!(count_and_mean(&counts.first_attempt), (2, Some(550.0)));
    let mut totals = Interval::new(SHAPE);
    totals.merge_counts(&merged);
    assert_eq!(
        count_and_mean(&totals.transactions[0].service),
        (3, Some(3_100.0 / 3.0))
    );
}

#[test]
fn an_interval_is_blank_until_anything_is_counted() {
    let changes: [fn(&mut Interval); 8] = [
        |interval| interval.tally.bytes_received = 1,
        |interval| interval.transactions[0].started = 1,
        |interval| interval.transactions[0].complete(5, 5, 1),
        |interval| interval.transactions[0].failed = 1,
        |interval| interval.transactions[0].retries.add(1213),
        |interval| interval.transactions[0].first_attempt.record(5),
        |interval| interval.statements[1].errors.add(1213),
        |interval| interval.lateness.iter_mut().for_each(|all| all.record(5)),
    ];
    let mut interval = Interval::new(SHAPE);
    for (index, change) in changes.iter().enumerate() {
        interval.connections_live = 9;
        interval.workers[0].busy_ns = 9;
        assert!(interval.is_blank(), "before change {index}");
        change(&mut interval);
        assert!(!interval.is_blank(), "after change {index}");
        interval.clear();
    }
}

#[test]
fn an_idle_interval_adds_its_gauges_and_its_worker_only() {
    let (mut merged, mut idle) = (filled(3), Interval::idle());
    (idle.connections_live, idle.backlog) = (2, 7);
    idle.workers[0].busy_ns = 11;
    merged.merge(&idle);
    assert_eq!((merged.connections_live, merged.backlog), (6, 10));
    assert_eq!(merged.workers[1].busy_ns, 11);
    assert_eq!((merged.completed(), merged.answered()), (3, 30));
    assert!(merged.has_histograms() && !idle.has_histograms());
}

#[test]
fn a_cleared_interval_holds_nothing() {
    let mut interval = filled(7);
    interval.merge(&filled(2));
    interval.transactions[0].complete(5, 5, 1);
    interval.clear();
    assert_eq!(interval.completed() + interval.answered(), 0);
    assert_eq!(interval.transactions[0].response.count(), 0);
    assert_eq!(interval.transactions[0].punctual_first_attempts.count(), 0);
    assert!(interval.transactions[0].retries.is_empty());
    assert_eq!(interval.workers, [WorkerLoad::default()]);
    assert_eq!(interval.lateness.map(|l| l.count()), Some(0));
}
