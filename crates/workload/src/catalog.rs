//! Finds workloads by name.

use crate::family::{Family, GivenOptions, OptionInfo};
use crate::insert_benchmark;
use crate::linkbench;
use crate::nearest::{nearest, probably_meant};
use crate::oltp;
use crate::sql_files;
use crate::tpcc;
use crate::{Population, TransactionType, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use std::sync::Arc;

/// In the order of help texts.
const FAMILIES: &[Family] = &[
    oltp::FAMILY,
    tpcc::FAMILY,
    linkbench::FAMILY,
    insert_benchmark::FAMILY,
    sql_files::FAMILY,
];

/// Makes a workload for `users` clients. Options are those of the imitated tool, as written by the user
/// (hyphens may stand for underscores, `rows` for `table_size`); of an option given twice the last one counts.
///
/// # Errors
/// An unknown workload or option (the nearest known one is named), a value out of range, a seed that the generator
/// can't hold.
pub fn workload(
    name: &str,
    options: &GivenOptions,
    source: RandomSource,
    users: u32,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    WorkloadError::check_seed(source)?;
    (family_of(name)?.workload)(name, options, source, users)
}

/// Makes the dataset on which the workload of the same name and options runs.
///
/// # Errors
/// As [`workload`].
pub fn population(
    name: &str,
    options: &GivenOptions,
    source: RandomSource,
) -> Result<Arc<dyn Population>, WorkloadError> {
    WorkloadError::check_seed(source)?;
    (family_of(name)?.population)(name, options, source)
}

/// The option of a workload whose statements name the schema.
const SCHEMA_OPTION: &str = "dbid";

/// Gives the name of the schema to a workload whose statements contain it, unless the options do already.
pub fn name_schema(name: &str, options: &mut Vec<(String, String)>, schema: &str) {
    let names_it = |family: &&Family| {
        let known = (family.options)();
        (family.claims)(name) && known.iter().any(|(info, _)| info.name == SCHEMA_OPTION)
    };
    let is_given = options.iter().any(|(given, _)| given == SCHEMA_OPTION);
    if !is_given && FAMILIES.iter().any(|family| names_it(&family)) {
        options.push((SCHEMA_OPTION.to_owned(), schema.to_owned()));
    }
}

/// Returns the transaction type of a workload that has this name.
///
/// # Errors
/// The workload has no type of this name; the nearest is named.
pub fn transaction_type(
    workload: &dyn Workload,
    name: &str,
) -> Result<TransactionType, WorkloadError> {
    let known = &workload.spec().transaction_types;
    let place = known.iter().position(|&other| other == name);
    let found = place.and_then(|place| TransactionType::try_from(place).ok());
    found.ok_or_else(|| WorkloadError::UnknownTransactionType {
        workload: workload.spec().name.to_owned(),
        name: name.to_owned(),
        nearest: nearest(name, known.iter().copied()).to_owned(),
        known: known.join(", "),
    })
}

/// Returns the full names of all workloads.
pub fn workload_names() -> Vec<String> {
    FAMILIES
        .iter()
        .flat_map(|family| (family.names)())
        .collect()
}

/// Workloads that share their options and can share their data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyInfo {
    /// What their names begin with, such as `sysbench`.
    pub name: &'static str,
    /// Whether this name alone is a workload, too, whose options choose among the others.
    pub is_workload: bool,
    /// Their full names, where there is a fixed number of them.
    pub workloads: Vec<String>,
    /// Every option of any of them, with its default as text.
    pub options: Vec<(OptionInfo, String)>,
}

/// Returns all families, in the order of help texts.
pub fn families() -> impl Iterator<Item = FamilyInfo> {
    FAMILIES.iter().map(|family| FamilyInfo {
        name: family.name,
        is_workload: (family.claims)(family.name),
        workloads: (family.names)(),
        options: (family.options)(),
    })
}

/// Returns every option of any workload, with its default as text. An option that several families have is there once,
/// in the first one's words.
pub fn option_table() -> impl Iterator<Item = (OptionInfo, String)> {
    let mut table: Vec<(OptionInfo, String)> = Vec::new();
    for (info, default) in FAMILIES.iter().flat_map(|family| (family.options)()) {
        if table.iter().all(|(known, _)| known.name != info.name) {
            table.push((info, default));
        }
    }
    table.into_iter()
}

fn family_of(name: &str) -> Result<&'static Family, WorkloadError> {
    let found = FAMILIES.iter().find(|family| (family.claims)(name));
    found.ok_or_else(|| {
        let known = &workload_names();
        let bare = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        let bare_names: Vec<String> = known.iter().map(|known| bare(known)).collect();
        let close = probably_meant(&bare(name), bare_names.iter().map(String::as_str));
        let full = known.iter().find(|known| Some(&*bare(known)) == close);
        WorkloadError::UnknownWorkload {
            name: name.to_owned(),
            nearest: full.cloned(),
            known: known.join(", "),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_chance::RandomKind;

    #[test]
    fn every_workload_bears_the_name_of_its_family() {
        for family in families() {
            for name in &family.workloads {
                assert!(name.starts_with(family.name), "{name}");
                assert!(family_of(name).is_ok(), "{name}");
            }
        }
    }

    #[test]
    fn what_shapes_the_data_is_known_of_each_option() {
        let shapes = |name| {
            let (info, _) = option_table().find(|(info, _)| info.name == name).unwrap();
            info.shapes_data
        };
        for name in ["tables", "table_size", "rand_type", "warehouses", "fk"] {
            assert!(shapes(name), "{name}");
        }
        for name in ["point_selects", "skip_trx", "keyandthink", "mix"] {
            assert!(!shapes(name), "{name}");
        }
    }

    #[test]
    fn the_schema_is_named_to_workloads_that_name_it_themselves() {
        let named = |name: &str, given: &[(&str, &str)]| {
            let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
            let mut options = given.iter().map(owned).collect();
            name_schema(name, &mut options, "graph");
            options
                .into_iter()
                .map(|(_, value)| value)
                .collect::<Vec<_>>()
        };
        assert_eq!(named("linkbench", &[]), ["graph"]);
        assert_eq!(named("linkbench", &[("dbid", "other")]), ["other"]);
        assert!(named("sysbench/oltp_read_write", &[]).is_empty());
        assert!(named("nothing", &[]).is_empty());
    }

    #[test]
    fn a_transaction_type_is_found_by_its_name_or_the_nearest_is_named() {
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed: 1,
        };
        let made = workload("sysbench/oltp_read_write", &[], source, 1).unwrap();
        assert_eq!(transaction_type(&*made, "read_write"), Ok(0));
        let error = transaction_type(&*made, "reed_write").unwrap_err();
        assert!(error.to_string().contains("\"read_write\""), "{error}");
    }
}
