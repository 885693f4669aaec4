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
use crate::nearest::nearest;
use crate::option_value::identifier;
use crate::{OptionInfo, Population, WorkloadError};
use dbdyno_chance::RandomSource;
use directory::Directory;
use plan::TransactionPlan;
use population::SqlPopulation;
use std::collections::BTreeMap;
use std::path::Path;
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

/// Results name a workload by the directory of its name, whatever the path of its files on a load host.
const FOLDER: OptionInfo = OptionInfo {
    name: "folder",
    help: "Directory with the files, if its path is not that of sql:DIRECTORY",
    is_switch: false,
    shapes_data: false,
    family: "Options of SQL files",
};

/// Option: the files themselves, as [`source_files`] returns them. Only programs give it, so no table lists it.
pub const SQL_SOURCES: &str = "sql_sources";

/// How the catalogue knows the family. It has no names of workloads to list.
pub(crate) const FAMILY: Family = Family {
    name: "sql",
    names: Vec::new,
    claims: |name| name.starts_with(SQL),
    options: || vec![(ENGINE, String::new()), (FOLDER, String::new())],
    workload: |name, given, source, _users| {
        let directory = SqlOptions::read(name, given)?.open(name)?;
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

/// Returns the files that a workload of this name reads, as the value of the option [`SQL_SOURCES`], which stands for
/// the directory on a machine that does not have it; `None` for workloads that read no directory.
///
/// # Errors
/// The directory can't be read or holds no workload.
pub fn source_files(name: &str, given: &GivenOptions) -> Result<Option<String>, WorkloadError> {
    if !name.starts_with(SQL) {
        return Ok(None);
    }
    let directory = SqlOptions::read(name, given)?.open(name)?;
    let plan = TransactionPlan::read(&directory)?;
    let texts: BTreeMap<_, _> = plan
        .files
        .iter()
        .map(|file| (&file.name, &file.text))
        .collect();
    let texts = serde_json::to_string(&texts).map_err(|error| WorkloadError::Unreadable {
        file: name.to_owned(),
        why: error.to_string(),
    })?;
    Ok(Some(texts))
}

/// Returns the name by which a workload is known on other machines: that of a directory loses the path before it.
pub fn portable_name(name: &str) -> String {
    let Some(directory) = name.strip_prefix(SQL) else {
        return name.to_owned();
    };
    let path = Path::new(directory);
    let last = |path: &Path| {
        path.file_name()
            .map(|last| last.to_string_lossy().into_owned())
    };
    let resolved = || path.canonicalize().ok().as_deref().and_then(last);
    format!("{SQL}{}", last(path).or_else(resolved).unwrap_or_default())
}

fn population(
    name: &str,
    given: &GivenOptions,
    source: RandomSource,
) -> Result<Arc<dyn Population>, WorkloadError> {
    let options = SqlOptions::read(name, given)?;
    let directory = options.open(name)?;
    let population = SqlPopulation::read(&directory, options.engine, source)?;
    Ok(Arc::new(population))
}

/// Options of the family.
#[derive(Debug, Default)]
struct SqlOptions {
    engine: Option<String>,
    folder: Option<String>,
    sources: Option<String>,
}

impl SqlOptions {
    fn read(name: &str, given: &GivenOptions) -> Result<Self, WorkloadError> {
        let mut options = Self::default();
        for (option, value) in given {
            match option.replace('-', "_").as_str() {
                known if known == ENGINE.name => options.engine = Some(engine(option, value)?),
                known if known == FOLDER.name => options.folder = Some(value.clone()),
                SQL_SOURCES => options.sources = Some(value.clone()),
                unknown => {
                    let known = [ENGINE.name, FOLDER.name];
                    return Err(WorkloadError::UnknownOption {
                        workload: name.to_owned(),
                        option: option.clone(),
                        nearest: nearest(unknown, known).to_owned(),
                    });
                }
            }
        }
        Ok(options)
    }

    fn open(&self, name: &str) -> Result<Directory, WorkloadError> {
        match (&self.sources, &self.folder) {
            (Some(sources), _) => Directory::of_sources(name, sources),
            (None, Some(folder)) => Directory::open(folder),
            (None, None) => Directory::open(name.strip_prefix(SQL).unwrap_or(name)),
        }
    }
}

fn engine(option: &str, value: &str) -> Result<String, WorkloadError> {
    identifier(value).map_err(|allowed| WorkloadError::InvalidValue {
        option: option.to_owned(),
        value: value.to_owned(),
        allowed: allowed.to_owned(),
    })
}

#[cfg(test)]
mod sources_tests;
#[cfg(test)]
mod tests;
