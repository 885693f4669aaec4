//! Writes a run to its outputs, one file each. All are written on the thread that called `drive`, so that a
//! slow disk or terminal delays no worker.

mod hdr_log;
mod json_lines;
mod parquet;

pub(super) use hdr_log::HdrLog;
pub(super) use json_lines::JsonLines;
pub(super) use parquet::ParquetTable;

use super::counter_poller::CounterReading;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::record::PackedSecond;
use dbdyno_drive::{IntervalRecord, Level, Load, Probe, RunOutcome, Start};
use dbdyno_meter::HistogramEncoder;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Receives a run. An error ends the run, because nobody would see the rest.
pub(super) trait Output {
    /// All connections are ready.
    fn started(&mut self, start: &Start) -> io::Result<()>;

    /// A second is over.
    fn second(&mut self, second: &mut Second<'_>) -> io::Result<()>;

    /// The server's own counts were read.
    fn counted(&mut self, _reading: &CounterReading) -> io::Result<()> {
        Ok(())
    }

    /// A probe of a search is over.
    fn probe(&mut self, _probe: &Probe) -> io::Result<()> {
        Ok(())
    }

    /// Reports a message.
    fn message(&mut self, _level: Level, _text: &str) -> io::Result<()> {
        Ok(())
    }

    /// The run is over. A run that could not begin was never started.
    fn finish(&mut self, outcome: &RunOutcome) -> io::Result<()>;
}

/// Holds one second, its histograms packed when the first output asks for them.
pub(super) struct Second<'a> {
    pub(super) record: &'a IntervalRecord<'a>,
    encoder: &'a mut HistogramEncoder,
    packed: Option<PackedSecond>,
}

impl<'a> Second<'a> {
    pub(super) fn new(record: &'a IntervalRecord<'a>, encoder: &'a mut HistogramEncoder) -> Self {
        Self {
            record,
            encoder,
            packed: None,
        }
    }

    /// Returns whether it is of the last phase, which the summary describes.
    pub(super) fn is_judged(&self, load: &Load) -> bool {
        let last = load.phases.last();
        last.is_some_and(|phase| phase.name == self.record.phase)
    }

    pub(super) fn packed(&mut self) -> &PackedSecond {
        self.packed
            .get_or_insert_with(|| PackedSecond::of(self.record.interval, self.encoder))
    }
}

/// Creates a file for `what`, before anything is driven.
pub(super) fn create(what: &str, path: &Path) -> Result<File, CliError> {
    File::create(path).map_err(|error| {
        CliError::request(
            ErrorCode::FileNotWritable,
            format!("{what} can't be written to {}", path.display()),
        )
        .because(error)
    })
}

/// Refuses two outputs in one file, where one would write over the other. Devices such as `/dev/null` take any number.
pub(super) fn refuse_shared<'a>(
    paths: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), CliError> {
    let mut places = Vec::new();
    for path in paths {
        let is_stdout = path.as_path() == Path::new("-");
        // A new file is created, so that two names of one file are found, too.
        let metadata = fs::metadata(path).or_else(|_| match is_stdout {
            true => Err(io::ErrorKind::NotFound.into()),
            false => File::create(path)?.metadata(),
        });
        let Some(metadata) = metadata.ok().filter(fs::Metadata::is_file) else {
            continue; // the error of a path that can't be created is reported where it is opened
        };
        let place = (metadata.dev(), metadata.ino());
        if places.contains(&place) {
            let what = format!("{} would hold two outputs", path.display());
            return Err(CliError::request(ErrorCode::FileOfTwoOutputs, what)
                .hint("name one file for each output"));
        }
        places.push(place);
    }
    Ok(())
}

/// Adds the path to an error of writing.
pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
