//! When events are due.
//!
//! The worker loop asks four things of its [`Pace`] and knows nothing else of it: may this connection,
//! which has become free, start at once; when is something due next; what is due now; how much waits.
//! Think time, steps and ramps are further answers to the same questions.

use crate::DriveError;
use dbdyno_chance::{RandomKind, RandomSource, Stream};
use std::collections::VecDeque;

/// The rule by which events become due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pacing {
    /// A connection starts its next event when the last one is done. Waits behind a stall are not
    /// counted.
    Closed,
    /// Events are due at given instants, whatever became of the ones before; an event's response time
    /// runs from that instant.
    FixedRate {
        /// Events a second, over all connections.
        rate_per_s: f64,
        /// The gaps between them.
        arrivals: Arrivals,
    },
}

/// Gaps between due instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrivals {
    /// All the same.
    Constant,
    /// Exponential, as of many independent visitors.
    Poisson,
}

impl Pacing {
    /// Whether response time runs from a due instant.
    #[must_use]
    pub fn is_open_loop(self) -> bool {
        self != Self::Closed
    }

    pub(crate) fn check(self) -> Result<(), DriveError> {
        match self {
            Self::FixedRate { rate_per_s, .. } if !(1e-3..=1e7).contains(&rate_per_s) => {
                Err(DriveError::Request(format!(
                    "a rate of {rate_per_s} events a second is not between 0.001 and 10,000,000"
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Which of all connections a worker owns: every `workers`-th, beginning with its own index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub(crate) worker: u32,
    pub(crate) workers: u32,
    pub(crate) connections: u32,
}

/// One worker's view of the pacing.
#[derive(Debug)]
pub(crate) enum Pace {
    Closed,
    Scheduled {
        schedule: Box<Schedule>,
        free: VecDeque<u32>,
    },
    /// No event starts any more.
    Over,
}

impl Pace {
    pub(crate) fn new(pacing: Pacing, share: Share, seed: u64, start_ns: u64, end_ns: u64) -> Self {
        match pacing {
            Pacing::Closed => Self::Closed,
            Pacing::FixedRate {
                rate_per_s,
                arrivals,
            } => {
                let dues = Dues::new(rate_per_s, arrivals, share, seed, start_ns);
                Self::Scheduled {
                    schedule: Box::new(Schedule::new(dues, end_ns)),
                    free: VecDeque::with_capacity(share.connections as usize),
                }
            }
        }
    }

    /// A connection has become free. The instant its next event was due, if it may start now;
    /// otherwise the connection waits to be named by [`take_due`](Self::take_due).
    #[inline]
    pub(crate) fn on_free(&mut self, connection: u32, now_ns: u64) -> Option<u64> {
        match self {
            Self::Closed => Some(now_ns),
            Self::Scheduled { schedule, free } => {
                let due = if free.is_empty() {
                    schedule.take(now_ns)
                } else {
                    None
                };
                if due.is_none() {
                    free.push_back(connection);
                }
                due
            }
            Self::Over => None,
        }
    }

    /// An event that is due and a free connection for it, the one that has been free for longest.
    #[inline]
    pub(crate) fn take_due(&mut self, now_ns: u64) -> Option<(u32, u64)> {
        let Self::Scheduled { schedule, free } = self else {
            return None;
        };
        if free.is_empty() {
            return None;
        }
        let due_ns = schedule.take(now_ns)?;
        free.pop_front().map(|connection| (connection, due_ns))
    }

    /// When [`take_due`](Self::take_due) will next have an answer, unless a connection becomes free
    /// before.
    #[inline]
    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        match self {
            Self::Scheduled { schedule, free } if !free.is_empty() => schedule.next_due_ns(),
            _ => None,
        }
    }

    /// A connection can't be used until it is free again.
    pub(crate) fn forget(&mut self, connection: u32) {
        if let Self::Scheduled { free, .. } = self {
            free.retain(|&other| other != connection);
        }
    }

    /// Events due before `now_ns` that were not started.
    pub(crate) fn backlog(&mut self, now_ns: u64) -> u64 {
        match self {
            Self::Scheduled { schedule, .. } => schedule.waiting(now_ns),
            Self::Closed | Self::Over => 0,
        }
    }
}

/// Due instants of one worker up to the end of the run. The backlog is not stored: it is the distance
/// between two readers of the same instants, so it has no bound and costs no memory.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// The first instant not taken yet.
    head: Dues,
    /// The first instant not counted as due yet.
    ahead: Dues,
    taken: u64,
    passed: u64,
    end_ns: u64,
}

impl Schedule {
    fn new(dues: Dues, end_ns: u64) -> Self {
        Self {
            ahead: dues.clone(),
            head: dues,
            taken: 0,
            passed: 0,
            end_ns,
        }
    }

    #[inline]
    fn next_due_ns(&self) -> Option<u64> {
        (self.head.due_ns < self.end_ns).then_some(self.head.due_ns)
    }

    #[inline]
    fn take(&mut self, now_ns: u64) -> Option<u64> {
        let due_ns = self.next_due_ns().filter(|&due_ns| due_ns <= now_ns)?;
        self.head.advance();
        self.taken += 1;
        Some(due_ns)
    }

    fn waiting(&mut self, now_ns: u64) -> u64 {
        while self.ahead.due_ns < now_ns.min(self.end_ns) {
            self.ahead.advance();
            self.passed += 1;
        }
        self.passed.saturating_sub(self.taken)
    }
}

/// The endless sequence of all workers' due instants, of which one worker keeps its share. Every worker
/// walks the same sequence, so the instants do not depend on how many workers there are.
#[derive(Debug, Clone)]
struct Dues {
    arrivals: Arrivals,
    gap_ns: f64,
    stream: Stream,
    share: Share,
    start_ns: u64,
    /// Place in the sequence of all workers.
    index: u64,
    /// Distance of that place from the start.
    offset_ns: f64,
    /// The instant the reader stands at.
    due_ns: u64,
}

impl Dues {
    fn new(rate_per_s: f64, arrivals: Arrivals, share: Share, seed: u64, start_ns: u64) -> Self {
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed,
        };
        let mut dues = Self {
            arrivals,
            gap_ns: 1e9 / rate_per_s,
            stream: source.keyed("arrivals", 0),
            share,
            start_ns,
            index: 0,
            offset_ns: 0.0,
            due_ns: 0,
        };
        dues.offset_ns = dues.offset_at(0);
        dues.settle();
        dues
    }

    fn advance(&mut self) {
        self.step();
        self.settle();
    }

    fn settle(&mut self) {
        while !self.is_mine() {
            self.step();
        }
        self.due_ns = self.start_ns + self.offset_ns as u64;
    }

    fn step(&mut self) {
        self.index += 1;
        self.offset_ns = self.offset_at(self.index);
    }

    /// A constant gap is multiplied, not added up, so that it doesn't drift.
    fn offset_at(&mut self, index: u64) -> f64 {
        match self.arrivals {
            Arrivals::Constant => index as f64 * self.gap_ns,
            Arrivals::Poisson => {
                let above_zero = 1.0 - self.stream.next_double();
                self.offset_ns - above_zero.ln() * self.gap_ns
            }
        }
    }

    /// Arrivals go round the connections, so a worker gets as large a share as it has connections.
    fn is_mine(&self) -> bool {
        let connection = self.index % u64::from(self.share.connections);
        connection % u64::from(self.share.workers) == u64::from(self.share.worker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: Share = Share {
        worker: 0,
        workers: 1,
        connections: 3,
    };

    fn paced(rate_per_s: f64, arrivals: Arrivals, share: Share) -> Pace {
        let pacing = Pacing::FixedRate {
            rate_per_s,
            arrivals,
        };
        Pace::new(pacing, share, 7, 1_000, 1_000 + 10_000_000_000)
    }

    fn dues_of(arrivals: Arrivals, share: Share) -> Vec<u64> {
        let Pace::Scheduled { mut schedule, .. } = paced(1_000.0, arrivals, share) else {
            unreachable!("a fixed rate is a schedule")
        };
        std::iter::from_fn(|| schedule.take(u64::MAX)).collect()
    }

    #[test]
    fn constant_arrivals_stand_at_exact_multiples_and_end_with_the_run() {
        let dues = dues_of(Arrivals::Constant, ALONE);
        assert_eq!(dues.len(), 10_000);
        assert_eq!(dues[0], 1_000);
        assert_eq!(dues[9_999], 1_000 + 9_999_000_000);
    }

    #[test]
    fn poisson_arrivals_have_the_rate_and_the_spread_of_exponential_gaps() {
        let dues = dues_of(Arrivals::Poisson, ALONE);
        assert!(
            (dues.len() as f64 - 10_000.0).abs() < 500.0,
            "five standard deviations"
        );
        let gaps: Vec<f64> = dues
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64)
            .collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        let variation = variance.sqrt() / mean;
        assert!((variation - 1.0).abs() < 0.05, "{variation}");
    }

    #[test]
    fn arrivals_do_not_depend_on_the_number_of_workers() {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            let mut shared: Vec<u64> = (0..2)
                .flat_map(|worker| {
                    dues_of(
                        arrivals,
                        Share {
                            worker,
                            workers: 2,
                            ..ALONE
                        },
                    )
                })
                .collect();
            shared.sort_unstable();
            assert_eq!(shared, dues_of(arrivals, ALONE));
        }
    }

    #[test]
    fn a_worker_is_given_work_for_as_many_connections_as_it_has() {
        let dues = dues_of(
            Arrivals::Constant,
            Share {
                worker: 0,
                workers: 2,
                ..ALONE
            },
        );
        assert_eq!(dues.len(), 6_667, "two of three connections");
    }

    #[test]
    fn the_backlog_counts_what_is_due_and_not_started() {
        let mut pace = paced(1_000.0, Arrivals::Constant, ALONE);
        let now_ns = 1_000 + 5_000_000_000;
        assert_eq!(pace.backlog(now_ns), 5_000);
        assert_eq!(pace.on_free(0, now_ns), Some(1_000), "the oldest first");
        assert_eq!(pace.on_free(1, now_ns), Some(1_001_000));
        assert_eq!(pace.backlog(now_ns), 4_998);
        assert_eq!(pace.backlog(u64::MAX), 9_998);
    }

    #[test]
    fn a_free_connection_waits_for_the_next_due_instant() {
        let mut pace = paced(1_000.0, Arrivals::Constant, ALONE);
        assert_eq!(pace.on_free(2, 1_000), Some(1_000));
        assert_eq!(pace.on_free(2, 2_000), None);
        assert_eq!(pace.next_due_ns(), Some(1_001_000));
        assert_eq!(pace.take_due(1_000_999), None);
        assert_eq!(pace.take_due(1_001_000), Some((2, 1_001_000)));
        assert_eq!(pace.next_due_ns(), None, "no connection is free");
    }

    #[test]
    fn a_closed_loop_starts_at_once_and_has_no_backlog() {
        let mut pace = Pace::new(Pacing::Closed, ALONE, 1, 0, 10);
        assert_eq!(pace.on_free(0, 5), Some(5));
        assert_eq!(pace.backlog(9), 0);
    }

    #[test]
    fn rates_without_sense_are_refused() {
        for rate_per_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let pacing = Pacing::FixedRate {
                rate_per_s,
                arrivals: Arrivals::Constant,
            };
            assert!(pacing.check().is_err(), "{rate_per_s}");
        }
    }
}
