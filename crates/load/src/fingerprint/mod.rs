//! `dbdyno-load fingerprint`: whether two servers make the same of the same events.

mod sent;
mod sums;
mod text;

use crate::arguments::FingerprintArguments;
use crate::order::SCHEMA_VERSION;
use crate::record::{FingerprintRecord, PROGRAM, RecordWriter, content_sha256};
use crate::signals::stop_switch;
use crate::trouble::{Exit, unwritable};
use dbdyno_meter::clock;
use dbdyno_workload::{RandomSource, population};
use sent::Sent;
use std::io::{self, Write};

/// Sends the events, if any are asked for, sums up the tables, and tells both.
pub(crate) fn run(arguments: FingerprintArguments) -> anyhow::Result<Exit> {
    let order = arguments.order()?;
    let source = RandomSource {
        kind: order.rng.into(),
        seed: order.seed,
    };
    let population = population(&arguments.workload, &arguments.options.0, source)?;
    let began_ns = clock::monotonic_ns();
    let sent = match arguments.sending.events {
        0 => Sent::default(),
        events => sent::send(&order, events, &stop_switch()?)?,
    };
    let tables = sums::of_tables(&*population, &order.target.access()?)?;
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
    let told = match arguments.sending.json {
        true => RecordWriter::new(io::stdout()).write(&record),
        false => write!(io::stdout(), "{}", text::of(&record)),
    };
    told.map_err(unwritable("the fingerprint"))?;
    Ok(Exit::Done)
}
