//! Formats figures and words for people, the same on every line.

use dbdyno_drive::{Load, form_for};
use dbdyno_meter::{ErrorCodeCounts, Histogram};

/// Labels what the times of a run can and can't show.
pub(super) fn loop_label(load: &Load) -> &'static str {
    if load.pacing.is_open_loop() {
        "open loop: times run from the instant an event was due"
    } else if load.pacing.has_due_instants() {
        "closed loop with think time: times run from the end of a rest; waits behind a stall are not counted"
    } else {
        "closed loop: waits behind a stall are not counted"
    }
}

/// Formats a quantile in nine columns. The upper edge of the last slot may lie above the longest time.
pub(super) fn milliseconds(histogram: &Histogram, q: f64) -> String {
    histogram.quantile_ns(q).map_or_else(
        || format!("{:>9}", "-"),
        |ns| format!("{:>9.3}", ns.min(histogram.max_ns()) as f64 / 1e6),
    )
}

/// Formats a duration in the unit that suits it.
pub(super) fn seconds_text(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{} ms", ns as f64 / 1e6),
        _ => format!("{} s", ns as f64 / 1e9),
    }
}

/// Lists codes and how often each was met.
pub(super) fn listed(codes: &ErrorCodeCounts) -> String {
    if codes.is_empty() {
        return "none".to_owned();
    }
    let each: Vec<_> = codes
        .iter()
        .map(|(code, count)| format!("{code} × {}", grouped(count)))
        .collect();
    each.join(", ")
}

/// Formats a count with commas between thousands.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a count with commas, and its noun.
pub(crate) fn grouped_noun(count: u64, noun: &str) -> String {
    let plural = format!("{noun}s");
    format!("{} {}", grouped(count), form_for(count, noun, &plural))
}

#[cfg(test)]
mod tests {
    use super::{grouped, grouped_noun, seconds_text};

    #[test]
    fn thousands_are_set_apart() {
        let shown: Vec<_> = [0, 999, 1_000, 12_345_678].map(grouped).into();
        assert_eq!(shown, ["0", "999", "1,000", "12,345,678"]);
        let shown = [0, 1, 1_000].map(|count| grouped_noun(count, "event"));
        assert_eq!(shown, ["0 events", "1 event", "1,000 events"]);
    }

    #[test]
    fn durations_have_the_unit_that_suits_them() {
        let shown: Vec<_> = [500_000, 20_000_000, 1_500_000_000]
            .map(seconds_text)
            .into();
        assert_eq!(shown, ["500 µs", "20 ms", "1.5 s"]);
    }
}
