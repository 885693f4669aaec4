//! Drives a load from several hosts as one client: each drives its share, and their records are merged as they come.
//!
//! All hosts log in and report that they are ready. Then their clocks are compared with the one here, and each receives
//! the same instant by its own clock, so unsynchronised clocks begin together, too. A failure of one share ends all.

mod connection;
mod host_clock;
mod hosts;
mod live_records;
mod share_command;
mod ssh;

use super::merge::{MergedOutput, MergedStatus, exit_of, open_live, write_run, write_unbegun};
use crate::arguments::{OutputArguments, Requirement};
use crate::cli_error::{CliError, Exit};
use crate::order::LoadOrder;
use crate::signals::{hold_deadline, stop_switch};
use hosts::{Hosts, ShareFailure};
use share_command::share_commands;
use std::path::PathBuf;

/// Drives the shares of the order's hosts. `text` is that of an order file; without one the arguments of this program
/// describe the load.
pub(super) fn run(
    order: &LoadOrder,
    text: Option<String>,
    files: &OutputArguments,
    requirements: &[Requirement],
) -> anyhow::Result<Exit> {
    order.check_agents()?;
    let stop = stop_switch()?;
    let _hold = hold_deadline(); // hosts take their time to end
    let output = MergedOutput {
        json_lines: match text {
            Some(_) => Some(PathBuf::from("-")),
            None => files.json_lines.clone(),
        },
        parquet: files.parquet.clone(),
    };
    output.check()?;
    let hosts = Hosts::start(share_commands(order, text.as_deref())?, stop)?;
    let begun = hosts
        .begin()
        .and_then(|()| open_live(hosts.sources()).map_err(|error| refusal(&hosts, &error)));
    match begun {
        Ok(shares) => write_run(shares, &output, requirements),
        Err(failure) => {
            let status = unbegun(failure);
            write_unbegun(&status, &output)?;
            Ok(exit_of(&status))
        }
    }
}

/// Returns why the run could not begin: the failure of a share, or records that do not fit together; `None` if the
/// user ended it.
fn refusal(hosts: &Hosts, error: &CliError) -> Option<ShareFailure> {
    let refused = || ShareFailure {
        host: "the load hosts".to_owned(),
        reason: error.to_string(),
        error_code: None,
        kind: "client".to_owned(),
    };
    match hosts.check() {
        Ok(()) => Some(refused()),
        Err(why) => why,
    }
}

fn unbegun(failure: Option<ShareFailure>) -> MergedStatus {
    match failure {
        None => MergedStatus {
            status: "interrupted",
            reason: "stopped by a signal before the load began".to_owned(),
            error_code: None,
            failure_kind: None,
        },
        Some(failure) => MergedStatus {
            status: "failed",
            reason: format!("{}: {}", failure.host, failure.reason),
            error_code: failure.error_code,
            failure_kind: Some(failure.kind),
        },
    }
}
