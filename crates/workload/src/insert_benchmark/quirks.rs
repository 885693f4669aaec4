//! Lists which of the tool's quirks are active.

use super::options::InsertBenchmarkOptions;
use super::step::ReadKind;

/// Identifiers of the quirks that are active in the step; [`crate::quirk`] says what each does.
pub(super) fn active(options: &InsertBenchmarkOptions) -> Vec<String> {
    match options.is_fixed() || options.step.reads() != Some(ReadKind::Point) {
        true => Vec::new(),
        false => vec!["Q-IB-1".to_owned()],
    }
}
