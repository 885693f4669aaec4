//! Builds the workload that the drive knows from the parts of a dialect.

use super::options::TpccOptions;
use super::population::warehouse_tables;
use super::quirks;
use super::server_counts::server_counts;
use crate::Precondition;
use crate::{
    Call, Metadata, RetryPolicy, ServerCounts, StatementTemplate, User, Workload, WorkloadError,
};
use dbdyno_wire::{BufferedRows, Reply};

/// Makes the user of a number, from 0.
pub(crate) type MakeUser = Box<dyn Fn(u32) -> Box<dyn User> + Send + Sync>;

/// What a dialect brings.
pub(crate) struct DialectParts {
    pub(crate) options: TpccOptions,
    /// In the order of preparing.
    pub(crate) statements: Vec<StatementTemplate>,
    pub(crate) statement_types: Vec<&'static str>,
    /// What each connection begins with.
    pub(crate) session: Vec<String>,
    /// The dialect's answer to errors.
    pub(crate) retry: RetryPolicy,
    /// What the manifest records beside the options.
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
    name: String,
    counts: ServerCounts,
    parts: DialectParts,
}

impl Tpcc {
    /// Puts the parts together.
    ///
    /// # Errors
    /// More statements than a call can name.
    pub(crate) fn new(parts: DialectParts) -> Result<Self, WorkloadError> {
        let most = u64::from(u16::MAX) + 1;
        let statements = parts.statements.len() as u64;
        if statements > most {
            return Err(WorkloadError::TooManyStatements {
                tables: parts.options.tables,
                statements,
                most,
            });
        }
        let name = format!("{}/{}", super::NAME, parts.options.dialect.word());
        Ok(Self {
            name,
            counts: server_counts(&parts.options),
            parts,
        })
    }
}

impl std::fmt::Debug for Tpcc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tpcc")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Workload for Tpcc {
    fn name(&self) -> &str {
        &self.name
    }

    fn statements(&self) -> &[StatementTemplate] {
        &self.parts.statements
    }

    fn statement_types(&self) -> &[&'static str] {
        &self.parts.statement_types
    }

    fn transaction_types(&self) -> &[&'static str] {
        super::transaction_types(&self.parts.options)
    }

    fn metadata(&self) -> Metadata {
        let options = &self.parts.options;
        let mut facts = options.list();
        facts.extend(self.parts.facts.iter().cloned());
        Metadata {
            imitates: options.dialect.imitates().to_owned(),
            options: facts,
            quirks: quirks::active(options),
        }
    }

    fn session_statements(&self, _lane: u8) -> &[String] {
        &self.parts.session
    }

    fn preconditions(&self) -> Vec<Precondition> {
        let options = &self.parts.options;
        let highest = options.warehouses;
        let of_table = |table: String| Precondition {
            sql: format!("SELECT w_id FROM {table} WHERE w_id = {highest}"),
            otherwise: format!(
                "warehouse {highest} is not in {table}: fewer were filled than are asked for"
            ),
            remedy:
                "name as many warehouses as were filled, or fill so many by dbdyno-load populate"
                    .to_owned(),
        };
        warehouse_tables(options).map(of_table).collect()
    }

    fn server_counts(&self) -> Option<&ServerCounts> {
        Some(&self.counts)
    }

    fn retry(&self) -> Option<RetryPolicy> {
        Some(self.parts.retry.clone())
    }

    fn canned_reply(&self, call: &Call, rows: &mut BufferedRows) -> Reply {
        let template = &self.parts.statements[usize::from(call.statement)];
        let question = CannedQuestion {
            options: &self.parts.options,
            statement_type: self.parts.statement_types[usize::from(template.statement_type)],
            call,
        };
        (self.parts.canned_reply)(&question, rows)
    }

    fn user(&self, index: u32) -> Box<dyn User> {
        (self.parts.user)(index)
    }
}
