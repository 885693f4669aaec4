//! Implements `dbdyno-load cleanup`: it drops a workload's tables.

use crate::arguments::CleanupArguments;
use crate::cli_error::{CliError, Exit, unwritable};
use crate::error_code::ErrorCode;
use crate::liveness::Liveness;
use crate::order::Access;
use crate::signals::stop_switch;
use crate::terminal;
use dbdyno_drive::counted;
use dbdyno_wire::{QueryResult, Session};
use dbdyno_workload::{Population, RandomKind, RandomSource, STEP_LOG_TABLE, population};
use std::io::Write;

/// Drops the tables, if they exist.
pub(crate) fn run(arguments: CleanupArguments) -> anyhow::Result<Exit> {
    let target = arguments.server.target()?;
    // The table names do not depend on any random number.
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 0,
    };
    let population = population(&arguments.workload, &arguments.options.0, source)?;
    let stop = stop_switch()?;
    let access = target.access()?.until(&stop);
    let access = access.answering_within(arguments.ddl.duration());
    let liveness = Liveness::watch(&access, &stop, arguments.server_timeout.duration());
    let dropped = liveness.judge(drop_all(&*population, &access))?;
    let text = dropped_text(dropped, population.tables(), &target.database);
    writeln!(terminal::stdout(), "{text}").map_err(unwritable("the list of dropped tables"))?;
    Ok(Exit::Done)
}

/// Returns how many of the tables existed.
fn drop_all(population: &dyn Population, access: &Access) -> Result<u32, CliError> {
    let mut session = access.connect()?;
    let mut dropped = 0;
    for table in 0..population.tables() {
        let mut existed = true;
        for statement in population.drop_table(table) {
            // The server warns of a table that does not exist.
            existed &= run_statement(&mut session, &statement)?.warnings == 0;
        }
        dropped += u32::from(existed);
    }
    let step_log = format!("DROP TABLE IF EXISTS {STEP_LOG_TABLE}");
    for statement in population.drop_rest().into_iter().chain([step_log]) {
        run_statement(&mut session, &statement)?;
    }
    session.close();
    Ok(dropped)
}

fn run_statement(session: &mut Session, statement: &str) -> Result<QueryResult, CliError> {
    session.query(statement).map_err(|error| {
        CliError::world(ErrorCode::CleanupFailed, format!("{statement} failed")).because_of(&error)
    })
}

fn dropped_text(dropped: u32, all: u32, database: &str) -> String {
    let all_words = counted(u64::from(all), "table");
    match dropped {
        0 => format!("dropped no table: none of the workload's tables ({all}) is in {database}"),
        _ if dropped == all => format!("dropped {all_words} of {database}"),
        _ => format!("dropped {dropped} of {all_words} of {database}; the others do not exist"),
    }
}

#[cfg(test)]
mod tests {
    use super::dropped_text;

    #[test]
    fn tables_that_did_not_exist_are_not_said_to_be_dropped() {
        assert_eq!(dropped_text(4, 4, "shop"), "dropped 4 tables of shop");
        assert_eq!(
            dropped_text(3, 4, "shop"),
            "dropped 3 of 4 tables of shop; the others do not exist"
        );
        for all in [1, 4] {
            assert_eq!(
                dropped_text(0, all, "shop"),
                format!("dropped no table: none of the workload's tables ({all}) is in shop")
            );
        }
    }
}
