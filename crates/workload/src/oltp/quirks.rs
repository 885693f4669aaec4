//! Lists which of sysbench's quirks are active.

use super::{OltpOptions, OltpScript};
use crate::oltp::script::Part;
use dbdyno_chance::RandomKind;

/// Identifiers of the active quirks, in rising order; [`crate::quirk`] says what each does. Q-SB-3 is one of the master
/// branch and never active.
pub(crate) fn active(script: &OltpScript, options: &OltpOptions, kind: RandomKind) -> Vec<String> {
    let special = options.rand_type == "special";
    let bare_pairs = options.skip_trx
        && options.delete_inserts > 0
        && script.event.contains(&Part::DeleteInserts);
    [
        ("Q-SB-1", special),
        ("Q-SB-2", special),
        ("Q-SB-4", kind == RandomKind::Sysbench),
        ("Q-SB-5", true),
        ("Q-SB-6", true),
        ("Q-SB-7", bare_pairs),
    ]
    .into_iter()
    .filter(|(_, active)| *active)
    .map(|(name, _)| name.to_owned())
    .collect()
}
