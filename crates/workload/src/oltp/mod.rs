//! Implements the sysbench OLTP family as the scripts of sysbench 1.0.20 do it: statements, order, draws and
//! quirks.
//!
//! A [`OltpScript`] is a row of a table: what is prepared, and of which blocks an event is made. With [`OltpOptions`] it
//! becomes an [`Oltp`] workload, whose users walk the blocks; [`OltpPopulation`] makes the rows.

mod blocks;
mod checksum;
mod option_table;
mod options;
mod population;
mod quirks;
mod row_values;
mod rows;
mod schema;
mod script;
mod starts;
mod statement;
mod text;
mod user;
mod workload;

use crate::bulk_insert::{self, NAME as BULK_INSERT};
use crate::family::{Family, GivenOptions};
use crate::{Population, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use options::OltpOptions;
use population::OltpPopulation;
use script::{OltpScript, script_names};
use std::sync::Arc;
use workload::Oltp;

/// Prefix of the name of every workload that imitates sysbench; it may be left out.
const SYSBENCH: &str = "sysbench/";

/// How the catalogue knows the family.
pub(crate) const FAMILY: Family = Family {
    name: "sysbench",
    names: || {
        let named = |name| format!("{SYSBENCH}{name}");
        script_names().chain([BULK_INSERT]).map(named).collect()
    },
    claims: |name| bare(name) == BULK_INSERT || script::script_named(bare(name)).is_some(),
    options: || option_table::TABLE.described(|_| OltpOptions::default()),
    workload: |name, given, source, users| {
        if bare(name) == BULK_INSERT {
            return bulk_insert::workload(given, users);
        }
        let (script, options) = read(name, given)?;
        let made: Arc<dyn Workload> = Arc::new(Oltp::new(script, options, source, users)?);
        Ok(made)
    },
    population,
};

fn population(
    name: &str,
    given: &GivenOptions,
    source: RandomSource,
) -> Result<Arc<dyn Population>, WorkloadError> {
    if bare(name) == BULK_INSERT {
        return bulk_insert::population(given);
    }
    let (script, options) = read(name, given)?;
    Ok(Arc::new(OltpPopulation::new(script, options, source)))
}

fn bare(name: &str) -> &str {
    name.strip_prefix(SYSBENCH).unwrap_or(name)
}

fn read(
    name: &str,
    given: &GivenOptions,
) -> Result<(&'static OltpScript, OltpOptions), WorkloadError> {
    let unknown = || WorkloadError::UnknownWorkload {
        name: name.to_owned(),
        nearest: None,
        known: script_names().collect::<Vec<_>>().join(", "),
    };
    let script = script::script_named(bare(name)).ok_or_else(unknown)?;
    Ok((script, OltpOptions::read(script, given)?))
}
