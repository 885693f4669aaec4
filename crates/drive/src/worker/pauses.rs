//! Draws pauses before a repeat, so that events which keep conflicting with each other separate.

use dbdyno_chance::{RandomKind, RandomSource, Stream};

/// The first attempt that waits: after a single conflict the next one starts at once, as in every tool.
const FIRST_ATTEMPT: u32 = 3;

/// Doublings after which pauses stop growing: 64 times the first.
const DOUBLINGS: u32 = 6;

/// Draws a worker's pauses.
#[derive(Debug)]
pub(super) struct Pauses {
    first_ns: u64,
    stream: Stream,
}

impl Pauses {
    pub(super) fn new(first_ns: u64, seed: u64, worker: u64) -> Self {
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed,
        };
        Self {
            first_ns,
            stream: source.keyed("pauses", worker),
        }
    }

    /// Returns how long the attempt waits; 0: not at all.
    pub(super) fn draw_ns(&mut self, attempt: u32) -> u64 {
        if attempt < FIRST_ATTEMPT || self.first_ns == 0 {
            return 0;
        }
        let doublings = (attempt - FIRST_ATTEMPT).min(DOUBLINGS);
        let longest_ns = self.first_ns.saturating_mul(1 << doublings);
        (self.stream.next_double() * longest_ns as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_fill_their_range() {
        let mut pauses = Pauses::new(1_000, 7, 0);
        assert_eq!((pauses.draw_ns(1), pauses.draw_ns(2)), (0, 0));
        for (attempt, longest_ns) in [(3, 1_000), (4, 2_000), (9, 64_000), (5_000, 64_000)] {
            let drawn: Vec<_> = (0..2_000).map(|_| pauses.draw_ns(attempt)).collect();
            let mean = drawn.iter().sum::<u64>() as f64 / 2_000.0;
            assert!(drawn.iter().all(|&ns| ns < longest_ns), "attempt {attempt}");
            assert!(
                (mean / longest_ns as f64 - 0.5).abs() < 0.03,
                "attempt {attempt}: {mean}"
            );
        }
        assert_eq!(Pauses::new(0, 7, 0).draw_ns(50), 0);
    }
}
