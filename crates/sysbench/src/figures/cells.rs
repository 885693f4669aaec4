//! Stores counts that one thread writes and any may read.

use dbdyno_meter::SharedHistogram;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that one thread changes and any may read. Adding is a load and a store, not a locked operation: the
/// only writer can't overtake itself.
#[derive(Debug, Default)]
pub(super) struct Cell(AtomicU64);

impl Cell {
    #[inline]
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn add(&self, more: u64) {
        self.set(self.get() + more);
    }
}

/// How many kinds of count a user has.
pub(super) const COUNTERS: usize = 6;

/// One user's figures. Users of different threads share no line of the cache.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct UserCells {
    pub(super) counters: [Cell; COUNTERS],
    /// When the event in hand began, or the last one; 0 before the first.
    pub(super) began_ns: Cell,
    /// When the last event ended.
    pub(super) last_ns: Cell,
    /// 1 with an event in hand.
    pub(super) busy: Cell,
    /// Events that ended, and how long they took together.
    pub(super) ended: Cell,
    pub(super) sum_ns: Cell,
    /// When the arrival was due that the user has taken.
    pub(super) due_ns: Cell,
    /// When the user came to its end; 0 before.
    pub(super) over_ns: Cell,
    /// Of the generation in force and of the one before.
    pub(super) extremes: [Extremes; 2],
    /// The worker thread that runs this user.
    pub(super) worker: usize,
}

impl UserCells {
    /// Counts an event that took `ns` in a generation.
    #[inline]
    pub(super) fn count_event(&self, ns: u64, generation: u64) {
        self.ended.add(1);
        self.sum_ns.add(ns);
        self.extremes[(generation & 1) as usize].note(ns, generation);
    }
}

/// Shortest and longest event of one generation, that is since a checkpoint.
///
/// A reader that wants to begin anew raises the generation and reads the old place afterwards, while the user goes on
/// in the other one: no word has to pass between them.
#[derive(Debug, Default)]
pub(super) struct Extremes {
    generation: Cell,
    min_ns: Cell,
    max_ns: Cell,
}

impl Extremes {
    #[inline]
    fn note(&self, ns: u64, generation: u64) {
        if self.generation.get() != generation {
            self.min_ns.set(ns);
            self.max_ns.set(ns);
            self.generation.set(generation);
            return;
        }
        if ns < self.min_ns.get() {
            self.min_ns.set(ns);
        }
        if ns > self.max_ns.get() {
            self.max_ns.set(ns);
        }
    }

    /// Returns shortest and longest, if there was an event in this generation.
    pub(super) fn of(&self, generation: u64) -> Option<(u64, u64)> {
        (self.generation.get() == generation).then(|| (self.min_ns.get(), self.max_ns.get()))
    }
}

/// Holds what all users of a worker thread count together, since only one of them runs at a time.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct WorkerCells {
    /// sysbench's histogram, by point.
    pub(super) points: Box<[Cell]>,
    /// The exact one.
    pub(super) times: SharedHistogram,
    /// The user that last asked for an event.
    pub(super) last_user: Cell,
    /// When the thread last looked for others although none was known to be ready.
    pub(super) turn_ns: Cell,
}

impl WorkerCells {
    pub(super) fn new(points: usize) -> Self {
        Self {
            points: (0..points).map(|_| Cell::default()).collect(),
            times: SharedHistogram::default(),
            last_user: Cell(AtomicU64::new(u64::MAX)),
            turn_ns: Cell::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_generation_has_extremes_of_its_own_and_leaves_the_old_ones_to_be_read() {
        let user = UserCells::default();
        [5, 3, 9].iter().for_each(|&ns| user.count_event(ns, 1));
        user.count_event(7, 2);
        assert_eq!(user.extremes[1].of(1), Some((3, 9)));
        assert_eq!(user.extremes[0].of(2), Some((7, 7)));
        assert_eq!(user.extremes[1].of(3), None);
        assert_eq!((user.ended.get(), user.sum_ns.get()), (4, 24));
    }
}
