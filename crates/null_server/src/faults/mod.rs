//! What goes wrong, when and how often: a value, written as options are, and its application.

mod code;
mod duration;
mod frequency;
mod law;
mod plan;
mod running;
mod schedule;
mod timed;

pub(crate) use code::ends_transaction;
pub use code::error_text;
pub use duration::nanoseconds;
pub use frequency::Frequency;
pub use law::Law;
pub use plan::{DropRule, ErrorPlace, ErrorRule, FaultPlan, Refusal, RefusalKind};
pub(crate) use running::{Faults, Outcome};
pub(crate) use schedule::Schedule;
pub use schedule::Stall;
pub use timed::{Timed, Window};

/// An option that says something else than it may.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{wrong:?} is not understood: {teaching}")]
pub struct FaultError {
    /// What was written.
    pub wrong: String,
    /// What may be written.
    pub teaching: &'static str,
}

impl FaultError {
    fn new(wrong: &str, teaching: &'static str) -> Self {
        Self {
            wrong: wrong.to_owned(),
            teaching,
        }
    }
}
