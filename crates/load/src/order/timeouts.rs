//! Reads how long a conversation with a server may take outside the load, by its kind.
//!
//! What the server does in one step has little time. What grows with the tables has much, and an option.

use std::time::Duration;

/// From the first attempt to connect to the last word of the log-in.
pub(crate) const LOGIN_TIMEOUT: Duration = Duration::from_secs(20);

/// For statements that touch no table of the workload, or few rows of it: settings, variables, counts, the parsing of a
/// statement.
pub(crate) const SHORT_STATEMENT_TIMEOUT: Duration = Duration::from_secs(60);

/// For rows on their way into a table, with what is waited for until they may go in: locks, and the server's own writing.
pub(crate) const ROWS_TIMEOUT: Duration = Duration::from_secs(900);

/// For a statement that makes, changes or drops a table, unless said otherwise.
pub(crate) const DDL_TIMEOUT: &str = "12h";

/// For a query that reads whole tables, unless said otherwise. A condition has less: it is undecided then, and no more.
pub(crate) const CHECK_TIMEOUT: &str = "1h";

/// As [`DDL_TIMEOUT`] and [`CHECK_TIMEOUT`], for orders that leave them out.
pub(super) fn twelve_hours() -> u64 {
    12 * 3_600_000_000_000
}

pub(super) fn an_hour() -> u64 {
    3_600_000_000_000
}
