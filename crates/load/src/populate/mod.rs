//! Implements `dbdyno-load populate`: it creates, fills, indexes and checks a workload's tables.

mod accelerator;
mod check;
mod filling;
mod hand;
mod ledger;
mod line;
mod part;
mod phase;
mod portions;
mod queue;
mod rows;
mod rows_file;
mod schema;
mod teller;
mod way;

use crate::arguments::PopulateArguments;
use crate::liveness::Liveness;
use crate::order::{Access, LoadBy, PopulateOrder};
use crate::record::{PopulateEnd, PopulateStart, content_sha256};
use crate::signals::stop_switch;
use crate::trouble::{Exit, Trouble, unwritable};
use dbdyno_meter::clock;
use dbdyno_workload::Population;
use filling::Filling;
use hand::Ground;
use ledger::Entries;
pub(crate) use ledger::LEDGER;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use teller::Teller;
use way::Wish;

/// Fills what was asked for.
pub(crate) fn run(arguments: PopulateArguments) -> anyhow::Result<Exit> {
    let order = arguments.order()?;
    let population = order.population()?;
    let stop = stop_switch()?;
    let mut access = order.target.access()?.until(&stop);
    access.options.local_files = matches!(order.load_by, LoadBy::Auto | LoadBy::Infile);
    if order.accelerate {
        accelerator::check(&access)?;
    }
    let patience = Duration::from_nanos(order.patience_ns);
    let liveness = Liveness::watch(&access, &stop, patience);
    let earlier = begin(&order, &access, &*population);
    let earlier = earlier.map_err(|error| liveness.judged(error))?;

    let mut teller = Teller::new(arguments.order.is_some() || arguments.filling.json);
    teller
        .start(&PopulateStart::new(
            population.rows_total(),
            population.tables(),
        ))
        .map_err(unwritable("the start of the filling"))?;
    let ground = Ground {
        access: &access,
        stop: &stop,
        greeting: population.session_statements(),
        patience,
        ddl_timeout: Duration::from_nanos(order.ddl_timeout_ns),
        check_timeout: Duration::from_nanos(order.check_timeout_ns),
        repeats: AtomicU64::new(0),
    };
    let wish = Wish {
        load_by: order.load_by,
        connections: order.connections,
        transaction_rows: order.transaction_rows.map(|rows| u64::from(rows.get())),
    };
    let filling = Filling::new(&*population, &ground, wish, earlier);
    let mut fill = || filling.fill(&mut teller, order.check);
    let result = if order.accelerate {
        accelerator::accelerated(&access, fill)
    } else {
        fill()
    };
    let result = liveness.judge(result.and_then(|()| end(&access)));
    let end = PopulateEnd {
        accelerated: order.accelerate,
        ..end_of(&filling, &ground, &result)
    };
    teller
        .end(&end)
        .map_err(unwritable("the end of the filling"))?;
    result?;
    Ok(Exit::Done)
}

/// Sees to the schema and its ledger; gives what of an earlier filling is done, if it is to be gone on with.
fn begin(
    order: &PopulateOrder,
    access: &Access,
    population: &dyn Population,
) -> anyhow::Result<Option<Entries>> {
    let identity = order.identity()?;
    schema::provide(access)?;
    let mut session = access.connect()?;
    let earlier = if order.resume {
        Some(schema::unfinished(&mut session, &identity)?)
    } else {
        schema::refuse_existing(&mut session, population)?;
        let engine = order.ledger_engine();
        ledger::create(&mut session, &identity, engine.as_deref()).map_err(schema::unkept)?;
        None
    };
    session.close();
    Ok(earlier)
}

/// All is done, so nothing is to be gone on with.
fn end(access: &Access) -> Result<(), Trouble> {
    let mut session = access.connect()?;
    ledger::drop(&mut session).map_err(schema::unkept)?;
    session.close();
    Ok(())
}

fn end_of(filling: &Filling<'_>, ground: &Ground<'_>, result: &Result<(), Trouble>) -> PopulateEnd {
    let (status, reason) = match result {
        Ok(()) => ("complete", String::new()),
        Err(trouble) if trouble.exit == Exit::NotHeld => ("interrupted", trouble.to_string()),
        Err(trouble) => ("failed", trouble.to_string()),
    };
    let tables = filling.tables();
    PopulateEnd {
        record: "populate-end",
        status,
        reason,
        elapsed_ns: filling.elapsed_ns(),
        load_ns: filling.load_ns(),
        index_ns: filling.index_ns(),
        process_cpu_ns: clock::process_cpu_ns(),
        failure_kind: result.as_ref().err().and_then(Trouble::kind),
        load_by: filling.load_by(),
        accelerated: false,
        repeats: ground.repeats.load(Ordering::Relaxed),
        content_sha256: content_sha256(&tables),
        tables,
    }
}
