//! Writes the record of a server's results for the same events.

use super::TableRecord;
use serde::Serialize;

/// Holds everything by which two servers are compared.
#[derive(Debug, Serialize)]
pub(crate) struct FingerprintRecord {
    pub(crate) record: &'static str,
    pub(crate) schema_version: u32,
    pub(crate) program: &'static str,
    /// Events that ended well.
    pub(crate) events: u64,
    /// Events that were given up.
    pub(crate) failed: u64,
    /// SHA-256 of the statements sent; `None` if there were none.
    pub(crate) statements_sha256: Option<String>,
    /// See [`content_sha256`](super::content_sha256).
    pub(crate) content_sha256: String,
    pub(crate) tables: Vec<TableRecord<i64>>,
    pub(crate) elapsed_ns: u64,
}
