//! Implements `dbdyno-load cleanup`: it drops a workload's tables.

use crate::arguments::CleanupArguments;
use crate::cli_error::{CliError, Exit, unwritable};
use crate::liveness::Liveness;
use crate::order::Access;
use crate::populate::STEP_LOG_TABLE;
use crate::signals::stop_switch;
use crate::terminal;
use dbdyno_drive::counted;
use dbdyno_wire::{QueryResult, Session};
use dbdyno_workload::{Population, RandomKind, RandomSource, population};
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
    let all = population.tables() + dropped.further;
    let text = dropped_text(dropped.filled + dropped.further, all, &target.database);
    writeln!(terminal::stdout(), "{text}").map_err(unwritable("the list of dropped tables"))?;
    Ok(Exit::Done)
}

/// Counts tables that existed.
#[derive(Default)]
struct DroppedTables {
    /// Those that populate fills.
    filled: u32,
    /// Those that it only creates.
    further: u32,
}

fn drop_all(population: &dyn Population, access: &Access) -> Result<DroppedTables, CliError> {
    let mut session = access.connect()?;
    let mut dropped = DroppedTables::default();
    for table in 0..population.tables() {
        let mut existed = true;
        for statement in population.drop_table(table) {
            // The server warns of a table that does not exist.
            existed &= run_statement(&mut session, &statement)?.warnings == 0;
        }
        dropped.filled += u32::from(existed);
    }
    for statement in population.drop_rest() {
        let result = run_statement(&mut session, &statement)?;
        dropped.further += u32::from(drops_table(&statement) && result.warnings == 0);
    }
    let step_log = format!("DROP TABLE IF EXISTS {STEP_LOG_TABLE}");
    run_statement(&mut session, &step_log)?;
    session.close();
    Ok(dropped)
}

fn drops_table(statement: &str) -> bool {
    let mut words = statement.split_whitespace();
    let mut is_next = |word: &str| {
        words
            .next()
            .is_some_and(|next| next.eq_ignore_ascii_case(word))
    };
    is_next("DROP") && is_next("TABLE")
}

fn run_statement(session: &mut Session, statement: &str) -> Result<QueryResult, CliError> {
    session
        .query(statement)
        .map_err(|error| CliError::world(format!("{statement} failed")).because_of(&error))
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
