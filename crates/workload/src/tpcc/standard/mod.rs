//! The dialect `standard`: the transactions of clause 2, with keying and thinking, as statements or as procedures.
//!
//! Both ways do the same statements with the same draws, so one seed leaves the same rows behind. A delivery that is
//! deferred is two events of its terminal: the reply, which takes no statement, and right after it the work; no other
//! user has to be waited for, so a user's statements depend on the seed alone.

mod calls;
mod procedures;
mod statements;
mod terminal;

use super::build::{MakeUser, Parts, Tpcc};
use super::draws::{Constants, DISTRICTS};
use super::mix::Mix;
use super::options::{Calls, DeliveryLaw, MixLaw, Options};
use super::pace::{self, Pace};
use crate::{Draws, RetryAfter, RetryLaw, User, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use std::sync::Arc;
use terminal::{Law, Terminal};

pub(crate) use procedures::{drop_procedures, procedures};

/// Deadlock, lock wait timeout, and a record changed since it was read.
const REPEATED: [u16; 3] = [1213, 1205, 1020];

/// Repeats of one transaction.
const REPEATS: u32 = 100;

/// The workload for so many users.
pub(crate) fn workload(
    options: Options,
    source: RandomSource,
    users: u32,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    check_terminals(&options, users)?;
    let constants = Constants::of_run(source, options.c_load);
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
    let made = Tpcc::new(Parts {
        session: Vec::new(),
        user: make_user(&options, source, constants),
        stand_in: if calls {
            calls::stand_in
        } else {
            statements::stand_in
        },
        retry: RetryLaw {
            after: RetryAfter::Codes(REPEATED.to_vec()),
            rollback_first: true,
            limit: Some(REPEATS),
            draws: Draws::Same,
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
fn check_terminals(options: &Options, users: u32) -> Result<(), WorkloadError> {
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

fn make_user(options: &Options, source: RandomSource, constants: Constants) -> MakeUser {
    let law = Arc::new(Law {
        warehouses: options.warehouses,
        home: options.home,
        is_deferred: options.delivery == DeliveryLaw::Queue,
        constants,
    });
    let mix = match options.mix {
        MixLaw::Deck => Mix::deck(),
        MixLaw::Weights => {
            let [a, b, c, d, e] = options.weights;
            Mix::weights([a, b, c, d, e, 0])
        }
    };
    let pace = Pace::new(mix, options.keyandthink.then_some(&pace::STANDARD));
    let calls = options.calls == Calls::Procedures;
    Box::new(move |index| -> Box<dyn User> {
        let stream = source.worker("tpcc/standard", index);
        let terminal = Terminal::new(Arc::clone(&law), stream, pace.clone(), index);
        if calls {
            calls::user(terminal)
        } else {
            statements::user(terminal)
        }
    })
}

#[cfg(test)]
mod tests;
