//! Figures and words that people read, the same on every line.

use dbdyno_drive::Load;
use dbdyno_meter::{Codes, Histogram};

/// What the times of a run can and can't tell.
pub(super) fn loop_label(load: &Load) -> &'static str {
    if load.pacing.is_open_loop() {
        "open loop: times run from the instant an event was due"
    } else {
        "closed loop: waits behind a stall are not counted"
    }
}

/// A quantile in nine columns. The upper edge of the last slot may lie above the longest time.
pub(super) fn milliseconds(histogram: &Histogram, q: f64) -> String {
    histogram.quantile_ns(q).map_or_else(
        || format!("{:>9}", "-"),
        |ns| format!("{:>9.3}", ns.min(histogram.max_ns()) as f64 / 1e6),
    )
}

/// Codes and how often each was met.
pub(super) fn listed(codes: &Codes) -> String {
    if codes.is_empty() {
        return "none".to_owned();
    }
    let each: Vec<_> = codes
        .iter()
        .map(|(code, count)| format!("{code} × {}", grouped(count)))
        .collect();
    each.join(", ")
}

/// A count with commas between thousands.
pub(super) fn grouped(count: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_set_apart() {
        let shown: Vec<_> = [0, 999, 1_000, 12_345_678].map(grouped).into();
        assert_eq!(shown, ["0", "999", "1,000", "12,345,678"]);
    }
}
