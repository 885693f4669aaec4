//! Holds what a search for the highest rate has found.

/// One rate tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// From 1.
    pub number: u32,
    /// First second of its window.
    pub first_second: u32,
    /// Seconds of its window.
    pub seconds: u32,
    /// Rate offered.
    pub rate_per_s: f64,
    /// Events completed in the window, a second.
    pub completed_per_s: f64,
    /// Response time at the promised quantile; `None` when nothing was completed.
    pub quantile_ns: Option<u64>,
    /// Events due and not started when the window began.
    pub backlog_first: u64,
    /// The same when it ended.
    pub backlog_last: u64,
    /// Share of the window in which the client's busiest worker was not waiting.
    pub client_busy: f64,
    /// How much later than due the client sent although a connection was free, at the promised quantile of all
    /// events.
    pub client_late_ns: u64,
    /// Whether the client was so busy, or so late, that what was measured may be its own limit.
    pub client_bound: bool,
    /// Whether the promise was held.
    pub held: bool,
    /// Why not; empty when held.
    pub reason: String,
}

/// What a search has found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// Highest rate that held the promise, in two probes unless the search was cut short; `None`: none did.
    pub highest_held_per_s: Option<f64>,
    /// Lowest rate that broke it; `None`: none did.
    pub lowest_broken_per_s: Option<f64>,
    /// What broke there.
    pub reason: String,
    /// Whether the client, and not the server, was the limit there, in so many probes in a row that it is believed.
    pub client_bound: bool,
    /// Whether the search came to its end.
    pub complete: bool,
    /// Probes driven.
    pub probes: u32,
}
