//! Checks that the tables hold what the workload needs, before it runs on them.

use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::order::{Access, LOGIN_TIMEOUT};
use dbdyno_drive::{DriveError, Load};
use dbdyno_wire::{Session, WireError};

/// Says why a load is not to begin.
pub(super) enum UnmetPrecondition {
    /// A precondition does not hold.
    Premise(CliError),
    /// A precondition could not be checked.
    Unasked(Box<DriveError>),
}

/// Checks every precondition of the workload. A server that answers with an error is left to the load, whose statements
/// meet the same error and show which of them did.
pub(super) fn check(load: &Load, access: &Access) -> Result<(), UnmetPrecondition> {
    let premises = &load.workload.spec().preconditions;
    if premises.is_empty() {
        return Ok(());
    }
    let session = Session::open_with(&access.endpoint, &access.options, LOGIN_TIMEOUT);
    let mut session = match session {
        Ok(session) => session,
        Err(error) => return left_to_the_load("log-in", error),
    };
    for premise in premises {
        match session.select(&premise.sql) {
            Ok(found) if found.rows.is_empty() => {
                let cli_error = CliError::request(ErrorCode::PreconditionUnmet, &premise.otherwise)
                    .hint(&premise.remedy);
                return Err(UnmetPrecondition::Premise(cli_error));
            }
            Ok(_) => {}
            Err(error) => return left_to_the_load("asking what the workload needs", error),
        }
    }
    session.close();
    Ok(())
}

/// Leaves an error to the load, unless the load would wait for it in its turn, or never meet it.
fn left_to_the_load(doing: &str, source: WireError) -> Result<(), UnmetPrecondition> {
    match source {
        WireError::Server(_) | WireError::Authentication { .. } => Ok(()),
        WireError::Cancelled { .. } => unasked(DriveError::Interrupted),
        source => unasked(DriveError::Server {
            doing: doing.to_owned(),
            source,
        }),
    }
}

fn unasked(error: DriveError) -> Result<(), UnmetPrecondition> {
    Err(UnmetPrecondition::Unasked(Box::new(error)))
}
