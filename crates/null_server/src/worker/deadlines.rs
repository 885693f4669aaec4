//! Tracks when the next reply is due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Instants of connections, the earliest first. A connection stands in it once for each reply held back.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    /// Instant, number of the connection, its place: equal instants are served in order of log-in.
    heap: BinaryHeap<Reverse<(u64, u32, u32)>>,
}

impl Deadlines {
    pub(crate) fn add(&mut self, due_ns: u64, number: u32, place: u32) {
        self.heap.push(Reverse((due_ns, number, place)));
    }

    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((due_ns, ..))| *due_ns)
    }

    /// Postpones everything to an instant; the connections keep the due times they had.
    pub(crate) fn postpone(&mut self, until_ns: u64) {
        while let Some(Reverse((due_ns, number, place))) = self.heap.peek().copied() {
            if due_ns >= until_ns {
                break;
            }
            self.heap.pop();
            self.heap.push(Reverse((until_ns, number, place)));
        }
    }

    /// Takes the number and the place of a connection of which something is due.
    pub(crate) fn take(&mut self, now_ns: u64) -> Option<(u32, u32)> {
        let Reverse((due_ns, number, place)) = *self.heap.peek()?;
        if due_ns > now_ns {
            return None;
        }
        self.heap.pop();
        Some((number, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_first_comes_first_and_nothing_comes_early() {
        let mut deadlines = Deadlines::default();
        for (due, number) in [(30, 1), (10, 2), (20, 3), (10, 1)] {
            deadlines.add(due, number, number + 100);
        }
        assert_eq!(deadlines.next_ns(), Some(10));
        let taken: Vec<_> = std::iter::from_fn(|| deadlines.take(20)).collect();
        assert_eq!(taken, [(1, 101), (2, 102), (3, 103)]);
        assert_eq!(deadlines.next_ns(), Some(30));
    }
}
