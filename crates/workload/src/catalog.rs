//! The workloads by name.

use crate::nearest::nearest;
use crate::oltp::{self, Oltp, OltpPopulation, Options, Script};
use crate::{Population, TransactionType, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use std::sync::Arc;

/// What stands before the name of every workload that imitates sysbench; it may be left out.
const SYSBENCH: &str = "sysbench/";

/// Makes a workload for `users` clients. Options are those of the imitated tool, as written by the user
/// (hyphens may stand for underscores, `rows` for `table_size`); of an option given twice the last one counts.
///
/// # Errors
/// An unknown workload or option (the nearest known one is named), a value out of range, a seed that the generator
/// can't hold.
pub fn workload(
    name: &str,
    options: &[(String, String)],
    source: RandomSource,
    users: u32,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let (script, options) = oltp_order(name, options, source)?;
    Ok(Arc::new(Oltp::new(script, options, source, users)?))
}

/// Makes the dataset on which the workload of the same name and options runs.
///
/// # Errors
/// As [`workload`].
pub fn population(
    name: &str,
    options: &[(String, String)],
    source: RandomSource,
) -> Result<Arc<dyn Population>, WorkloadError> {
    let (script, options) = oltp_order(name, options, source)?;
    Ok(Arc::new(OltpPopulation::new(script, options, source)))
}

/// The transaction type of a workload that has this name.
///
/// # Errors
/// The workload has no type of this name; the nearest is named.
pub fn transaction_type(
    workload: &dyn Workload,
    name: &str,
) -> Result<TransactionType, WorkloadError> {
    let known = workload.transaction_types();
    let place = known.iter().position(|&other| other == name);
    let found = place.and_then(|place| TransactionType::try_from(place).ok());
    found.ok_or_else(|| WorkloadError::UnknownTransactionType {
        workload: workload.name().to_owned(),
        name: name.to_owned(),
        nearest: nearest(name, known.iter().copied()).to_owned(),
        known: known.join(", "),
    })
}

/// The full names of all workloads.
pub fn workload_names() -> Vec<String> {
    oltp::script_names()
        .map(|name| format!("{SYSBENCH}{name}"))
        .collect()
}

/// An option of a workload, for help texts and argument parsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionInfo {
    /// Name as the imitated tool writes it, with underscores.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// On or off.
    pub is_switch: bool,
}

/// Every option of any workload, with its default as text.
pub fn option_table() -> impl Iterator<Item = (OptionInfo, String)> {
    oltp::option_table()
}

fn oltp_order(
    name: &str,
    options: &[(String, String)],
    source: RandomSource,
) -> Result<(&'static Script, Options), WorkloadError> {
    WorkloadError::check_seed(source)?;
    let script = script_named(name)?;
    Ok((script, Options::read(script, options)?))
}

fn script_named(name: &str) -> Result<&'static Script, WorkloadError> {
    let bare = name.strip_prefix(SYSBENCH).unwrap_or(name);
    if bare == "bulk_insert" {
        return Err(WorkloadError::NotAvailable {
            name: name.to_owned(),
            why: "an event of it only adds a row to a buffer, which needs a workload without a statement an event",
        });
    }
    oltp::script_named(bare).ok_or_else(|| WorkloadError::UnknownWorkload {
        name: name.to_owned(),
        nearest: format!("{SYSBENCH}{}", nearest(bare, oltp::script_names())),
        known: workload_names().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_chance::RandomKind;

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
