//! Implements `dbdyno-load workloads`: it lists the workloads, their options, and the resolved options
//! of one.
//!
//! The lab takes its knowledge of workloads only from here, so that nothing is written twice.

mod catalogue;
mod listing;

use crate::arguments::WorkloadsArguments;
use crate::cli_error::{CliError, unwritable};
use crate::error_code::ErrorCode;
use crate::terminal;
use listing::WorkloadListing;

/// Prints the list, or the description of one workload.
pub(crate) fn run(arguments: WorkloadsArguments) -> anyhow::Result<()> {
    let text = match &arguments.workload {
        Some(name) => {
            let listing = WorkloadListing::of(name, &arguments)?;
            if arguments.json {
                listing.to_json().to_string()
            } else {
                listing.to_text()
            }
        }
        None => {
            refuse_options(&arguments)?;
            if arguments.json {
                serde_json::to_string_pretty(&catalogue::to_json())?
            } else {
                catalogue::to_text()
            }
        }
    };
    print(&text)
}

/// Prints how a command takes a workload, and the workload's options.
pub(crate) fn help(command: &str, workload: &str) -> anyhow::Result<()> {
    let listing = WorkloadListing::of(workload, &WorkloadsArguments::of(workload))?;
    let (name, text) = (listing.name(), listing.to_text());
    let example = listing.example(command);
    print(&format!(
        "Usage:   dbdyno-load {command} {name} [OPTIONS]\nExample: {example}\n\n{text}\nOptions of the command: dbdyno-load {command} -h"
    ))
}

fn print(text: &str) -> anyhow::Result<()> {
    terminal::print_listing(text).map_err(unwritable("the list of workloads"))?;
    Ok(())
}

fn refuse_options(arguments: &WorkloadsArguments) -> Result<(), CliError> {
    match arguments.options.0.first() {
        None => Ok(()),
        Some((name, _)) => Err(CliError::request(
            ErrorCode::OptionWithoutWorkload,
            format!(
                "--{} belongs to a workload, and none is named",
                name.replace('_', "-")
            ),
        )
        .hint("name one: dbdyno-load workloads lists them")),
    }
}
