//! Records of verifying tables.

use serde::Serialize;

/// What became of one condition.
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

/// All conditions were asked, or it was interrupted.
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
    pub(crate) elapsed_ns: u64,
}
