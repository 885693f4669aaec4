//! Judges requirements on windows of known content.

use super::*;
use crate::order::LoadOrder;
use dbdyno_meter::Interval;

const ORDER: &str = include_str!("../../../../../contract/samples/load-order-fixed-rate.json");

/// Returns what is printed for a window that `fill` fills, and whether a requirement failed.
fn judged(
    requirement: &str,
    status: Status,
    fill: impl Fn(&mut Interval, &mut Totals),
) -> (String, bool) {
    let order: LoadOrder = serde_json::from_str(ORDER).unwrap();
    let load = order.load().unwrap();
    let requirements = [requirement.parse().unwrap()];
    let has_failed = Cell::new(false);
    let mut checker = RequirementChecker::new(&requirements, &load, false, &has_failed);
    let mut interval = checker.window.counts.clone();
    fill(&mut interval, &mut checker.window);
    let mut out = Vec::new();
    checker
        .write(&mut out, &RunOutcome::nothing(status))
        .unwrap();
    let text = String::from_utf8(out).unwrap();
    (text.trim().to_owned(), has_failed.get())
}

/// Fills two seconds: 996 transactions of 4 ms that went well, 3 of them repeated; 4 were given up.
fn two_seconds(interval: &mut Interval, window: &mut Totals) {
    let counts = &mut interval.transactions[0];
    counts.completed = 996;
    counts.completed_after_retry = 3;
    counts.failed = 4;
    for _ in 0..996 {
        counts.response.record(4_000_000);
        counts.service.record(1_000_000);
    }
    counts.response.record(90_000_000);
    interval.duration_ns = 2_000_000_000;
    window.add(interval);
}

#[test]
fn values_are_compared_with_the_limits_and_printed_in_their_units() {
    for (requirement, found, fails) in [
        ("tps>=498", "PASS tps>=498: 498", false),
        ("tps>498", "FAIL tps>498: 498", true),
        ("max<=90ms", "PASS max<=90ms: 90 ms", false),
        ("max<0.09s", "FAIL max<0.09s: 0.09 s", true),
        ("errors<0.7%", "FAIL errors<0.7%: 0.7 %", true),
        ("failed<=0.4%", "PASS failed<=0.4%: 0.4 %", false),
        ("reconnects<=0", "PASS reconnects<=0: 0", false),
        ("tps<497.99995", "FAIL tps<497.99995: 498", true),
        ("tps<=497.9999", "FAIL tps<=497.9999: 498", true),
        ("errors<=0.69999%", "FAIL errors<=0.69999%: 0.7 %", true),
        ("p50<0.00001s", "FAIL p50<0.00001s: 0.004 s", true),
        ("p50>0.003999999s", "PASS p50>0.003999999s: 0.004 s", false),
    ] {
        let judged = judged(requirement, Status::Complete, two_seconds);
        assert_eq!(judged, (found.to_owned(), fails));
    }
}

#[test]
fn an_open_loop_is_judged_by_response_times() {
    let (text, fails) = judged("p99<2ms", Status::Complete, two_seconds);
    assert!(fails && text.starts_with("FAIL p99<2ms: 4.0"), "{text}");
}

#[test]
fn what_was_not_measured_fails() {
    for requirement in ["p99<20ms", "errors<1%", "max<1s", "tps>=0", "reconnects<=0"] {
        let (text, fails) = judged(requirement, Status::Interrupted, |_, _| {});
        assert!(fails && text.starts_with("FAIL "), "{text}");
        assert!(text.contains("interrupted"), "{text}");
    }
}

#[test]
fn a_printed_value_compares_with_the_limit_as_the_exact_one_does() {
    let one_failed_of = |all: u64| {
        move |interval: &mut Interval, window: &mut Totals| {
            interval.transactions[0].completed = all - 1;
            interval.transactions[0].failed = 1;
            interval.duration_ns = 1_000_000_000;
            window.add(interval);
        }
    };
    for (requirement, all, found, fails) in [
        ("failed<=0%", 200_000, "FAIL failed<=0%: 0.0005 %", true),
        ("failed<=0%", 4_000_000, "FAIL failed<=0%: 0.000025 %", true),
        ("failed<1%", 4_000_000, "PASS failed<1%: 0.000025 %", false),
        (
            "failed>0.01%",
            9_999,
            "PASS failed>0.01%: 0.010001 %",
            false,
        ),
        ("failed<50%", 2, "FAIL failed<50%: 50 %", true),
    ] {
        let judged = judged(requirement, Status::Complete, one_failed_of(all));
        assert_eq!(judged, (found.to_owned(), fails));
    }
}

#[test]
fn due_events_that_were_not_done_are_no_success() {
    for (backlog, fails) in [(0, false), (1_000, true)] {
        let (text, has_failed) = judged("failed<1%", Status::Complete, |interval, window| {
            interval.transactions[0].started = 1_000;
            interval.backlog = backlog;
            two_seconds(interval, window);
        });
        assert_eq!(has_failed, fails, "{text}");
        assert_eq!(text.contains("1,000 of 2,000"), fails, "{text}");
    }
}
