//! Remembers what was reported last, and computes what is new.

use super::{Figures, Stat, StatKind, UserReading, WarmUp};
use crate::text::{Counts, FinalFigures, IntervalFigures, QueueFigures, UserFigures};

/// Holds the figures of the last reports. There are two kinds: an intermediate report covers the time since the
/// intermediate one before, a full one the time since the last checkpoint.
#[derive(Debug)]
pub struct Ledger {
    percentile: u32,
    /// A checkpoint empties the histogram of the intermediate reports as well, as in sysbench.
    checkpoint_empties_interval: bool,
    start_ns: u64,
    interval: LedgerEntry,
    checkpoint: LedgerEntry,
    /// Of the users at the last checkpoint.
    users: Vec<UserReading>,
}

/// The figures at one report.
#[derive(Debug, Clone, Default)]
struct LedgerEntry {
    at_ns: u64,
    counts: Counts,
    points: Vec<u64>,
}

impl Ledger {
    /// Creates a ledger whose time begins now: what was counted before is left out.
    #[must_use]
    pub fn begin(
        figures: &Figures,
        percentile: u32,
        checkpoint_empties_interval: bool,
        now_ns: u64,
    ) -> Self {
        let page = LedgerEntry::read(figures, now_ns);
        figures.take_extremes();
        Self {
            percentile,
            checkpoint_empties_interval,
            start_ns: now_ns,
            interval: page.clone(),
            checkpoint: page,
            users: figures.read_users(),
        }
    }

    /// Creates a ledger whose time begins with the end of a warm-up.
    #[must_use]
    pub(crate) fn after_warm_up(
        figures: &Figures,
        percentile: u32,
        checkpoint_empties_interval: bool,
        warm_up: &WarmUp,
    ) -> Self {
        let page = LedgerEntry {
            at_ns: warm_up.ended_ns,
            counts: warm_up.counts,
            points: vec![0; figures.points.scale.points()],
        };
        Self {
            percentile,
            checkpoint_empties_interval,
            start_ns: warm_up.ended_ns,
            interval: page.clone(),
            checkpoint: page,
            users: vec![UserReading::default(); figures.counted_users().count()],
        }
    }

    /// Includes in the first reports what users asked to initialise, as sysbench does.
    #[must_use]
    pub fn with_what_came_before(mut self) -> Self {
        self.interval.counts = Counts::default();
        self.checkpoint.counts = Counts::default();
        self
    }

    /// Makes an intermediate report.
    pub fn interval(
        &mut self,
        figures: &Figures,
        now_ns: u64,
        threads_running: u32,
        queue: Option<QueueFigures>,
    ) -> IntervalFigures {
        let page = LedgerEntry::read(figures, now_ns);
        let new = page.since(&self.interval);
        self.interval = page;
        IntervalFigures {
            time_total_ns: now_ns.saturating_sub(self.start_ns),
            time_interval_ns: new.at_ns,
            threads_running,
            counts: new.counts,
            latency_percentile_ms: self.percentile_ms(figures, &new.points),
            queue,
        }
    }

    /// Makes a full report, after which figures begin anew. The run took from its start to `ended_ns`.
    pub fn full(&mut self, figures: &Figures, ended_ns: u64, now_ns: u64) -> FinalFigures {
        let page = LedgerEntry::read(figures, now_ns);
        let new = page.since(&self.checkpoint);
        let users = self.turn_users(figures);
        let shortest = users.iter().filter(|user| user.events > 0);
        let report = FinalFigures {
            time_total_ns: ended_ns.saturating_sub(self.start_ns),
            time_interval_ns: new.at_ns,
            counts: new.counts,
            latency_min_ns: shortest.map(|u| u.latency_min_ns).min().unwrap_or(0),
            latency_max_ns: users.iter().map(|u| u.latency_max_ns).max().unwrap_or(0),
            latency_sum_ns: users.iter().map(|u| u.time_ns).sum(),
            latency_percentile_ms: self.percentile_ms(figures, &new.points),
            users,
            unfinished: None,
        };
        if self.checkpoint_empties_interval {
            self.interval.points.clone_from(&page.points);
        }
        self.checkpoint = page;
        report
    }

    /// Returns sysbench's histogram since the last checkpoint: values in milliseconds, and counts.
    #[must_use]
    pub fn histogram(&self, figures: &Figures) -> Vec<(f64, u64)> {
        let counts = difference(&figures.read_points(), &self.checkpoint.points);
        dbdyno_meter::filled_points(&figures.points.scale, &counts).collect()
    }

    fn turn_users(&mut self, figures: &Figures) -> Vec<UserFigures> {
        let readings = figures.read_users();
        let extremes = figures.take_extremes();
        let before = std::mem::replace(&mut self.users, readings);
        let all = self.users.iter().zip(&before).zip(extremes);
        all.map(|((reading, before), extremes)| {
            let (latency_min_ns, latency_max_ns) = extremes.unwrap_or_default();
            UserFigures {
                events: reading.events - before.events,
                time_ns: reading.sum_ns - before.sum_ns,
                latency_min_ns,
                latency_max_ns,
            }
        })
        .collect()
    }

    fn percentile_ms(&self, figures: &Figures, points: &[u64]) -> f64 {
        match self.percentile {
            0 => 0.0,
            percent => figures.points.percentile_ms(points, percent),
        }
    }
}

impl LedgerEntry {
    fn read(figures: &Figures, at_ns: u64) -> Self {
        Self {
            at_ns,
            counts: figures.counts(),
            points: figures.read_points(),
        }
    }

    fn since(&self, before: &Self) -> Self {
        let (new, old) = (&self.counts, &before.counts);
        Self {
            at_ns: self.at_ns.saturating_sub(before.at_ns),
            counts: Counts {
                events: new.events - old.events,
                reads: new.reads - old.reads,
                writes: new.writes - old.writes,
                other: new.other - old.other,
                errors: new.errors - old.errors,
                reconnects: new.reconnects - old.reconnects,
            },
            points: difference(&self.points, &before.points),
        }
    }
}

fn difference(new: &[u64], old: &[u64]) -> Vec<u64> {
    new.iter().zip(old).map(|(new, old)| new - old).collect()
}

impl FinalFigures {
    /// Adds what sysbench counts as unfinished when it ends users by force: every user that ever began an event, and
    /// for each the time since it began its last one, whether that is done or not. `truly`: only events in hand.
    pub(crate) fn add_unfinished(&mut self, figures: &Figures, truly: bool, now_ns: u64) {
        let mut unfinished = 0;
        for (user, cells) in self.users.iter_mut().zip(figures.counted_users()) {
            let began_ns = cells.began_ns.get();
            if began_ns > 0 && (!truly || cells.busy.get() == 1) {
                unfinished += 1;
                let so_far_ns = now_ns.saturating_sub(began_ns);
                user.latency_min_ns = match user.events {
                    0 => so_far_ns,
                    _ => user.latency_min_ns.min(so_far_ns),
                };
                user.latency_max_ns = user.latency_max_ns.max(so_far_ns);
                user.events += 1;
                user.time_ns += so_far_ns;
            }
        }
        self.unfinished = (unfinished > 0).then_some(unfinished);
    }
}

impl Stat {
    /// Takes the figures of an intermediate report.
    #[must_use]
    pub fn intermediate(figures: &IntervalFigures) -> Self {
        let queue = figures.queue.unwrap_or_default();
        let kind = StatKind::Intermediate {
            queue_length: queue.length,
            concurrency: queue.concurrency,
        };
        Self {
            time_total: in_s(figures.time_total_ns),
            time_interval: in_s(figures.time_interval_ns),
            ..Self::new(
                figures.threads_running,
                figures.latency_percentile_ms,
                &figures.counts,
                kind,
            )
        }
    }

    /// Takes the figures of a full report.
    #[must_use]
    pub fn cumulative(figures: &FinalFigures, threads_running: u32) -> Self {
        let events = figures.counts.events.max(1) as f64;
        let kind = StatKind::Cumulative {
            latency_min: in_s(figures.latency_min_ns),
            latency_max: in_s(figures.latency_max_ns),
            latency_avg: in_s(figures.latency_sum_ns) / events,
            latency_sum: in_s(figures.latency_sum_ns),
        };
        Self {
            time_total: in_s(figures.time_total_ns),
            time_interval: in_s(figures.time_interval_ns),
            ..Self::new(
                threads_running,
                figures.latency_percentile_ms,
                &figures.counts,
                kind,
            )
        }
    }

    fn new(threads_running: u32, percentile_ms: f64, counts: &Counts, kind: StatKind) -> Self {
        Self {
            threads_running,
            time_interval: 0.0,
            time_total: 0.0,
            latency_pct: percentile_ms / 1e3,
            events: counts.events,
            reads: counts.reads,
            writes: counts.writes,
            other: counts.other,
            errors: counts.errors,
            reconnects: counts.reconnects,
            kind,
        }
    }
}

fn in_s(ns: u64) -> f64 {
    ns as f64 / 1e9
}
