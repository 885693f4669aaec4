//! Holds the result of a search for the highest rate.

/// Describes one rate tried.
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
    /// Events per second completed in the window.
    pub completed_per_s: f64,
    /// Response time at the objective's quantile; `None` if nothing was completed.
    pub quantile_ns: Option<u64>,
    /// Events due and not started when the window began.
    pub backlog_first: u64,
    /// The backlog when the window ended.
    pub backlog_last: u64,
    /// Share of the window in which the client's busiest worker was not waiting.
    pub client_busy: f64,
    /// How much later than due the client sent although a connection was free, at the objective's quantile of all
    /// events.
    pub client_late_ns: u64,
    /// Whether the client was so busy, or so late, that the measurement may show its own limit.
    pub client_bound: bool,
    /// Whether the rate met the objective.
    pub held: bool,
    /// Why not; empty if it did.
    pub reason: String,
}

/// Holds the result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// Highest rate that met the objective, in two probes unless the search was cut short; `None`: none did.
    pub highest_held_per_s: Option<f64>,
    /// Lowest rate that missed it; `None`: none did.
    pub lowest_broken_per_s: Option<f64>,
    /// Why that rate missed it.
    pub reason: String,
    /// Whether the client, not the server, was the limit there, in enough probes in a row to be believed.
    pub client_bound: bool,
    /// Whether the search finished.
    pub complete: bool,
    /// Probes driven.
    pub probes: u32,
}
