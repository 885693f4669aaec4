//! Defines what the cold path keeps of a reply.

use crate::SessionChanges;

/// One value as text; `None` for SQL NULL.
pub type Value = Option<Vec<u8>>;

/// A whole result, kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryResult {
    /// Names of the columns; empty for a statement without rows.
    pub columns: Vec<String>,
    /// The rows, each value as text.
    pub rows: Vec<Vec<Value>>,
    /// Rows inserted, changed or deleted.
    pub affected_rows: u64,
    /// First value that AUTO_INCREMENT gave, or 0.
    pub last_insert_id: u64,
    /// Count of warnings.
    pub warnings: u16,
    /// What changed in the session, if [`SessionOptions::session_tracking`](crate::SessionOptions::session_tracking) was on.
    pub session_changes: SessionChanges,
}

impl QueryResult {
    /// Returns whether rows came, be it none: a statement without rows is answered without columns.
    #[must_use]
    pub fn has_result_set(&self) -> bool {
        !self.columns.is_empty()
    }
}
