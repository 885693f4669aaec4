//! Builds the workload that the drive knows from the parts of a dialect.

use super::options::TpccOptions;
use super::quirks;
use super::server_counts::server_counts;
use super::table::warehouse_tables;
use crate::Precondition;
use crate::{
    Call, Metadata, RetryPolicy, StatementTemplate, User, Workload, WorkloadError, WorkloadSpec,
};
use dbdyno_wire::{BufferedRows, Reply};

/// Makes the user of a number, from 0.
pub(crate) type MakeUser = Box<dyn Fn(u32) -> Box<dyn User> + Send + Sync>;

/// Holds what a dialect brings.
pub(crate) struct DialectParts {
    pub(crate) options: TpccOptions,
    /// In the order of preparing.
    pub(crate) statements: Vec<StatementTemplate>,
    pub(crate) statement_types: Vec<&'static str>,
    /// What each connection begins with.
    pub(crate) session: Vec<String>,
    /// The dialect's answer to errors.
    pub(crate) retry: RetryPolicy,
    /// Facts that the manifest records in addition to the options.
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) user: MakeUser,
    /// A reply that a server with this data could give, by type of the statement.
    pub(crate) canned_reply: fn(&CannedQuestion<'_>, &mut BufferedRows) -> Reply,
}

/// A statement to be answered without a server.
pub(crate) struct CannedQuestion<'a> {
    pub(crate) options: &'a TpccOptions,
    pub(crate) statement_type: &'static str,
    pub(crate) call: &'a Call,
}

/// One of the dialects as a workload.
pub(crate) struct Tpcc {
    spec: WorkloadSpec,
    options: TpccOptions,
    user: MakeUser,
    canned_reply: fn(&CannedQuestion<'_>, &mut BufferedRows) -> Reply,
}

impl Tpcc {
    /// Puts the parts together.
    ///
    /// # Errors
    /// More statements than a call can name.
    pub(crate) fn new(parts: DialectParts) -> Result<Self, WorkloadError> {
        let options = parts.options;
        let most = u64::from(u16::MAX) + 1;
        let statements = parts.statements.len() as u64;
        if statements > most {
            return Err(WorkloadError::TooManyStatements {
                tables: options.tables,
                statements,
                most,
            });
        }
        let mut listed = options.list();
        listed.extend(parts.facts);
        let spec = WorkloadSpec {
            server_counts: Some(server_counts(&options, &parts.statement_types)),
            name: options.dialect.workload(),
            statements: parts.statements,
            statement_types: parts.statement_types,
            transaction_types: super::transaction_types(&options).to_vec(),
            metadata: Metadata {
                imitates: options.dialect.imitates().to_owned(),
                options: listed,
                quirks: quirks::active(&options),
            },
            retry: Some(parts.retry),
            preconditions: preconditions(&options),
            session_statements: [parts.session, Vec::new()],
            ..WorkloadSpec::default()
        };
        Ok(Self {
            spec,
            options,
            user: parts.user,
            canned_reply: parts.canned_reply,
        })
    }
}

/// Requires all warehouses.
fn preconditions(options: &TpccOptions) -> Vec<Precondition> {
    let highest = options.warehouses;
    let of_table = |table: String| Precondition {
        sql: format!("SELECT w_id FROM {table} WHERE w_id = {highest}"),
        otherwise: format!(
            "warehouse {highest} is not in {table}: fewer were filled than requested"
        ),
        remedy:
            "use the number of warehouses that were filled, or fill more with dbdyno-load populate"
                .to_owned(),
    };
    warehouse_tables(options).map(of_table).collect()
}

impl std::fmt::Debug for Tpcc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tpcc")
            .field("name", &self.spec.name)
            .finish_non_exhaustive()
    }
}

impl Workload for Tpcc {
    fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }

    fn canned_reply(&self, call: &Call, rows: &mut BufferedRows) -> Reply {
        let question = CannedQuestion {
            options: &self.options,
            statement_type: self.spec.type_of(call.statement),
            call,
        };
        (self.canned_reply)(&question, rows)
    }

    fn user(&self, index: u32) -> Box<dyn User> {
        (self.user)(index)
    }
}
