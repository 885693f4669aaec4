//! `dbdyno-load run`: drives a load and reports it as text, as records, or both.

mod observer;
mod screen;
mod summary;
mod totals;

use crate::arguments::RunArguments;
use crate::order::LoadOrder;
use crate::record::{End, RecordWriter, is_closed_pipe};
use crate::signals::stop_switch;
use crate::trouble::{Exit, Trouble, unwritable};
use dbdyno_drive::{DriveError, Load, Outcome, Status, drive};
use observer::{Records, RunObserver};
use screen::Screen;
use std::fs::File;
use std::io;
use std::path::Path;

/// Drives what was asked for.
pub(crate) fn run(arguments: RunArguments) -> anyhow::Result<Exit> {
    let order = arguments.order()?;
    let load = order.load()?;
    let stop = stop_switch()?;
    let mut observer = observer(&arguments, &order, &load)?;
    match drive(&load, &stop, &mut observer) {
        Ok(outcome) => match observer.finish(&outcome) {
            Ok(()) => Ok(exit_of(&outcome)),
            Err(error) => reader_gone(error),
        },
        Err(error) => {
            // A reader of records learns the reason from the last one; people from the error below.
            observer
                .finish_unbegun(&End::unbegun(&error))
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

/// Records to standard output for an order; otherwise text there, and records where asked for.
fn observer<'a>(
    arguments: &RunArguments,
    order: &'a LoadOrder,
    load: &'a Load,
) -> Result<RunObserver<'a>, Trouble> {
    let records_to = match arguments.order {
        Some(_) => Some(Path::new("-")),
        None => arguments.output.json_lines.as_deref(),
    };
    let on_standard_output = records_to == Some(Path::new("-"));
    let screen =
        (!on_standard_output).then(|| Screen::new(arguments.output.report_interval, order, load));
    Ok(RunObserver::new(
        order,
        load,
        records_to.map(records).transpose()?,
        screen,
    ))
}

fn records(path: &Path) -> Result<Records, Trouble> {
    if path == Path::new("-") {
        return Ok(RecordWriter::new(Box::new(io::stdout())));
    }
    let file = File::create(path).map_err(|error| {
        Trouble::request(format!("records can't be written to {}", path.display())).because(error)
    })?;
    Ok(RecordWriter::new(Box::new(file)))
}

impl End {
    /// The account of a load that could not begin.
    fn unbegun(error: &DriveError) -> Self {
        let failure = error.as_failure();
        let status = match error {
            DriveError::Interrupted => Status::Interrupted,
            _ => Status::Failed(failure),
        };
        Self::of(&Outcome::nothing(status))
    }
}
