//! Holds the figures that the blocks are made of, as they were counted: nothing is rounded or divided before
//! it is printed.

/// Holds what was counted over some time, over all users.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events that are done.
    pub events: u64,
    /// Queries that returned rows.
    pub reads: u64,
    /// Queries that changed rows.
    pub writes: u64,
    /// Queries that did neither.
    pub other: u64,
    /// Errors after which an event was repeated.
    pub errors: u64,
    /// Connections that were made anew.
    pub reconnects: u64,
}

impl Counts {
    /// Queries of every kind.
    #[must_use]
    pub fn queries(&self) -> u64 {
        self.reads + self.writes + self.other
    }

    /// What was counted since an earlier moment.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            events: self.events - earlier.events,
            reads: self.reads - earlier.reads,
            writes: self.writes - earlier.writes,
            other: self.other - earlier.other,
            errors: self.errors - earlier.errors,
            reconnects: self.reconnects - earlier.reconnects,
        }
    }
}

/// Holds the figures of an intermediate report: the time since the report before it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct IntervalFigures {
    /// Since the start of the run, warm-up left out.
    pub time_total_ns: u64,
    /// Since the report before.
    pub time_interval_ns: u64,
    /// Users that run.
    pub threads_running: u32,
    /// What was counted in the interval.
    pub counts: Counts,
    /// The percentile as sysbench computes it; 0 where it is switched off.
    pub latency_percentile_ms: f64,
    /// Arrivals that wait; `None` without `--rate`.
    pub queue: Option<QueueFigures>,
}

/// Holds the state of a `--rate` run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueFigures {
    /// Arrivals that no user has taken.
    pub length: u64,
    /// Users with an event in hand.
    pub concurrency: u64,
}

/// Holds the figures of a full report: the time since the start or the last checkpoint.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FinalFigures {
    /// Since the start of the run, warm-up left out: "total time".
    pub time_total_ns: u64,
    /// From the start or the last checkpoint until this report is printed, the end of the users included: what
    /// "per sec." divides by.
    pub time_interval_ns: u64,
    /// What was counted in that time.
    pub counts: Counts,
    /// The shortest event; 0 if there was none.
    pub latency_min_ns: u64,
    /// The longest event; 0 if there was none.
    pub latency_max_ns: u64,
    /// All events together.
    pub latency_sum_ns: u64,
    /// The percentile as sysbench computes it; 0 where it is switched off.
    pub latency_percentile_ms: f64,
    /// Each user, in the order of their numbers.
    pub users: Vec<UserFigures>,
    /// Events begun and not done, where the run was ended by force.
    pub unfinished: Option<u64>,
}

/// Holds what one user did in the time of a full report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserFigures {
    /// Events, one that still runs included.
    pub events: u64,
    /// Time spent in events, one that still runs included.
    pub time_ns: u64,
    /// The shortest event.
    pub latency_min_ns: u64,
    /// The longest event.
    pub latency_max_ns: u64,
}
