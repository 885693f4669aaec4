//! `dbdyno-load cleanup`: takes a workload's tables away.

use crate::arguments::CleanupArguments;
use crate::populate::LEDGER;
use crate::trouble::{Exit, Trouble};
use dbdyno_workload::{RandomKind, RandomSource, population};
use std::io::{self, Write};

/// Drops the tables, whether they are there or not.
pub(crate) fn run(arguments: CleanupArguments) -> anyhow::Result<Exit> {
    let target = arguments.server.target()?;
    // Which tables there are does not depend on any random number.
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 0,
    };
    let population = population(&arguments.workload, &arguments.options.0, source)?;
    let mut session = target.access()?.connect()?;
    let tables = (0..population.tables()).flat_map(|table| population.drop_table(table));
    let ledger = format!("DROP TABLE IF EXISTS {LEDGER}");
    for statement in tables.chain(population.drop_rest()).chain([ledger]) {
        session
            .query(&statement)
            .map_err(|error| Trouble::world(format!("{statement} failed")).because(error))?;
    }
    session.close();
    writeln!(
        io::stdout(),
        "dropped {} tables of {}",
        population.tables(),
        target.database
    )?;
    Ok(Exit::Done)
}
