//! Counts response times with a relative error under 0.1 %, cheaply enough to keep one histogram per second.
//!
//! The slots are HdrHistogram's: values below 2,048 ns each have their own, above that every power of
//! two is cut into 1,024. Unlike in the crate `hdrhistogram`, which the tests compare with, memory that
//! no value touches is never written, and clearing, merging and encoding walk the touched slots only: a
//! dozen histograms a second cost what collects them microseconds, not milliseconds. Clearing gives the memory of long
//! times back to the system, so that one stall does not enlarge a process for the rest of its run.

use crate::HistogramEncoder;
use rustix::mm::{Advice, madvise};
use rustix::param::page_size;
use std::ops::Range;

/// The longest time distinguished, one hour. Longer ones are counted here and reported in [`Histogram::saturated`].
pub(crate) const HIGHEST_NS: u64 = 3_600_000_000_000;

/// HdrHistogram's three significant digits: 2,048 slots up to the first doubling.
const SLOT_BITS: u32 = 11;
const HALF: usize = 1 << (SLOT_BITS - 1);
pub(crate) const SLOTS: usize = slot_of(HIGHEST_NS) + 1;

/// Times from here on, 16.8 ms, are rare, and each is likely to need a page that no other time needs: a second with a
/// pause of 4 s takes 16 pages more than others, in each of dozens of histograms. Servers with longer times than this
/// answer few statements, so that the page faults of the next second do not count.
const FIRST_LONG_SLOT: usize = slot_of(1 << 24);

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

/// Gives the memory back at once. The C library keeps freed memory of this size for the next user, and 16 histograms that
/// one late second needed would stay in a process for the rest of its run.
impl Drop for Histogram {
    fn drop(&mut self) {
        give_back_pages(&mut self.counts);
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

    /// Forgets every count and keeps the memory, except that of long times.
    pub fn clear(&mut self) {
        let touched = self.touched();
        let has_long = touched.end > FIRST_LONG_SLOT;
        self.counts[touched].fill(0);
        if has_long {
            give_back_pages(&mut self.counts[FIRST_LONG_SLOT..]);
        }
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

/// Gives whole pages of counts that nobody needs any more back to the system. They read as zeros then, or if the kernel
/// refuses, as what they were.
#[expect(
    unsafe_code,
    reason = "no safe call gives back a part of an allocation"
)]
fn give_back_pages(counts: &mut [u64]) {
    let page_bytes = page_size();
    let before = counts.as_ptr().align_offset(page_bytes);
    let Some(aligned) = counts.get_mut(before..) else {
        return;
    };
    let bytes = size_of_val(aligned) / page_bytes * page_bytes;
    // SAFETY: the pages lie within memory that is borrowed exclusively and holds integers, of which any bits are valid.
    // The allocator's memory is private and has no file below it, so its next reader gets zeros.
    let _: rustix::io::Result<()> =
        unsafe { madvise(aligned.as_mut_ptr().cast(), bytes, Advice::LinuxDontNeed) };
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
mod tests;
