//! Generates the rows of a part ahead of the connection that sends them.

use super::hand::{Hitch, failed};
use super::line::{Batches, Line};
use super::rows_file::RowsFile;
use super::way::{Carrier, Way};
use crate::trouble::Trouble;
use dbdyno_wire::{QueryResult, Session, Value};
use dbdyno_workload::{RowForm, RowSource};
use std::io;

/// Told how many rows are about to go; an error ends it.
pub(super) type OnRows<'a> = dyn FnMut(u64) -> Result<(), Trouble> + 'a;

/// What the server made of the rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) rows: u64,
    /// What it had to say against one of them. Statements fail then; a file of rows is taken all the same, with what
    /// the server thinks was meant.
    pub(super) objection: Option<String>,
}

/// Sends all rows.
pub(super) fn send(
    line: &mut Line,
    rows: &mut dyn RowSource,
    way: &Way,
    on_rows: &mut OnRows<'_>,
) -> Result<Taken, Hitch> {
    match &way.carrier {
        Carrier::Statements => send_statements(&mut line.session, rows, on_rows),
        Carrier::Prepared(form) => send_values(line, rows, form, on_rows),
        Carrier::File(form) => send_file(&mut line.session, rows, form, on_rows),
    }
}

fn send_values(
    line: &mut Line,
    rows: &mut dyn RowSource,
    form: &RowForm,
    on_rows: &mut OnRows<'_>,
) -> Result<Taken, Hitch> {
    let (mut batches, mut taken) = (Batches::of(rows, form), Taken::default());
    let mut count = batches.next();
    while count > 0 {
        on_rows(count)?;
        batches.start(line)?;
        count = batches.next(); // made while the server is at work on those before
        taken.rows += line.finish_insert()?;
    }
    Ok(taken)
}

fn send_file(
    session: &mut Session,
    rows: &mut dyn RowSource,
    form: &RowForm,
    on_rows: &mut OnRows<'_>,
) -> Result<Taken, Hitch> {
    let mut refused = None;
    let mut told = |count| {
        on_rows(count).map_err(|trouble| {
            refused = Some(trouble);
            io::Error::other("the filling ends")
        })
    };
    let mut file = RowsFile::new(rows, form, &mut told);
    let result = session.load_local(form.load_statement(), &mut file);
    match refused {
        Some(trouble) => Err(trouble.into()),
        None => taken(session, result?),
    }
}

fn taken(session: &mut Session, result: QueryResult) -> Result<Taken, Hitch> {
    let objection = if result.warnings > 0 {
        objection(&session.select_columns("SHOW WARNINGS", 3)?)
    } else {
        None
    };
    Ok(Taken {
        rows: result.affected_rows,
        objection,
    })
}

/// The first warning that is about a row. Notes aren't, nor is what a server with a log of statements says of any
/// statement that it thinks hard to repeat.
fn objection(warnings: &QueryResult) -> Option<String> {
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
) -> Result<Taken, Hitch> {
    let (mut statement, mut taken) = (Vec::new(), Taken::default());
    loop {
        let count = rows.next_statement(&mut statement);
        if count == 0 {
            return Ok(taken);
        }
        on_rows(count)?;
        let text =
            std::str::from_utf8(&statement).map_err(|error| failed("a statement", &error))?;
        taken.rows += session.query(text)?.affected_rows;
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
        assert_eq!(objection(&warnings(&harmless)), None);
        let cut = ["Warning", "1265", "Data truncated for column 'c' at row 7"];
        let found = objection(&warnings(&[harmless[0], cut]));
        assert_eq!(found.as_deref(), Some(cut[2]));
    }
}
