//! Stops a run early, and says why it stopped.

use crate::error::{PATH_REMEDY, remedy_for_code, server_code};
use crate::{DriveError, Fault};
use dbdyno_wire::WireError;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Ends a run from outside, for instance from a signal handler. Clones are the same switch.
#[derive(Debug, Clone, Default)]
pub struct StopSwitch {
    thrown: Arc<AtomicBool>,
}

impl StopSwitch {
    /// Asks the run to end. It ends within a fraction of a second, and keeps its measurements.
    pub fn throw(&self) {
        self.thrown.store(true, Ordering::Relaxed);
    }

    /// Returns whether the run was asked to end.
    #[must_use]
    pub fn is_thrown(&self) -> bool {
        self.thrown.load(Ordering::Relaxed)
    }

    /// Returns the flag itself, for registration with a signal.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.thrown)
    }
}

/// Describes what ended a run early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The server's error code, or the client library's for a lost connection (2006, 2013).
    pub code: Option<u16>,
    /// Type of the statement that failed.
    pub statement: Option<String>,
    /// The error message of the server or the operating system.
    pub message: String,
    /// Who has to do something about it.
    pub fault: Fault,
    /// What failed.
    pub cause: Cause,
}

/// Says what failed, if a run ended early or connections were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The path to the server: no host there acknowledged anything.
    Network,
    /// The server sent no byte of an answer in time, though its host is there.
    NoAnswer,
    /// The server: it answered an error, closed the connection or refused it.
    Server,
    /// This side.
    Client,
}

impl Cause {
    /// Returns the cause of a connection's error.
    #[must_use]
    pub fn of(error: &WireError) -> Self {
        match error {
            error if error.is_path_lost() => Self::Network,
            WireError::Timeout { .. } => Self::NoAnswer,
            WireError::Misuse(_) => Self::Client,
            _ => Self::Server,
        }
    }
}

impl Failure {
    /// Returns a remedy, in the imperative; `None` if only the cause itself shows it.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        let remedy = match self.cause {
            Cause::Network => Some(PATH_REMEDY),
            Cause::NoAnswer => Some(
                "look at what the server does (its log, SHOW PROCESSLIST); if statements may take so long, give them \
                 more time (--answer-timeout)",
            ),
            _ => self.code.and_then(remedy_for_code),
        };
        remedy.map(str::to_owned)
    }
}

impl DriveError {
    /// Describes the error as the reason why a run ended.
    #[must_use]
    pub fn as_failure(&self) -> Failure {
        Failure {
            code: match self {
                Self::Server { source, .. } => server_code(source),
                _ => None,
            },
            statement: None,
            message: self.to_string(),
            fault: self.fault(),
            cause: match self {
                Self::Server { source, .. } => Cause::of(source),
                Self::PreparedStatements { .. } | Self::Connections { .. } => Cause::Server,
                _ => Cause::Client,
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, &self.statement) {
            (Some(code), Some(statement)) => {
                write!(f, "error {code} on {statement}: {}", self.message)
            }
            (Some(code), None) => write!(f, "error {code}: {}", self.message),
            (None, Some(statement)) => write!(f, "{statement}: {}", self.message),
            (None, None) => f.write_str(&self.message),
        }
    }
}

/// Ends a run from inside: the first failure of any worker.
#[derive(Debug, Default)]
pub(crate) struct FailureSlot {
    failed: AtomicBool,
    first: Mutex<Option<Failure>>,
}

impl FailureSlot {
    pub(crate) fn put(&self, failure: Failure) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(failure);
        self.failed.store(true, Ordering::Release);
    }

    #[inline]
    pub(crate) fn is_filled(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(crate) fn take(&self) -> Option<Failure> {
        self.first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: u16) -> Failure {
        Failure {
            code: Some(code),
            statement: Some("commit".to_owned()),
            message: "no".to_owned(),
            fault: Fault::World,
            cause: Cause::Server,
        }
    }

    #[test]
    fn the_first_failure_is_the_reason() {
        let slot = FailureSlot::default();
        assert!(!slot.is_filled());
        slot.put(failure(1146));
        slot.put(failure(2013));
        assert!(slot.is_filled());
        assert_eq!(slot.take().unwrap().to_string(), "error 1146 on commit: no");
    }
}
