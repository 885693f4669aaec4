//! Implements the dialect `standard`: the transactions of clause 2, with keying and thinking, as statements
//! or as procedures.
//!
//! Both ways do the same statements with the same draws, so one seed leaves the same rows behind. A delivery that is
//! deferred is two events of its terminal: the reply, which takes no statement, and right after it the work; no other
//! user has to be waited for, so a user's statements depend on the seed alone. Where the rate fixes the types of the
//! events, each delivery is the work alone, and counts as `deferred_delivery`.

mod canned_replies;
mod inputs;
mod procedures;

use super::build::{DialectParts, MakeUser, Tpcc};
use super::draws::{DISTRICTS, NurandConstants};
use super::mix::TransactionMix;
use super::options::{Calls, DeliveryMode, MixMethod, TpccOptions};
use super::rests::{self, Pace};
use super::rules::{AmountForm, DATA_LENGTH, PayerColumns, Rules};
use super::statements::StatementTable;
use super::stock::standard_rule;
use super::terminal::Terminal;
use super::transactions::{StatementDialect, StatementExecutor};
use super::values::put;
use crate::{RetryAfter, RetryPolicy, RetryValues, User, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use inputs::StandardInputs;
use std::sync::Arc;

pub(crate) use procedures::{drop_procedures, procedures};

/// Deadlock, lock wait timeout, and a record changed since it was read.
const REPEATED: [u16; 3] = [1213, 1205, 1020];

/// Repeats of one transaction.
const REPEATS: u32 = 100;

const STATEMENTS: &str = include_str!("statements.sql");
const CALLS: &str = include_str!("calls.sql");

const RULES: Rules = Rules {
    stock: standard_rule,
    line_amount: |amount, _, _| amount,
    amount: AmountForm::Hundredths,
    name_column: 0,
    payer_columns: PayerColumns {
        credit: 0,
        balance: 13,
    },
    note: |note, data, _| {
        let input = note.input;
        put(
            data,
            format_args!(
                "{} {} {} {} {} {}.{:02} ",
                note.customer,
                input.customer_district,
                input.customer_warehouse,
                input.district,
                input.warehouse,
                input.amount / 100,
                input.amount % 100
            ),
        );
        data.extend_from_slice(note.old);
        data.truncate(DATA_LENGTH);
    },
    buyer_column: Some(0),
    ..Rules::COMMON
};

/// Returns the workload for so many users.
pub(crate) fn workload(
    options: TpccOptions,
    source: RandomSource,
    users: u32,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    check_terminals(&options, users)?;
    let constants = NurandConstants::of_run(source, options.c_load);
    let table = match options.calls {
        Calls::Procedures => StatementTable::read(CALLS, &[]),
        Calls::Statements => StatementTable::read(STATEMENTS, &[]),
    };
    let statement_types = table.type_names();
    let statements = table.templates(&options);
    let dialect = Arc::new(StatementDialect {
        table,
        templates: Vec::new(), // none is written by its terminal
        rules: RULES,
    });
    let facts = [
        ("c_run", constants.last_name),
        ("c_customer", constants.customer),
        ("c_item", constants.item),
    ];
    let made = Tpcc::new(DialectParts {
        session: Vec::new(),
        user: make_user(&options, source, constants, dialect),
        canned_reply: canned_replies::canned_reply,
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

/// Checks the number of users: ten terminals a warehouse are the most; where they key and think, more would be another
/// workload.
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

fn make_user(
    options: &TpccOptions,
    source: RandomSource,
    constants: NurandConstants,
    dialect: Arc<StatementDialect>,
) -> MakeUser {
    let mix = match options.mix {
        MixMethod::Deck => TransactionMix::deck(),
        MixMethod::Weights => {
            let [a, b, c, d, e] = options.weights;
            TransactionMix::weights([a, b, c, d, e, 0])
        }
    };
    let pace = Pace::new(mix, options.keyandthink.then_some(&rests::STANDARD));
    let (warehouses, home) = (options.warehouses, options.home);
    let defers_deliveries = options.delivery == DeliveryMode::Queue;
    Box::new(move |index| -> Box<dyn User> {
        Terminal {
            inputs: StandardInputs::new(warehouses, home, constants, index),
            stream: source.worker("tpcc/standard", index),
            pace: pace.clone(),
            defers_deliveries,
            redraws_type: false,
        }
        .user(StatementExecutor::new(Arc::clone(&dialect)))
    })
}

#[cfg(test)]
mod tests;
