//! Writes the record of what a server made of the same events.

use super::TableRecord;
use serde::Serialize;

/// Everything by which two servers are compared.
#[derive(Debug, Serialize)]
pub(crate) struct FingerprintRecord {
    pub(crate) record: &'static str,
    pub(crate) schema_version: u32,
    pub(crate) program: &'static str,
    /// Events that ended well.
    pub(crate) events: u64,
    /// Events that were given up.
    pub(crate) failed: u64,
    /// Of the statements sent; `None` where none were.
    pub(crate) statements_sha256: Option<String>,
    /// See [`content_sha256`](super::content_sha256).
    pub(crate) content_sha256: String,
    pub(crate) tables: Vec<TableRecord<i64>>,
    pub(crate) elapsed_ns: u64,
}
