//! Tests the list of quirks.

use super::*;
use crate::{RandomKind, RandomSource, workload, workload_names};
use std::collections::BTreeSet;

/// Option sets that together turn on every quirk that can be active.
const OPTION_SETS: [&[(&str, &str)]; 5] = [
    &[],
    &[("skip_trx", "on")],
    &[("no_stored_procs", "on")],
    &[("step", "qp100"), ("nr1", "100000")],
    &[("fidelity", "fixed")],
];

fn active_ids() -> BTreeSet<String> {
    let source = RandomSource {
        kind: RandomKind::Sysbench,
        seed: 1,
    };
    let mut ids = BTreeSet::new();
    for name in workload_names() {
        for set in OPTION_SETS {
            let words = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
            let options: Vec<_> = set.iter().map(words).collect();
            // A workload refuses options that are not its own.
            if let Ok(workload) = workload(&name, &options, source, 4) {
                ids.extend(workload.spec().metadata.quirks.iter().cloned());
            }
        }
    }
    ids
}

#[test]
fn the_quirks_that_workloads_report_are_those_listed_as_imitated() {
    let listed = QUIRKS.iter().filter(|quirk| quirk.is_imitated);
    let listed: BTreeSet<String> = listed.map(|quirk| quirk.id.to_owned()).collect();
    assert_eq!(active_ids(), listed);
}

#[test]
fn ids_are_unique_and_every_dialect_is_a_workload() {
    let names: Vec<String> = workload_names();
    let ids: BTreeSet<&str> = QUIRKS.iter().map(|quirk| quirk.id).collect();
    assert_eq!(ids.len(), QUIRKS.len());
    for quirk in QUIRKS {
        for dialect in quirk.dialects {
            assert!(
                names.iter().any(|name| name.starts_with(dialect)),
                "{dialect}"
            );
        }
    }
}
