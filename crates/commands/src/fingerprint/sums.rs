//! Sums up the content of the tables.

use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::order::Access;
use crate::record::TableRecord;
use dbdyno_wire::Session;
use dbdyno_workload::Population;

/// Returns the sums of every table, which also serve to check a filling.
pub(super) fn of_tables(
    population: &dyn Population,
    access: &Access,
) -> Result<Vec<TableRecord<i64>>, CliError> {
    let mut session = access.connect()?;
    let tables = (0..population.tables())
        .map(|table| of_table(population, table, &mut session))
        .collect();
    session.close();
    tables
}

fn of_table(
    population: &dyn Population,
    table: u32,
    session: &mut Session,
) -> Result<TableRecord<i64>, CliError> {
    let name = population.table_name(table);
    let cli_error = || {
        CliError::world(
            ErrorCode::ChecksumsUnreadable,
            format!("the checksums of table {name} could not be read"),
        )
    };
    let names = population.checks(table).iter().map(|check| check.name);
    let found = session
        .select_columns(&population.check_query(table), names.len())
        .map_err(|error| cli_error().because_of(&error))?;
    let [row] = &found.rows[..] else {
        let rows = found.rows.len();
        return Err(cli_error().because(format!("the server sent {rows} rows, not one")));
    };
    let values = row.iter().map(|value| {
        let text = String::from_utf8_lossy(value.as_deref().unwrap_or_default());
        text.parse::<i64>()
            .map_err(|error| cli_error().because(format!("{text:?} is not a sum: {error}")))
    });
    let sums = names
        .zip(values)
        .map(|(name, value)| Ok((name, value?)))
        .collect::<Result<_, CliError>>()?;
    Ok(TableRecord { name, sums })
}
