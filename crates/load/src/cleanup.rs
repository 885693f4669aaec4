//! Implements `dbdyno-load cleanup`: it drops a workload's tables.

use crate::arguments::CleanupArguments;
use crate::cli_error::{CliError, Exit, unwritable};
use crate::liveness::Liveness;
use crate::order::Access;
use crate::populate::STEP_LOG_TABLE;
use crate::signals::stop_switch;
use crate::terminal;
use dbdyno_drive::counted;
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
    liveness.judge(drop_all(&*population, &access))?;
    writeln!(
        terminal::stdout(),
        "dropped {} of {}",
        counted(u64::from(population.tables()), "table"),
        target.database
    )
    .map_err(unwritable("the list of dropped tables"))?;
    Ok(Exit::Done)
}

fn drop_all(population: &dyn Population, access: &Access) -> Result<(), CliError> {
    let mut session = access.connect()?;
    let tables = (0..population.tables()).flat_map(|table| population.drop_table(table));
    let step_log = format!("DROP TABLE IF EXISTS {STEP_LOG_TABLE}");
    for statement in tables.chain(population.drop_rest()).chain([step_log]) {
        session
            .query(&statement)
            .map_err(|error| CliError::world(format!("{statement} failed")).because_of(&error))?;
    }
    session.close();
    Ok(())
}
