//! What went wrong, why, and what would help: told the same way whatever failed.

use crate::record::is_closed_pipe;
use dbdyno_drive::{DriveError, Failure, Fault};
use dbdyno_wire::WireError;
use dbdyno_workload::WorkloadError;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// How the program ended, as its exit code says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// Done, but something asked for did not hold; also: ended early because the user said so.
    NotHeld = 1,
    /// The request was wrong.
    Request = 2,
    /// Host, server or network failed.
    World = 3,
    /// This program failed.
    Us = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<Fault> for Exit {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Request => Self::Request,
            Fault::World => Self::World,
            Fault::Us => Self::Us,
        }
    }
}

/// An error for people: three parts and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) what: String,
    pub(crate) why: Option<String>,
    pub(crate) remedy: Option<String>,
    pub(crate) exit: Exit,
}

impl Trouble {
    fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            why: None,
            remedy: None,
            exit,
        }
    }

    /// The request was wrong.
    pub(crate) fn request(what: impl Into<String>) -> Self {
        Self::new(Exit::Request, what)
    }

    /// Host, server or network failed.
    pub(crate) fn world(what: impl Into<String>) -> Self {
        Self::new(Exit::World, what)
    }

    /// Adds the offending value, or the other side's own words.
    pub(crate) fn because(mut self, why: impl fmt::Display) -> Self {
        self.why = Some(why.to_string());
        self
    }

    /// Adds what would help.
    pub(crate) fn hint(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The three parts of any error that reaches the top.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        if let Some(trouble) = error.downcast_ref::<Self>() {
            return trouble.clone();
        }
        if let Some(error) = error.downcast_ref::<DriveError>() {
            return Self::of_drive(error);
        }
        let exit = if error.is::<WorkloadError>() {
            Exit::Request
        } else if error.is::<WireError>() || error.is::<io::Error>() {
            Exit::World
        } else {
            Exit::Us
        };
        let mut reasons = error.chain().skip(1).map(ToString::to_string);
        Self {
            why: reasons.next(),
            ..Self::new(exit, error.to_string())
        }
    }

    fn of_drive(error: &DriveError) -> Self {
        Self {
            what: "the load could not begin".to_owned(),
            why: Some(error.to_string()),
            remedy: error.remedy(),
            exit: match error {
                DriveError::Interrupted => Exit::NotHeld,
                other => other.fault().into(),
            },
        }
    }

    /// A run that began and could not go on.
    pub(crate) fn of_failure(failure: &Failure) -> Self {
        Self {
            what: "the run was stopped by an error; what was measured before it is kept".to_owned(),
            why: Some(failure.to_string()),
            remedy: failure.remedy(),
            exit: failure.fault.into(),
        }
    }

    /// Prints it and gives the exit code.
    pub(crate) fn tell(&self) -> Exit {
        let mut text = format!("error: {}\n", self.what);
        if let Some(why) = &self.why {
            text += &why
                .lines()
                .map(|line| format!("  {line}\n"))
                .collect::<String>();
        }
        if let Some(remedy) = &self.remedy {
            text += &format!("hint: {remedy}\n");
        }
        // When standard error is gone, the exit code is all that is left to tell.
        let _ = io::stderr().write_all(text.as_bytes());
        self.exit
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.why.iter().try_for_each(|why| write!(f, ": {why}"))
    }
}

impl std::error::Error for Trouble {}

/// Output that can't be written. A closed pipe ends the program, but is nobody's mistake.
pub(crate) fn unwritable(what: &str) -> impl Fn(io::Error) -> Trouble {
    move |error| {
        let exit = if is_closed_pipe(&error) {
            Exit::NotHeld
        } else {
            Exit::World
        };
        Trouble::new(exit, format!("{what} can't be written")).because(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_error_has_its_exit_code() {
        let wrong = dbdyno_workload::workload(
            "sysbench/oltp_reed_write",
            &[],
            dbdyno_workload::RandomSource {
                kind: dbdyno_workload::RandomKind::Dbdyno,
                seed: 1,
            },
            1,
        )
        .unwrap_err();
        let exit = |error: anyhow::Error| Trouble::of(&error).exit;
        assert_eq!(exit(wrong.into()), Exit::Request);
        assert_eq!(exit(io::Error::other("disk").into()), Exit::World);
        assert_eq!(exit(DriveError::Bug("x".to_owned()).into()), Exit::Us);
        assert_eq!(exit(DriveError::Interrupted.into()), Exit::NotHeld);
        assert_eq!(exit(Trouble::request("no").into()), Exit::Request);
    }
}
