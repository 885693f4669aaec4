//! Reproduces sysbench's histogram: its points are evenly spaced in the logarithm, and a value counts at the
//! nearest.
//!
//! With its usual 1,024 points from 0.001 ms to 100,000 ms neighbours are 1.8 % apart, and it reports a point: coarser
//! than [`Histogram`](crate::Histogram), but what every table of sysbench results is made of.

/// The points of a histogram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogScale {
    points: usize,
    low_ln: f64,
    points_per_ln: f64,
}

impl LogScale {
    /// Makes `points` points from `low` to `high`, both included; `low` is above zero and below `high`, and there are
    /// at least two points.
    #[must_use]
    pub fn new(points: usize, low: f64, high: f64) -> Self {
        let low_ln = low.ln();
        Self {
            points,
            low_ln,
            points_per_ln: (points - 1) as f64 / (high.ln() - low_ln),
        }
    }

    /// Returns sysbench's scale of latencies in milliseconds.
    #[must_use]
    pub fn latencies_ms() -> Self {
        Self::new(1024, 0.001, 100_000.0)
    }

    /// Returns how many points there are.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    /// Returns the point next to a value; values beyond either end count there.
    #[must_use]
    pub fn point_of(&self, value: f64) -> usize {
        let place = ((value.ln() - self.low_ln) * self.points_per_ln + 0.5).floor();
        // A conversion from a float takes what is negative, and what is no number, to 0.
        (place as usize).min(self.points - 1)
    }

    /// Returns the value at a point.
    #[must_use]
    pub fn value_at(&self, point: usize) -> f64 {
        (point as f64 / self.points_per_ln + self.low_ln).exp()
    }

    /// Returns the first point at which `percent` of all counts are reached, the share rounded to whole counts. 0 for a
    /// share that rounds to none.
    #[must_use]
    pub fn percentile_point(&self, counts: &[u64], percent: f64) -> usize {
        let count: u64 = counts.iter().sum();
        let wanted = (count as f64 * percent / 100.0 + 0.5).floor() as u64;
        let mut seen = 0;
        let reached = counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        reached.unwrap_or(self.points - 1)
    }
}

/// A histogram that one thread writes and reads, as a script makes it.
#[derive(Debug, Clone)]
pub struct LogHistogram {
    scale: LogScale,
    counts: Box<[u64]>,
}

impl LogHistogram {
    /// Creates an empty histogram.
    #[must_use]
    pub fn new(scale: LogScale) -> Self {
        Self {
            counts: vec![0; scale.points()].into_boxed_slice(),
            scale,
        }
    }

    /// Counts a value.
    pub fn record(&mut self, value: f64) {
        self.counts[self.scale.point_of(value)] += 1;
    }

    /// Returns its scale.
    #[must_use]
    pub fn scale(&self) -> &LogScale {
        &self.scale
    }

    /// Returns the counts by point.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the value at the first point that `percent` of all counts reach.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> f64 {
        let point = self.scale.percentile_point(&self.counts, percent);
        self.scale.value_at(point)
    }
}

/// Returns values and counts of the points that are not empty, as the histogram is printed.
pub fn filled_points<'a>(
    scale: &'a LogScale,
    counts: &'a [u64],
) -> impl Iterator<Item = (f64, u64)> + 'a {
    let filled = counts.iter().enumerate().filter(|&(_, &count)| count > 0);
    filled.map(|(point, &count)| (scale.value_at(point), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Latencies, their points, and what the points are worth: what sysbench makes of them.
    const KNOWN: [(f64, usize, f64); 9] = [
        (0.0005, 0, 0.001),
        (0.001, 0, 0.001),
        (0.5, 345, 0.498_824),
        (1.0, 384, 1.006_775),
        (2.5, 435, 2.522_084),
        (10.0, 512, 10.090_439),
        (100.0, 639, 99.327_03),
        (1_234.5, 779, 1_235.624_776),
        (200_000.0, 1023, 100_000.0),
    ];

    #[test]
    fn a_latency_counts_at_the_point_where_sysbench_counts_it() {
        let scale = LogScale::latencies_ms();
        for (latency_ms, point, point_ms) in KNOWN {
            assert_eq!(scale.point_of(latency_ms), point, "{latency_ms}");
            let value_ms = scale.value_at(point);
            assert!((value_ms / point_ms - 1.0).abs() < 1e-6, "{value_ms}");
        }
    }

    #[test]
    fn a_percentile_is_the_first_point_that_the_rounded_share_reaches() {
        let of = |samples: &[(f64, usize)]| {
            let mut histogram = LogHistogram::new(LogScale::latencies_ms());
            for &(value, count) in samples {
                (0..count).for_each(|_| histogram.record(value));
            }
            histogram
        };
        let percentile_text =
            |histogram: &LogHistogram, percent| format!("{:.4}", histogram.percentile(percent));
        let ten: Vec<_> = (1..=10).map(|ms| (f64::from(ms), 1)).collect();
        assert_eq!(
            [50.0, 95.0, 99.0].map(|p| percentile_text(&of(&ten), p)),
            ["4.9995", "10.0904", "10.0904"]
        );
        let five_of_100 = of(&[(0.2, 95), (50.0, 5)]);
        assert_eq!(
            [50.0, 95.0, 99.0].map(|p| percentile_text(&five_of_100, p)),
            ["0.1991", "0.1991", "50.1074"]
        );
        let six_of_100 = of(&[(0.2, 94), (50.0, 6)]);
        assert_eq!(percentile_text(&six_of_100, 95.0), "50.1074");
    }

    #[test]
    fn an_empty_histogram_tells_its_lowest_point() {
        let empty = LogHistogram::new(LogScale::latencies_ms());
        assert_eq!(format!("{:.3}", empty.percentile(95.0)), "0.001");
    }

    #[test]
    fn only_filled_points_are_listed() {
        let mut histogram = LogHistogram::new(LogScale::new(5, 1.0, 10.0));
        [1.0, 1.1, 10.0]
            .iter()
            .for_each(|&value| histogram.record(value));
        let listed: Vec<_> = filled_points(histogram.scale(), histogram.counts())
            .map(|(value, count)| (format!("{value:.3}"), count))
            .collect();
        assert_eq!(listed, [("1.000".to_owned(), 2), ("10.000".to_owned(), 1)]);
    }
}
