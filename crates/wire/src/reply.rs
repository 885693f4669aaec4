//! Defines what a load generator needs to know of a server's reply.

use crate::ServerError;

/// Another result of the same request follows.
pub(crate) const STATUS_MORE_RESULTS: u16 = 0x0008;
/// Behind the numbers of the OK packet stands what changed in the session.
pub(crate) const STATUS_SESSION_CHANGED: u16 = 0x4000;
/// The rows are one: what a prepared CALL left in its OUT parameters.
pub(crate) const STATUS_OUT_PARAMETERS: u16 = 0x1000;
/// A backslash in a literal stands for itself.
pub(crate) const STATUS_NO_BACKSLASH_ESCAPES: u16 = 0x0200;
const STATUS_IN_TRANSACTION: u16 = 0x0001;

/// The whole answer to one request. Of several results (a stored procedure) rows and affected rows are
/// added up and the rest is the last one's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Done, without rows.
    Ok(OkReply),
    /// Done, with rows, which were counted and passed over.
    Rows(RowsReply),
    /// Refused, or broken off in the midst of the rows.
    Error(ServerError),
}

/// A statement that returned no result set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OkReply {
    /// Rows inserted, changed or deleted.
    pub affected_rows: u64,
    /// First value that AUTO_INCREMENT gave, or 0.
    pub last_insert_id: u64,
    /// Server status bits.
    pub status: u16,
    /// Count of warnings.
    pub warnings: u16,
}

/// A statement that returned a result set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowsReply {
    /// Count of rows.
    pub rows: u64,
    /// Count of columns.
    pub columns: u16,
    /// Server status bits.
    pub status: u16,
    /// Count of warnings.
    pub warnings: u16,
}

impl Reply {
    /// Returns whether another result of the same request follows; only where a channel gives
    /// [one result at a time](crate::Channel::give_each_result).
    #[must_use]
    pub fn has_more(&self) -> bool {
        let status = match self {
            Self::Ok(ok) => ok.status,
            Self::Rows(rows) => rows.status,
            Self::Error(_) => 0,
        };
        status & STATUS_MORE_RESULTS != 0
    }

    /// Returns whether the server says that a transaction is open after this reply; `None` for an error, which
    /// carries no status.
    #[must_use]
    pub fn in_transaction(&self) -> Option<bool> {
        let status = match self {
            Self::Ok(ok) => ok.status,
            Self::Rows(rows) => rows.status,
            Self::Error(_) => return None,
        };
        Some(status & STATUS_IN_TRANSACTION != 0)
    }
}
