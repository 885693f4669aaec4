//! Defines what a call on a connection came to.

/// Describes what a call came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallResult {
    /// A result set, which may be empty.
    Rows,
    /// None.
    NoRows,
    /// An error: see [`Connection::last_error`](super::Connection::last_error).
    Failed,
}

/// The result set of the last call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResultSet {
    /// Rows in it.
    pub row_count: u64,
    /// Columns; 0 in dialect 1.0 for what a prepared statement returned.
    pub column_count: u16,
}

/// Says whose results wait to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pending {
    /// A text's.
    Query,
    /// A prepared statement's, by its number.
    Statement(u32),
}
