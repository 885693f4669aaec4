//! Implements `dbdyno-load populate`: it creates, fills, indexes and checks a workload's tables.

mod accelerator;
mod check;
mod connection;
mod load_method;
mod part_queue;
mod phase;
mod populator;
mod reporter;
mod row_sender;
mod rows;
mod rows_file;
mod schema;
mod step_log;
mod table_part;
mod transaction_chunks;

use crate::arguments::PopulateArguments;
use crate::cli_error::{CliError, Exit, unwritable};
use crate::liveness::Liveness;
use crate::order::{Access, LoadBy, PopulateOrder};
use crate::record::{PopulateEnd, PopulateStart, content_sha256};
use crate::signals::stop_switch;
use connection::LoaderContext;
use dbdyno_meter::clock;
use dbdyno_workload::Population;
use load_method::LoadPreference;
use populator::Populator;
use reporter::PopulateReporter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use step_log::StepSums;

/// Runs the command.
pub(crate) fn run(arguments: PopulateArguments) -> anyhow::Result<Exit> {
    let order = arguments.order()?;
    let population = order.population()?;
    let stop = stop_switch()?;
    let mut access = order.target.access()?.until(&stop);
    access.options.local_files = matches!(order.load_by, LoadBy::Auto | LoadBy::Infile);
    if order.accelerate {
        accelerator::check(&access)?;
    }
    let server_timeout = Duration::from_nanos(order.server_timeout_ns);
    let liveness = Liveness::watch(&access, &stop, server_timeout);
    let earlier = begin(&order, &access, &*population);
    let earlier = earlier.map_err(|error| liveness.judged(error))?;

    let mut reporter = PopulateReporter::new(arguments.order.is_some() || arguments.filling.json);
    reporter
        .start(&PopulateStart::new(
            population.rows_total(),
            population.tables(),
        ))
        .map_err(unwritable("the start of the filling"))?;
    let context = LoaderContext {
        access: &access,
        stop: &stop,
        session_statements: population.session_statements(),
        reconnect_timeout: server_timeout,
        ddl_timeout: Duration::from_nanos(order.ddl_timeout_ns),
        check_timeout: Duration::from_nanos(order.check_timeout_ns),
        repeats: AtomicU64::new(0),
    };
    let preference = LoadPreference {
        load_by: order.load_by,
        connections: order.connections,
        transaction_rows: order.transaction_rows.map(|rows| u64::from(rows.get())),
    };
    let populator = Populator::new(&*population, &context, preference, earlier);
    let mut fill = || populator.fill(&mut reporter, order.check);
    let result = if order.accelerate {
        accelerator::accelerated(&access, fill)
    } else {
        fill()
    };
    let result = liveness.judge(result.and_then(|()| end(&access)));
    let end = PopulateEnd {
        accelerated: order.accelerate,
        ..end_of(&populator, &context, &result)
    };
    reporter
        .end(&end)
        .map_err(unwritable("the end of the filling"))?;
    result?;
    Ok(Exit::Done)
}

/// Prepares the schema and the step log; returns the steps that an interrupted populate has done, with `--resume`.
fn begin(
    order: &PopulateOrder,
    access: &Access,
    population: &dyn Population,
) -> anyhow::Result<Option<StepSums>> {
    let identity = order.identity()?;
    schema::provide(access)?;
    let mut session = access.connect()?;
    let earlier = if order.resume {
        Some(schema::unfinished(&mut session, &identity)?)
    } else {
        schema::refuse_existing(&mut session, population)?;
        let engine = order.step_log_engine();
        step_log::create(&mut session, &identity, engine.as_deref()).map_err(schema::unkept)?;
        None
    };
    session.close();
    Ok(earlier)
}

/// Drops the step log: everything is done, so nothing is left to resume.
fn end(access: &Access) -> Result<(), CliError> {
    let mut session = access.connect()?;
    step_log::drop(&mut session).map_err(schema::unkept)?;
    session.close();
    Ok(())
}

fn end_of(
    populator: &Populator<'_>,
    context: &LoaderContext<'_>,
    result: &Result<(), CliError>,
) -> PopulateEnd {
    let (status, reason) = match result {
        Ok(()) => ("complete", String::new()),
        Err(cli_error) if cli_error.exit == Exit::NotHeld => ("interrupted", cli_error.to_string()),
        Err(cli_error) => ("failed", cli_error.to_string()),
    };
    let tables = populator.tables();
    PopulateEnd {
        record: "populate-end",
        status,
        reason,
        elapsed_ns: populator.elapsed_ns(),
        load_ns: populator.load_ns(),
        index_ns: populator.index_ns(),
        process_cpu_ns: clock::process_cpu_ns(),
        failure_kind: result.as_ref().err().and_then(CliError::kind),
        load_by: populator.load_by(),
        accelerated: false,
        repeats: context.repeats.load(Ordering::Relaxed),
        rows_before: populator.rows_before(),
        content_sha256: content_sha256(&tables),
        tables,
    }
}
