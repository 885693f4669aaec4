//! Hands figures to a script's report hooks.

/// The `stat` table of `report_intermediate` and `report_cumulative`; times are seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stat {
    /// Users that run.
    pub threads_running: u32,
    /// Since the report before, or the last checkpoint.
    pub time_interval: f64,
    /// Since the start.
    pub time_total: f64,
    /// The percentile as sysbench computes it.
    pub latency_pct: f64,
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
    /// What only one of the two kinds has.
    pub kind: StatKind,
}

/// Holds what intermediate and cumulative figures don't share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StatKind {
    /// Of an interval.
    Intermediate {
        /// Arrivals that wait; 0 without `--rate`.
        queue_length: u64,
        /// Users with an event in hand; 0 without `--rate`.
        concurrency: u64,
    },
    /// Of a whole run, or since a checkpoint.
    Cumulative {
        /// The shortest event.
        latency_min: f64,
        /// The longest event.
        latency_max: f64,
        /// The mean of all events.
        latency_avg: f64,
        /// All events together.
        latency_sum: f64,
    },
}

impl Default for StatKind {
    fn default() -> Self {
        Self::Intermediate {
            queue_length: 0,
            concurrency: 0,
        }
    }
}
