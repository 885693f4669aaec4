//! Filling as records or as text.

use crate::record::{PopulateEnd, PopulateProgress, PopulateStart, RecordWriter};
use std::io::{self, Stdout, Write};

/// Tells of a filling on standard output.
pub(super) enum Teller {
    Records(RecordWriter<Stdout>),
    Text,
}

impl Teller {
    pub(super) fn new(records: bool) -> Self {
        if records {
            Self::Records(RecordWriter::new(io::stdout()))
        } else {
            Self::Text
        }
    }

    pub(super) fn start(&mut self, start: &PopulateStart) -> io::Result<()> {
        match self {
            Self::Records(records) => records.write(start),
            Self::Text => Ok(()),
        }
    }

    pub(super) fn progress(&mut self, progress: &PopulateProgress) -> io::Result<()> {
        if let Self::Records(records) = self {
            return records.write(progress);
        }
        let seconds = progress.elapsed_ns as f64 / 1e9;
        writeln!(
            io::stdout(),
            "{:<5} {:>12} of {} rows  {seconds:>7.1} s",
            progress.phase,
            progress.rows_done,
            progress.rows_total,
        )
    }

    pub(super) fn end(&mut self, end: &PopulateEnd) -> io::Result<()> {
        if let Self::Records(records) = self {
            return records.write(end);
        }
        let rows: u64 = end
            .tables
            .iter()
            .flat_map(|table| table.sums.first())
            .map(|&(_, rows)| rows)
            .sum();
        let load_s = end.load_ns as f64 / 1e9;
        writeln!(
            io::stdout(),
            "{}: {} tables, {rows} rows in {load_s:.1} s ({:.0} rows/s), indexes in {:.1} s",
            end.status,
            end.tables.len(),
            rows as f64 / load_s.max(1e-9),
            end.index_ns as f64 / 1e9,
        )
    }
}
