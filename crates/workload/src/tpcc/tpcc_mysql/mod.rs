//! Implements the dialect `tpcc-mysql`: Percona's program in C, statement by statement.

mod after_orders;
mod draws;
mod orders;
mod payment;
mod statements;
mod terminal;

use super::build::{DialectParts, Tpcc};
use super::canned_replies::canned_reply;
use super::options::{ForeignKeys, TpccOptions};
use crate::transaction_script::ScriptUser;
use crate::{RetryAfter, RetryPolicy, RetryValues, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use draws::TpccMysqlParameters;
use std::sync::Arc;
use terminal::{TpccMysqlShared, TpccMysqlTerminal};

/// Repeats of one transaction.
const RETRY_LIMIT: u32 = 2000;

/// The workload.
pub(crate) fn workload(
    options: TpccOptions,
    source: RandomSource,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let shared = Arc::new(TpccMysqlShared {
        parameters: TpccMysqlParameters::new(&options, source),
        is_fixed: options.is_fixed(),
    });
    let user = move |index| {
        let stream = source.keyed("tpcc/tpcc-mysql", u64::from(index));
        ScriptUser::of(TpccMysqlTerminal::new(Arc::clone(&shared), stream))
    };
    let made = Tpcc::new(DialectParts {
        session: session(&options),
        statements: statements::templates(&options),
        statement_types: statements::statement_types(),
        retry: retry(),
        facts: facts(),
        user: Box::new(user),
        canned_reply,
        options,
    })?;
    Ok(Arc::new(made))
}

fn session(options: &TpccOptions) -> Vec<String> {
    let mut session = vec!["SET autocommit=0".to_owned()];
    if options.fk == ForeignKeys::Declared {
        session.push("SET FOREIGN_KEY_CHECKS=0".to_owned());
    }
    session
}

fn retry() -> RetryPolicy {
    RetryPolicy {
        after: RetryAfter::AnyError,
        rollback_first: true,
        limit: Some(RETRY_LIMIT),
        draws: RetryValues::Same,
    }
}

/// Where the draws can't be the tool's: its constants are unknown, and its one deck for all connections would make
/// what a user does depend on the others.
fn facts() -> Vec<(String, String)> {
    [
        ("deck", "23 cards for each user"),
        (
            "nurand_constants",
            "names and customers constant, items the draw before",
        ),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}

#[cfg(test)]
mod tests;
