//! Implements `dbdyno-load fingerprint`: it compares the results of the same events on two servers.

mod sent_events;
mod sums;
mod text;

use crate::arguments::FingerprintArguments;
use crate::cli_error::{Exit, unwritable};
use crate::liveness::Liveness;
use crate::order::SCHEMA_VERSION;
use crate::record::{FingerprintRecord, PROGRAM, RecordWriter, content_sha256};
use crate::signals::stop_switch;
use crate::terminal;
use dbdyno_meter::clock;
use dbdyno_workload::{RandomSource, population};
use sent_events::SentEvents;
use std::io::Write;

/// Sends the events, if any are asked for, sums up the tables, and reports both.
pub(crate) fn run(arguments: FingerprintArguments) -> anyhow::Result<Exit> {
    let order = arguments.order()?;
    let source = RandomSource {
        kind: order.rng,
        seed: order.seed,
    };
    let population = population(&arguments.workload, &arguments.options.0, source)?;
    let began_ns = clock::monotonic_ns();
    let stop = stop_switch()?;
    let sent = match arguments.sending.events {
        0 => SentEvents::default(),
        events => sent_events::send(&order, events, &stop)?,
    };
    let access = order.target.access()?.until(&stop);
    let access = access.answering_within(arguments.check.duration());
    let liveness = Liveness::watch(&access, &stop, arguments.server_timeout.duration());
    let tables = liveness.judge(sums::of_tables(&*population, &access))?;
    drop(liveness);
    let record = FingerprintRecord {
        record: "fingerprint",
        schema_version: SCHEMA_VERSION,
        program: PROGRAM,
        events: sent.completed,
        failed: sent.failed,
        statements_sha256: sent.sha256,
        content_sha256: content_sha256(&tables),
        tables,
        elapsed_ns: clock::monotonic_ns() - began_ns,
    };
    let result = match arguments.sending.json {
        true => RecordWriter::new(terminal::raw_stdout()).write(&record),
        false => write!(terminal::stdout(), "{}", text::of(&record)),
    };
    result.map_err(unwritable("the fingerprint"))?;
    Ok(Exit::Done)
}
