//! Fills over one connection and replaces it when it is lost; each step is done once, whatever happens to
//! connections.

use super::ledger;
use super::line::Line;
use crate::order::{Access, LOGIN_TIMEOUT, ROWS_TIMEOUT};
use crate::trouble::Trouble;
use dbdyno_drive::StopSwitch;
use dbdyno_wire::{ServerError, Session, WireError};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often a step is begun before its errors are taken for lasting ones.
const ATTEMPTS: u32 = 10;

/// Before a further attempt, and as much again before each one after it.
const BREATH: Duration = Duration::from_millis(50);

/// Between two attempts to reach a server that is gone.
const BETWEEN_KNOCKS: Duration = Duration::from_millis(250);

/// A log-in has so long even when the time for it is nearly over.
const SHORTEST_LOG_IN: Duration = Duration::from_millis(500);

/// What all hands share.
pub(super) struct Ground<'a> {
    pub(super) access: &'a Access,
    pub(super) stop: &'a StopSwitch,
    /// Statements that each connection begins with.
    pub(super) greeting: Vec<String>,
    /// How long a server that is gone is waited for.
    pub(super) patience: Duration,
    /// How long a statement may take that makes, changes or drops a table.
    pub(super) ddl_timeout: Duration,
    /// How long a query may take that reads a whole table.
    pub(super) check_timeout: Duration,
    /// Steps that were begun again.
    pub(super) repeats: AtomicU64,
}

/// Why a step did not come to its end.
#[derive(Debug)]
pub(super) enum Hitch {
    /// Said by the server or the network: a further attempt may help.
    Wire(WireError),
    /// For good.
    Final(Trouble),
}

impl From<WireError> for Hitch {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl From<Trouble> for Hitch {
    fn from(trouble: Trouble) -> Self {
        Self::Final(trouble)
    }
}

/// A step and its name: in the ledger, and for people.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) entry: String,
    pub(super) what: String,
}

/// A connection at work.
pub(super) struct Hand<'a> {
    ground: &'a Ground<'a>,
    line: Line,
}

impl<'a> Hand<'a> {
    pub(super) fn new(ground: &'a Ground<'a>) -> Result<Self, Trouble> {
        let line = Line::over(ground.connect()?);
        Ok(Self { ground, line })
    }

    pub(super) fn close(self) {
        self.line.session.close();
    }

    /// Writes rows and notes their sums, both or neither.
    ///
    /// `undo` takes away what an earlier attempt may have left in tables whose engine knows no transactions.
    pub(super) fn write(
        &mut self,
        step: &Step,
        is_repeat: bool,
        undo: &mut dyn FnMut(&mut Session) -> Result<(), Hitch>,
        work: &mut dyn FnMut(&mut Line) -> Result<Vec<u64>, Hitch>,
    ) -> Result<Vec<u64>, Trouble> {
        self.again_and_again(step, is_repeat, &mut |line, is_repeat| {
            let session = &mut line.session;
            session.query("START TRANSACTION")?;
            if !ledger::claim(session, &step.entry)? {
                session.query("ROLLBACK")?;
                return Ok(ledger::sums_of(session, &step.entry)?);
            }
            if is_repeat {
                undo(session)?;
            }
            let sums = work(line)?;
            ledger::complete(&mut line.session, &step.entry, &sums)?;
            line.session.query("COMMIT")?;
            Ok(sums)
        })
    }

    /// Runs statements that no transaction holds, noting each.
    pub(super) fn run(
        &mut self,
        step: &Step,
        is_repeat: bool,
        statement: &str,
    ) -> Result<(), Trouble> {
        let limit = self.ground.ddl_timeout;
        self.again_and_again(step, is_repeat, &mut |line, is_repeat| {
            match within(limit, &mut line.session, |session| session.query(statement)) {
                Err(WireError::Server(error)) if is_repeat && is_there_already(&error) => {}
                other => drop(other?),
            }
            ledger::claim(&mut line.session, &step.entry)?;
            Ok(())
        })
    }

    /// Runs a statement once and for all: an error ends the filling.
    pub(super) fn execute(&mut self, what: &str, statement: &str) -> Result<(), Trouble> {
        self.ground.go_on()?;
        let (limit, session) = (self.ground.ddl_timeout, &mut self.line.session);
        let done = within(limit, session, |session| session.query(statement));
        done.map(drop).map_err(|error| failed_by(what, &error))
    }

    /// Notes a step that is done.
    pub(super) fn note(&mut self, step: &Step) -> Result<(), Trouble> {
        let noted = ledger::claim(&mut self.line.session, &step.entry);
        noted
            .map(drop)
            .map_err(|error| failed_by(&step.what, &error))
    }

    /// Asks something that changes nothing and reads a whole table.
    pub(super) fn ask<T>(
        &mut self,
        step: &Step,
        question: &mut dyn FnMut(&mut Session) -> Result<T, Hitch>,
    ) -> Result<T, Trouble> {
        let limit = self.ground.check_timeout;
        self.again_and_again(step, false, &mut |line, _| {
            within(limit, &mut line.session, |session| question(session))
        })
    }

    fn again_and_again<T>(
        &mut self,
        step: &Step,
        mut is_repeat: bool,
        attempt: &mut dyn FnMut(&mut Line, bool) -> Result<T, Hitch>,
    ) -> Result<T, Trouble> {
        for left in (0..ATTEMPTS).rev() {
            self.ground.go_on()?;
            let error = match attempt(&mut self.line, is_repeat) {
                Ok(done) => return Ok(done),
                Err(Hitch::Final(trouble)) => return Err(trouble),
                Err(Hitch::Wire(error)) => error,
            };
            if left == 0 || !may_pass(&error) {
                return Err(failed_by(&step.what, &error));
            }
            self.ground.go_on()?;
            thread::sleep(BREATH * (ATTEMPTS - left));
            self.recover(&error)?;
            self.ground.repeats.fetch_add(1, Ordering::Relaxed);
            is_repeat = true;
        }
        Err(failed(&step.what, &"it was never begun"))
    }

    /// Comes back to a connection without a transaction.
    fn recover(&mut self, error: &WireError) -> Result<(), Trouble> {
        let is_lost = error.is_connection_lost() || self.line.session.query("ROLLBACK").is_err();
        if is_lost {
            self.line = Line::over(self.ground.connect_again(error)?);
        }
        Ok(())
    }
}

impl Ground<'_> {
    pub(super) fn connect(&self) -> Result<Session, Trouble> {
        self.connect_within(LOGIN_TIMEOUT)
    }

    fn connect_within(&self, limit: Duration) -> Result<Session, Trouble> {
        let mut session = self.access.connect_within(limit)?;
        for statement in &self.greeting {
            session
                .query(statement)
                .map_err(|error| failed_by("a connection", &error))?;
        }
        let limited = session.set_timeout(Some(ROWS_TIMEOUT));
        limited.map_err(|error| failed_by("a connection", &error))?;
        Ok(session)
    }

    /// Waits for a server that is gone.
    fn connect_again(&self, lost: &WireError) -> Result<Session, Trouble> {
        let until = Instant::now() + self.patience;
        loop {
            self.go_on()?;
            let rest = until.saturating_duration_since(Instant::now());
            match self.connect_within(rest.clamp(SHORTEST_LOG_IN, LOGIN_TIMEOUT)) {
                Ok(session) => return Ok(session),
                Err(_) if self.stop.is_thrown() => return Err(interrupted()),
                Err(error) if Instant::now() >= until => {
                    let trouble = Trouble::world(format!(
                        "the server is gone and did not come back within {} s",
                        self.patience.as_secs()
                    ))
                    .because(format!("{lost}; then {error}"))
                    .hint("see to it that it runs, then go on with --resume");
                    return Err(Trouble {
                        is_path_lost: error.is_path_lost,
                        ..trouble
                    });
                }
                Err(_) => thread::sleep(BETWEEN_KNOCKS),
            }
        }
    }

    /// An error once the user wants no more.
    pub(super) fn go_on(&self) -> Result<(), Trouble> {
        match self.stop.is_thrown() {
            true => Err(interrupted()),
            false => Ok(()),
        }
    }
}

fn interrupted() -> Trouble {
    Trouble::interrupted(
        "interrupted; tables are left as they are",
        Some("go on with --resume, or drop them with dbdyno-load cleanup and the same options"),
    )
}

/// Gives each answer to what is asked so long, and the later ones what rows have.
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

/// Errors of a moment: a connection that is gone, a lock that others hold. Who had no answer in all the time there was
/// for it does not ask again, nor does who was answered by nonsense.
fn may_pass(error: &WireError) -> bool {
    const LOCK_WAIT_TIMEOUT: u16 = 1205;
    const DEADLOCK: u16 = 1213;
    /// With the storage engine's error 149: a conflict that it has found at COMMIT.
    const DURING_COMMIT: u16 = 1180;
    match error {
        WireError::Server(error) if matches!(error.code, LOCK_WAIT_TIMEOUT | DEADLOCK) => true,
        WireError::Server(error) if error.code == DURING_COMMIT => error.message.contains("149"),
        WireError::Timeout { .. }
        | WireError::Cancelled { .. }
        | WireError::Excess { .. }
        | WireError::Protocol(_) => false,
        other => other.is_connection_lost(),
    }
}

/// What a statement is told that an earlier attempt has carried out: a key, a constraint, a procedure of that name.
fn is_there_already(error: &ServerError) -> bool {
    matches!(error.code, 1061 | 1304 | 1826)
        || (error.code == 1005 && error.message.contains("121"))
}

/// What a server says that has no space left for rows.
fn is_out_of_space(error: &ServerError) -> bool {
    const NO_SPACE: [u16; 6] = [3, 28, 1021, 1026, 1114, 3675];
    NO_SPACE.contains(&error.code) || error.message.contains("No space left")
}

pub(super) fn failed(what: &str, error: &dyn std::fmt::Display) -> Trouble {
    Trouble::world(format!("{what} could not be filled")).because(error)
}

/// As [`failed`], with what would help.
pub(super) fn failed_by(what: &str, error: &WireError) -> Trouble {
    let trouble = Trouble {
        is_path_lost: error.is_path_lost(),
        ..failed(what, error)
    };
    match error {
        WireError::Cancelled { .. } => interrupted().because(error),
        WireError::Server(error) if is_out_of_space(error) => {
            trouble.hint("the server's disk is full: free some space, then go on with --resume")
        }
        _ => trouble.hint("once the cause is gone, go on with --resume"),
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
    fn errors_of_a_moment_are_tried_again() {
        for code in [1205, 1213, 1053, 1927] {
            assert!(may_pass(&server(code, "")), "{code}");
        }
        for code in [1062, 1114, 1064, 1153] {
            assert!(!may_pass(&server(code, "")), "{code}");
        }
    }

    #[test]
    fn a_full_disk_is_told_as_one() {
        for error in [
            server(1114, "The table 'sbtest1' is full"),
            server(
                1030,
                "Got error 28 \"No space left on device\" from storage engine",
            ),
        ] {
            let hint = failed_by("table sbtest1", &error).remedy.unwrap();
            assert!(
                hint.contains("free some space") && hint.contains("--resume"),
                "{hint}"
            );
        }
        let hint = failed_by("table sbtest1", &server(1142, "denied"))
            .remedy
            .unwrap();
        assert!(!hint.contains("space"), "{hint}");
    }
}
