//! What passes between the program and a state during one call.

use dbdyno_sysbench::figures::{Stat, StatKind};
use dbdyno_sysbench::options::ScriptOption;
use std::ffi::CString;

/// Only what the call at hand needs is filled in.
#[derive(Default)]
pub(crate) struct Exchange {
    /// Options that the script has told of.
    pub(crate) declared: Vec<ScriptOption>,
    /// Name and value of an option that a validator looks at.
    pub(crate) validated: (CString, Option<CString>),
    /// The figures that a report hook gets.
    pub(crate) stat: CStat,
}

/// `dbdyno_stat` of the prelude.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CStat {
    pub(crate) time_total: f64,
    pub(crate) time_interval: f64,
    pub(crate) latency_pct: f64,
    pub(crate) latency_min: f64,
    pub(crate) latency_max: f64,
    pub(crate) latency_avg: f64,
    pub(crate) latency_sum: f64,
    pub(crate) threads_running: f64,
    pub(crate) events: f64,
    pub(crate) reads: f64,
    pub(crate) writes: f64,
    pub(crate) other: f64,
    pub(crate) errors: f64,
    pub(crate) reconnects: f64,
    pub(crate) queue_length: f64,
    pub(crate) concurrency: f64,
}

impl From<&Stat> for CStat {
    fn from(stat: &Stat) -> Self {
        let common = Self {
            time_total: stat.time_total,
            time_interval: stat.time_interval,
            latency_pct: stat.latency_pct,
            threads_running: f64::from(stat.threads_running),
            events: stat.events as f64,
            reads: stat.reads as f64,
            writes: stat.writes as f64,
            other: stat.other as f64,
            errors: stat.errors as f64,
            reconnects: stat.reconnects as f64,
            ..Self::default()
        };
        match stat.kind {
            StatKind::Intermediate {
                queue_length,
                concurrency,
            } => Self {
                queue_length: queue_length as f64,
                concurrency: concurrency as f64,
                ..common
            },
            StatKind::Cumulative {
                latency_min,
                latency_max,
                latency_avg,
                latency_sum,
            } => Self {
                latency_min,
                latency_max,
                latency_avg,
                latency_sum,
                ..common
            },
        }
    }
}
