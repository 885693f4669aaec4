//! Writes down what a client would send, without a server.
//!
//! One line a request, as a recording of sysbench has them: `P` and a text for a statement prepared, `E`, the text
//! and its values as a JSON list for one executed, `Q` and the text for one sent as text, with tabs between.

use crate::{Call, NextAction, Population, Response, StatementTemplate, Workload};
use dbdyno_wire::{BufferedRows, Parameter, Parameters, Reply, StatementText};
use std::io::{self, Write};

/// Says how statements travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Prepared once a connection, then executed with values (sysbench's `db-ps-mode=auto`).
    Prepared,
    /// As text with the values written in (`db-ps-mode=disable`).
    Text,
}

/// One statement of an event.
#[derive(Debug)]
pub struct TranscriptStatement<'a> {
    /// The event, from 1.
    pub event: u64,
    /// The statement's type by name.
    pub statement_type: &'static str,
    /// The statement with its `?` places.
    pub template: &'a StatementTemplate,
    /// The values.
    pub parameters: &'a Parameters,
    /// The whole text, of a statement that the user writes.
    pub text: &'a [u8],
}

impl TranscriptStatement<'_> {
    /// Returns the statement with the values written in.
    pub fn sql(&self) -> String {
        if self.template.is_written {
            return String::from_utf8_lossy(self.text).into_owned();
        }
        let mut text = Vec::new();
        StatementText::new(&self.template.text).write_with(self.parameters, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns the values as a JSON list.
    pub fn values(&self) -> serde_json::Value {
        self.parameters.iter().map(json_value).collect()
    }
}

fn json_value(parameter: Parameter<'_>) -> serde_json::Value {
    match parameter {
        Parameter::Int(value) => value.into(),
        Parameter::Text(text) => String::from_utf8_lossy(text).into(),
        Parameter::Double(number) => number.into(),
        Parameter::Null => serde_json::Value::Null,
    }
}

/// Hands every statement of the first `events` events of user `index` (from 0) to `each`, and what is owed after the
/// last. The replies are the workload's stand-ins.
///
/// # Errors
/// Those of `each`; the first one ends the walk.
pub fn walk<E>(
    workload: &dyn Workload,
    index: u32,
    events: u64,
    mut each: impl FnMut(&TranscriptStatement<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut user = workload.user(index);
    let mut call = Call::default();
    let mut rows = BufferedRows::default();
    for event in 1..=events {
        user.start_event(None);
        let mut reply = None;
        while user.next(answer(&reply, &mut rows), &mut call) == NextAction::Send {
            each(&sent(workload, event, &call))?;
            rows.expect(false);
            reply = Some(workload.canned_reply(&call, &mut rows));
        }
        user.finish_event();
    }
    if user.settle_up(&mut call) {
        each(&sent(workload, events, &call))?;
    }
    Ok(())
}

fn sent<'a>(workload: &'a dyn Workload, event: u64, call: &'a Call) -> TranscriptStatement<'a> {
    let template = &workload.spec().statements[usize::from(call.statement)];
    TranscriptStatement {
        event,
        statement_type: workload.spec().statement_types[usize::from(template.statement_type)],
        template,
        parameters: &call.parameters,
        text: &call.text,
    }
}

fn answer<'a>(reply: &'a Option<Reply>, rows: &'a mut BufferedRows) -> Option<Response<'a>> {
    let reply = reply.as_ref()?;
    Some(Response { reply, rows })
}

/// Writes what user `index` (from 0) sends from its first statement to the end of `events` events.
///
/// # Errors
/// Those of `out`.
pub fn write_run(
    workload: &dyn Workload,
    index: u32,
    events: u64,
    protocol: Protocol,
    out: &mut dyn Write,
) -> io::Result<()> {
    let is_prepared =
        |template: &StatementTemplate| protocol == Protocol::Prepared && template.can_be_prepared();
    for text in (0..workload.spec().lanes())
        .flat_map(|lane| &workload.spec().session_statements[usize::from(lane)])
    {
        writeln!(out, "Q\t{text}")?;
    }
    for template in workload.spec().statements.iter().filter(|t| is_prepared(t)) {
        writeln!(out, "P\t{}", template.text)?;
    }
    walk(workload, index, events, |sent| {
        if is_prepared(sent.template) {
            writeln!(out, "E\t{}\t{}", sent.template.text, sent.values())
        } else {
            writeln!(out, "Q\t{}", sent.sql())
        }
    })
}

/// Writes what fills the tables, one after the other.
///
/// # Errors
/// Those of `out`.
pub fn write_prepare(population: &dyn Population, out: &mut dyn Write) -> io::Result<()> {
    for_each_prepare(population, |statement| write_query(out, statement))
}

/// Writes what takes the tables away.
///
/// # Errors
/// Those of `out`.
pub fn write_cleanup(population: &dyn Population, out: &mut dyn Write) -> io::Result<()> {
    for_each_cleanup(population, |statement| write_query(out, statement))
}

/// Hands every statement that fills the tables to `each`, in order: as the imitated loader sends them, where dbdyno can
/// do as it does, otherwise as dbdyno's own filling does.
///
/// # Errors
/// Those of `each`.
pub fn for_each_prepare<E>(
    population: &dyn Population,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = Vec::new();
    let mut stream = population.loader_stream();
    for table in 0..population.tables() {
        for text in population.before_rows(table) {
            each(text.as_bytes())?;
        }
        let parts = if stream.is_some() {
            1
        } else {
            population.parts(table)
        };
        for part in 0..parts {
            let mut rows = match stream.take() {
                Some(stream) => population.rows_drawing(table, stream),
                None => population.rows(table, part),
            };
            while rows.next_statement(&mut statement) > 0 {
                each(&statement)?;
            }
            stream = population.loader_stream().and(rows.stream());
        }
        for text in population.after_rows(table) {
            each(text.as_bytes())?;
        }
    }
    for text in population.at_end() {
        each(text.as_bytes())?;
    }
    Ok(())
}

/// Hands every statement that takes the tables away to `each`, in order.
///
/// # Errors
/// Those of `each`.
pub fn for_each_cleanup<E>(
    population: &dyn Population,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    for table in 0..population.tables() {
        for text in population.drop_table(table) {
            each(text.as_bytes())?;
        }
    }
    for text in population.drop_rest() {
        each(text.as_bytes())?;
    }
    Ok(())
}

fn write_query(out: &mut dyn Write, statement: &[u8]) -> io::Result<()> {
    out.write_all(b"Q\t")?;
    out.write_all(statement)?;
    out.write_all(b"\n")
}
