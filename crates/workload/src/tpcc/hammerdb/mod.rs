//! Implements the dialect `hammerdb`: five stored procedures called once a transaction, with the calls
//! written out or prepared in SQL, or the same statements one by one.
//!
//! What the tool takes from its own clock is `NOW()` here, so that a user's statements depend on the seed alone. For
//! the same reason a new order seeds the server's generator, in the statement that sets its variable anyway.

mod calls;
mod canned_replies;
mod inputs;
mod procedures;

use super::build::{DialectParts, MakeUser, Tpcc};
use super::draws::NurandConstants;
use super::mix::TransactionMix;
use super::options::TpccOptions;
use super::rests::{self, Pace};
use super::rules::{DATA_LENGTH, HistoryForm, PayerColumns, PaymentNote, Rules};
use super::statements::StatementTable;
use super::terminal::Terminal;
use super::transactions::{StatementDialect, StatementExecutor};
use super::values::put;
use crate::{RetryAfter, RetryPolicy, RetryValues, User, Workload, WorkloadError};
use calls::ProcedureCalls;
use dbdyno_chance::RandomSource;
use inputs::HammerdbInputs;
use std::sync::Arc;

pub(crate) use procedures::{drop_procedures, procedures};

/// NURand's constant for items where they are repaired: procedures are made before there is a run that could draw it.
const ITEM_C: u32 = 7911;

/// Returns the workload for so many users.
pub(crate) fn workload(
    options: TpccOptions,
    source: RandomSource,
    users: u32,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let dialect = options.no_stored_procs.then(|| direct(options.is_fixed()));
    let (statements, statement_types) = match &dialect {
        Some(dialect) => (
            dialect.table.templates(&options),
            dialect.table.type_names(),
        ),
        None => calls::statements(options.prepared),
    };
    let facts = vec![
        ("c_run".to_owned(), options.c_load.to_string()),
        ("server_draws".to_owned(), "seeded".to_owned()),
    ];
    let made = Tpcc::new(DialectParts {
        session: session(&options),
        user: make_user(&options, source, users, dialect.map(Arc::new)),
        canned_reply: if options.no_stored_procs {
            canned_replies::canned_reply
        } else {
            calls::canned_reply
        },
        retry: RetryPolicy {
            after: RetryAfter::AnyError,
            rollback_first: options.is_fixed(), // Q-HD-11
            limit: Some(0),
            draws: RetryValues::New,
        },
        statements,
        statement_types,
        facts,
        options,
    })?;
    Ok(Arc::new(made))
}

/// Returns what a connection begins with.
fn session(options: &TpccOptions) -> Vec<String> {
    let mut session: Vec<String> = [
        "SET autocommit = 0",
        SNAPSHOTS_AS_THEY_WERE,
        "SHOW SESSION STATUS LIKE 'ssl_cipher'",
        "SELECT MAX(w_id) FROM warehouse",
        "SELECT MAX(d_id) FROM district",
    ]
    .map(str::to_owned)
    .to_vec();
    if options.prepared && !options.no_stored_procs {
        session.extend(calls::preparations());
    }
    session
}

/// `innodb_snapshot_isolation=0` where a server has the variable. MySQL takes the lines for MariaDB as comments.
const SNAPSHOTS_AS_THEY_WERE: &str = "/*M! BEGIN NOT ATOMIC IF EXISTS (SELECT 1 FROM information_schema.SYSTEM_VARIABLES \
     WHERE VARIABLE_NAME = 'INNODB_SNAPSHOT_ISOLATION') THEN */ SET @next_o_id = 0 \
     /*M!; EXECUTE IMMEDIATE 'SET SESSION innodb_snapshot_isolation = OFF'; END IF; END */";

/// Builds the same transactions without procedures.
fn direct(is_fixed: bool) -> StatementDialect {
    let mut words = procedures::words(is_fixed).to_vec();
    words.push(("{amount}", ":amount"));
    StatementDialect {
        table: StatementTable::read(include_str!("statements.sql"), &words),
        templates: Vec::new(), // none is written by its terminal
        rules: rules(is_fixed),
    }
}

fn rules(is_fixed: bool) -> Rules {
    let common = Rules {
        begins_after_customer: true,
        inserts_order_last: true,
        has_all_districts: true,
        // To the nearest hundredth, because the client computes money in floating-point numbers.
        round: |amount| (amount * 100.0).round() / 100.0,
        history: HistoryForm {
            width: 0,
            between: " ",
            after: "",
            after_from: 0,
        },
        namesakes_pay: true,
        payer_columns: PayerColumns {
            credit: 1,
            balance: 2,
        },
        note,
        ..Rules::COMMON
    };
    if is_fixed {
        return common;
    }
    Rules {
        payer_row: tool_row,
        payment_sign: 1.0, // Q-HD-4
        note: tool_note,
        buyer_column: None,            // Q-HD-8: the number that was drawn
        stops_at_empty_district: true, // Q-HD-8
        ..common
    }
}

/// Returns the row, from 0, of the customer meant by a name that `count` have: HammerDB's is one too far (Q-HD-8).
fn tool_row(count: usize) -> usize {
    count / 2
}

/// Characters of `NOW()`.
const DATE_LENGTH: usize = 19;

/// The same of a date that the tool's script writes.
const TOOL_DATE_LENGTH: usize = 14;

/// Puts who paid, how much and the date in front of c_data, of which so much is kept that all of it has at most 500
/// characters.
fn note(payment: &PaymentNote<'_>, data: &mut Vec<u8>, rest: &mut Vec<u8>) {
    let input = payment.input;
    let (thousands, below) = (input.amount / 1000, input.amount % 1000);
    put(
        data,
        format_args!(
            "{} {} {} {} {} ",
            payment.customer,
            input.customer_district,
            input.customer_warehouse,
            input.district,
            input.warehouse
        ),
    );
    if thousands > 0 {
        put(data, format_args!("{thousands},{below:03}.00"));
    } else {
        put(data, format_args!("{below}.00"));
    }
    let length = data.len() + DATE_LENGTH + payment.history.len();
    let kept = payment.old.len().min(DATA_LENGTH.saturating_sub(length));
    rest.extend_from_slice(payment.history);
    rest.extend_from_slice(&payment.old[..kept]);
}

/// Writes c_data as the tool's script does: with the names of variables before their values (Q-HD-8), without the first
/// character of the whole, and 500 characters less those of the new part long (Q-HD-10).
fn tool_note(payment: &PaymentNote<'_>, data: &mut Vec<u8>, rest: &mut Vec<u8>) {
    let input = payment.input;
    put(
        data,
        format_args!(
            "_c_id {} p_c_d_id {} p_c_w_id {} p_d_id {} p_w_id {} p_h_amount {}.00 h_date ",
            payment.customer,
            input.customer_district,
            input.customer_warehouse,
            input.district,
            input.warehouse,
            input.amount
        ),
    );
    rest.extend_from_slice(b" h_data ");
    rest.extend_from_slice(payment.history);
    let written = data.len() + TOOL_DATE_LENGTH + rest.len();
    let left = DATA_LENGTH.saturating_sub(2 * written + 2);
    rest.push(b' ');
    rest.extend_from_slice(&payment.old[..payment.old.len().min(left)]);
}

fn make_user(
    options: &TpccOptions,
    source: RandomSource,
    users: u32,
    dialect: Option<Arc<StatementDialect>>,
) -> MakeUser {
    let inputs = HammerdbInputs {
        warehouses: options.warehouses,
        users,
        is_fixed: options.is_fixed(),
        all_warehouses: options.allwarehouse,
        draws_lines: options.no_stored_procs,
        last_name_c: options.c_load,
        constants: NurandConstants::of_run(source, options.c_load),
        index: 0,
        home: 1,
        home_district: 1,
    };
    let pace = Pace::new(
        TransactionMix::of_23(),
        options.keyandthink.then_some(&rests::HAMMERDB),
    );
    let (warehouses, is_prepared) = (options.warehouses, options.prepared);
    Box::new(move |index| -> Box<dyn User> {
        let mut stream = source.worker("tpcc/hammerdb", index);
        let terminal = Terminal {
            inputs: inputs.of_user(index, &mut stream),
            stream,
            pace: pace.clone(),
            defers_deliveries: false,
            redraws_type: false,
        };
        match &dialect {
            Some(dialect) => terminal.user(StatementExecutor::new(Arc::clone(dialect))),
            None => terminal.user(ProcedureCalls::new(warehouses, is_prepared)),
        }
    })
}

#[cfg(test)]
mod tests;
