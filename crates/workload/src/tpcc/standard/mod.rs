//! Implements the dialect `standard`: the transactions of clause 2, with keying and thinking, as statements
//! or as procedures.
//!
//! Both ways do the same statements with the same draws, so one seed leaves the same rows behind. A delivery that is
//! deferred is two events of its terminal: the reply, which takes no statement, and right after it the work; no other
//! user has to be waited for, so a user's statements depend on the seed alone.

mod calls;
mod procedures;
mod statements;
mod terminal;

use super::build::{DialectParts, MakeUser, Tpcc};
use super::draws::{DISTRICTS, NurandConstants};
use super::mix::TransactionMix;
use super::options::{Calls, DeliveryMode, MixMethod, TpccOptions};
use super::rests::{self, Pace};
use crate::{RetryAfter, RetryPolicy, RetryValues, User, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use std::sync::Arc;
use terminal::{StandardParameters, StandardTerminal};

pub(crate) use procedures::{drop_procedures, procedures};

/// Deadlock, lock wait timeout, and a record changed since it was read.
const REPEATED: [u16; 3] = [1213, 1205, 1020];

/// Repeats of one transaction.
const REPEATS: u32 = 100;

/// The workload for so many users.
pub(crate) fn workload(
    options: TpccOptions,
    source: RandomSource,
    users: u32,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    check_terminals(&options, users)?;
    let constants = NurandConstants::of_run(source, options.c_load);
    let calls = options.calls == Calls::Procedures;
    let (statements, statement_types) = if calls {
        calls::statements()
    } else {
        statements::statements()
    };
    let facts = [
        ("c_run", constants.last_name),
        ("c_customer", constants.customer),
        ("c_item", constants.item),
    ];
    let made = Tpcc::new(DialectParts {
        session: Vec::new(),
        user: make_user(&options, source, constants),
        canned_reply: if calls {
            calls::canned_reply
        } else {
            statements::canned_reply
        },
        retry: RetryPolicy {
            after: RetryAfter::Codes(REPEATED.to_vec()),
            rollback_first: true,
            limit: Some(REPEATS),
            draws: RetryValues::Same,
        },
        statements,
        statement_types,
        facts: facts
            .map(|(name, c)| (name.to_owned(), c.to_string()))
            .to_vec(),
        options,
    })?;
    Ok(Arc::new(made))
}

/// Ten terminals a warehouse are the most: where they key and think, more would be another workload.
fn check_terminals(options: &TpccOptions, users: u32) -> Result<(), WorkloadError> {
    let needed = users.div_ceil(DISTRICTS);
    if !options.keyandthink || options.warehouses >= needed {
        return Ok(());
    }
    Err(WorkloadError::InvalidValue {
        option: "warehouses".to_owned(),
        value: options.warehouses.to_string(),
        allowed: format!(
            "at least {needed} for {users} terminals that key and think, ten a warehouse (or keyandthink=off),"
        ),
    })
}

fn make_user(options: &TpccOptions, source: RandomSource, constants: NurandConstants) -> MakeUser {
    let parameters = Arc::new(StandardParameters {
        warehouses: options.warehouses,
        home: options.home,
        is_deferred: options.delivery == DeliveryMode::Queue,
        constants,
    });
    let mix = match options.mix {
        MixMethod::Deck => TransactionMix::deck(),
        MixMethod::Weights => {
            let [a, b, c, d, e] = options.weights;
            TransactionMix::weights([a, b, c, d, e, 0])
        }
    };
    let pace = Pace::new(mix, options.keyandthink.then_some(&rests::STANDARD));
    let calls = options.calls == Calls::Procedures;
    Box::new(move |index| -> Box<dyn User> {
        let stream = source.worker("tpcc/standard", index);
        let terminal = StandardTerminal::new(Arc::clone(&parameters), stream, pace.clone(), index);
        if calls {
            calls::user(terminal)
        } else {
            statements::user(terminal)
        }
    })
}

#[cfg(test)]
mod tests;
