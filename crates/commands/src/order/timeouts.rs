//! Reads the time limits of conversations with a server outside the load, by their kind.
//!
//! A single step of the server has little time. Work that grows with the tables has much, and an option.

use std::time::Duration;

/// From the first attempt to connect to the end of the log-in.
pub(crate) const LOGIN_TIMEOUT: Duration = Duration::from_secs(20);

/// For statements that touch no table of the workload, or few rows of it: settings, variables, counts, the parsing of a
/// statement.
pub(crate) const SHORT_STATEMENT_TIMEOUT: Duration = Duration::from_secs(60);

/// For rows on their way into a table, including their waits: locks, and the server's own writing.
pub(crate) const ROWS_TIMEOUT: Duration = Duration::from_secs(900);

/// For a statement that makes, changes or drops a table, by default.
pub(crate) const DDL_TIMEOUT: &str = "12h";

/// For a query that reads whole tables, by default. A condition has less: then it is only undecided.
pub(crate) const CHECK_TIMEOUT: &str = "1h";

/// Returns [`DDL_TIMEOUT`], for orders that leave it out; `an_hour` returns [`CHECK_TIMEOUT`].
pub(super) fn twelve_hours() -> u64 {
    12 * 3_600_000_000_000
}

pub(super) fn an_hour() -> u64 {
    3_600_000_000_000
}
