//! Implements the dialect `hammerdb`: five stored procedures called once a transaction, with the calls
//! written out or prepared in SQL, or the same statements one by one.
//!
//! What the tool takes from its own clock is `NOW()` here, so that a user's statements depend on the seed alone. For
//! the same reason a new order seeds the server's generator, in the statement that sets its variable anyway.

mod calls;
mod direct;
mod procedures;
mod terminal;

use super::build::{DialectParts, Tpcc};
use super::draws::NurandConstants;
use super::mix::TransactionMix;
use super::options::TpccOptions;
use super::rests::{self, Pace};
use crate::{RetryAfter, RetryPolicy, RetryValues, User, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use std::sync::Arc;
use terminal::{HammerdbParameters, HammerdbTerminal};

pub(crate) use procedures::{drop_procedures, procedures};

/// NURand's constant for items where they are repaired: procedures are made before there is a run that could draw it.
const ITEM_C: u32 = 7911;

/// The workload for so many users.
pub(crate) fn workload(
    options: TpccOptions,
    source: RandomSource,
    users: u32,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let (statements, statement_types) = if options.no_stored_procs {
        direct::statements(options.is_fixed())
    } else {
        calls::statements(options.prepared)
    };
    let facts = vec![
        ("c_run".to_owned(), options.c_load.to_string()),
        ("server_draws".to_owned(), "seeded".to_owned()),
    ];
    let made = Tpcc::new(DialectParts {
        session: session(&options),
        user: make_user(&options, source, users),
        canned_reply: if options.no_stored_procs {
            direct::canned_reply
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

/// What a connection begins with.
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

fn make_user(options: &TpccOptions, source: RandomSource, users: u32) -> super::build::MakeUser {
    let parameters = Arc::new(HammerdbParameters {
        warehouses: options.warehouses,
        users,
        is_fixed: options.is_fixed(),
        all_warehouses: options.allwarehouse,
        last_name_c: options.c_load,
        constants: NurandConstants::of_run(source, options.c_load),
    });
    let pace = Pace::new(
        TransactionMix::of_23(),
        options.keyandthink.then_some(&rests::HAMMERDB),
    );
    let (is_direct, is_prepared) = (options.no_stored_procs, options.prepared);
    Box::new(move |index| -> Box<dyn User> {
        let stream = source.worker("tpcc/hammerdb", index);
        let terminal = HammerdbTerminal::new(
            Arc::clone(&parameters),
            stream,
            pace.clone(),
            index,
            is_direct,
        );
        if is_direct {
            direct::user(terminal)
        } else {
            calls::user(terminal, is_prepared)
        }
    })
}

#[cfg(test)]
mod tests;
