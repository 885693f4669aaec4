//! Counts events and statements, and prepares the counts for reports.
//!
//! Every user has cells that only it writes: counts of queries and events, times, the event in hand. The users of one
//! worker thread share two histograms: sysbench's, which its percentiles come from, and an exact one for our own
//! records. A reporter reads all cells at any moment and subtracts what a [`Ledger`] kept of the last report. Nobody
//! waits for anybody, so a user that never comes back doesn't hold up a report.

mod cells;
mod events;
mod latency_points;
mod ledger;
mod stat;

pub use ledger::Ledger;
pub use stat::{Stat, StatKind};

use crate::Actor;
use crate::text::Counts;
use cells::{COUNTERS, UserCells, WorkerCells};
use dbdyno_meter::{ErrorCodeCounts, HistogramSnapshot};
use latency_points::LatencyPoints;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The counts that a user has, numbered as scripts know them (`SB_CNT_*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Queries that neither returned nor changed rows.
    Other,
    /// Queries that returned rows.
    Read,
    /// Queries that changed rows.
    Write,
    /// Events that are done.
    Event,
    /// Errors after which an event is repeated, and others.
    Error,
    /// Connections that were made anew.
    Reconnect,
}

/// The figures of one process.
#[derive(Debug)]
pub struct Figures {
    /// Of the users, and one more for everybody whose queries don't count.
    users: Box<[UserCells]>,
    workers: Box<[WorkerCells]>,
    points: LatencyPoints,
    /// Raised when the shortest and longest times begin anew.
    generation: AtomicU64,
    codes: Mutex<ErrorCodeCounts>,
    driver: AtomicBool,
    warm_up: OnceLock<WarmUp>,
}

/// What had been counted when the warm-up ended.
#[derive(Debug, Clone)]
pub struct WarmUp {
    /// When it ended.
    pub ended_ns: u64,
    /// Queries and errors; events that ended in it don't count.
    pub counts: Counts,
    /// Errors by number.
    pub codes: ErrorCodeCounts,
}

/// Holds what one user did since the run began.
#[derive(Debug, Clone, Copy, Default)]
struct UserReading {
    events: u64,
    sum_ns: u64,
}

impl Figures {
    /// Places for so many users on so many worker threads.
    #[must_use]
    pub fn new(users: u32, workers: u32) -> Self {
        let points = LatencyPoints::new();
        let workers = workers.max(1) as usize;
        let place = |user: usize| UserCells {
            worker: user % workers,
            ..UserCells::default()
        };
        let count = points.scale.points();
        Self {
            users: (0..=users as usize).map(place).collect(),
            workers: (0..workers).map(|_| WorkerCells::new(count)).collect(),
            points,
            generation: AtomicU64::new(1),
            codes: Mutex::default(),
            driver: AtomicBool::new(false),
            warm_up: OnceLock::new(),
        }
    }

    /// Counts worker threads.
    #[must_use]
    pub fn worker_count(&self) -> u32 {
        self.workers.len() as u32
    }

    /// Counts one.
    #[inline]
    pub fn count(&self, actor: &Actor, counter: Counter) {
        self.add(actor, counter, 1);
    }

    /// Counts several at once.
    #[inline]
    pub fn add(&self, actor: &Actor, counter: Counter, more: u64) {
        self.cells(actor).counters[counter as usize].add(more);
    }

    /// Returns a user's count since the run began; 0 for users that there aren't.
    #[must_use]
    pub fn value(&self, user: u32, counter: Counter) -> u64 {
        let cells = self.users.get(user as usize);
        cells.map_or(0, |cells| cells.counters[counter as usize].get())
    }

    /// Counts an error's number, in addition to [`Counter::Error`] or [`Counter::Reconnect`].
    pub fn count_code(&self, actor: &Actor, code: u16) {
        if actor.counts {
            self.lock_codes().add(code);
        }
    }

    /// Errors by number since the run began.
    #[must_use]
    pub fn codes(&self) -> ErrorCodeCounts {
        self.lock_codes().clone()
    }

    /// Notes that a database driver was made: reports then include queries.
    pub fn note_driver(&self) {
        self.driver.store(true, Ordering::Relaxed);
    }

    /// Returns whether a database driver was made.
    #[must_use]
    pub fn has_driver(&self) -> bool {
        self.driver.load(Ordering::Relaxed)
    }

    /// Returns the exact response times of this moment; two of them make the histogram of what lies between.
    #[must_use]
    pub fn read_times(&self) -> HistogramSnapshot {
        let mut reading = HistogramSnapshot::default();
        for worker in &self.workers {
            worker.times.read_into(&mut reading);
        }
        reading
    }

    /// Returns what was counted by all users since the run began.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut sums = [0; COUNTERS];
        for user in self.counted_users() {
            for (sum, cell) in sums.iter_mut().zip(&user.counters) {
                *sum += cell.get();
            }
        }
        let of = |counter: Counter| sums[counter as usize];
        Counts {
            events: of(Counter::Event),
            reads: of(Counter::Read),
            writes: of(Counter::Write),
            other: of(Counter::Other),
            errors: of(Counter::Error),
            reconnects: of(Counter::Reconnect),
        }
    }

    /// Returns one count over all users since the run began.
    pub(crate) fn total(&self, counter: Counter) -> u64 {
        let users = self.counted_users();
        users
            .map(|user| user.counters[counter as usize].get())
            .sum()
    }

    /// Counts users that have an event in hand.
    #[must_use]
    pub fn busy(&self) -> u64 {
        self.counted_users().map(|user| user.busy.get()).sum()
    }

    /// Returns how long the events in hand have taken so far.
    #[must_use]
    pub fn ages_in_hand(&self, now_ns: u64) -> Vec<u64> {
        let busy_users = self.counted_users().filter(|user| user.busy.get() == 1);
        let ages = busy_users.map(|user| now_ns.saturating_sub(user.began_ns.get()));
        ages.collect()
    }

    /// Keeps what was counted up to the end of the warm-up, which is noticed a moment later. Events that ended in it did
    /// not count, so all that did are of the time after it.
    pub(crate) fn end_warm_up(&self, ended_ns: u64) -> &WarmUp {
        self.warm_up.get_or_init(|| {
            let counts = self.counts();
            let users = self.read_users();
            let measured: u64 = users.iter().map(|user| user.events).sum();
            WarmUp {
                ended_ns,
                counts: Counts {
                    events: counts.events.saturating_sub(measured),
                    ..counts
                },
                codes: self.codes(),
            }
        })
    }

    /// Returns what had been counted when the warm-up ended; `None`: there was none, or it has not ended.
    #[must_use]
    pub fn warm_up(&self) -> Option<&WarmUp> {
        self.warm_up.get()
    }

    /// Counts users that hadn't come to their end at an instant.
    pub(crate) fn running_at(&self, ns: u64) -> u32 {
        let running = |over_ns| over_ns == 0 || over_ns >= ns;
        let users = self.counted_users();
        users.filter(|user| running(user.over_ns.get())).count() as u32
    }

    /// Returns when the last user came to its end.
    pub(crate) fn last_user_ns(&self) -> u64 {
        let users = self.counted_users();
        users.map(|user| user.over_ns.get()).max().unwrap_or(0)
    }

    #[inline]
    fn cells(&self, actor: &Actor) -> &UserCells {
        let spare = self.users.len() - 1;
        let place = if actor.counts {
            actor.tid as usize
        } else {
            spare
        };
        &self.users[place.min(spare)]
    }

    fn counted_users(&self) -> impl Iterator<Item = &UserCells> {
        self.users[..self.users.len() - 1].iter()
    }

    fn lock_codes(&self) -> std::sync::MutexGuard<'_, ErrorCodeCounts> {
        self.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns sysbench's histogram of all users.
    fn read_points(&self) -> Vec<u64> {
        let mut counts = vec![0; self.points.scale.points()];
        for worker in &self.workers {
            for (sum, cell) in counts.iter_mut().zip(&worker.points) {
                *sum += cell.get();
            }
        }
        counts
    }

    fn read_users(&self) -> Vec<UserReading> {
        let reading = |user: &UserCells| UserReading {
            events: user.ended.get(),
            sum_ns: user.sum_ns.get(),
        };
        self.counted_users().map(reading).collect()
    }

    /// Returns each user's shortest and longest event, which begin anew.
    fn take_extremes(&self) -> Vec<Option<(u64, u64)>> {
        let generation = self.generation.fetch_add(1, Ordering::Relaxed);
        let place = (generation & 1) as usize;
        let users = self.counted_users();
        users
            .map(|user| user.extremes[place].of(generation))
            .collect()
    }
}
