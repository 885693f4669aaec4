//! Implements `--rate`: events arrive by their own schedule.
//!
//! No thread makes arrivals: their instants are a sequence that is known in advance, and a free user takes the next
//! of them, waiting until it is due if it is not yet. That is a queue from which users take in the order in which they
//! became free, without a thread to wake them; how long it is, is what is due and not taken.

use dbdyno_chance::Stream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many arrivals may wait: sysbench's ring.
pub(crate) const ROOM: u64 = 131_072;

/// The message when more wait.
pub(crate) const FULL: &str = "The event queue is full. This means the worker threads are unable to keep up with the specified event generation rate";

/// The arrivals of a run.
#[derive(Debug)]
pub(crate) struct Arrivals {
    /// The next arrival to be taken.
    next: Mutex<ArrivalSchedule>,
    taken: AtomicU64,
    /// The next arrival to be due.
    ahead: Mutex<Ahead>,
}

/// The instants of arrivals, one after the other: gaps are exponential, and late users make nothing later.
#[derive(Debug, Clone)]
struct ArrivalSchedule {
    stream: Stream,
    mean_gap_ns: f64,
    start_ns: u64,
    /// Of the arrival at hand, from the start.
    offset_ns: f64,
}

#[derive(Debug)]
struct Ahead {
    schedule: ArrivalSchedule,
    /// Arrivals that have been due.
    passed: u64,
}

impl Arrivals {
    pub(crate) fn new(rate_per_s: u32, stream: Stream) -> Self {
        let mut schedule = ArrivalSchedule {
            stream,
            mean_gap_ns: 1e9 / f64::from(rate_per_s),
            start_ns: 0,
            offset_ns: 0.0,
        };
        // sysbench's first arrival comes after two gaps.
        schedule.advance();
        schedule.advance();
        let ahead = Ahead {
            schedule: schedule.clone(),
            passed: 0,
        };
        Self {
            next: Mutex::new(schedule),
            taken: AtomicU64::new(0),
            ahead: Mutex::new(ahead),
        }
    }

    /// Begins time. Nobody takes or counts arrivals before.
    pub(crate) fn begin(&self, start_ns: u64) {
        lock(&self.next).start_ns = start_ns;
        lock(&self.ahead).schedule.start_ns = start_ns;
    }

    /// Takes the next arrival: the instant at which it is due.
    pub(crate) fn take(&self) -> u64 {
        let mut next = lock(&self.next);
        let due_ns = next.due_ns();
        next.advance();
        self.taken.fetch_add(1, Ordering::Relaxed);
        due_ns
    }

    /// Arrivals that are due and not taken. More than there is room for need not be known, and can't be: at a rate that
    /// nothing keeps up with, counting them would take longer than they take to come.
    pub(crate) fn waiting(&self, now_ns: u64) -> u64 {
        let mut ahead = lock(&self.ahead);
        let taken = self.taken.load(Ordering::Relaxed);
        while ahead.passed <= taken + ROOM && ahead.schedule.due_ns() <= now_ns {
            ahead.schedule.advance();
            ahead.passed += 1;
        }
        ahead.passed.saturating_sub(taken)
    }
}

impl ArrivalSchedule {
    fn due_ns(&self) -> u64 {
        self.start_ns + self.offset_ns as u64
    }

    fn advance(&mut self) {
        self.offset_ns -= (1.0 - self.stream.next_double()).ln() * self.mean_gap_ns;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(rate_per_s: u32) -> Arrivals {
        let arrivals = Arrivals::new(rate_per_s, Stream::from_state([5, 6]));
        arrivals.begin(1_000);
        arrivals
    }

    #[test]
    fn gaps_are_exponential_around_their_mean_and_the_first_is_double() {
        let mut gaps_ns = Vec::new();
        let mut first_ns = 0;
        for seed in 1..2_000 {
            let arrivals = Arrivals::new(1_000, Stream::from_state([seed, seed + 9]));
            // The first draws of such alike states are alike as well.
            let mut last_ns = arrivals.take();
            for _ in 0..10 {
                let due_ns = arrivals.take();
                gaps_ns.push(due_ns - last_ns);
                last_ns = due_ns;
            }
            first_ns += arrivals_of(seed).take();
        }
        let mean_ns = gaps_ns.iter().sum::<u64>() as f64 / gaps_ns.len() as f64;
        assert!((mean_ns / 1e6 - 1.0).abs() < 0.03, "{mean_ns}");
        let below = gaps_ns.iter().filter(|&&ns| ns < 693_147).count() as f64;
        let share = below / gaps_ns.len() as f64;
        assert!((share - 0.5).abs() < 0.02, "the median is ln 2: {share}");
        let first_ns = first_ns as f64 / 1_999.0;
        assert!((first_ns / 2e6 - 1.0).abs() < 0.1, "{first_ns}");
    }

    fn arrivals_of(seed: u64) -> Arrivals {
        let mut stream = Stream::from_state([seed, !seed]);
        (0..50).for_each(|_| {
            stream.next_u64();
        });
        Arrivals::new(1_000, stream)
    }

    #[test]
    fn nobody_counts_more_than_there_is_room_for() {
        let arrivals = arrivals(2_000_000_000);
        assert_eq!(arrivals.waiting(3_600_000_000_000), ROOM + 1);
        arrivals.take();
        assert_eq!(arrivals.waiting(3_600_000_000_000), ROOM + 1);
    }

    #[test]
    fn what_is_due_and_not_taken_waits() {
        let arrivals = arrivals(1_000);
        let dues: Vec<_> = (0..10).map(|_| arrivals.take()).collect();
        assert!(dues.is_sorted() && dues[0] > 1_000);
        assert_eq!(arrivals.waiting(dues[9]), 0, "ten are due, ten are taken");
        let (next_ns, _) = (arrivals.take(), arrivals.take());
        assert_eq!(arrivals.waiting(next_ns), 0, "taken before it is due");
        let later_ns = next_ns + 1_000_000_000;
        let waiting = arrivals.waiting(later_ns);
        assert!((800..1_200).contains(&waiting), "{waiting}");
        let first_ns = arrivals.take();
        assert!(first_ns <= later_ns);
        assert_eq!(arrivals.waiting(later_ns), waiting - 1);
    }
}
