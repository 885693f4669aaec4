//! Passes values between the program and a state during one call.

use dbdyno_sysbench::figures::{Stat, StatKind};
use dbdyno_sysbench::options::ScriptOption;
use std::ffi::CString;

/// Holds the values of one call; only those that the call needs are set.
#[derive(Default)]
pub(crate) struct Exchange {
    /// Options that the script has declared.
    pub(crate) declared: Vec<ScriptOption>,
    /// Name and value of an option that a validator checks.
    pub(crate) validated: (CString, Option<CString>),
    /// The figures that a report hook gets.
    pub(crate) stat: [f64; 16],
}

/// Returns figures in the order of `STAT` in the prelude.
pub(crate) fn figures_of(stat: &Stat) -> [f64; 16] {
    let (queue, latency) = match stat.kind {
        StatKind::Intermediate {
            queue_length,
            concurrency,
        } => ([queue_length as f64, concurrency as f64], [0.0; 4]),
        StatKind::Cumulative {
            latency_min,
            latency_max,
            latency_avg,
            latency_sum,
        } => (
            [0.0; 2],
            [latency_min, latency_max, latency_avg, latency_sum],
        ),
    };
    [
        stat.time_total,
        stat.time_interval,
        stat.latency_pct,
        f64::from(stat.threads_running),
        stat.events as f64,
        stat.reads as f64,
        stat.writes as f64,
        stat.other as f64,
        stat.errors as f64,
        stat.reconnects as f64,
        queue[0],
        queue[1],
        latency[0],
        latency[1],
        latency[2],
        latency[3],
    ]
}
