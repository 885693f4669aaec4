//! Writes a run as records: one JSON object per line, as in `contract/`.

use super::{Output, Second, at, create};
use crate::cli_error::CliError;
use crate::order::LoadOrder;
use crate::record::{
    CountersLine, End, IntervalLine, Message, ProbeLine, RecordWriter, Start, TypeNames,
};
use crate::run::counter_poller::CounterReading;
use crate::terminal;
use dbdyno_drive::{Level, Load, Probe, RunOutcome};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes records to a file or to standard output.
pub(in crate::run) struct JsonLines<'a> {
    order: &'a LoadOrder,
    load: &'a Load,
    path: PathBuf,
    records: RecordWriter<Box<dyn Write>>,
}

impl<'a> JsonLines<'a> {
    pub(in crate::run) fn create(
        path: &Path,
        order: &'a LoadOrder,
        load: &'a Load,
    ) -> Result<Self, CliError> {
        let (path, out): (_, Box<dyn Write>) = if path == Path::new("-") {
            let name = Path::new(terminal::STDOUT);
            (name, Box::new(terminal::raw_stdout()))
        } else {
            (path, Box::new(create("records", path)?))
        };
        Ok(Self {
            order,
            load,
            path: path.to_owned(),
            records: RecordWriter::new(out),
        })
    }

    fn write(&mut self, record: &impl Serialize) -> io::Result<()> {
        self.records.write(record).map_err(at(&self.path))
    }
}

impl Output for JsonLines<'_> {
    fn started(&mut self, start: &dbdyno_drive::Start) -> io::Result<()> {
        self.write(&Start::of(self.order, self.load, start))
    }

    fn second(&mut self, second: &mut Second<'_>) -> io::Result<()> {
        let record = second.record;
        let line = IntervalLine::of(record, TypeNames::of(&*self.load.workload), second.packed());
        self.write(&line)
    }

    fn counted(&mut self, reading: &CounterReading) -> io::Result<()> {
        let counts = self.load.workload.spec().server_counts.as_ref();
        let names = counts.iter().flat_map(|counts| &counts.counts);
        let names = names.map(|count| count.name);
        self.write(&CountersLine::of(
            reading.second,
            reading.monotonic_ns,
            names,
            &reading.values,
        ))
    }

    fn probe(&mut self, probe: &Probe) -> io::Result<()> {
        self.write(&ProbeLine::of(probe))
    }

    fn message(&mut self, level: Level, text: &str) -> io::Result<()> {
        self.write(&Message::of(level, text))
    }

    fn finish(&mut self, outcome: &RunOutcome) -> io::Result<()> {
        let workload = &self.load.workload;
        let (figures, digests) = (workload.metrics(), workload.digests());
        self.write(&End::of(outcome, self.load.is_share(), &figures, &digests))
    }
}
