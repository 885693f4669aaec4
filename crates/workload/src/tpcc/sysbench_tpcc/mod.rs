//! Implements the dialect `sysbench-tpcc`: Percona's scripts for sysbench, statement by statement.

mod inputs;

use super::build::{DialectParts, Tpcc};
use super::canned_replies::canned_reply;
use super::mix::TransactionMix;
use super::names::middle_row;
use super::options::{ForeignKeys, Isolation, TpccOptions};
use super::rests::Pace;
use super::rules::{DATA_LENGTH, HistoryForm, PaymentNote, Rules};
use super::statements::StatementTable;
use super::terminal::Terminal;
use super::transactions::{StatementDialect, StatementExecutor};
use super::values::put;
use crate::{RetryAfter, RetryPolicy, RetryValues, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use inputs::SysbenchTpccInputs;
use std::sync::Arc;

/// Makes the workload.
pub(crate) fn workload(
    options: TpccOptions,
    source: RandomSource,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let pace = Pace::new(mix(&options), None);
    let table = StatementTable::read(include_str!("statements.sql"), words(&options));
    let templates = table.templates(&options);
    let statement_types = table.type_names();
    let inputs = SysbenchTpccInputs::new(&options, source);
    let redraws_type = !options.is_fixed(); // Q-ST-8
    let dialect = Arc::new(StatementDialect {
        table,
        templates: templates.clone(),
        rules: rules(options.is_fixed()),
    });
    let user = move |index| {
        Terminal {
            inputs: inputs.clone(),
            stream: source.keyed("tpcc/sysbench-tpcc", u64::from(index)),
            pace: pace.clone(),
            defers_deliveries: false,
            redraws_type,
        }
        .user(StatementExecutor::new(Arc::clone(&dialect)))
    };
    let made = Tpcc::new(DialectParts {
        session: session(&options),
        statements: templates,
        statement_types,
        retry: retry(),
        facts: Vec::new(),
        user: Box::new(user),
        canned_reply,
        options,
    })?;
    Ok(Arc::new(made))
}

/// Returns how a transaction begins.
fn words(options: &TpccOptions) -> &'static [(&'static str, &'static str)] {
    if options.splittable {
        return &[
            ("{begin}", "START TRANSACTION READ WRITE"),
            ("{begin_read_only}", "START TRANSACTION READ ONLY"),
        ];
    }
    &[("{begin}", "BEGIN"), ("{begin_read_only}", "BEGIN")]
}

fn rules(is_fixed: bool) -> Rules {
    let tool = Rules {
        unused_item: Some(-1),
        line_amount: |amount, taxed, discounted| (amount * taxed * discounted).trunc(), // Q-ST-6
        history: HistoryForm {
            width: 10,
            between: " ",
            after: "   ",
            after_from: 0,
        },
        payer_row: tool_row,
        note,
        buyer_row: tool_row,
        reads_lines_of_district_number: true, // Q-ST-3
        ..Rules::COMMON
    };
    if !is_fixed {
        return tool;
    }
    Rules {
        line_amount: |amount, taxed, discounted| amount * taxed * discounted,
        line_decimals: 2,
        payer_row: middle_row,
        buyer_row: middle_row,
        reads_lines_of_district_number: false,
        ..tool
    }
}

/// Puts the payment in front of c_data.
fn note(note: &PaymentNote<'_>, data: &mut Vec<u8>, _: &mut Vec<u8>) {
    let (customer, input, second) = (note.customer, note.input, note.second);
    let (their_warehouse, their_district) = (input.customer_warehouse, input.customer_district);
    let (warehouse, district) = (input.warehouse, input.district);
    let amount = f64::from(input.amount);
    put(
        data,
        format_args!(
            "| {customer:4} {their_district:2} {their_warehouse:4} {district:2} {warehouse:4} ${amount:7.2} {second:12} "
        ),
    );
    data.extend_from_slice(note.old);
    data.truncate(DATA_LENGTH);
}

/// Returns the row after the middle of an even number of rows (Q-ST-7), from 0; the last one where there are no more.
fn tool_row(rows: usize) -> usize {
    let even = rows + rows % 2;
    (even / 2).min(rows.saturating_sub(1))
}

/// Makes a mix of one draw of 23, and of 24 with the purge.
fn mix(options: &TpccOptions) -> TransactionMix {
    let purges = u32::from(options.enable_purge);
    TransactionMix::weights([10, 10, 1, 1, 1, purges])
}

/// Returns the four statements of the tool, but for how the level is set: the tool looks whether the variable is called
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

/// Returns sysbench's own policy, and a ROLLBACK first.
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
