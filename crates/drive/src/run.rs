//! A run from log-in to account.

use crate::crew::Crew;
use crate::leg::Leg;
use crate::observe::{Observer, Outcome};
use crate::{DriveError, Load, StopSwitch};

/// Runs a load on the calling thread and its workers, and tells `observer` second by second.
///
/// # Errors
///
/// The load could not begin. What happens after its start is told by the [`Outcome`].
pub fn drive(
    load: &Load,
    stop: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<Outcome, DriveError> {
    load.check()?;
    load.check_phases()?;
    let mut crew = Crew::open(load, stop, observer)?;
    let leg = Leg {
        pacing: load.pacing.clone(),
        phases: load.phases.clone(),
        seed: load.seed,
    };
    crew.run(&leg, observer);
    Ok(crew.close())
}
