//! Counts response times in the tool's histogram: ten columns, edges four times as far apart each.

const MS: u64 = 1_000_000;

/// Upper edges, included; the last bucket has none.
const EDGES_NS: [u64; 9] = [
    256_000,
    MS,
    4 * MS,
    16 * MS,
    64 * MS,
    256 * MS,
    1_000 * MS,
    4_000 * MS,
    16_000 * MS,
];

const WORDS: [&str; 10] = [
    "256us", "1ms", "4ms", "16ms", "64ms", "256ms", "1s", "4s", "16s", "",
];

/// Counts by response time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Buckets([u64; 10]);

impl Buckets {
    pub(super) fn add(&mut self, ns: u64) {
        self.0[place(ns)] += 1;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(sum, more)| *sum += more);
    }

    /// Returns words of each bucket's upper edge, and its count, up to the last that has one. The last has no edge.
    pub(super) fn counted(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let last = self.0.iter().rposition(|&count| count > 0);
        let shown = last.map_or(0, |last| last + 1);
        WORDS.into_iter().zip(self.0).take(shown)
    }
}

pub(super) fn place(ns: u64) -> usize {
    EDGES_NS.partition_point(|&edge| edge < ns)
}
