//! Drives a run from log-in to its outcome.

use crate::connection_pool::ConnectionPool;
use crate::observe::{Observer, RunOutcome};
use crate::segment::Segment;
use crate::{DriveError, Load, StopSwitch};

/// Runs a load on the calling thread and its workers, and reports to `observer` second by second.
///
/// # Errors
///
/// The load could not begin. The [`RunOutcome`] reports what happens after its start.
pub fn drive(
    load: &Load,
    stop: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, DriveError> {
    load.check()?;
    load.check_phases()?;
    let mut pool = ConnectionPool::open(load, stop, observer)?;
    let segment = Segment {
        pacing: load.pacing.clone(),
        phases: load.phases.clone(),
        seed: load.seed,
    };
    pool.run(&segment, observer);
    Ok(pool.close())
}
