//! Records which steps of a populate are done, in a table next to the data, until all are. An interrupted
//! populate can then be resumed, and a part whose connection was lost is neither loaded twice nor left out.
//!
//! A part is written in one transaction with its entry, which comes first. A second connection that begins the same
//! part, while the server hasn't noticed yet that the first is gone, waits at the entry. It continues when the first
//! one's rows are rolled back, or finds that they are committed. If transactions are too small for a part, each of its
//! chunks has an entry. Statements that can't be undone (indexes) are recorded when they are done.

use dbdyno_wire::{Session, WireError};
use dbdyno_workload::STEP_LOG_TABLE;
use std::collections::HashMap;

/// MySQL error for an existing entry.
const DUPLICATE: u16 = 1062;

/// The entry that identifies the populate.
const IDENTITY: &str = "filling";

/// The sums of each completed step, by the step's entry.
pub(super) type StepSums = HashMap<String, Vec<u64>>;

/// Creates the step log; `engine`: in this storage engine instead of the server's default.
pub(super) fn create(
    session: &mut Session,
    identity: &str,
    engine: Option<&str>,
) -> Result<(), WireError> {
    session.query(&create_table(engine))?;
    write(session, IDENTITY, identity)
}

/// Returns the statement that makes the step log. Steps are ASCII; their key has a collation that MyRocks takes. The
/// identity has a directory's name in it, in any letters.
fn create_table(engine: Option<&str>) -> String {
    let engine = engine
        .map(|name| format!(" ENGINE={name}"))
        .unwrap_or_default();
    format!(
        "CREATE TABLE {STEP_LOG_TABLE} (step VARCHAR(120) NOT NULL PRIMARY KEY, \
         sums TEXT CHARACTER SET utf8mb4 NOT NULL) DEFAULT CHARACTER SET latin1 COLLATE latin1_bin{engine}"
    )
}

/// Drops the step log.
pub(super) fn drop(session: &mut Session) -> Result<(), WireError> {
    session
        .query(&format!("DROP TABLE IF EXISTS {STEP_LOG_TABLE}"))
        .map(|_| ())
}

/// Reads which populate this is, and which of its steps are done.
pub(super) fn read(session: &mut Session) -> Result<(String, StepSums), WireError> {
    let answer = session.select_columns(&format!("SELECT step, sums FROM {STEP_LOG_TABLE}"), 2)?;
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

/// Records a step; returns `false` if it was recorded already.
pub(super) fn claim(session: &mut Session, step: &str) -> Result<bool, WireError> {
    match write(session, step, "") {
        Err(WireError::Server(error)) if error.code == DUPLICATE => Ok(false),
        other => other.map(|()| true),
    }
}

/// Adds the sums to a recorded step.
pub(super) fn complete(session: &mut Session, step: &str, sums: &[u64]) -> Result<(), WireError> {
    let sums: Vec<String> = sums.iter().map(u64::to_string).collect();
    session
        .query(&format!(
            "UPDATE {STEP_LOG_TABLE} SET sums = '{}' WHERE step = '{step}'",
            sums.join(" ")
        ))
        .map(|_| ())
}

/// Reads the sums of a recorded step.
pub(super) fn sums_of(session: &mut Session, step: &str) -> Result<Vec<u64>, WireError> {
    let (_, mut entries) = read(session)?;
    Ok(entries.remove(step).unwrap_or_default())
}

fn write(session: &mut Session, step: &str, text: &str) -> Result<(), WireError> {
    let text = text.replace('\\', "\\\\").replace('\'', "''");
    session
        .query(&format!(
            "INSERT INTO {STEP_LOG_TABLE} VALUES ('{step}', '{text}')"
        ))
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_may_have_any_letters_and_the_key_a_collation_for_every_engine() {
        let statement = create_table(Some("rocksdb"));
        assert!(statement.contains("sums TEXT CHARACTER SET utf8mb4 NOT NULL"));
        assert!(statement.ends_with("CHARACTER SET latin1 COLLATE latin1_bin ENGINE=rocksdb"));
        assert!(!create_table(None).contains("ENGINE"));
    }
}
