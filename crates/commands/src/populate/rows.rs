//! Generates the rows of a part ahead of the connection that sends them.

use super::connection::{StepError, failed};
use super::load_method::{LoadMethod, RowTransport};
use super::row_sender::{RowBatches, RowSender};
use super::rows_file::RowsFile;
use crate::cli_error::CliError;
use dbdyno_wire::{QueryResult, Session, Value};
use dbdyno_workload::{RowForm, RowSource};
use std::io;

/// Called with the number of rows about to be sent; an error ends it.
pub(super) type OnRows<'a> = dyn FnMut(u64) -> Result<(), CliError> + 'a;

/// Holds the server's result for the rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AcceptedRows {
    pub(super) rows: u64,
    /// The server's warning about a row. Statements fail then; a file of rows is accepted all the same, with the values
    /// that the server guessed.
    pub(super) warning: Option<String>,
}

/// Sends all rows.
pub(super) fn send(
    sender: &mut RowSender,
    rows: &mut dyn RowSource,
    method: &LoadMethod,
    on_rows: &mut OnRows<'_>,
) -> Result<AcceptedRows, StepError> {
    match &method.transport {
        RowTransport::Statements => send_statements(&mut sender.session, rows, on_rows),
        RowTransport::Prepared(form) => send_values(sender, rows, form, on_rows),
        RowTransport::File(form) => send_file(&mut sender.session, rows, form, on_rows),
    }
}

fn send_values(
    sender: &mut RowSender,
    rows: &mut dyn RowSource,
    form: &RowForm,
    on_rows: &mut OnRows<'_>,
) -> Result<AcceptedRows, StepError> {
    let (mut batches, mut accepted) = (RowBatches::of(rows, form), AcceptedRows::default());
    let mut count = batches.next();
    while count > 0 {
        on_rows(count)?;
        batches.start(sender)?;
        count = batches.next(); // prepared while the server works on the previous rows
        accepted.rows += sender.finish_insert()?;
    }
    Ok(accepted)
}

fn send_file(
    session: &mut Session,
    rows: &mut dyn RowSource,
    form: &RowForm,
    on_rows: &mut OnRows<'_>,
) -> Result<AcceptedRows, StepError> {
    let mut refused = None;
    let mut report = |count| {
        on_rows(count).map_err(|cli_error| {
            refused = Some(cli_error);
            io::Error::other("the filling ends")
        })
    };
    let mut file = RowsFile::new(rows, form, &mut report);
    let result = session.load_local(form.load_statement(), &mut file);
    match refused {
        Some(cli_error) => Err(cli_error.into()),
        None => accepted(session, result?),
    }
}

fn accepted(session: &mut Session, result: QueryResult) -> Result<AcceptedRows, StepError> {
    let warning = if result.warnings > 0 {
        warning(&session.select_columns("SHOW WARNINGS", 3)?)
    } else {
        None
    };
    Ok(AcceptedRows {
        rows: result.affected_rows,
        warning,
    })
}

/// Returns the first warning that is about a row. Notes aren't, nor is a server's warning about any
/// statement that its statement log can't repeat safely.
fn warning(warnings: &QueryResult) -> Option<String> {
    const UNSAFE_TO_LOG: &str = "1592";
    let text =
        |value: &Value| String::from_utf8_lossy(value.as_deref().unwrap_or_default()).into_owned();
    warnings.rows.iter().find_map(|row| {
        let [level, code, message] = row.as_slice() else {
            return None;
        };
        let is_about_rows = text(level) != "Note" && text(code) != UNSAFE_TO_LOG;
        is_about_rows.then(|| text(message))
    })
}

fn send_statements(
    session: &mut Session,
    rows: &mut dyn RowSource,
    on_rows: &mut OnRows<'_>,
) -> Result<AcceptedRows, StepError> {
    let (mut statement, mut accepted) = (Vec::new(), AcceptedRows::default());
    loop {
        let count = rows.next_statement(&mut statement);
        if count == 0 {
            return Ok(accepted);
        }
        on_rows(count)?;
        let text =
            std::str::from_utf8(&statement).map_err(|error| failed("a statement", &error))?;
        accepted.rows += session.query(text)?.affected_rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_about_a_row_is_an_objection_and_a_note_is_none() {
        let warnings = |rows: &[[&str; 3]]| QueryResult {
            rows: rows
                .iter()
                .map(|row| {
                    row.iter()
                        .map(|text| Some(text.as_bytes().to_vec()))
                        .collect()
                })
                .collect(),
            ..QueryResult::default()
        };
        let harmless = [
            ["Note", "1051", "Unknown table"],
            ["Warning", "1592", "Unsafe statement"],
        ];
        assert_eq!(warning(&warnings(&harmless)), None);
        let cut = ["Warning", "1265", "Data truncated for column 'c' at row 7"];
        let found = warning(&warnings(&[harmless[0], cut]));
        assert_eq!(found.as_deref(), Some(cut[2]));
    }
}
