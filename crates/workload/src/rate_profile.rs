//! Defines rates that belong to a workload.

use crate::TransactionType;

/// The course of a run as a workload has it: phases one after the other, and how often events of each type are due.
#[derive(Debug, Clone, PartialEq)]
pub struct RateProfile {
    /// Name and seconds of each phase.
    pub phases: Vec<(String, u32)>,
    /// The rate of each type, a stretch a phase. Types that never occur are left out; without any, the loop is closed.
    pub streams: Vec<(TransactionType, Vec<RateSegment>)>,
}

/// A rate that stays, or goes in a straight line from one value to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateSegment {
    /// How long.
    pub seconds: u32,
    /// Events a second at its beginning.
    pub from_per_s: f64,
    /// Events a second at its end.
    pub to_per_s: f64,
}
