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
