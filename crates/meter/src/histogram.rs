//! Counts response times with a relative error under 0.1 %, cheaply enough to keep one histogram per second.
//!
//! The slots are HdrHistogram's: values below 2,048 ns each have their own, above that every power of
//! two is cut into 1,024. Unlike in the crate `hdrhistogram`, which the tests compare with, memory that
//! no value touches is never written, and clearing, merging and encoding walk the touched slots only: a
//! dozen histograms a second cost what collects them microseconds, not milliseconds.

use crate::HistogramEncoder;
use std::ops::Range;

/// The longest time distinguished, one hour. Longer ones are counted here and reported in [`Histogram::saturated`].
pub(crate) const HIGHEST_NS: u64 = 3_600_000_000_000;

/// HdrHistogram's three significant digits: 2,048 slots up to the first doubling.
const SLOT_BITS: u32 = 11;
const HALF: usize = 1 << (SLOT_BITS - 1);
pub(crate) const SLOTS: usize = slot_of(HIGHEST_NS) + 1;

/// Counts of times in nanoseconds. Apart from its slot, a record changes one cache line only.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Histogram {
    counts: Box<[u64]>,
    /// Touched slots: `low..high`, empty when nothing was recorded.
    low: u32,
    high: u32,
    count: u64,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
    saturated: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// Creates an empty histogram. Its memory is zeroed lazily by the operating system.
    #[must_use]
    pub fn new() -> Self {
        Self {
            counts: vec![0; SLOTS].into_boxed_slice(),
            low: SLOTS as u32,
            high: 0,
            count: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            saturated: 0,
        }
    }

    /// Counts one time. A time over an hour is counted as one hour and reported by [`saturated`](Self::saturated):
    /// never lost, never unseen.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
        self.sum_ns = self.sum_ns.saturating_add(ns);
        if ns > HIGHEST_NS {
            self.saturated += 1;
        }
        self.count += 1;
        self.add(slot_of(ns.min(HIGHEST_NS)), 1);
    }

    /// Adds every count of `other`; the result equals the histogram of all values.
    pub fn merge(&mut self, other: &Self) {
        for slot in other.touched() {
            let count = other.counts[slot];
            if count > 0 {
                self.add(slot, count);
            }
        }
        self.count += other.count;
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.saturated += other.saturated;
    }

    /// Forgets every count and keeps the memory.
    pub fn clear(&mut self) {
        let touched = self.touched();
        self.counts[touched].fill(0);
        self.low = SLOTS as u32;
        self.high = 0;
        self.count = 0;
        self.sum_ns = 0;
        self.min_ns = u64::MAX;
        self.max_ns = 0;
        self.saturated = 0;
    }

    /// Returns how many times were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the shortest time, exactly. `None` when empty.
    #[must_use]
    pub fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min_ns)
    }

    /// Returns the longest time, exactly, even when it was over an hour. 0 when empty.
    #[must_use]
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// Returns the mean of the exact times. `None` when empty.
    #[must_use]
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// Returns how many times were over an hour, and so stand in the last slot.
    #[must_use]
    pub fn saturated(&self) -> u64 {
        self.saturated
    }

    /// Returns the time that a share `q` (0 to 1) of all times does not exceed: the upper edge of its slot, as
    /// HdrHistogram reports it. `None` when empty.
    #[must_use]
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        let rank = ((q.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for slot in self.touched() {
            seen += self.counts[slot];
            if seen >= rank {
                return Some(upper_edge_of(slot));
            }
        }
        None
    }

    /// Encodes as HdrHistogram V2, deflated, base64, which HdrHistogram's own tools read. To write many, keep an
    /// [`HistogramEncoder`].
    #[must_use]
    pub fn encode(&self) -> String {
        HistogramEncoder::default().encode(self)
    }

    /// Returns the counts from the first slot up to the last that is not empty.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts[..self.high as usize]
    }

    /// Adds times of which only the slot is known, as if each were the slot's upper edge.
    pub(crate) fn add_slot(&mut self, slot: usize, count: u64) {
        if count == 0 {
            return;
        }
        let ns = upper_edge_of(slot);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
        self.sum_ns = self.sum_ns.saturating_add(ns.saturating_mul(count));
        self.count += count;
        self.add(slot, count);
    }

    #[inline]
    fn add(&mut self, slot: usize, count: u64) {
        self.counts[slot] += count;
        self.low = self.low.min(slot as u32);
        self.high = self.high.max(slot as u32 + 1);
    }

    /// Returns the range from the first slot that is not empty to the last.
    fn touched(&self) -> Range<usize> {
        self.low.min(self.high) as usize..self.high as usize
    }
}

/// Returns the slot of a time: the doublings beyond the first 2,048 ns, then the leading eleven bits.
pub(crate) const fn slot_of(ns: u64) -> usize {
    let doublings = (u64::BITS - (ns | (2 * HALF as u64 - 1)).leading_zeros()) - SLOT_BITS;
    (doublings as usize) * HALF + (ns >> doublings) as usize
}

const fn lower_edge_of(slot: usize) -> u64 {
    let doublings = (slot / HALF).saturating_sub(1);
    ((slot - doublings * HALF) as u64) << doublings
}

const fn upper_edge_of(slot: usize) -> u64 {
    lower_edge_of(slot + 1) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    /// Draws times over the whole range, denser at the small end, from a fixed generator.
    fn times(count: usize) -> Vec<u64> {
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (0..count)
            .map(|_| (next() >> (22 + next() % 42)).min(HIGHEST_NS))
            .collect()
    }

    fn histogram_of(times: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        times.iter().for_each(|&ns| histogram.record(ns));
        histogram
    }

    #[test]
    fn every_slot_begins_where_the_one_before_ends() {
        for slot in 0..SLOTS {
            assert_eq!(slot_of(lower_edge_of(slot)), slot);
            assert_eq!(slot_of(upper_edge_of(slot)), slot);
        }
    }

    #[test]
    fn what_a_record_changes_beside_its_slot_is_one_line_of_the_cache() {
        assert_eq!(size_of::<Histogram>(), 64);
    }

    #[test]
    fn no_slot_is_wider_than_a_thousandth_of_its_times() {
        for slot in 1..SLOTS {
            let width = upper_edge_of(slot) - lower_edge_of(slot);
            assert!(width as f64 <= lower_edge_of(slot) as f64 / 1000.0);
        }
    }

    #[test]
    fn quantiles_equal_those_of_the_hdrhistogram_crate() {
        let times = times(20_000);
        let ours = histogram_of(&times);
        let mut theirs = hdrhistogram::Histogram::<u64>::new_with_bounds(1, HIGHEST_NS, 3).unwrap();
        times.iter().for_each(|&ns| theirs.record(ns).unwrap());
        for q in [0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0] {
            assert_eq!(ours.quantile_ns(q), Some(theirs.value_at_quantile(q)));
        }
    }

    /// The promise is 0.1 %; the slots give one part in 1,024, for any number of times and any distribution. The
    /// reported time is never below the exact one.
    #[test]
    fn any_quantile_of_any_times_is_within_a_thousandth_of_the_exact_one() {
        let quantiles = (0..=1000)
            .map(|part| f64::from(part) / 1000.0)
            .chain([0.9999, 0.99999]);
        let quantiles: Vec<_> = quantiles.collect();
        for count in [1, 2, 3, 10, 997, 20_000] {
            let mut times = times(count);
            let histogram = histogram_of(&times);
            times.sort_unstable();
            for &q in &quantiles {
                let rank = ((q * count as f64).ceil() as usize).max(1);
                let exact = times[rank - 1];
                let quantile_ns = histogram.quantile_ns(q).unwrap();
                let error_ns = quantile_ns.checked_sub(exact).unwrap();
                assert!(error_ns * 1024 <= exact, "{quantile_ns} for {exact} at {q}");
            }
        }
    }

    #[test]
    fn every_time_from_a_microsecond_to_an_hour_is_told_within_a_thousandth() {
        let doublings = (10..42).map(|power| 1_u64 << power);
        let beside = doublings.flat_map(|ns| [ns - 1, ns, ns + 1, ns + ns / 1024, ns + ns / 2 + 1]);
        let mut histogram = Histogram::new();
        for ns in beside.chain(times(50_000)).chain([1_000, HIGHEST_NS]) {
            histogram.clear();
            histogram.record(ns);
            let quantile_ns = histogram.quantile_ns(0.5).unwrap();
            assert!((quantile_ns - ns) * 1024 <= ns, "{quantile_ns} for {ns}");
            assert_eq!(histogram.saturated(), u64::from(ns > HIGHEST_NS));
        }
    }

    #[test]
    fn shortest_longest_and_mean_are_exact() {
        let mut histogram = histogram_of(&[3_000_017, 5_000_001, 7_000_000_000_003]);
        assert_eq!(histogram.min_ns(), Some(3_000_017));
        assert_eq!(histogram.max_ns(), 7_000_000_000_003);
        histogram.merge(&histogram_of(&[2_000_003]));
        assert_eq!(histogram.min_ns(), Some(2_000_003));
        let sum_ns = 3_000_017_u64 + 5_000_001 + 7_000_000_000_003 + 2_000_003;
        assert_eq!(histogram.mean_ns(), Some(sum_ns as f64 / 4.0));
        histogram.merge(&Histogram::new());
        assert_eq!(histogram.min_ns(), Some(2_000_003));
    }

    #[test]
    fn merged_histograms_equal_the_histogram_of_all() {
        let times = times(5_000);
        let mut parts = histogram_of(&times[..1_700]);
        parts.merge(&histogram_of(&times[1_700..]));
        let whole = histogram_of(&times);
        assert_eq!(parts.encode(), whole.encode());
        assert_eq!(parts.mean_ns(), whole.mean_ns());
        assert_eq!(parts.max_ns(), whole.max_ns());
    }

    #[test]
    fn an_encoded_histogram_reads_back_with_all_its_counts() {
        let times = times(3_000);
        let bytes = STANDARD.decode(histogram_of(&times).encode()).unwrap();
        let read: hdrhistogram::Histogram<u64> = hdrhistogram::serialization::Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .unwrap();
        assert_eq!(read.len(), 3_000);
        assert_eq!(read.sigfig(), 3);
        assert_eq!(read.low(), 1);
        assert_eq!(
            read.value_at_quantile(0.95),
            histogram_of(&times).quantile_ns(0.95).unwrap()
        );
    }

    #[test]
    fn times_over_an_hour_are_kept_and_told() {
        let mut histogram = Histogram::new();
        histogram.record(2 * HIGHEST_NS);
        histogram.record(1);
        assert_eq!((histogram.count(), histogram.saturated()), (2, 1));
        assert_eq!(histogram.max_ns(), 2 * HIGHEST_NS);
        assert!(histogram.quantile_ns(1.0).unwrap() >= HIGHEST_NS);
        histogram.merge(&histogram_of(&[HIGHEST_NS, HIGHEST_NS + 1]));
        assert_eq!((histogram.count(), histogram.saturated()), (4, 2));
    }

    #[test]
    fn a_cleared_histogram_equals_a_new_one() {
        let mut histogram = histogram_of(&times(100));
        histogram.clear();
        assert_eq!(histogram.encode(), Histogram::new().encode());
        assert_eq!(histogram.quantile_ns(0.5), None);
        assert_eq!((histogram.min_ns(), histogram.mean_ns()), (None, None));
    }
}
