//! Runs user-defined workloads: a directory with a `workload.toml` and plain files of SQL, named `sql:DIRECTORY`.
//!
//! [`Directory`] reads the files; [`form`] is what the TOML may say. [`scan`] cuts SQL into statements and finds the
//! `:names` in it, [`TransactionPlan`] checks it all and puts it in order, [`SqlFilesUser`](user::Client) runs it.
//! [`generator`] draws the values, of parameters and of columns alike. Every error names file and line, before anything
//! is sent to a server.

mod directory;
mod distributions;
mod form;
mod generator;
mod phases;
mod plan;
mod plan_writer;
mod population;
mod role;
mod rows;
mod scan;
mod think_time;
mod user;
mod words;
mod workload;

use crate::family::{Family, GivenOptions};
use crate::option_value::identifier;
use crate::{OptionInfo, Population, WorkloadError};
use dbdyno_chance::RandomSource;
use directory::Directory;
use plan::TransactionPlan;
use population::SqlPopulation;
use std::sync::Arc;
use workload::SqlFiles;

/// Prefix of the directory.
const SQL: &str = "sql:";

const ENGINE: OptionInfo = OptionInfo {
    name: "mysql_storage_engine",
    help: "Storage engine of tables whose CREATE TABLE names none",
    is_switch: false,
    shapes_data: true,
    family: "Options of SQL files",
};

/// How the catalogue knows the family. It has no names of workloads to list.
pub(crate) const FAMILY: Family = Family {
    name: "sql",
    names: Vec::new,
    claims: |name| name.starts_with(SQL),
    options: || vec![(ENGINE, String::new())],
    workload: |name, given, source, _users| {
        read_engine(name, given)?;
        let directory = open(name)?;
        let plan = TransactionPlan::read(&directory)?;
        let course = phases::course(&directory, &plan)?;
        let description = directory.form.description;
        Ok(Arc::new(SqlFiles::new(
            name,
            description,
            plan,
            course,
            source,
        )))
    },
    population,
};

fn population(
    name: &str,
    given: &GivenOptions,
    source: RandomSource,
) -> Result<Arc<dyn Population>, WorkloadError> {
    let engine = read_engine(name, given)?;
    let directory = open(name)?;
    Ok(Arc::new(SqlPopulation::read(&directory, engine, source)?))
}

fn open(name: &str) -> Result<Directory, WorkloadError> {
    Directory::open(name.strip_prefix(SQL).unwrap_or(name))
}

fn read_engine(name: &str, given: &GivenOptions) -> Result<Option<String>, WorkloadError> {
    let mut engine = None;
    for (option, value) in given {
        if option.replace('-', "_") != ENGINE.name {
            return Err(WorkloadError::UnknownOption {
                workload: name.to_owned(),
                option: option.clone(),
                nearest: ENGINE.name.to_owned(),
            });
        }
        let read = identifier(value).map_err(|allowed| WorkloadError::InvalidValue {
            option: option.clone(),
            value: value.clone(),
            allowed: allowed.to_owned(),
        });
        engine = Some(read?);
    }
    Ok(engine)
}

#[cfg(test)]
mod tests;
