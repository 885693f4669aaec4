//! Which of sysbench's quirks are at work.

use super::{Options, Script};
use crate::oltp::script::Part;
use dbdyno_chance::RandomKind;

/// Identifiers of the active quirks, in rising order.
///
/// | quirk | active when |
/// |---|---|
/// | Q-SB-1 default distribution is `special` | `rand_type` is `special` |
/// | Q-SB-2 its hot band is narrower than asked for | `rand_type` is `special` |
/// | Q-SB-4 rows and unique ids don't depend on the seed | rng=sysbench |
/// | Q-SB-5 repeats draw anew, without ROLLBACK unless asked for | always |
/// | Q-SB-6 a statement that changes no row counts as other | always |
/// | Q-SB-7 a delete-and-insert pair can meet another one and fail | pairs outside transactions |
///
/// Q-SB-3, a `gaussian` that always gives its lower bound, is one of the master branch and never active.
pub(crate) fn active(script: &Script, options: &Options, kind: RandomKind) -> Vec<String> {
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
