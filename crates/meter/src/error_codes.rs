//! Counts errors by code.

/// Distinct codes that fit without growing. A run meets three or four.
const INITIAL_CAPACITY: usize = 16;

/// Counts how often each error code was met. Few codes occur, so a short list beats a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCodeCounts {
    counts: Vec<(u16, u64)>,
}

impl Default for ErrorCodeCounts {
    fn default() -> Self {
        Self {
            counts: Vec::with_capacity(INITIAL_CAPACITY),
        }
    }
}

impl ErrorCodeCounts {
    /// Adds one occurrence of `code`. Allocates only when a seventeenth distinct code appears.
    pub fn add(&mut self, code: u16) {
        self.add_many(code, 1);
    }

    /// Adds all occurrences counted in `other`.
    pub fn merge(&mut self, other: &Self) {
        for &(code, count) in &other.counts {
            self.add_many(code, count);
        }
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.counts.clear();
    }

    /// Codes and counts in the order of the codes.
    pub fn iter(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        self.counts.iter().copied()
    }

    /// Occurrences of all codes together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|&(_, count)| count).sum()
    }

    /// Returns whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Adds so many occurrences of `code`.
    pub fn add_many(&mut self, code: u16, count: u64) {
        match self.counts.binary_search_by_key(&code, |&(c, _)| c) {
            Ok(place) => self.counts[place].1 += count,
            Err(place) => self.counts.insert(place, (code, count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_counted_apart_and_listed_in_order() {
        let mut codes = ErrorCodeCounts::default();
        for code in [1213, 1020, 1213, 1205, 1213] {
            codes.add(code);
        }
        let listed: Vec<_> = codes.iter().collect();
        assert_eq!(listed, [(1020, 1), (1205, 1), (1213, 3)]);
        assert_eq!(codes.total(), 5);
    }

    #[test]
    fn merging_adds_counts_of_both() {
        let (mut left, mut right) = (ErrorCodeCounts::default(), ErrorCodeCounts::default());
        left.add(1213);
        right.add(1213);
        right.add(1062);
        left.merge(&right);
        assert_eq!(left.iter().collect::<Vec<_>>(), [(1062, 1), (1213, 2)]);
    }

    #[test]
    fn more_codes_than_the_room_are_not_lost() {
        let mut codes = ErrorCodeCounts::default();
        (0..100).for_each(|code| codes.add(code));
        assert_eq!(codes.total(), 100);
    }
}
