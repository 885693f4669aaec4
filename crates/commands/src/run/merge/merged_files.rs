//! Writes a merged run as records and as a table.

use crate::cli_error::CliError;
use crate::record::{IntervalLine, RecordWriter, TypeNames};
use crate::run::output::{Output, ParquetTable, Second, at, create, refuse_shared};
use crate::terminal;
use dbdyno_drive::{IntervalRecord, RunOutcome, Status};
use dbdyno_meter::HistogramEncoder;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Says which files of a merged run are kept; without records on standard output, text is printed there.
#[derive(Debug, Clone, Default)]
pub(in crate::run) struct MergedOutput {
    pub(in crate::run) json_lines: Option<PathBuf>,
    pub(in crate::run) parquet: Option<PathBuf>,
}

impl MergedOutput {
    /// Refuses one file for both.
    pub(in crate::run) fn check(&self) -> Result<(), CliError> {
        refuse_shared(self.json_lines.iter().chain(&self.parquet))
    }

    /// Returns whether the records replace the text.
    pub(in crate::run) fn has_stdout(&self) -> bool {
        self.json_lines.as_deref() == Some(Path::new("-"))
    }
}

/// Writes the merged run.
pub(super) struct MergedFiles<'a> {
    names: TypeNames<'a>,
    encoder: HistogramEncoder,
    records: Option<(PathBuf, RecordWriter<Box<dyn Write>>)>,
    table: Option<ParquetTable<'a>>,
}

impl<'a> MergedFiles<'a> {
    pub(super) fn create(to: &MergedOutput, names: TypeNames<'a>) -> Result<Self, CliError> {
        to.check()?;
        let records = match &to.json_lines {
            None => None,
            Some(_) if to.has_stdout() => {
                let out: Box<dyn Write> = Box::new(terminal::raw_stdout());
                Some((PathBuf::from(terminal::STDOUT), RecordWriter::new(out)))
            }
            Some(path) => {
                let out: Box<dyn Write> = Box::new(create("records", path)?);
                Some((path.clone(), RecordWriter::new(out)))
            }
        };
        let table = to.parquet.as_deref();
        Ok(Self {
            names,
            encoder: HistogramEncoder::default(),
            records,
            table: table
                .map(|path| ParquetTable::create(path, names))
                .transpose()?,
        })
    }

    pub(super) fn record(&mut self, record: &impl Serialize) -> io::Result<()> {
        match &mut self.records {
            Some((path, records)) => records.write(record).map_err(at(path)),
            None => Ok(()),
        }
    }

    pub(super) fn second(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        let mut second = Second::new(record, &mut self.encoder);
        if let Some(table) = &mut self.table {
            table.second(&mut second)?;
        }
        let names = self.names;
        match &mut self.records {
            Some((path, records)) => {
                let line = IntervalLine::of(record, names, second.packed());
                records.write(&line).map_err(at(path))
            }
            None => Ok(()),
        }
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        match &mut self.table {
            Some(table) => table.finish(&RunOutcome::nothing(Status::Complete)),
            None => Ok(()),
        }
    }
}
