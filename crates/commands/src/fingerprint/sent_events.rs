//! Runs the events of one user, one after the other.

use crate::cli_error::CliError;
use crate::order::LoadOrder;
use dbdyno_drive::{Load, RunOutcome, SilentObserver, Status, StopSwitch, drive};
use dbdyno_workload::{Digested, Workload};
use std::sync::Arc;

/// Unix time at which the server's clock is stopped.
const SERVER_TIME_S: u64 = 1_600_000_000;

/// Counts what was sent.
#[derive(Debug, Default)]
pub(super) struct SentEvents {
    pub(super) completed: u64,
    pub(super) failed: u64,
    /// `None` if nothing was sent.
    pub(super) sha256: Option<String>,
}

pub(super) fn send(
    order: &LoadOrder,
    events: u64,
    stop: &StopSwitch,
) -> anyhow::Result<SentEvents> {
    let load = order.load_until(stop)?;
    let digested = Digested::new(Arc::clone(&load.workload), events).at_standstill(SERVER_TIME_S);
    let digested = Arc::new(digested);
    let load = Load {
        workload: Arc::<Digested>::clone(&digested),
        ..load
    };
    let outcome = drive(&load, stop, &mut SilentObserver)?;
    check(&outcome)?;
    Ok(SentEvents {
        completed: outcome.completed,
        failed: outcome.failed,
        sha256: digested.digests().first().map(ToString::to_string),
    })
}

fn check(outcome: &RunOutcome) -> Result<(), CliError> {
    match &outcome.status {
        Status::Complete => Ok(()),
        Status::Interrupted => Err(CliError::interrupted(
            "interrupted before all events were sent",
            None,
        )),
        Status::Failed(failure) => Err(CliError::of_failure(failure)),
    }
}
