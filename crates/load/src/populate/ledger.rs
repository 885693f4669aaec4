//! Records what of a filling is done, next to the tables, until all of it is: so that a filling that was
//! broken off can be resumed, and a part whose connection was lost is neither filled twice nor left out.
//!
//! A part is written in one transaction with its entry, which comes first: a second connection that begins the same
//! part, while the server hasn't noticed yet that the first is gone, waits at the entry until the first one's rows are
//! undone, or finds that they are in. Where a transaction holds so few rows that a part takes several, each of these
//! portions has an entry. Statements that can't be undone (indexes) are noted when they are done.

use dbdyno_wire::{Session, WireError};
use std::collections::HashMap;

/// The table of the entries. It is there as long as the filling isn't complete.
pub(crate) const LEDGER: &str = "dbdyno_filling";

/// MySQL error of an entry that is there already.
const DUPLICATE: u16 = 1062;

/// What is noted under which name.
pub(super) type Entries = HashMap<String, Vec<u64>>;

/// The name of the entry that says of what the filling is.
const IDENTITY: &str = "filling";

/// Makes the ledger of a filling of these tables; `engine`: in this storage engine, not the server's default one.
pub(super) fn create(
    session: &mut Session,
    identity: &str,
    engine: Option<&str>,
) -> Result<(), WireError> {
    let engine = engine
        .map(|name| format!(" ENGINE={name}"))
        .unwrap_or_default();
    session.query(&format!(
        "CREATE TABLE {LEDGER} (step VARCHAR(120) NOT NULL PRIMARY KEY, sums TEXT NOT NULL) \
         DEFAULT CHARACTER SET latin1 COLLATE latin1_bin{engine}"
    ))?;
    write(session, IDENTITY, identity)
}

/// Takes the ledger away.
pub(super) fn drop(session: &mut Session) -> Result<(), WireError> {
    session
        .query(&format!("DROP TABLE IF EXISTS {LEDGER}"))
        .map(|_| ())
}

/// Of what the filling is, and what of it is done.
pub(super) fn read(session: &mut Session) -> Result<(String, Entries), WireError> {
    let answer = session.select_columns(&format!("SELECT step, sums FROM {LEDGER}"), 2)?;
    let text = |value: &Option<Vec<u8>>| {
        String::from_utf8_lossy(value.as_deref().unwrap_or_default()).into_owned()
    };
    let mut entries: HashMap<String, String> = answer
        .rows
        .iter()
        .map(|row| (text(&row[0]), text(&row[1])))
        .collect();
    let identity = entries.remove(IDENTITY).unwrap_or_default();
    let sums = |text: String| text.split(' ').filter_map(|sum| sum.parse().ok()).collect();
    let entries = entries.into_iter().map(|(step, text)| (step, sums(text)));
    Ok((identity, entries.collect()))
}

/// Notes a step. With `false` it was noted already.
pub(super) fn claim(session: &mut Session, step: &str) -> Result<bool, WireError> {
    match write(session, step, "") {
        Err(WireError::Server(error)) if error.code == DUPLICATE => Ok(false),
        other => other.map(|()| true),
    }
}

/// Adds its sums to a step that was noted.
pub(super) fn complete(session: &mut Session, step: &str, sums: &[u64]) -> Result<(), WireError> {
    let sums: Vec<String> = sums.iter().map(u64::to_string).collect();
    session
        .query(&format!(
            "UPDATE {LEDGER} SET sums = '{}' WHERE step = '{step}'",
            sums.join(" ")
        ))
        .map(|_| ())
}

/// The sums of a step that was noted.
pub(super) fn sums_of(session: &mut Session, step: &str) -> Result<Vec<u64>, WireError> {
    let (_, mut entries) = read(session)?;
    Ok(entries.remove(step).unwrap_or_default())
}

fn write(session: &mut Session, step: &str, text: &str) -> Result<(), WireError> {
    let text = text.replace('\\', "\\\\").replace('\'', "''");
    session
        .query(&format!("INSERT INTO {LEDGER} VALUES ('{step}', '{text}')"))
        .map(|_| ())
}
