//! Writes the records of filling tables.

use super::PROGRAM;
use super::named::Named;
use crate::order::SCHEMA_VERSION;
use serde::Serialize;

/// Records that filling begins.
#[derive(Debug, Serialize)]
pub(crate) struct PopulateStart {
    record: &'static str,
    schema_version: u32,
    program: &'static str,
    rows_total: u64,
    tables: u32,
}

impl PopulateStart {
    pub(crate) fn new(rows_total: u64, tables: u32) -> Self {
        Self {
            record: "populate-start",
            schema_version: SCHEMA_VERSION,
            program: PROGRAM,
            rows_total,
            tables,
        }
    }
}

/// Records the progress.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct PopulateProgress {
    record: &'static str,
    pub(crate) phase: &'static str,
    pub(crate) rows_done: u64,
    pub(crate) rows_total: u64,
    pub(crate) elapsed_ns: u64,
    /// Those of `rows_done` that an interrupted populate had sent.
    #[serde(skip)]
    pub(crate) rows_before: u64,
}

impl PopulateProgress {
    pub(crate) fn new(
        phase: &'static str,
        rows_done: u64,
        rows_total: u64,
        elapsed_ns: u64,
    ) -> Self {
        Self {
            record: "populate-progress",
            phase,
            rows_done,
            rows_total,
            elapsed_ns,
            rows_before: 0,
        }
    }

    /// Returns the same progress after so many rows of an interrupted populate.
    pub(crate) fn with_rows_before(self, rows_before: u64) -> Self {
        Self {
            rows_before,
            ..self
        }
    }
}

/// Holds what was sent of one table, or what it contains: its name and its sums by name.
#[derive(Debug, Clone)]
pub(crate) struct TableRecord<N = u64> {
    pub(crate) name: String,
    pub(crate) sums: Vec<(&'static str, N)>,
}

impl<N: Copy + Into<serde_json::Value>> Serialize for TableRecord<N> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = ("name", serde_json::Value::from(self.name.as_str()));
        let sums = self.sums.iter().map(|&(sum, value)| (sum, value.into()));
        Named(std::iter::once(name).chain(sums).collect()).serialize(serializer)
    }
}

/// Records that filling has ended.
#[derive(Debug, Serialize)]
pub(crate) struct PopulateEnd {
    pub(crate) record: &'static str,
    pub(crate) status: &'static str,
    pub(crate) reason: String,
    /// `network`: the path to the server was lost.
    pub(crate) failure_kind: Option<&'static str>,
    pub(crate) elapsed_ns: u64,
    pub(crate) load_ns: u64,
    pub(crate) index_ns: u64,
    pub(crate) process_cpu_ns: u64,
    /// `prepared`, `infile`, `statements`, or `mixed` if tables differ.
    pub(crate) load_by: &'static str,
    /// Whether the server's redo log was switched off meanwhile.
    pub(crate) accelerated: bool,
    /// Steps that were restarted after a lost connection or a lock.
    pub(crate) repeats: u64,
    /// Rows that an interrupted populate had sent: no time of these records is theirs.
    #[serde(skip)]
    pub(crate) rows_before: u64,
    /// Tables whose rows were all sent.
    pub(crate) tables: Vec<TableRecord>,
    /// See [`content_sha256`](super::content_sha256).
    pub(crate) content_sha256: String,
}
