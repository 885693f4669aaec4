//! Wakes the connections of one worker at their instants: the end of a rest, the end of a pause before a
//! repeat.
//!
//! A connection waits for at most one instant at a time. The timers are a binary heap of connections
//! that knows the place of each: setting, moving and cancelling cost a few swaps, and nothing is
//! allocated after the start. The worker decides what happens when an instant has come.
//!
//! ```ignore
//! let mut timers = Timers::new(3);
//! timers.set(2, 500);
//! assert_eq!(timers.next_ns(), 500);
//! assert_eq!(timers.take(499), None);
//! assert_eq!(timers.take(510), Some((2, 500)));
//! ```

/// Place of a connection without a timer.
const NOWHERE: u32 = u32::MAX;

/// A connection and the instant it waits for. Equal instants come in the order of the
/// connections, so that a run does not depend on the heap's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ConnectionTimer {
    at_ns: u64,
    connection: u32,
}

/// Holds at most one instant for each connection of a worker.
#[derive(Debug)]
pub(crate) struct Timers {
    /// No timer comes before the one at half its place.
    heap: Vec<ConnectionTimer>,
    /// Place of each connection's timer in the heap.
    places: Vec<u32>,
}

impl Timers {
    /// Creates timers of the connections numbered from 0 to `connections`.
    pub(crate) fn new(connections: usize) -> Self {
        Self {
            heap: Vec::with_capacity(connections),
            places: vec![NOWHERE; connections],
        }
    }

    /// Wakes the connection at `at_ns`, instead of at the instant it waited for before.
    pub(crate) fn set(&mut self, connection: u32, at_ns: u64) {
        let alarm = ConnectionTimer { at_ns, connection };
        match self.places[connection as usize] {
            NOWHERE => {
                self.heap.push(alarm);
                self.rise(self.heap.len() - 1);
            }
            place => {
                self.heap[place as usize] = alarm;
                self.settle(place as usize);
            }
        }
    }

    /// Cancels the timer of the connection. Returns whether it had one.
    pub(crate) fn cancel(&mut self, connection: u32) -> bool {
        let place = self.places[connection as usize];
        let is_set = place != NOWHERE;
        if is_set {
            self.remove(place as usize);
        }
        is_set
    }

    /// Returns the earliest instant; `u64::MAX` if no connection waits.
    #[inline]
    pub(crate) fn next_ns(&self) -> u64 {
        self.heap.first().map_or(u64::MAX, |alarm| alarm.at_ns)
    }

    /// Returns the connection whose instant came first, and that instant, if it has come. Its timer is
    /// cancelled.
    #[inline]
    pub(crate) fn take(&mut self, now_ns: u64) -> Option<(u32, u64)> {
        if self.next_ns() > now_ns || self.heap.is_empty() {
            return None;
        }
        let alarm = self.remove(0);
        Some((alarm.connection, alarm.at_ns))
    }

    fn remove(&mut self, place: usize) -> ConnectionTimer {
        let removed = self.heap.swap_remove(place);
        self.places[removed.connection as usize] = NOWHERE;
        if place < self.heap.len() {
            self.settle(place);
        }
        removed
    }

    /// Moves the timer at `place` to where it belongs, up or down.
    fn settle(&mut self, place: usize) {
        let place = self.rise(place);
        self.sink(place);
    }

    fn rise(&mut self, mut place: usize) -> usize {
        let alarm = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.heap[parent] <= alarm {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, alarm);
        place
    }

    fn sink(&mut self, mut place: usize) {
        let alarm = self.heap[place];
        loop {
            let left = 2 * place + 1;
            let Some(earlier) =
                (left..self.heap.len().min(left + 2)).min_by_key(|&child| self.heap[child])
            else {
                break;
            };
            if alarm <= self.heap[earlier] {
                break;
            }
            self.put(place, self.heap[earlier]);
            place = earlier;
        }
        self.put(place, alarm);
    }

    fn put(&mut self, place: usize, alarm: ConnectionTimer) {
        self.heap[place] = alarm;
        self.places[alarm.connection as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_chance::Stream;
    use std::collections::BTreeSet;

    fn take_due(timers: &mut Timers, now_ns: u64) -> Vec<(u32, u64)> {
        std::iter::from_fn(|| timers.take(now_ns)).collect()
    }

    #[test]
    fn instants_come_in_their_order_and_not_before_their_time() {
        let mut timers = Timers::new(4);
        for (connection, at_ns) in [(0, 30), (1, 10), (2, 20), (3, 10)] {
            timers.set(connection, at_ns);
        }
        assert_eq!(timers.next_ns(), 10);
        assert_eq!(take_due(&mut timers, 9), []);
        assert_eq!(take_due(&mut timers, 20), [(1, 10), (3, 10), (2, 20)]);
        assert_eq!(timers.next_ns(), 30);
        assert_eq!(take_due(&mut timers, u64::MAX), [(0, 30)]);
        assert_eq!(timers.next_ns(), u64::MAX);
        assert_eq!(timers.take(u64::MAX), None, "nobody waits");
    }

    #[test]
    fn a_connection_waits_for_one_instant_the_last_that_was_set() {
        let mut timers = Timers::new(3);
        (0..3).for_each(|connection| timers.set(connection, 100));
        timers.set(1, 5);
        timers.set(0, 200);
        assert_eq!(take_due(&mut timers, 1_000), [(1, 5), (2, 100), (0, 200)]);
    }

    #[test]
    fn a_cancelled_instant_does_not_come() {
        let mut timers = Timers::new(3);
        (0..3).for_each(|connection| timers.set(connection, u64::from(connection)));
        assert!(timers.cancel(0));
        assert!(!timers.cancel(0));
        assert_eq!(take_due(&mut timers, 1_000), [(1, 1), (2, 2)]);
    }

    /// Every history ends like that of an ordered set, and takes no memory beyond the start's.
    #[test]
    fn any_history_gives_what_an_ordered_set_gives() {
        const CONNECTIONS: u32 = 200;
        let mut stream = Stream::from_state([1, 2]);
        let mut timers = Timers::new(CONNECTIONS as usize);
        let capacity = timers.heap.capacity();
        let mut expected = BTreeSet::new();
        let mut now_ns = 0;
        for _ in 0..20_000 {
            let connection = stream.below(CONNECTIONS);
            expected.retain(|&(_, other)| other != connection);
            if stream.below(4) == 0 {
                timers.cancel(connection);
            } else {
                let at_ns = now_ns + u64::from(stream.below(1_000));
                timers.set(connection, at_ns);
                expected.insert((at_ns, connection));
            }
            if stream.below(10) == 0 {
                now_ns += u64::from(stream.below(300));
                for (connection, at_ns) in take_due(&mut timers, now_ns) {
                    assert_eq!(expected.pop_first(), Some((at_ns, connection)));
                }
                assert!(expected.first().is_none_or(|&(at_ns, _)| at_ns > now_ns));
            }
        }
        assert_eq!(timers.heap.capacity(), capacity);
    }
}
