//! Implements the dialect `tpcc-mysql`: Percona's program in C, statement by statement.

mod inputs;

use super::build::{DialectParts, Tpcc};
use super::canned_replies::canned_reply;
use super::mix::TransactionMix;
use super::options::{ForeignKeys, TpccOptions};
use super::rests::Pace;
use super::rules::{AmountForm, DATA_LENGTH, HistoryForm, PaymentNote, Rules};
use super::statements::StatementTable;
use super::terminal::Terminal;
use super::transactions::{StatementDialect, StatementExecutor};
use super::values::put;
use crate::{RetryAfter, RetryPolicy, RetryValues, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use inputs::TpccMysqlInputs;
use std::sync::Arc;

/// Repeats of one transaction.
const RETRY_LIMIT: u32 = 2000;

/// Makes the workload.
pub(crate) fn workload(
    options: TpccOptions,
    source: RandomSource,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let table = StatementTable::read(include_str!("statements.sql"), words(options.is_fixed()));
    let statements = table.templates(&options);
    let statement_types = table.type_names();
    let inputs = TpccMysqlInputs::new(&options, source);
    let pace = Pace::new(TransactionMix::deck(), None);
    let dialect = Arc::new(StatementDialect {
        table,
        templates: Vec::new(), // none is written by its terminal
        rules: rules(options.is_fixed()),
    });
    let user = move |index| {
        Terminal {
            inputs: inputs.clone(),
            stream: source.keyed("tpcc/tpcc-mysql", u64::from(index)),
            pace: pace.clone(),
            defers_deliveries: false,
            redraws_type: false,
        }
        .user(StatementExecutor::new(Arc::clone(&dialect)))
    };
    let made = Tpcc::new(DialectParts {
        session: session(&options),
        statements,
        statement_types,
        retry: retry(),
        facts: facts(),
        user: Box::new(user),
        canned_reply,
        options,
    })?;
    Ok(Arc::new(made))
}

/// Returns Q-TM-4, Q-TM-6 and Q-TM-7, or their repairs.
fn words(is_fixed: bool) -> &'static [(&'static str, &'static str)] {
    if is_fixed {
        return &[
            ("{buyer_column}", "c_id"),
            ("{for_update}", " FOR UPDATE"),
            ("{paid}", ", c_ytd_payment = c_ytd_payment + :amount"),
        ];
    }
    &[
        ("{buyer_column}", "c_last"),
        ("{for_update}", ""),
        ("{paid}", ""),
    ]
}

fn rules(is_fixed: bool) -> Rules {
    let common = Rules {
        has_all_districts: true,
        amount: AmountForm::Float,
        // The tool puts its blanks at places 21 to 24. Behind names that are shorter, a zero byte ends the text before.
        history: HistoryForm {
            width: 0,
            between: "",
            after: "    ",
            after_from: 20,
        },
        commits_each_district: true,
        ..Rules::COMMON
    };
    if is_fixed {
        return Rules { note, ..common };
    }
    Rules {
        // Q-TM-8: sums of money are floats of 32 bits.
        round: |amount| f64::from(amount as f32),
        line_amount: |amount, taxed, discounted| f64::from((amount * (taxed * discounted)) as f32),
        note: |note, data, _| cut(data, note.old), // Q-TM-5: what it was
        buyer_column: None,                        // Q-TM-4: the drawn number, even of a named one
        ..common
    }
}

/// Puts the payment in front of c_data.
fn note(note: &PaymentNote<'_>, data: &mut Vec<u8>, _: &mut Vec<u8>) {
    let (customer, input) = (note.customer, note.input);
    let (their_warehouse, their_district) = (input.customer_warehouse, input.customer_district);
    let (warehouse, district) = (input.warehouse, input.district);
    let amount = f64::from(input.amount);
    put(
        data,
        format_args!(
            "| {customer:4} {their_district:2} {their_warehouse:4} {district:2} {warehouse:4} ${amount:7.2} "
        ),
    );
    cut(data, note.old);
}

fn cut(data: &mut Vec<u8>, old: &[u8]) {
    data.extend_from_slice(old);
    data.truncate(DATA_LENGTH);
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

/// Says where the draws can't be the tool's: its constants are unknown, and its one deck for all connections would make
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
