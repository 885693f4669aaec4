//! Plans and applies faults: what goes wrong, when and how often.

mod code;
mod distribution;
mod duration;
mod frequency;
mod injector;
mod plan;
mod schedule;
mod timed;

pub(crate) use code::ends_transaction;
pub(crate) use code::error_text;
pub use distribution::DelayDistribution;
pub use duration::nanoseconds;
pub use frequency::Frequency;
pub(crate) use injector::{FaultDecision, FaultInjector};
pub use plan::{DropRule, ErrorPlace, ErrorRule, FaultPlan, Refusal, RefusalKind};
pub(crate) use schedule::SilenceSchedule;
pub use schedule::Stall;
pub use timed::{TimeWindow, TimedFault};

/// An option that says something else than it may.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not valid: {expected}")]
pub struct FaultError {
    /// What was written.
    pub given: String,
    /// What may be written.
    pub expected: &'static str,
}

impl FaultError {
    fn new(given: &str, expected: &'static str) -> Self {
        Self {
            given: given.to_owned(),
            expected,
        }
    }
}
