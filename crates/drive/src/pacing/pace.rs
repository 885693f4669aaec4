//! Applies the pacing to one worker.

use super::schedule::DueSchedule;
use super::think::Rests;
use super::{Pacing, Share};
use dbdyno_workload::TransactionType;
use std::collections::VecDeque;

/// Describes an event that is to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    /// The instant from which its response time runs.
    pub(crate) at_ns: u64,
    /// The required type; `None`: the workload chooses.
    pub(crate) wanted: Option<TransactionType>,
}

/// Says what a connection that has become free does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FreeAction {
    /// Its next event starts at once.
    Start(Due),
    /// It rests until then; the worker's timers wake it.
    Rest {
        /// End of the rest.
        until_ns: u64,
    },
    /// It waits until [`Pace::take_due`] returns it, or for ever.
    Wait,
}

/// Answers the questions of the worker loop.
#[derive(Debug)]
pub(crate) enum Pace {
    Closed,
    Thinking(Rests),
    Scheduled {
        schedule: Box<DueSchedule>,
        free: VecDeque<u32>,
    },
    /// No event starts any more.
    Over,
}

impl Pace {
    /// Creates a pace; `span` is when second 0 begins and when the last second ends.
    pub(crate) fn new(pacing: &Pacing, share: Share, seed: u64, span: (u64, u64)) -> Self {
        let scheduled = |schedule| Self::Scheduled {
            schedule: Box::new(schedule),
            free: VecDeque::with_capacity(share.count() as usize),
        };
        match *pacing {
            Pacing::Closed { think: None } => Self::Closed,
            Pacing::Closed { think: Some(think) } => {
                Self::Thinking(Rests::new(think, share, seed, span.0))
            }
            Pacing::FixedRate {
                rate_per_s,
                arrivals,
            } => scheduled(DueSchedule::fixed(rate_per_s, arrivals, share, seed, span)),
            Pacing::VariedRate {
                ref streams,
                arrivals,
            } => scheduled(DueSchedule::varied(streams, arrivals, share, seed, span)),
        }
    }

    /// Returns what a connection that has become free does.
    #[inline]
    pub(crate) fn on_free(&mut self, connection: u32, now_ns: u64) -> FreeAction {
        match self {
            Self::Closed => FreeAction::Start(Due {
                at_ns: now_ns,
                wanted: None,
            }),
            Self::Thinking(rests) => FreeAction::Rest {
                until_ns: rests.until_ns(connection, now_ns),
            },
            Self::Scheduled { schedule, free } => {
                let due = free.is_empty().then(|| schedule.take(now_ns)).flatten();
                due.map_or_else(
                    || {
                        free.push_back(connection);
                        FreeAction::Wait
                    },
                    FreeAction::Start,
                )
            }
            Self::Over => FreeAction::Wait,
        }
    }

    /// Ends the rest of a connection. Returns the event that is due.
    pub(crate) fn on_rested(&mut self, connection: u32) -> Option<Due> {
        let Self::Thinking(rests) = self else {
            return None;
        };
        let at_ns = rests.end(connection)?;
        Some(Due {
            at_ns,
            wanted: None,
        })
    }

    /// Returns a due event and a free connection for it, the one that has been free for longest.
    #[inline]
    pub(crate) fn take_due(&mut self, now_ns: u64) -> Option<(u32, Due)> {
        let Self::Scheduled { schedule, free } = self else {
            return None;
        };
        if free.is_empty() {
            return None;
        }
        let due = schedule.take(now_ns)?;
        free.pop_front().map(|connection| (connection, due))
    }

    /// Returns the next event due before `end_ns`, although no connection is free.
    pub(crate) fn take_unsent(&mut self, end_ns: u64) -> Option<Due> {
        match self {
            Self::Scheduled { schedule, .. } => schedule.take(end_ns.saturating_sub(1)),
            Self::Closed | Self::Thinking(_) | Self::Over => None,
        }
    }

    /// Returns when [`take_due`](Self::take_due) will next have an answer, unless a connection becomes free
    /// before.
    #[inline]
    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        match self {
            Self::Scheduled { schedule, free } if !free.is_empty() => schedule.next_due_ns(),
            _ => None,
        }
    }

    /// Removes a connection until it is free again.
    pub(crate) fn forget(&mut self, connection: u32) {
        if let Self::Scheduled { free, .. } = self {
            free.retain(|&other| other != connection);
        }
    }

    /// Returns the events due before `now_ns` that were not started. In a closed loop an event is due when its
    /// connection can start it, so none waits.
    pub(crate) fn backlog(&mut self, now_ns: u64) -> u64 {
        match self {
            Self::Scheduled { schedule, .. } => schedule.waiting(now_ns),
            Self::Closed | Self::Thinking(_) | Self::Over => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arrivals, Think, ThinkDistribution};

    const ALONE: Share = Share {
        worker: 0,
        workers: 1,
        connections: 3,
    };

    fn due(at_ns: u64) -> Due {
        Due {
            at_ns,
            wanted: None,
        }
    }

    fn start(at_ns: u64) -> FreeAction {
        FreeAction::Start(due(at_ns))
    }

    fn paced(rate_per_s: f64, arrivals: Arrivals, share: Share) -> Pace {
        let pacing = Pacing::FixedRate {
            rate_per_s,
            arrivals,
        };
        Pace::new(&pacing, share, 7, (1_000, 1_000 + 10_000_000_000))
    }

    fn dues_of(arrivals: Arrivals, share: Share) -> Vec<u64> {
        let Pace::Scheduled { mut schedule, .. } = paced(1_000.0, arrivals, share) else {
            unreachable!("a fixed rate is a schedule")
        };
        std::iter::from_fn(|| schedule.take(u64::MAX))
            .map(|due| due.at_ns)
            .collect()
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
        assert_eq!(pace.on_free(0, now_ns), start(1_000), "the oldest first");
        assert_eq!(pace.on_free(1, now_ns), start(1_001_000));
        assert_eq!(pace.backlog(now_ns), 4_998);
        assert_eq!(pace.backlog(u64::MAX), 9_998);
    }

    #[test]
    fn a_free_connection_waits_for_the_next_due_instant() {
        let mut pace = paced(1_000.0, Arrivals::Constant, ALONE);
        assert_eq!(pace.on_free(2, 1_000), start(1_000));
        assert_eq!(pace.on_free(2, 2_000), FreeAction::Wait);
        assert_eq!(pace.next_due_ns(), Some(1_001_000));
        assert_eq!(pace.take_due(1_000_999), None);
        assert_eq!(pace.take_due(1_001_000), Some((2, due(1_001_000))));
        assert_eq!(pace.next_due_ns(), None, "no connection is free");
    }

    #[test]
    fn a_closed_loop_starts_at_once_and_has_no_backlog() {
        let mut pace = Pace::new(&Pacing::Closed { think: None }, ALONE, 1, (0, 10));
        assert_eq!(pace.on_free(0, 5), start(5));
        assert_eq!(pace.backlog(9), 0);
    }

    #[test]
    fn a_thinking_connection_rests_first_and_is_due_at_the_end_of_its_rest() {
        let think = Think {
            mean_ns: 1_000_000,
            law: ThinkDistribution::Constant,
        };
        let mut pace = Pace::new(
            &Pacing::Closed { think: Some(think) },
            ALONE,
            1,
            (500, u64::MAX),
        );
        let FreeAction::Rest { until_ns } = pace.on_free(1, 500) else {
            panic!("no rest before the first event")
        };
        assert!((500..1_000_500).contains(&until_ns));
        assert_eq!(pace.on_rested(1), Some(due(until_ns)));
        let after = FreeAction::Rest {
            until_ns: 3_000_000,
        };
        assert_eq!(pace.on_free(1, 2_000_000), after);
        assert_eq!(pace.backlog(u64::MAX), 0);
        pace = Pace::Over;
        assert_eq!(pace.on_rested(1), None);
    }
}
