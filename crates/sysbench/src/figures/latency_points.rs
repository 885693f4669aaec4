//! Finds sysbench's point of a latency, without a logarithm an event.

use dbdyno_meter::LogScale;

/// Parts into which a doubling is cut: none is as wide as the distance between two points, so that at most one point
/// begins inside a part.
const PARTS_BITS: u32 = 6;
/// No point but the first lies below 2^9 ns, none begins at 2^37 ns or above.
const LOWEST_BIT: u32 = 9;
const HIGHEST_BIT: u32 = 36;
const PARTS: usize = ((HIGHEST_BIT - LOWEST_BIT + 1) << PARTS_BITS) as usize;

/// The points of sysbench's latency histogram as whole nanoseconds.
#[derive(Debug)]
pub(super) struct LatencyPoints {
    pub(super) scale: LogScale,
    /// The least latency that counts at each point, and one behind the last point that none reaches.
    begins_ns: Box<[u64]>,
    /// The point of the least latency of each part.
    first: Box<[u16; PARTS]>,
}

impl LatencyPoints {
    pub(super) fn new() -> Self {
        let scale = LogScale::latencies_ms();
        let begins = (0..scale.points()).map(|point| begin_of(&scale, point));
        let mut first = Box::new([0; PARTS]);
        for (part, point) in first.iter_mut().enumerate() {
            *point = point_of_ns(&scale, begin_of_part(part)) as u16;
        }
        Self {
            begins_ns: begins.chain([u64::MAX]).collect(),
            scale,
            first,
        }
    }

    /// Returns the point at which sysbench counts a latency.
    #[inline]
    pub(super) fn point_of(&self, ns: u64) -> usize {
        let ns = ns.clamp(1 << LOWEST_BIT, (1 << (HIGHEST_BIT + 1)) - 1);
        let point = usize::from(self.first[part_of(ns)]);
        point + usize::from(ns >= self.begins_ns[point + 1])
    }

    /// Returns the value of a percentile in milliseconds.
    pub(super) fn percentile_ms(&self, counts: &[u64], percent: u32) -> f64 {
        let point = self.scale.percentile_point(counts, f64::from(percent));
        self.scale.value_at(point)
    }
}

fn point_of_ns(scale: &LogScale, ns: u64) -> usize {
    scale.point_of(ns as f64 / 1e6)
}

/// Returns the least latency that counts at a point: about half way from the point before, then to the nanosecond.
fn begin_of(scale: &LogScale, point: usize) -> u64 {
    if point == 0 {
        return 0;
    }
    let half_way = (scale.value_at(point) * scale.value_at(point - 1)).sqrt();
    let mut ns = (half_way * 1e6) as u64;
    while point_of_ns(scale, ns) >= point {
        ns -= 1;
    }
    while point_of_ns(scale, ns) < point {
        ns += 1;
    }
    ns
}

#[inline]
fn part_of(ns: u64) -> usize {
    let bit = 63 - ns.leading_zeros();
    let within = (ns >> (bit - PARTS_BITS)) as usize & ((1 << PARTS_BITS) - 1);
    ((bit - LOWEST_BIT) << PARTS_BITS) as usize + within
}

fn begin_of_part(part: usize) -> u64 {
    let bit = LOWEST_BIT + (part >> PARTS_BITS) as u32;
    let within = part as u64 & ((1 << PARTS_BITS) - 1);
    (1 << bit) + (within << (bit - PARTS_BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_latency_counts_where_the_logarithm_says() {
        let points = LatencyPoints::new();
        let around = |ns: u64| (ns.saturating_sub(2)..=ns + 2).collect::<Vec<_>>();
        let edges = (0..1024).flat_map(|point| around(begin_of(&points.scale, point)));
        let parts = (0..PARTS).flat_map(|part| around(begin_of_part(part)));
        let ends = [
            0,
            1,
            999,
            1_000,
            99_999_999_999,
            100_000_000_000,
            1 << 37,
            u64::MAX,
        ];
        let mut checked = 0;
        for ns in edges.chain(parts).chain(ends) {
            assert_eq!(points.point_of(ns), point_of_ns(&points.scale, ns), "{ns}");
            checked += 1;
        }
        assert!(checked > 10_000);
    }

    #[test]
    fn the_percentile_is_the_value_of_a_point() {
        let points = LatencyPoints::new();
        let mut counts = vec![0; 1024];
        counts[points.point_of(10_000_000)] = 7;
        assert_eq!(format!("{:.2}", points.percentile_ms(&counts, 95)), "10.09");
        assert_eq!(
            format!("{:.2}", points.percentile_ms(&[0; 1024], 95)),
            "0.00"
        );
    }
}
