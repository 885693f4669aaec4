//! The cold path.

use crate::channel::Channel;
use crate::{Endpoint, Parameters, SessionFacts, WireError};
use std::time::Duration;

/// A logged-in connection that waits for each answer: for setting up, loading and tidying.
#[derive(Debug)]
pub struct Session {
    facts: Box<SessionFacts>,
}

/// A statement that the server has parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreparedStatement {
    /// The server's number for it, valid on its own connection only.
    pub id: u32,
    /// Count of `?` places.
    pub parameter_count: u16,
    /// Count of result columns; 0 if it returns no rows.
    pub column_count: u16,
}

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
}

impl Session {
    /// Connects and logs in within `timeout`.
    pub fn open(_endpoint: &Endpoint, _timeout: Duration) -> Result<Self, WireError> {
        todo!()
    }

    /// What the log-in found out.
    #[must_use]
    pub fn facts(&self) -> &SessionFacts {
        &self.facts
    }

    /// Limits each later wait for the server; `None`, the state after `open`, waits for ever.
    pub fn set_timeout(&mut self, _limit: Option<Duration>) -> Result<(), WireError> {
        todo!()
    }

    /// Sends one statement as text and keeps its rows. Of several results the last with rows is kept.
    pub fn query(&mut self, _sql: &str) -> Result<QueryResult, WireError> {
        todo!()
    }

    /// Has the server parse a statement.
    pub fn prepare(&mut self, _sql: &str) -> Result<PreparedStatement, WireError> {
        todo!()
    }

    /// Runs a prepared statement and keeps its rows.
    pub fn execute(
        &mut self,
        _statement: &PreparedStatement,
        _parameters: &Parameters,
    ) -> Result<QueryResult, WireError> {
        todo!()
    }

    /// Goes over to the hot path: nothing blocks from here.
    pub fn into_channel(self) -> Result<Channel, WireError> {
        todo!()
    }

    /// Says good-bye.
    pub fn close(self) {
        todo!()
    }
}
