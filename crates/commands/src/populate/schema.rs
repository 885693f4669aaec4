//! Prepares the schema before it is filled: it exists, without the tables.

use super::step_log::{self, StepSums};
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::order::Access;
use dbdyno_drive::form_for;
use dbdyno_wire::{Session, WireError};
use dbdyno_workload::{Population, STEP_LOG_TABLE};
use std::collections::HashSet;

/// dbdyno may create schemas whose names have this prefix.
const OWN_PREFIX: &str = "dbdyno_";

/// Set explicitly: servers have different defaults, and a character set changes the size of rows and keys.
const CHARACTER_SET: &str = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";

/// Creates the schema if it is missing and dbdyno may create it.
pub(super) fn provide(access: &Access) -> Result<(), CliError> {
    let schema = access.endpoint.database.as_deref();
    let Some(schema) = schema.filter(|name| is_own(name)) else {
        return Ok(());
    };
    let mut outside = access.clone();
    outside.endpoint.database = None;
    let mut session = outside.connect()?;
    let listing = format!("SHOW DATABASES LIKE '{}'", schema.replace('_', "\\_"));
    let found = session.select_columns(&listing, 1);
    let create = format!("CREATE DATABASE IF NOT EXISTS `{schema}` {CHARACTER_SET}");
    let result = found.and_then(|found| {
        if found.rows.is_empty() {
            session.query(&create)
        } else {
            Ok(found)
        }
    });
    result.map_err(|error| {
        CliError::world(
            ErrorCode::SchemaNotCreated,
            format!("schema {schema} could not be created"),
        )
        .because_of(&error)
    })?;
    session.close();
    Ok(())
}

fn is_own(name: &str) -> bool {
    name.starts_with(OWN_PREFIX) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Refuses existing tables, which may hold somebody's data, or half of an earlier filling.
pub(super) fn refuse_existing(
    session: &mut Session,
    population: &dyn Population,
) -> Result<(), CliError> {
    let present = table_names(session).map_err(unlisted)?;
    if present.contains(STEP_LOG_TABLE) {
        return Err(CliError::request(ErrorCode::FillingUnfinished, "an earlier filling of this schema did not finish").hint(
            "continue it with --resume and the same options, or drop its tables with dbdyno-load cleanup",
        ));
    }
    let existing: Vec<_> = (0..population.tables())
        .map(|table| population.table_name(table))
        .filter(|name| present.contains(&name.to_ascii_lowercase()))
        .collect();
    if existing.is_empty() {
        return Ok(());
    }
    let count = existing.len();
    let verb = form_for(count as u64, "exists", "exist");
    Err(CliError::request(
        ErrorCode::TablesExist,
        format!("{count} of the workload's tables already {verb}"),
    )
    .because(shortened(&existing))
    .hint("drop them with dbdyno-load cleanup and the same options, or choose another --database"))
}

/// Returns the completed steps of an unfinished filling; it must be the same filling.
pub(super) fn unfinished(session: &mut Session, identity: &str) -> Result<StepSums, CliError> {
    if !table_names(session)
        .map_err(unlisted)?
        .contains(STEP_LOG_TABLE)
    {
        return Err(CliError::request(
            ErrorCode::NothingToContinue,
            "there is no filling to continue",
        )
        .because("the schema holds no unfinished filling")
        .hint("omit --resume"));
    }
    let (begun, entries) = step_log::read(session).map_err(unkept)?;
    if begun == identity {
        return Ok(entries);
    }
    Err(CliError::request(
        ErrorCode::FillingOfOtherOptions,
        "the unfinished filling was started with other options",
    )
    .because(format!("begun: {begun}\nnow:   {identity}"))
    .hint("give the same options, or drop its tables with dbdyno-load cleanup"))
}

fn unlisted(error: WireError) -> CliError {
    CliError::world(
        ErrorCode::TablesUnlisted,
        "the tables of the schema could not be listed",
    )
    .because_of(&error)
}

/// Builds the error for a step log that can't be used.
pub(super) fn unkept(error: WireError) -> CliError {
    CliError::world(
        ErrorCode::StepLogUnusable,
        format!("table {STEP_LOG_TABLE}, which records the progress, could not be used"),
    )
    .because_of(&error)
}

fn table_names(session: &mut Session) -> Result<HashSet<String>, WireError> {
    let listed = session.select_columns("SHOW TABLES", 1)?;
    let names = listed.rows.iter().filter_map(|row| row.first()?.as_deref());
    Ok(names
        .map(|name| String::from_utf8_lossy(name).to_ascii_lowercase())
        .collect())
}

fn shortened(names: &[String]) -> String {
    match names {
        [first, .., last] if names.len() > 8 => format!("{first} … {last}"),
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_schemas_of_its_own_are_created() {
        assert!(is_own("dbdyno_sbtest"));
        assert!(!is_own("sbtest") && !is_own("dbdyno_x`; DROP DATABASE y"));
    }

    #[test]
    fn many_names_are_shortened() {
        let names: Vec<_> = (1..=20).map(|number| format!("sbtest{number}")).collect();
        assert_eq!(shortened(&names), "sbtest1 … sbtest20");
        assert_eq!(shortened(&names[..2]), "sbtest1, sbtest2");
    }
}
