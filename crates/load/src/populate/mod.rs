//! `dbdyno-load populate`: a workload's tables made, filled, indexed and checked.

mod filling;
mod schema;
mod teller;

use crate::arguments::PopulateArguments;
use crate::record::{PopulateEnd, PopulateStart};
use crate::signals::stop_switch;
use crate::trouble::{Exit, Trouble, unwritable};
use dbdyno_meter::clock;
use filling::Filling;
use teller::Teller;

/// Fills what was asked for.
pub(crate) fn run(arguments: PopulateArguments) -> anyhow::Result<Exit> {
    let order = arguments.order()?;
    let population = order.population()?;
    let access = order.target.access()?;
    let stop = stop_switch()?;
    schema::provide(&access)?;
    let mut session = access.connect()?;
    schema::refuse_existing(&mut session, &*population)?;
    session.close();

    let mut teller = Teller::new(arguments.order.is_some() || arguments.filling.json);
    teller
        .start(&PopulateStart::new(
            population.rows_total(),
            population.tables(),
        ))
        .map_err(unwritable("the start of the filling"))?;
    let filling = Filling::new(&*population, &access, &stop, order.connections);
    let result = filling.fill(&mut teller, order.check);
    let end = end_of(&filling, &result);
    teller
        .end(&end)
        .map_err(unwritable("the end of the filling"))?;
    result?;
    Ok(Exit::Done)
}

fn end_of(filling: &Filling<'_>, result: &Result<(), Trouble>) -> PopulateEnd {
    let (status, reason) = match result {
        Ok(()) => ("complete", String::new()),
        Err(trouble) if trouble.exit == Exit::NotHeld => ("interrupted", trouble.to_string()),
        Err(trouble) => ("failed", trouble.to_string()),
    };
    PopulateEnd {
        record: "populate-end",
        status,
        reason,
        elapsed_ns: filling.elapsed_ns(),
        load_ns: filling.load_ns(),
        index_ns: filling.index_ns(),
        process_cpu_ns: clock::process_cpu_ns(),
        tables: filling.tables(),
    }
}
