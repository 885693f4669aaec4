//! Writes a run as one table of seconds in a Parquet file, which Arrow, DuckDB, pandas and others read.
//!
//! Each second has a row of kind `all`, one of kind `transaction` for each transaction type, and one of
//! kind `statement` for each statement type. A column that makes no sense for a kind is null there.

mod column;
mod columns;
mod file;
mod row;
mod thrift;

use super::{Output, Second, at, create};
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::record::{PROGRAM, TypeNames};
use columns::COLUMNS;
use dbdyno_drive::{RunOutcome, Start};
use file::ParquetFile;
use row::rows;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Writes the table.
pub(in crate::run) struct ParquetTable<'a> {
    names: TypeNames<'a>,
    path: PathBuf,
    file: ParquetFile<BufWriter<File>>,
}

impl<'a> ParquetTable<'a> {
    pub(in crate::run) fn create(path: &Path, names: TypeNames<'a>) -> Result<Self, CliError> {
        let out = BufWriter::new(create("the Parquet file", path)?);
        let columns: Vec<_> = COLUMNS
            .iter()
            .map(|&(name, kind, _)| (name, kind))
            .collect();
        let file = ParquetFile::new(out, &columns).map_err(|error| {
            CliError::world(
                ErrorCode::FileNotWritable,
                format!("{} can't be written", path.display()),
            )
            .because(error)
        })?;
        Ok(Self {
            names,
            path: path.to_owned(),
            file,
        })
    }
}

impl Output for ParquetTable<'_> {
    fn started(&mut self, _: &Start) -> io::Result<()> {
        Ok(())
    }

    fn second(&mut self, second: &mut Second<'_>) -> io::Result<()> {
        let record = second.record;
        for row in rows(record, second.packed(), self.names) {
            let values = COLUMNS.iter().map(|(_, _, value)| value(&row));
            self.file.row(values).map_err(at(&self.path))?;
        }
        Ok(())
    }

    fn finish(&mut self, _: &RunOutcome) -> io::Result<()> {
        self.file.finish(PROGRAM).map_err(at(&self.path))
    }
}
