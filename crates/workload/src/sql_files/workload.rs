//! Builds a workload from a directory.

use super::plan::TransactionPlan;
use super::user::SqlFilesUser;
use crate::transaction_script::ScriptUser;
use crate::{
    Call, Metadata, RateProfile, RetryAfter, RetryPolicy, RetryValues, User, Workload, WorkloadSpec,
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
    spec: WorkloadSpec,
    plan: Arc<TransactionPlan>,
    source: RandomSource,
}

impl SqlFiles {
    pub(super) fn new(
        name: &str,
        description: String,
        plan: TransactionPlan,
        rate_profile: Option<RateProfile>,
        source: RandomSource,
    ) -> Self {
        let sums = plan.files.iter().map(|file| {
            let sum = crc32fast::hash(file.text.as_bytes());
            (format!("crc32 of {}", file.name), format!("{sum:08x}"))
        });
        let description = ("description".to_owned(), description);
        let spec = WorkloadSpec {
            name: name.to_owned(),
            statements: plan.templates.clone(),
            statement_types: plan.statement_types.clone(),
            transaction_types: plan.transaction_types.clone(),
            metadata: Metadata {
                imitates: "files of SQL".to_owned(),
                options: std::iter::once(description).chain(sums).collect(),
                quirks: Vec::new(),
            },
            retry: Some(retry_policy()),
            rate_profile,
            has_second_connection: plan.role.is_some(),
            role: plan.role.clone(),
            ..WorkloadSpec::default()
        };
        Self {
            spec,
            plan: Arc::new(plan),
            source,
        }
    }

    /// Columns that are kept of a statement's first row.
    fn kept_columns(&self, statement: u16) -> usize {
        let lines = self.plan.transactions.iter().flat_map(|each| &each.lines);
        let mut of_statement = lines.filter(|line| line.statement == statement);
        of_statement.next().map_or(0, |line| line.keeps)
    }
}

/// Returns what suits transactions of several statements: a lock wait timeout leaves the first of them standing.
fn retry_policy() -> RetryPolicy {
    RetryPolicy {
        after: RetryAfter::Codes(TRANSIENT.to_vec()),
        rollback_first: true,
        limit: Some(REPEATS),
        draws: RetryValues::New,
    }
}

impl Workload for SqlFiles {
    fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }

    /// Returns one row of ones for a statement whose columns are kept.
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
