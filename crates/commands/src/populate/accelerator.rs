//! Switches the redo log off while tables are filled, and on again.

use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::order::Access;
use crate::signals::hold_deadline;
use dbdyno_wire::{Session, WireError};
use std::time::Duration;

/// Log-in time limit for switching the redo log on after a failure.
const HURRIED_LOGIN: Duration = Duration::from_secs(3);

/// The status variable by which servers report the feature and its state.
const STATE: &str = "Innodb_redo_log_enabled";

/// Refuses a server without the feature, before anything is made there.
pub(super) fn check(access: &Access) -> Result<(), CliError> {
    let mut outside = access.clone();
    outside.endpoint.database = None; // it may be still to be created
    let mut session = outside.connect()?;
    let state = state(&mut session).map_err(|error| refused(&error))?;
    session.close();
    match state {
        Some(_) => Ok(()),
        None => Err(CliError::request(
            ErrorCode::AccelerateUnsupported,
            "--accelerate does not work on this server",
        )
        .because(format!(
            "it lacks the status variable {STATE}, which MySQL has since 8.0.21"
        ))
        .hint("omit --accelerate")),
    }
}

/// Fills with the redo log switched off, and always switches it on again.
pub(super) fn accelerated(
    access: &Access,
    fill: impl FnOnce() -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut session = access.connect()?;
    switch(&mut session, "DISABLE", "OFF").map_err(|error| refused(&error))?;
    session.close();
    switch_on(access, fill())
}

/// Switches the redo log on, interrupted or not: without it a server loses its data with the first crash. So it waits
/// until a server that accepts log-ins has switched; only a second signal ends that.
fn switch_on(access: &Access, filled: Result<(), CliError>) -> Result<(), CliError> {
    let access = access.uninterrupted();
    let switched = connect_soon(&access, filled.is_err()).and_then(|mut session| {
        let _hold = hold_deadline();
        let switched = switch(&mut session, "ENABLE", "ON");
        session.close();
        switched.map_err(|error| {
            CliError::world(ErrorCode::RedoLogOff, "it could not be switched on").because(error)
        })
    });
    let Err(error) = switched else {
        return filled;
    };
    let before = filled
        .err()
        .map_or(String::new(), |cli_error| format!("{cli_error}; then "));
    Err(CliError::world(ErrorCode::RedoLogOff, "the server's redo log is still switched off")
        .because(format!("{before}{error}"))
        .hint(
            "if the server runs, first send ALTER INSTANCE ENABLE INNODB REDO_LOG; if it crashed, its data is lost: set it up again",
        ))
}

/// Connects; after an interruption there is little time to find out whether the server answers at all.
fn connect_soon(access: &Access, is_hurried: bool) -> Result<Session, CliError> {
    if is_hurried {
        access.connect_within(HURRIED_LOGIN)
    } else {
        access.connect()
    }
}

fn switch(session: &mut Session, verb: &str, wanted: &str) -> Result<(), WireError> {
    session.query(&format!("ALTER INSTANCE {verb} INNODB REDO_LOG"))?;
    match state(session)? {
        Some(state) if state == wanted => Ok(()),
        other => Err(WireError::Protocol(format!(
            "{STATE} is {} after {verb}",
            other.unwrap_or_default()
        ))),
    }
}

fn state(session: &mut Session) -> Result<Option<String>, WireError> {
    let answer = session.select_columns(&format!("SHOW GLOBAL STATUS LIKE '{STATE}'"), 2)?;
    let value = answer.rows.first().and_then(|row| row.get(1)?.clone());
    Ok(value.map(|text| String::from_utf8_lossy(&text).into_owned()))
}

fn refused(error: &WireError) -> CliError {
    CliError::world(
        ErrorCode::RedoLogNotSwitched,
        "the server's redo log could not be switched off",
    )
    .because_of(error)
    .hint("GRANT INNODB_REDO_LOG_ENABLE ON *.* to the account, or omit --accelerate")
}
