//! Which of LinkBench's quirks are at work.

/// Identifiers of the active quirks, in rising order: all or, in the repaired form, none.
///
/// | quirk | what it does |
/// |---|---|
/// | Q-LB-1 | nodes are loaded with one or two links more than the law says |
/// | Q-LB-2 | one node has 961,963 links, however small the graph is |
/// | Q-LB-3 | the motifs have 512 bytes, whatever is asked for |
/// | Q-LB-5 | link writes choose their nodes as link reads do |
/// | Q-LB-6 | requests for several links ask for one more than meant |
/// | Q-LB-7 | a repeat after a lock wait timeout is not preceded by ROLLBACK and can leave a count wrong |
///
/// Not imitated: Q-LB-4 (history reads take no time), Q-LB-8 (a unit) and Q-LB-9 (a rate with the log-ins in it) are
/// ways to report.
pub(super) fn active(is_fixed: bool) -> Vec<String> {
    let all = ["Q-LB-1", "Q-LB-2", "Q-LB-3", "Q-LB-5", "Q-LB-6", "Q-LB-7"];
    let active = all.iter().filter(|&&quirk| !is_fixed || quirk == "Q-LB-3");
    active.map(|&quirk| quirk.to_owned()).collect()
}
