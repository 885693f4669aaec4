//! Lets one thread read a histogram while another one writes it.

use crate::histogram::{HIGHEST_NS, Histogram};
use crate::histogram::{SLOTS, slot_of};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Counts of times in the slots of a [`Histogram`], written by one thread at a time and read by any.
///
/// Counts only grow. A reader takes [snapshots](HistogramSnapshot) and subtracts an older one; the writer never waits and
/// never learns of it. Shortest, longest and sum are not kept here: who writes may know them from elsewhere.
#[derive(Debug)]
pub struct SharedHistogram {
    counts: Box<[AtomicU64]>,
    /// Touched slots: `low..high`.
    low: AtomicU32,
    high: AtomicU32,
}

impl Default for SharedHistogram {
    fn default() -> Self {
        Self {
            counts: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
            low: AtomicU32::new(SLOTS as u32),
            high: AtomicU32::new(0),
        }
    }
}

impl SharedHistogram {
    /// Counts one time; what is over an hour counts in the last slot. Only one thread may do so at a time, or counts
    /// are lost.
    #[inline]
    pub fn record(&self, ns: u64) {
        let slot = slot_of(ns.min(HIGHEST_NS));
        let count = &self.counts[slot];
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        let slot = slot as u32;
        if slot < self.low.load(Ordering::Relaxed) {
            self.low.store(slot, Ordering::Relaxed);
        }
        if slot >= self.high.load(Ordering::Relaxed) {
            self.high.store(slot + 1, Ordering::Relaxed);
        }
    }

    /// Adds all counts of this moment to a reading.
    pub fn read_into(&self, reading: &mut HistogramSnapshot) {
        let high = self.high.load(Ordering::Relaxed) as usize;
        let low = (self.low.load(Ordering::Relaxed) as usize).min(high);
        if reading.counts.len() < high {
            reading.counts.resize(high, 0);
        }
        for slot in low..high {
            reading.counts[slot] += self.counts[slot].load(Ordering::Relaxed);
        }
    }
}

/// Holds what [`SharedHistogram`]s held at some moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistogramSnapshot {
    counts: Vec<u64>,
}

impl HistogramSnapshot {
    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.counts.clear();
    }

    /// Returns what came since an earlier reading of the same histograms. Shortest, longest and sum are those of the
    /// slots' upper edges.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Histogram {
        let mut histogram = Histogram::new();
        for (slot, &count) in self.counts.iter().enumerate() {
            let before = earlier.counts.get(slot).copied().unwrap_or(0);
            histogram.add_slot(slot, count.saturating_sub(before));
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot_of(histograms: &[&SharedHistogram]) -> HistogramSnapshot {
        let mut reading = HistogramSnapshot::default();
        histograms.iter().for_each(|h| h.read_into(&mut reading));
        reading
    }

    #[test]
    fn the_difference_of_two_snapshots_is_the_histogram_of_the_times_between() {
        let (one, other) = (SharedHistogram::default(), SharedHistogram::default());
        [900, 70_000, 5_000_000]
            .iter()
            .for_each(|&ns| one.record(ns));
        let before = snapshot_of(&[&one, &other]);
        let later = [1, 250_000, 250_100, 8_000_000_000, 2 * HIGHEST_NS];
        let mut expected = Histogram::new();
        for (place, &ns) in later.iter().enumerate() {
            [&one, &other][place % 2].record(ns);
            expected.record(ns);
        }
        let difference = snapshot_of(&[&one, &other]).since(&before);
        assert_eq!(difference.encode(), expected.encode());
        assert_eq!(difference.count(), 5);
        assert_eq!(difference.quantile_ns(0.5), expected.quantile_ns(0.5));
    }

    #[test]
    fn the_difference_of_equal_snapshots_is_empty() {
        let histogram = SharedHistogram::default();
        histogram.record(5);
        let reading = snapshot_of(&[&histogram]);
        let difference = reading.since(&reading);
        assert_eq!(
            (difference.count(), difference.min_ns(), difference.max_ns()),
            (0, None, 0)
        );
    }
}
