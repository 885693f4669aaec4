//! The dialect `tpcc-mysql`: Percona's program in C, statement by statement.

mod after_orders;
mod draws;
mod orders;
mod payment;
mod statements;
mod terminal;

use super::build::{Parts, Tpcc};
use super::options::{ForeignKeys, Options};
use super::stand_in::stand_in;
use crate::story::StoryUser;
use crate::{Draws, RetryAfter, RetryLaw, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use draws::Laws;
use std::sync::Arc;
use terminal::{Shared, Terminal};

/// Repeats of one transaction.
const RETRY_LIMIT: u32 = 2000;

/// The workload.
pub(crate) fn workload(
    options: Options,
    source: RandomSource,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let shared = Arc::new(Shared {
        laws: Laws::new(&options, source),
        is_fixed: options.is_fixed(),
    });
    let user = move |index| {
        let stream = source.keyed("tpcc/tpcc-mysql", u64::from(index));
        StoryUser::of(Terminal::new(Arc::clone(&shared), stream))
    };
    let made = Tpcc::new(Parts {
        session: session(&options),
        statements: statements::templates(&options),
        statement_types: statements::statement_types(),
        retry: retry(),
        facts: facts(),
        user: Box::new(user),
        stand_in,
        options,
    })?;
    Ok(Arc::new(made))
}

fn session(options: &Options) -> Vec<String> {
    let mut session = vec!["SET autocommit=0".to_owned()];
    if options.fk == ForeignKeys::Declared {
        session.push("SET FOREIGN_KEY_CHECKS=0".to_owned());
    }
    session
}

fn retry() -> RetryLaw {
    RetryLaw {
        after: RetryAfter::AnyError,
        rollback_first: true,
        limit: Some(RETRY_LIMIT),
        draws: Draws::Same,
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
