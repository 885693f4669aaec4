//! Lists which of LinkBench's quirks are active.

/// Identifiers of the active quirks, in rising order; [`crate::quirk`] says what each does. The repaired form keeps only
/// Q-LB-3: there is no option for that length.
pub(super) fn active(is_fixed: bool) -> Vec<String> {
    let all = ["Q-LB-1", "Q-LB-2", "Q-LB-3", "Q-LB-5", "Q-LB-6", "Q-LB-7"];
    let active = all.iter().filter(|&&quirk| !is_fixed || quirk == "Q-LB-3");
    active.map(|&quirk| quirk.to_owned()).collect()
}
