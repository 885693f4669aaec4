//! `dbdyno-load run`: drives a load and reports it as text, as records, or both.

mod figures;
mod observer;
mod output;
mod screen;
mod sparkline;
mod summary;
mod totals;

use crate::arguments::RunArguments;
use crate::order::LoadOrder;
use crate::record::is_closed_pipe;
use crate::signals::stop_switch;
use crate::trouble::{Exit, Trouble, unwritable};
use dbdyno_drive::{DriveError, Load, Outcome, Status, drive};
use observer::RunObserver;
use output::{HdrLog, JsonLines, Output, ParquetTable};
use screen::Screen;
use std::io;
use std::path::Path;

/// Drives what was asked for.
pub(crate) fn run(arguments: RunArguments) -> anyhow::Result<Exit> {
    let order = arguments.order()?;
    let load = order.load()?;
    let stop = stop_switch()?;
    let mut observer = RunObserver::new(outputs(&arguments, &order, &load)?);
    match drive(&load, &stop, &mut observer) {
        Ok(outcome) => match observer.finish(&outcome) {
            Ok(()) => Ok(exit_of(&outcome)),
            Err(error) => reader_gone(error),
        },
        Err(error) => {
            // A reader of records learns the reason from the last one; people from the error below.
            observer
                .finish(&unbegun(&error))
                .map_err(unwritable("the end of the run"))?;
            Err(error.into())
        }
    }
}

/// A reader that has seen enough (`| head`) ended the run; there is nobody to tell.
fn reader_gone(error: io::Error) -> anyhow::Result<Exit> {
    if is_closed_pipe(&error) {
        return Ok(Exit::NotHeld);
    }
    Err(unwritable("the end of the run")(error).into())
}

fn exit_of(outcome: &Outcome) -> Exit {
    match &outcome.status {
        Status::Complete => Exit::Done,
        Status::Interrupted => Exit::NotHeld,
        Status::Failed(failure) => Trouble::of_failure(failure).tell(),
    }
}

/// Where the run is written to: records to standard output for an order; otherwise text there, and files
/// where asked for.
fn outputs<'a>(
    arguments: &RunArguments,
    order: &'a LoadOrder,
    load: &'a Load,
) -> Result<Vec<Box<dyn Output + 'a>>, Trouble> {
    let files = &arguments.output;
    let records_to = match arguments.order {
        Some(_) => Some(Path::new("-")),
        None => files.json_lines.as_deref(),
    };
    let mut outputs: Vec<Box<dyn Output>> = Vec::new();
    if let Some(path) = records_to {
        outputs.push(Box::new(JsonLines::create(path, order, load)?));
    }
    if let Some(path) = &files.hdr_log {
        outputs.push(Box::new(HdrLog::create(path, load)?));
    }
    if let Some(path) = &files.parquet {
        outputs.push(Box::new(ParquetTable::create(path, load)?));
    }
    if records_to != Some(Path::new("-")) {
        outputs.push(Box::new(Screen::new(files.report_interval, order, load)));
    }
    Ok(outputs)
}

/// The account of a load that could not begin.
fn unbegun(error: &DriveError) -> Outcome {
    Outcome::nothing(match error {
        DriveError::Interrupted => Status::Interrupted,
        _ => Status::Failed(error.as_failure()),
    })
}
