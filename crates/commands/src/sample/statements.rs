//! Prints the statements of a workload.

use crate::arguments::SampleArguments;
use crate::arguments::SamplePhase;
use crate::record::DigestRecord;
use dbdyno_drive::counted;
use dbdyno_workload::transcript::{
    self, TranscriptStatement, for_each_cleanup, for_each_prepare, walk, write_cleanup,
    write_prepare, write_run,
};
use dbdyno_workload::{Digested, Population, Workload, population, workload};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::Arc;

/// Writes the statements of the command, as lines or as one JSON list.
pub(super) fn write(arguments: &SampleArguments, out: &mut dyn Write) -> anyhow::Result<()> {
    if arguments.digest {
        return write_digests(arguments, out);
    }
    let written = match (arguments.command, arguments.json) {
        (SamplePhase::Run, false) => {
            let protocol = transcript::Protocol::from(arguments.protocol);
            let workload = make_workload(arguments)?;
            write_run(
                &*workload,
                arguments.worker_index(),
                arguments.events,
                protocol,
                out,
            )
        }
        (SamplePhase::Run, true) => write_run_list(arguments, &*make_workload(arguments)?, out),
        (SamplePhase::Prepare, false) => write_prepare(&*rows(arguments)?, out),
        (SamplePhase::Cleanup, false) => write_cleanup(&*rows(arguments)?, out),
        (SamplePhase::Prepare, true) => {
            let rows = rows(arguments)?;
            write_list(out, |list| for_each_prepare(&*rows, |sql| list.query(sql)))
        }
        (SamplePhase::Cleanup, true) => {
            let rows = rows(arguments)?;
            write_list(out, |list| for_each_cleanup(&*rows, |sql| list.query(sql)))
        }
    };
    Ok(written?)
}

/// Writes a line for each user, or one list of all.
fn write_digests(arguments: &SampleArguments, out: &mut dyn Write) -> anyhow::Result<()> {
    let workload = Digested::new(make_workload(arguments)?, arguments.events);
    let users = workload.spec().users.unwrap_or(arguments.users());
    for index in 0..users {
        walk(&workload, index, arguments.events, |_| {
            Ok::<(), io::Error>(())
        })?;
    }
    let digests = workload.digests();
    if arguments.json {
        return Ok(write_list(out, |list| {
            let mut records = digests.iter().map(DigestRecord::of);
            records.try_for_each(|record| list.item(&json!(record)))
        })?);
    }
    for digest in &digests {
        let (user, events) = (digest.user + 1, counted(digest.events, "event"));
        writeln!(out, "user {user}, {events}: {digest}")?;
    }
    Ok(())
}

fn make_workload(arguments: &SampleArguments) -> anyhow::Result<Arc<dyn Workload>> {
    let SampleArguments {
        workload: name,
        options,
        ..
    } = arguments;
    let name = name.as_deref().unwrap_or_default(); // required where no distribution is named
    let users = arguments.users();
    Ok(workload(name, &options.0, arguments.source(), users)?)
}

fn rows(arguments: &SampleArguments) -> anyhow::Result<Arc<dyn Population>> {
    let name = arguments.workload.as_deref().unwrap_or_default(); // as above
    Ok(population(name, &arguments.options.0, arguments.source())?)
}

fn write_run_list(
    arguments: &SampleArguments,
    workload: &dyn Workload,
    out: &mut dyn Write,
) -> io::Result<()> {
    let index = arguments.worker_index();
    write_list(out, |list| {
        walk(workload, index, arguments.events, |sent| {
            list.item(&described(sent))
        })
    })
}

fn described(sent: &TranscriptStatement<'_>) -> Value {
    json!({
        "event": sent.event,
        "type": sent.statement_type,
        "statement": sent.template.text,
        "parameters": sent.values(),
        "sql": sent.sql(),
    })
}

/// Writes a JSON list whose items `fill` provides one by one, an item per line.
fn write_list(
    out: &mut dyn Write,
    fill: impl FnOnce(&mut JsonList<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut list = JsonList { out, count: 0 };
    fill(&mut list)?;
    let end = if list.count == 0 { "[]\n" } else { "\n]\n" };
    out.write_all(end.as_bytes())
}

/// A JSON list that is being written.
struct JsonList<'a> {
    out: &'a mut dyn Write,
    count: u64,
}

impl JsonList<'_> {
    fn item(&mut self, item: &Value) -> io::Result<()> {
        let before = if self.count == 0 { "[\n" } else { ",\n" };
        self.count += 1;
        write!(self.out, "{before}{item}")
    }

    /// Writes a statement that is always sent as text.
    fn query(&mut self, sql: &[u8]) -> io::Result<()> {
        self.item(&json!({ "sql": String::from_utf8_lossy(sql) }))
    }
}
