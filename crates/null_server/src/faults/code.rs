//! Lists error codes with the SQL states and texts that servers send.

/// Returns SQL state and text of an error. Codes that are not known have a text that says where they are from.
pub(crate) fn error_text(code: u16) -> (&'static str, String) {
    let known = TABLE.iter().find(|(known, ..)| *known == code);
    match known {
        Some((_, state, text)) => (state, (*text).to_owned()),
        None => ("HY000", format!("Error {code}, planned by the null server")),
    }
}

const TABLE: &[(u16, &str, &str)] = &[
    (
        1020,
        "HY000",
        "Record has changed since last read in table 'sbtest1'",
    ),
    (
        1021,
        "HY000",
        "Disk full (/tmp); waiting for someone to free some space...",
    ),
    (1040, "08004", "Too many connections"),
    (1047, "08S01", "Unknown command"),
    (1053, "08S01", "Server shutdown in progress"),
    (1062, "23000", "Duplicate entry '1' for key 'PRIMARY'"),
    (
        1064,
        "42000",
        "You have an error in your SQL syntax; several statements were not allowed",
    ),
    (1114, "HY000", "The table 'sbtest1' is full"),
    (
        1142,
        "42000",
        "SELECT command denied to user 'app'@'localhost' for table 'sbtest1'",
    ),
    (1146, "42S02", "Table 'sbtest.sbtest1' doesn't exist"),
    (
        1180,
        "HY000",
        "Got error 149 \"Lock deadlock; Retry transaction\" during COMMIT",
    ),
    (
        1205,
        "HY000",
        "Lock wait timeout exceeded; try restarting transaction",
    ),
    (
        1213,
        "40001",
        "Deadlock found when trying to get lock; try restarting transaction",
    ),
    (
        1243,
        "HY000",
        "Unknown prepared statement handler given to EXECUTE",
    ),
    (
        1290,
        "HY000",
        "The MySQL server is running with the --read-only option so it cannot execute this statement",
    ),
    (1317, "70100", "Query execution was interrupted"),
    (
        1461,
        "42000",
        "Can't create more than max_prepared_stmt_count statements",
    ),
    (1835, "HY000", "Malformed communication packet."),
    (1836, "HY000", "Running in read-only mode"),
    (1927, "70100", "Connection was killed"),
    (
        3024,
        "HY000",
        "Query execution was interrupted, maximum statement execution time exceeded",
    ),
    (
        3101,
        "40000",
        "Plugin instructed the server to rollback the current transaction.",
    ),
    (
        4031,
        "HY000",
        "The client was disconnected by the server because of inactivity.",
    ),
];

/// Returns whether a server that says so has rolled the whole transaction back.
pub(crate) fn ends_transaction(code: u16) -> bool {
    matches!(code, 1180 | 1213 | 3101)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_five_characters_and_codes_stand_once() {
        for (at, (code, state, text)) in TABLE.iter().enumerate() {
            assert_eq!(state.len(), 5, "{code}");
            assert!(!text.is_empty());
            assert!(TABLE[..at].iter().all(|(other, ..)| other < code), "{code}");
        }
        assert_eq!(error_text(1213).0, "40001");
        assert!(error_text(9999).1.contains("9999"));
    }
}
