//! Fills over one connection and replaces it when it is lost; each step is done exactly once even then.

use super::row_sender::RowSender;
use super::step_log;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::order::{Access, LOGIN_TIMEOUT, ROWS_TIMEOUT};
use dbdyno_drive::{FurtherError, StopSwitch, server_settings_remedy};
use dbdyno_wire::{ServerError, Session, WireError};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Attempts at a step before its error counts as permanent.
const ATTEMPTS: u32 = 10;

/// Backoff before a retry; grows by this much with each retry.
const RETRY_BACKOFF: Duration = Duration::from_millis(50);

/// Pause between two attempts to reach a server that is gone.
const RECONNECT_INTERVAL: Duration = Duration::from_millis(250);

/// Shortest time for a log-in, even when the time to reconnect is nearly over.
const LOGIN_TIMEOUT_MIN: Duration = Duration::from_millis(500);

/// Holds what all connections share.
pub(super) struct LoaderContext<'a> {
    pub(super) access: &'a Access,
    pub(super) stop: &'a StopSwitch,
    /// Statements that each connection runs first.
    pub(super) session_statements: Vec<String>,
    /// How long to wait for a server that is gone.
    pub(super) reconnect_timeout: Duration,
    /// Time limit of a statement that makes, changes or drops a table.
    pub(super) ddl_timeout: Duration,
    /// Time limit of a query that reads a whole table.
    pub(super) check_timeout: Duration,
    /// Steps that were restarted.
    pub(super) repeats: AtomicU64,
}

/// Says why a step failed.
#[derive(Debug)]
pub(super) enum StepError {
    /// From the server or the network: a retry may help.
    Wire(WireError),
    /// A retry would not help.
    Final(CliError),
}

impl From<WireError> for StepError {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl From<CliError> for StepError {
    fn from(cli_error: CliError) -> Self {
        Self::Final(cli_error)
    }
}

/// Describes a step: its entry in the step log, and its name for people.
#[derive(Debug, Clone)]
pub(super) struct LoggedStep {
    pub(super) entry: String,
    pub(super) what: String,
}

/// Fills over a connection that reconnects when it is lost.
pub(super) struct LoaderConnection<'a> {
    context: &'a LoaderContext<'a>,
    sender: RowSender,
}

impl<'a> LoaderConnection<'a> {
    pub(super) fn new(context: &'a LoaderContext<'a>) -> Result<Self, CliError> {
        let sender = RowSender::over(context.connect()?);
        Ok(Self { context, sender })
    }

    pub(super) fn close(self) {
        self.sender.session.close();
    }

    /// Writes rows and records their sums, in one transaction.
    ///
    /// `undo` removes what an earlier attempt may have left in tables whose engine has no transactions.
    pub(super) fn write(
        &mut self,
        step: &LoggedStep,
        is_repeat: bool,
        undo: &mut dyn FnMut(&mut Session) -> Result<(), StepError>,
        work: &mut dyn FnMut(&mut RowSender) -> Result<Vec<u64>, StepError>,
    ) -> Result<Vec<u64>, CliError> {
        self.retry(step, is_repeat, &mut |sender, is_repeat| {
            let session = &mut sender.session;
            session.query("START TRANSACTION")?;
            if !step_log::claim(session, &step.entry)? {
                session.query("ROLLBACK")?;
                return Ok(step_log::sums_of(session, &step.entry)?);
            }
            if is_repeat {
                undo(session)?;
            }
            let sums = work(sender)?;
            step_log::complete(&mut sender.session, &step.entry, &sums)?;
            sender.session.query("COMMIT")?;
            Ok(sums)
        })
    }

    /// Runs a statement that no transaction can undo, and records it.
    pub(super) fn run(
        &mut self,
        step: &LoggedStep,
        is_repeat: bool,
        statement: &str,
    ) -> Result<(), CliError> {
        let limit = self.context.ddl_timeout;
        self.retry(step, is_repeat, &mut |sender, is_repeat| {
            match within(limit, &mut sender.session, |session| {
                session.query(statement)
            }) {
                Err(WireError::Server(error)) if is_repeat && already_exists(&error) => {}
                other => drop(other?),
            }
            step_log::claim(&mut sender.session, &step.entry)?;
            Ok(())
        })
    }

    /// Runs a statement without a retry: an error ends the populate.
    pub(super) fn execute(&mut self, what: &str, statement: &str) -> Result<(), CliError> {
        self.context.check_interrupted()?;
        let (limit, session) = (self.context.ddl_timeout, &mut self.sender.session);
        let done = within(limit, session, |session| session.query(statement));
        done.map(drop).map_err(|error| failed_by(what, &error))
    }

    /// Records a step that is done.
    pub(super) fn record(&mut self, step: &LoggedStep) -> Result<(), CliError> {
        let recorded = step_log::claim(&mut self.sender.session, &step.entry);
        recorded
            .map(drop)
            .map_err(|error| failed_by(&step.what, &error))
    }

    /// Runs a query that changes nothing and reads a whole table.
    pub(super) fn ask<T>(
        &mut self,
        step: &LoggedStep,
        question: &mut dyn FnMut(&mut Session) -> Result<T, StepError>,
    ) -> Result<T, CliError> {
        let limit = self.context.check_timeout;
        self.retry(step, false, &mut |sender, _| {
            within(limit, &mut sender.session, |session| question(session))
        })
    }

    fn retry<T>(
        &mut self,
        step: &LoggedStep,
        mut is_repeat: bool,
        attempt: &mut dyn FnMut(&mut RowSender, bool) -> Result<T, StepError>,
    ) -> Result<T, CliError> {
        for left in (0..ATTEMPTS).rev() {
            self.context.check_interrupted()?;
            let error = match attempt(&mut self.sender, is_repeat) {
                Ok(done) => return Ok(done),
                Err(StepError::Final(cli_error)) => return Err(cli_error),
                Err(StepError::Wire(error)) => error,
            };
            if left == 0 || !is_transient(&error) {
                return Err(failed_by(&step.what, &error));
            }
            self.context.check_interrupted()?;
            thread::sleep(RETRY_BACKOFF * (ATTEMPTS - left));
            self.recover(&error)?;
            self.context.repeats.fetch_add(1, Ordering::Relaxed);
            is_repeat = true;
        }
        Err(failed(&step.what, &"it never began"))
    }

    /// Returns to a connection without an open transaction.
    fn recover(&mut self, error: &WireError) -> Result<(), CliError> {
        let is_lost = error.is_connection_lost() || self.sender.session.query("ROLLBACK").is_err();
        if is_lost {
            self.sender = RowSender::over(self.context.connect_again(error)?);
        }
        Ok(())
    }
}

impl LoaderContext<'_> {
    pub(super) fn connect(&self) -> Result<Session, CliError> {
        self.connect_within(LOGIN_TIMEOUT)
    }

    fn connect_within(&self, limit: Duration) -> Result<Session, CliError> {
        let mut session = self.access.connect_within(limit)?;
        for statement in &self.session_statements {
            session
                .query(statement)
                .map_err(|error| failed_by("a connection", &error))?;
        }
        let limited = session.set_timeout(Some(ROWS_TIMEOUT));
        limited.map_err(|error| failed_by("a connection", &error))?;
        Ok(session)
    }

    /// Waits for a server that is gone.
    fn connect_again(&self, lost: &WireError) -> Result<Session, CliError> {
        let until = Instant::now() + self.reconnect_timeout;
        loop {
            self.check_interrupted()?;
            let rest = until.saturating_duration_since(Instant::now());
            match self.connect_within(rest.clamp(LOGIN_TIMEOUT_MIN, LOGIN_TIMEOUT)) {
                Ok(session) => return Ok(session),
                Err(_) if self.stop.is_thrown() => return Err(interrupted()),
                Err(error) if Instant::now() >= until => {
                    let cli_error = CliError::world(ErrorCode::ReconnectFailed, format!(
                        "the connection was lost, and the server did not accept another within {} s",
                        self.reconnect_timeout.as_secs()
                    ))
                    .because(format!("{lost}; then {error}"))
                    .hint("start the server, then continue with --resume");
                    return Err(CliError {
                        is_path_lost: error.is_path_lost,
                        cause: error.cause,
                        ..cli_error
                    });
                }
                Err(_) => thread::sleep(RECONNECT_INTERVAL),
            }
        }
    }

    /// Fails once the user has interrupted the program.
    pub(super) fn check_interrupted(&self) -> Result<(), CliError> {
        match self.stop.is_thrown() {
            true => Err(interrupted()),
            false => Ok(()),
        }
    }
}

fn interrupted() -> CliError {
    CliError::interrupted(
        "interrupted; the tables are left as they are",
        Some("continue with --resume, or drop them with dbdyno-load cleanup and the same options"),
    )
}

/// Runs `ask` under a time limit, then restores the limit that rows have.
fn within<T, E: From<WireError>>(
    limit: Duration,
    session: &mut Session,
    ask: impl FnOnce(&mut Session) -> Result<T, E>,
) -> Result<T, E> {
    session.set_timeout(Some(limit))?;
    let answer = ask(session);
    session.set_timeout(Some(ROWS_TIMEOUT))?;
    answer
}

/// Returns whether a retry may help: after a lost connection or a lock that others hold. A timeout or a broken protocol
/// would only fail again.
fn is_transient(error: &WireError) -> bool {
    const LOCK_WAIT_TIMEOUT: u16 = 1205;
    const DEADLOCK: u16 = 1213;
    /// A conflict that the storage engine has found at COMMIT.
    const DURING_COMMIT: FurtherError = FurtherError {
        code: 1180,
        cause: Some(149),
    };
    match error {
        WireError::Server(error) if matches!(error.code, LOCK_WAIT_TIMEOUT | DEADLOCK) => true,
        WireError::Server(error) if DURING_COMMIT.is(error) => true,
        WireError::Timeout { .. }
        | WireError::Cancelled { .. }
        | WireError::Excess { .. }
        | WireError::Protocol(_) => false,
        other => other.is_connection_lost(),
    }
}

/// Returns whether an earlier attempt has already executed the statement: the key, constraint or procedure exists.
fn already_exists(error: &ServerError) -> bool {
    matches!(error.code, 1061 | 1304 | 1826)
        || (error.code == 1005 && error.message.contains("errno: 121"))
}

/// MySQL error for a table that `setup.sql` creates and that exists.
const TABLE_EXISTS: u16 = 1050;

/// Returns whether the server has no space left for rows.
fn is_out_of_space(error: &ServerError) -> bool {
    const NO_SPACE: [u16; 6] = [3, 28, 1021, 1026, 1114, 3675];
    NO_SPACE.contains(&error.code) || error.message.contains("No space left")
}

pub(super) fn failed(what: &str, error: &dyn std::fmt::Display) -> CliError {
    CliError::world(
        ErrorCode::FillingFailed,
        format!("{what} could not be filled"),
    )
    .because(error)
}

/// Does the same as [`failed`], with a remedy.
pub(super) fn failed_by(what: &str, error: &WireError) -> CliError {
    let cli_error = CliError {
        is_path_lost: error.is_path_lost(),
        cause: Some(error.into()),
        ..failed(what, error)
    };
    match error {
        WireError::Cancelled { .. } => interrupted().because(error),
        WireError::Server(error) if is_out_of_space(error) => CliError {
            code: ErrorCode::DiskFull,
            ..cli_error.hint("the server's disk is full: free some space, then use --resume")
        },
        // `[tables]` does not name it, so it may hold somebody's data, and no check before the filling has found it.
        WireError::Server(error) if error.code == TABLE_EXISTS => CliError {
            code: ErrorCode::TablesExist,
            ..cli_error.hint(
                "choose another --database, or rename the table: --resume first drops what cleanup.sql drops, as \
                 dbdyno-load cleanup does",
            )
        },
        _ => {
            let remedy = server_settings_remedy(error).unwrap_or("remove the cause");
            cli_error.hint(format!("{remedy}; then continue with --resume"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(code: u16, message: &str) -> WireError {
        WireError::Server(ServerError {
            code,
            sql_state: *b"HY000",
            message: message.to_owned(),
        })
    }

    #[test]
    fn transient_errors_are_retried() {
        for code in [1205, 1213, 1053, 1927] {
            assert!(is_transient(&server(code, "")), "{code}");
        }
        for code in [1062, 1114, 1064, 1153] {
            assert!(!is_transient(&server(code, "")), "{code}");
        }
        let conflict = "Got error 149 \"Lock deadlock; Retry transaction\" during COMMIT";
        assert!(is_transient(&server(1180, conflict)));
        assert!(!is_transient(&server(1180, "Got error 1149 during COMMIT")));
    }

    #[test]
    fn a_constraint_that_exists_is_known_by_its_number() {
        let is_there = |message: &str| match server(1005, message) {
            WireError::Server(error) => already_exists(&error),
            _ => unreachable!(),
        };
        assert!(is_there(
            "Can't create table `a`.`b` (errno: 121 \"Duplicate key on write or update\")"
        ));
        assert!(!is_there("Can't create table `a`.`b121` (errno: 150)"));
    }

    #[test]
    fn errors_of_a_filling_have_the_code_of_their_remedy() {
        for (number, message, code) in [
            (1114, "The table 'sbtest1' is full", ErrorCode::DiskFull),
            (
                1030,
                "Got error 28 \"No space left on device\" from storage engine",
                ErrorCode::DiskFull,
            ),
            (
                1050,
                "Table 'purchase' already exists",
                ErrorCode::TablesExist,
            ),
            (1142, "denied", ErrorCode::FillingFailed),
        ] {
            let found = failed_by("table sbtest1", &server(number, message));
            assert_eq!(
                (found.code, found.cause),
                (code, Some(ErrorCode::ServerError))
            );
        }
    }
}
