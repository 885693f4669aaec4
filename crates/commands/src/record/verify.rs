//! Writes the records of verifying tables.

use dbdyno_workload::Condition;
use serde::Serialize;
use std::time::Duration;

/// Holds the result of one condition.
#[derive(Debug, Serialize)]
pub(crate) struct ConditionLine {
    pub(crate) record: &'static str,
    /// Such as `3.3.2.1`.
    pub(crate) name: String,
    pub(crate) meaning: String,
    pub(crate) status: &'static str,
    /// Whether it must hold now.
    pub(crate) required: bool,
    /// What may break it, such as `Q-HD-5`; empty for none.
    pub(crate) quirks: &'static str,
    /// Rows that break it, as far as they were fetched.
    pub(crate) rows: usize,
    /// Whether more rows break it than were fetched.
    pub(crate) has_more_rows: bool,
    /// The first of those rows.
    pub(crate) first_rows: Vec<Vec<Option<String>>>,
    pub(crate) elapsed_ns: u64,
    pub(crate) sql: String,
}

/// Records that a condition was sent to the server; its answer comes later.
#[derive(Debug, Serialize)]
pub(crate) struct ConditionAsked {
    record: &'static str,
    name: String,
    meaning: String,
    /// Its time limit.
    limit_ns: u64,
}

impl ConditionAsked {
    pub(crate) fn of(condition: &Condition, limit: Duration) -> Self {
        Self {
            record: "condition-asked",
            name: condition.name.clone(),
            meaning: condition.meaning.clone(),
            limit_ns: u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX),
        }
    }
}

/// Records the space of the tables, as the server reports it.
#[derive(Debug, Serialize)]
pub(crate) struct SpaceLine {
    pub(crate) record: &'static str,
    pub(crate) tables: Vec<TableSpace>,
}

/// Holds the space of one table, all its partitions together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TableSpace {
    pub(crate) name: String,
    /// By the server's own estimate.
    pub(crate) data_bytes: u64,
    pub(crate) index_bytes: u64,
    /// Length of its files; `None` if the storage engine reports none.
    pub(crate) file_bytes: Option<u64>,
    /// Disk space of the files: less than their length if they have holes.
    pub(crate) allocated_bytes: Option<u64>,
    /// Bytes of a page on the disk.
    pub(crate) page_bytes: Option<u64>,
}

/// Records the end: all conditions were asked, or it was interrupted.
#[derive(Debug, Serialize)]
pub(crate) struct VerifyEnd {
    pub(crate) record: &'static str,
    pub(crate) schema_version: u32,
    pub(crate) program: &'static str,
    pub(crate) status: &'static str,
    pub(crate) holds: usize,
    pub(crate) broken: usize,
    /// Broken, and need not hold.
    pub(crate) told: usize,
    /// Not answered in time.
    pub(crate) undecided: usize,
    /// `network`: the path to the server was lost.
    pub(crate) failure_kind: Option<&'static str>,
    pub(crate) elapsed_ns: u64,
}
