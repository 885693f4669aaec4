//! Ends waits at their instants.

use crate::inbox::Wait;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Each fiber has at most one entry in the queue, however many of its timed waits end otherwise: a user who
/// waits ten thousand times a second, each time until the end of the run, must not fill the memory.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    fibers: Vec<FiberTimer>,
}

/// The timed wait of one fiber.
#[derive(Debug, Clone, Copy)]
struct FiberTimer {
    /// Its wait, and when that ends.
    number: u64,
    at_ns: u64,
    /// Where its entry is in the queue; `u64::MAX`: nowhere.
    queued_ns: u64,
}

const UNSET: FiberTimer = FiberTimer {
    number: u64::MAX,
    at_ns: u64::MAX,
    queued_ns: u64::MAX,
};

impl Timers {
    pub(crate) fn set(&mut self, wait: Wait, at_ns: u64) {
        let place = wait.fiber as usize;
        if self.fibers.len() <= place {
            self.fibers.resize(place + 1, UNSET);
        }
        let alarm = &mut self.fibers[place];
        alarm.number = wait.number;
        alarm.at_ns = at_ns;
        if at_ns < alarm.queued_ns {
            alarm.queued_ns = at_ns;
            self.queue.push(Reverse((at_ns, wait.fiber)));
        }
    }

    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.queue.peek().map(|Reverse((at_ns, _))| *at_ns)
    }

    /// Moves the waits that end by `now_ns` to `due`; `waits` are the numbers of the fibers' current waits.
    pub(crate) fn take_due(&mut self, now_ns: u64, waits: &[u64], due: &mut Vec<Wait>) {
        while let Some(&Reverse((queued_ns, fiber))) = self.queue.peek() {
            if queued_ns > now_ns {
                return;
            }
            self.queue.pop();
            let alarm = &mut self.fibers[fiber as usize];
            if alarm.queued_ns != queued_ns {
                continue; // an earlier entry took its place
            }
            alarm.queued_ns = u64::MAX;
            let number = alarm.number;
            if number != waits[fiber as usize] {
                continue; // the wait ended otherwise
            }
            if alarm.at_ns <= now_ns {
                due.push(Wait { fiber, number });
            } else {
                alarm.queued_ns = alarm.at_ns;
                self.queue.push(Reverse((alarm.at_ns, fiber)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(number: u64) -> Wait {
        Wait { fiber: 0, number }
    }

    #[test]
    fn many_waits_until_the_same_instant_take_one_entry() {
        let mut timers = Timers::default();
        (0..1000).for_each(|number| timers.set(wait(number), 50));
        assert_eq!(timers.queue.len(), 1);
        let mut due = Vec::new();
        timers.take_due(50, &[999], &mut due);
        assert_eq!(due, [wait(999)]);
        assert_eq!(timers.next_ns(), None);
    }

    #[test]
    fn a_later_instant_is_kept_when_the_entry_of_an_earlier_wait_comes_up() {
        let mut timers = Timers::default();
        timers.set(wait(0), 10);
        timers.set(wait(1), 30);
        let mut due = Vec::new();
        timers.take_due(20, &[1], &mut due);
        assert!(due.is_empty());
        assert_eq!(timers.next_ns(), Some(30));
        timers.take_due(30, &[1], &mut due);
        assert_eq!(due, [wait(1)]);
    }

    #[test]
    fn an_earlier_instant_goes_before_the_entry_of_a_later_one() {
        let mut timers = Timers::default();
        timers.set(wait(0), 100);
        timers.set(wait(1), 5);
        let mut due = Vec::new();
        timers.take_due(5, &[1], &mut due);
        assert_eq!(due, [wait(1)]);
        due.clear();
        timers.take_due(100, &[2], &mut due);
        assert!(due.is_empty());
    }
}
