//! Draws a histogram.

/// The longest bar.
const BAR: u64 = 40;

/// Returns a histogram's rows under their heading: of each bucket its value and how many fell in it, in rising order.
/// Empty buckets are left out.
#[must_use]
pub fn histogram(buckets: &[(f64, u64)]) -> String {
    let largest = buckets.iter().map(|(_, count)| *count).max().unwrap_or(0);
    if largest == 0 {
        return String::new();
    }
    let mut text = String::from("       value  ------------- distribution ------------- count\n");
    for (value, count) in buckets.iter().filter(|(_, count)| *count > 0) {
        let stars = (*count as f64 * BAR as f64 / largest as f64).round() as usize;
        let bar = "*".repeat(stars);
        text.push_str(&format!("{value:12.3} |{bar:40} {count}\n"));
    }
    text
}

/// Returns the block of `--histogram`: the run's latencies, with its title and the line that holds one blank.
#[must_use]
pub fn latency_histogram(buckets: &[(f64, u64)]) -> String {
    let rows = histogram(buckets);
    format!("Latency histogram (values are in milliseconds)\n{rows} \n")
}
