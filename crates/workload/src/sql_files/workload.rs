//! Builds a workload from a directory.

use super::plan::TransactionPlan;
use super::user::SqlFilesUser;
use crate::transaction_script::ScriptUser;
use crate::{
    Call, Metadata, RateProfile, RetryAfter, RetryPolicy, RetryValues, StatementTemplate, User,
    Workload,
};
use dbdyno_chance::RandomSource;
use dbdyno_wire::{BufferedRows, OkReply, Parameter, Reply, RowsReply};
use std::sync::Arc;

/// Deadlock, lock wait timeout, record changed.
const TRANSIENT: [u16; 3] = [1213, 1205, 1020];
const REPEATS: u32 = 100;

/// The transactions of a directory, for any number of users.
#[derive(Debug)]
pub(super) struct SqlFiles {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) plan: Arc<TransactionPlan>,
    pub(super) course: Option<RateProfile>,
    pub(super) source: RandomSource,
}

impl SqlFiles {
    /// Columns that are kept of a statement's first row.
    fn kept_columns(&self, statement: u16) -> usize {
        let lines = self.plan.transactions.iter().flat_map(|each| &each.lines);
        let mut of_statement = lines.filter(|line| line.statement == statement);
        of_statement.next().map_or(0, |line| line.keeps)
    }
}

impl Workload for SqlFiles {
    fn name(&self) -> &str {
        &self.name
    }

    fn statements(&self) -> &[StatementTemplate] {
        &self.plan.templates
    }

    fn statement_types(&self) -> &[&'static str] {
        &self.plan.statement_types
    }

    fn transaction_types(&self) -> &[&'static str] {
        &self.plan.transaction_types
    }

    fn metadata(&self) -> Metadata {
        let sums = self.plan.files.iter().map(|file| {
            let sum = crc32fast::hash(file.text.as_bytes());
            (format!("crc32 of {}", file.name), format!("{sum:08x}"))
        });
        let description = ("description".to_owned(), self.description.clone());
        Metadata {
            imitates: "files of SQL".to_owned(),
            options: std::iter::once(description).chain(sums).collect(),
            quirks: Vec::new(),
        }
    }

    /// What suits transactions of several statements: a lock wait timeout leaves the first of them standing.
    fn retry(&self) -> Option<RetryPolicy> {
        Some(RetryPolicy {
            after: RetryAfter::Codes(TRANSIENT.to_vec()),
            rollback_first: true,
            limit: Some(REPEATS),
            draws: RetryValues::New,
        })
    }

    fn lanes(&self) -> u8 {
        1 + u8::from(self.plan.role.is_some())
    }

    fn role(&self) -> Option<&str> {
        self.plan.role.as_deref()
    }

    fn rate_profile(&self) -> Option<&RateProfile> {
        self.course.as_ref()
    }

    /// Of a statement whose columns are kept one row of ones.
    fn canned_reply(&self, call: &Call, rows: &mut BufferedRows) -> Reply {
        let columns = self.kept_columns(call.statement);
        if columns == 0 {
            return Reply::Ok(OkReply::default());
        }
        rows.push(&vec![Parameter::Int(1); columns]);
        Reply::Rows(RowsReply {
            rows: 1,
            columns: columns as u16,
            ..RowsReply::default()
        })
    }

    fn user(&self, index: u32) -> Box<dyn User> {
        ScriptUser::of(SqlFilesUser::new(
            Arc::clone(&self.plan),
            self.source,
            index,
        ))
    }
}
