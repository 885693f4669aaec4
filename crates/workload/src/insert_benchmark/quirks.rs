//! Which of the tool's quirks are at work.

use super::options::Options;
use super::step::Reads;

/// Identifiers of the quirks that are active in the step.
///
/// | quirk | what it does |
/// |---|---|
/// | Q-IB-1 | point queries draw ids from 0 up until rows are deleted in the same step, so ids that are gone are asked for, too |
///
/// Not imitated: Q-IB-2 (after an error a worker of the tool dies unseen; here transient errors are repeated and counted)
/// and Q-IB-3 (the tool's seed is without effect; here it is).
pub(super) fn active(options: &Options) -> Vec<String> {
    match options.is_fixed() || options.step.reads() != Some(Reads::Point) {
        true => Vec::new(),
        false => vec!["Q-IB-1".to_owned()],
    }
}
