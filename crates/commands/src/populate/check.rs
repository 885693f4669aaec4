//! Compares a table with the rows sent.

use super::connection::{LoaderConnection, LoggedStep};
use super::populator::Populator;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use std::sync::PoisonError;

impl Populator<'_> {
    /// Has the server sum up the table, and compares.
    pub(super) fn check_table(
        &self,
        connection: &mut LoaderConnection<'_>,
        table: u32,
    ) -> Result<(), CliError> {
        let step = LoggedStep {
            entry: String::new(),
            what: self.table(table),
        };
        let query = self.population.check_query(table);
        let sums = self.check_names(table).count();
        let answer = connection.ask(&step, &mut |session| {
            Ok(session.select_columns(&query, sums)?)
        })?;
        let found: Vec<String> = answer
            .rows
            .first()
            .into_iter()
            .flatten()
            .map(|value| String::from_utf8_lossy(value.as_deref().unwrap_or_default()).into_owned())
            .collect();
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let sums = sent.get(&table).map(Vec::as_slice).unwrap_or_default();
        let sent: Vec<String> = sums.iter().map(u64::to_string).collect();
        if found == sent {
            return Ok(());
        }
        let names: Vec<_> = self.check_names(table).collect();
        Err(CliError::world(
            ErrorCode::RowsDiffer,
            format!(
                "{} does not hold the rows that were sent",
                self.table(table)
            ),
        )
        .because(format!(
            "{}: sent {}, found {}",
            names.join(", "),
            sent.join(", "),
            found.join(", ")
        ))
        .hint("drop the tables with dbdyno-load cleanup and the same options, and fill them again"))
    }
}
