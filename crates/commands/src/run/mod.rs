//! Implements `dbdyno-load run` and `search`: it drives a load and reports it as text, as records, or both.

mod agents;
mod commands;
mod counter_poller;
pub(crate) mod figures;
mod heading;
mod merge;
mod observer;
mod output;
mod preconditions;
mod requirement_checker;
mod screen;
mod search_screen;
mod sparkline;
mod summary;
mod totals;

use crate::arguments::{OutputArguments, Requirement, RunArguments, SearchArguments};
use crate::cli_error::{CliError, Exit, unwritable};
use crate::order::LoadOrder;
use crate::record::{TypeNames, is_closed_pipe};
use crate::signals::stop_switch;
use counter_poller::CounterPoller;
use dbdyno_drive::{DriveError, Load, RunOutcome, Search, StartTime, Status, drive};
use dbdyno_workload::Metric;
pub(crate) use merge::merge;
use observer::RunObserver;
use output::{HdrLog, JsonLines, Output, ParquetTable, refuse_shared};
use preconditions::UnmetPrecondition;
use requirement_checker::RequirementChecker;
use screen::RunScreen;
use search_screen::SearchScreen;
use std::cell::Cell;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Drives the requested load.
pub(crate) fn run(arguments: RunArguments) -> anyhow::Result<Exit> {
    let (order, text) = arguments.order()?;
    if !order.agents.is_empty() {
        return agents::run(&order, text, &arguments.output, &arguments.require);
    }
    let shown = match arguments.order {
        Some(_) => OutputMode::Records,
        None => OutputMode::Text(arguments.report_interval),
    };
    carry_out(&order, shown, &arguments.output, &arguments.require)
}

/// Runs the requested search.
pub(crate) fn search(arguments: SearchArguments) -> anyhow::Result<Exit> {
    carry_out(
        &arguments.order()?,
        OutputMode::Text(0),
        &arguments.output,
        &[],
    )
}

/// Says what standard output shows, unless records are sent there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputMode {
    /// Text, with so many seconds between lines of progress.
    Text(u32),
    /// Records.
    Records,
}

fn carry_out(
    order: &LoadOrder,
    shown: OutputMode,
    files: &OutputArguments,
    requirements: &[Requirement],
) -> anyhow::Result<Exit> {
    let stop = stop_switch()?;
    let (load, search) = (order.load_until(&stop)?, order.search()?);
    let counts_every_s = order.counts_every_s()?;
    let has_failed = Cell::new(false);
    let mut outputs = outputs(order, &load, search, shown, files)?;
    if !requirements.is_empty() {
        let is_stdout_taken = files.json_lines.as_deref() == Some(Path::new("-"));
        outputs.push(Box::new(RequirementChecker::new(
            requirements,
            &load,
            is_stdout_taken,
            &has_failed,
        )));
    }
    if let StartTime::Common(signal) = &load.start {
        commands::obey(Arc::clone(signal), stop.clone())?;
    }
    let access = order.target.access()?;
    let unmet = preconditions::check(&load, &access.clone().until(&stop));
    let counting = match search {
        Some(_) => None,                      // its probes are no phases
        None if load.share.index > 0 => None, // the first share counts for all
        None => CounterPoller::begin(&load, access, counts_every_s, stop.clone()),
    };
    let mut observer = RunObserver::new(outputs, order.remark(), counting);
    match unmet {
        Ok(()) => {}
        Err(UnmetPrecondition::Premise(cli_error)) => {
            let reason = DriveError::Request(cli_error.to_string());
            observer
                .finish(&unbegun(&reason))
                .map_err(unwritable("the results of the run"))?;
            return Err(cli_error.into());
        }
        Err(UnmetPrecondition::Unasked(error)) => return not_begun(*error, &mut observer),
    }
    let result = match &search {
        Some(search) => dbdyno_drive::search(&load, search, &stop, &mut observer),
        None => drive(&load, &stop, &mut observer),
    };
    match result {
        Ok(outcome) => match observer.finish(&outcome) {
            Ok(()) => match exit_of(&outcome, &load.workload.metrics()) {
                Exit::Done if has_failed.get() => Ok(Exit::NotHeld),
                exit => Ok(exit),
            },
            Err(error) => reader_gone(error),
        },
        Err(error) => not_begun(error, &mut observer),
    }
}

/// Reports a run that could not begin: records give the reason in the last one, text in the error.
fn not_begun(error: DriveError, observer: &mut RunObserver<'_>) -> anyhow::Result<Exit> {
    observer
        .finish(&unbegun(&error))
        .map_err(unwritable("the results of the run"))?;
    Err(error.into())
}

/// Handles a reader that has seen enough (`| head`) and ended the run; there is nobody to report to.
fn reader_gone(error: io::Error) -> anyhow::Result<Exit> {
    if is_closed_pipe(&error) {
        return Ok(Exit::NotHeld);
    }
    Err(unwritable("the results of the run")(error).into())
}

fn exit_of(outcome: &RunOutcome, figures: &[Metric]) -> Exit {
    let has_missed = figures.iter().any(|figure| figure.held == Some(false));
    match &outcome.status {
        Status::Complete if has_missed || found_nothing(outcome) => Exit::NotHeld,
        Status::Complete => Exit::Done,
        Status::Interrupted => Exit::NotHeld,
        Status::Failed(failure) => CliError::of_failure(failure).tell(),
    }
}

fn found_nothing(outcome: &RunOutcome) -> bool {
    let answer = outcome.search.as_ref();
    answer.is_some_and(|answer| answer.highest_held_per_s.is_none())
}

/// Returns the outputs of the run: for an order, records to standard output; otherwise text there, and files
/// if asked for.
fn outputs<'a>(
    order: &'a LoadOrder,
    load: &'a Load,
    search: Option<Search>,
    shown: OutputMode,
    files: &OutputArguments,
) -> Result<Vec<Box<dyn Output + 'a>>, CliError> {
    let records_to = match shown {
        OutputMode::Records => Some(Path::new("-")),
        OutputMode::Text(_) => files.json_lines.as_deref(),
    };
    let files_written = [&files.json_lines, &files.hdr_log, &files.parquet];
    refuse_shared(files_written.into_iter().flatten())?;
    let mut outputs: Vec<Box<dyn Output>> = Vec::new();
    if let Some(path) = records_to {
        outputs.push(Box::new(JsonLines::create(path, order, load)?));
    }
    if let Some(path) = &files.hdr_log {
        outputs.push(Box::new(HdrLog::create(path, load)?));
    }
    if let Some(path) = &files.parquet {
        outputs.push(Box::new(ParquetTable::create(
            path,
            TypeNames::of(&*load.workload),
        )?));
    }
    match (shown, search) {
        (OutputMode::Text(_), _) if records_to == Some(Path::new("-")) => {}
        (OutputMode::Text(_), Some(search)) => {
            outputs.push(Box::new(SearchScreen::new(order, load, search)));
        }
        (OutputMode::Text(seconds), None) => {
            outputs.push(Box::new(RunScreen::new(seconds, order, load)))
        }
        (OutputMode::Records, _) => {}
    }
    Ok(outputs)
}

/// Returns the outcome of a load that could not begin.
fn unbegun(error: &DriveError) -> RunOutcome {
    RunOutcome::nothing(match error {
        DriveError::Interrupted => Status::Interrupted,
        _ => Status::Failed(error.as_failure()),
    })
}
