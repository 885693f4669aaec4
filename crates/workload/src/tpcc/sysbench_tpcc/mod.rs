//! Implements the dialect `sysbench-tpcc`: Percona's scripts for sysbench, statement by statement.

mod after_orders;
mod draws;
mod orders;
mod payment;
mod statements;
mod terminal;

use super::build::{DialectParts, Tpcc};
use super::canned_replies::canned_reply;
use super::mix::TransactionMix;
use super::options::{ForeignKeys, Isolation, TpccOptions};
use crate::transaction_script::ScriptUser;
use crate::{RetryAfter, RetryPolicy, RetryValues, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use draws::SysbenchTpccParameters;
use std::sync::Arc;
use terminal::{SysbenchTpccShared, SysbenchTpccTerminal};

/// The workload.
pub(crate) fn workload(
    options: TpccOptions,
    source: RandomSource,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let mix = mix(&options);
    let templates = statements::templates(&options);
    let shared = Arc::new(SysbenchTpccShared {
        parameters: SysbenchTpccParameters::new(&options, source),
        templates: templates.clone(),
        is_fixed: options.is_fixed(),
    });
    let user = move |index| {
        let stream = source.keyed("tpcc/sysbench-tpcc", u64::from(index));
        ScriptUser::of(SysbenchTpccTerminal::new(
            Arc::clone(&shared),
            stream,
            mix.clone(),
        ))
    };
    let made = Tpcc::new(DialectParts {
        session: session(&options),
        statements: templates,
        statement_types: statements::statement_types(),
        retry: retry(),
        facts: Vec::new(),
        user: Box::new(user),
        canned_reply,
        options,
    })?;
    Ok(Arc::new(made))
}

/// One draw of 23, and of 24 with the purge.
fn mix(options: &TpccOptions) -> TransactionMix {
    let purges = u32::from(options.enable_purge);
    TransactionMix::weights([10, 10, 1, 1, 1, purges])
}

/// The four statements of the tool, but for how the level is set: the tool looks whether the variable is called
/// `tx_isolation` or `transaction_isolation`, and the statement is the same on every server.
fn session(options: &TpccOptions) -> Vec<String> {
    let level = match options.trx_level {
        Isolation::RepeatableRead => "REPEATABLE READ",
        Isolation::ReadCommitted => "READ COMMITTED",
        Isolation::Serializable => "SERIALIZABLE",
    };
    let checks = u8::from(options.fk == ForeignKeys::Enforced);
    vec![
        "SHOW VARIABLES LIKE 't%_isolation'".to_owned(),
        format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}"),
        format!("SET FOREIGN_KEY_CHECKS={checks}"),
        "SET autocommit=0".to_owned(),
    ]
}

/// sysbench's own law, and a ROLLBACK first.
fn retry() -> RetryPolicy {
    RetryPolicy {
        after: RetryAfter::Codes(vec![1213, 1020, 1205]),
        rollback_first: true,
        limit: None,
        draws: RetryValues::New,
    }
}

#[cfg(test)]
mod tests;
