//! Writes the records of a search: each probe, and the result.

use dbdyno_drive::{Probe, SearchResult};
use serde::Serialize;

/// Records one rate that was tried.
#[derive(Debug, Serialize)]
pub(crate) struct ProbeLine<'a> {
    record: &'static str,
    number: u32,
    first_second: u32,
    seconds: u32,
    rate_per_s: f64,
    completed_per_s: f64,
    quantile_ns: Option<u64>,
    backlog_first: u64,
    backlog_last: u64,
    client_busy: f64,
    client_late_ns: u64,
    client_bound: bool,
    held: bool,
    reason: &'a str,
}

impl<'a> ProbeLine<'a> {
    pub(crate) fn of(probe: &'a Probe) -> Self {
        Self {
            record: "probe",
            number: probe.number,
            first_second: probe.first_second,
            seconds: probe.seconds,
            rate_per_s: probe.rate_per_s,
            completed_per_s: probe.completed_per_s,
            quantile_ns: probe.quantile_ns,
            backlog_first: probe.backlog_first,
            backlog_last: probe.backlog_last,
            client_busy: probe.client_busy,
            client_late_ns: probe.client_late_ns,
            client_bound: probe.client_bound,
            held: probe.held,
            reason: &probe.reason,
        }
    }
}

/// Records the result.
#[derive(Debug, Serialize)]
pub(super) struct AnswerRecord {
    highest_held_per_s: Option<f64>,
    lowest_broken_per_s: Option<f64>,
    reason: String,
    client_bound: bool,
    complete: bool,
    probes: u32,
}

impl AnswerRecord {
    pub(super) fn of(answer: &SearchResult) -> Self {
        Self {
            highest_held_per_s: answer.highest_held_per_s,
            lowest_broken_per_s: answer.lowest_broken_per_s,
            reason: answer.reason.clone(),
            client_bound: answer.client_bound,
            complete: answer.complete,
            probes: answer.probes,
        }
    }
}
