//! The dialect `sysbench-tpcc`: Percona's scripts for sysbench, statement by statement.

mod after_orders;
mod draws;
mod orders;
mod payment;
mod statements;
mod terminal;

use super::build::{Parts, Tpcc};
use super::mix::Mix;
use super::options::{ForeignKeys, Isolation, Options};
use super::stand_in::stand_in;
use crate::story::StoryUser;
use crate::{Draws, RetryAfter, RetryLaw, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use draws::Laws;
use std::sync::Arc;
use terminal::{Shared, Terminal};

/// The workload.
pub(crate) fn workload(
    options: Options,
    source: RandomSource,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let mix = mix(&options);
    let templates = statements::templates(&options);
    let shared = Arc::new(Shared {
        laws: Laws::new(&options, source),
        templates: templates.clone(),
        is_fixed: options.is_fixed(),
    });
    let user = move |index| {
        let stream = source.keyed("tpcc/sysbench-tpcc", u64::from(index));
        StoryUser::of(Terminal::new(Arc::clone(&shared), stream, mix.clone()))
    };
    let made = Tpcc::new(Parts {
        session: session(&options),
        statements: templates,
        statement_types: statements::statement_types(),
        retry: retry(),
        facts: Vec::new(),
        user: Box::new(user),
        stand_in,
        options,
    })?;
    Ok(Arc::new(made))
}

/// One draw of 23, and of 24 with the purge.
fn mix(options: &Options) -> Mix {
    let purges = u32::from(options.enable_purge);
    Mix::weights([10, 10, 1, 1, 1, purges])
}

/// The four statements of the tool, but for how the level is set: the tool looks whether the variable is called
/// `tx_isolation` or `transaction_isolation`, and the statement is the same on every server.
fn session(options: &Options) -> Vec<String> {
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
fn retry() -> RetryLaw {
    RetryLaw {
        after: RetryAfter::Codes(vec![1213, 1020, 1205]),
        rollback_first: true,
        limit: None,
        draws: Draws::New,
    }
}

#[cfg(test)]
mod tests;
