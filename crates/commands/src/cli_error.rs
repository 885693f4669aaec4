//! Reports what went wrong, why, and what would help, in the same form for every failure.

use crate::error_code::ErrorCode;
use crate::record::is_closed_pipe;
use crate::terminal;
use clap::error::ErrorKind;
use dbdyno_drive::{Cause, DriveError, Failure, Fault, server_settings_remedy};
use dbdyno_wire::WireError;
use dbdyno_workload::WorkloadError;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// Variable of the environment that adds the code of an error as its last line, for tests.
const SHOWS_CODES: &str = "DBDYNO_ERROR_CODES";

/// Says how the program ended, as its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// Done, but something asked for did not hold; also: the user ended it early.
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

/// Describes an error for people: three parts and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CliError {
    pub(crate) what: String,
    pub(crate) why: Option<String>,
    pub(crate) remedy: Option<String>,
    pub(crate) exit: Exit,
    /// Tells errors apart, so that no test reads sentences.
    pub(crate) code: ErrorCode,
    /// What the conversation with the server ended with, if that was the reason.
    pub(crate) cause: Option<ErrorCode>,
    /// Nobody at the other end acknowledged anything: this says nothing about the server.
    pub(crate) is_path_lost: bool,
}

impl CliError {
    fn new(exit: Exit, code: ErrorCode, what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            why: None,
            remedy: None,
            exit,
            code,
            cause: None,
            is_path_lost: false,
        }
    }

    /// Reports a wrong request.
    pub(crate) fn request(code: ErrorCode, what: impl Into<String>) -> Self {
        Self::new(Exit::Request, code, what)
    }

    /// Reports a failure of host, server or network.
    pub(crate) fn world(code: ErrorCode, what: impl Into<String>) -> Self {
        Self::new(Exit::World, code, what)
    }

    /// Reports an interruption by the user: what is left undone, and how to go on.
    pub(crate) fn interrupted(what: impl Into<String>, remedy: Option<&str>) -> Self {
        Self {
            remedy: remedy.map(str::to_owned),
            ..Self::new(Exit::NotHeld, ErrorCode::Interrupted, what)
        }
    }

    /// Adds the offending value, or the other side's message.
    pub(crate) fn because(mut self, why: impl fmt::Display) -> Self {
        self.why = Some(why.to_string());
        self
    }

    /// Adds how a conversation with a server ended. An interruption is not a failure.
    pub(crate) fn because_of(self, error: &WireError) -> Self {
        match error {
            WireError::Cancelled { .. } => Self::interrupted(error.to_string(), None),
            _ => Self {
                is_path_lost: error.is_path_lost(),
                cause: Some(error.into()),
                remedy: server_settings_remedy(error).map(str::to_owned),
                ..self.because(error)
            },
        }
    }

    /// Returns what failed, in the words of the contract, if known.
    pub(crate) fn kind(&self) -> Option<&'static str> {
        self.is_path_lost.then_some("network")
    }

    /// Adds what would help.
    ///
    /// A user who interrupted the program gets no advice, except through [`interrupted`](Self::interrupted).
    pub(crate) fn hint(mut self, remedy: impl Into<String>) -> Self {
        if self.exit != Exit::NotHeld {
            self.remedy = Some(remedy.into());
        }
        self
    }

    /// Returns the three parts of any error that reaches the top.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        if let Some(cli_error) = error.downcast_ref::<Self>() {
            return cli_error.clone();
        }
        if let Some(error) = error.downcast_ref::<DriveError>() {
            return Self::of_drive(error);
        }
        let exit = if error.is::<WorkloadError>() {
            Exit::Request
        } else if let Some(WireError::Cancelled { .. }) = error.downcast_ref() {
            Exit::NotHeld
        } else if error.is::<WireError>() || error.is::<io::Error>() {
            Exit::World
        } else {
            Exit::Us
        };
        if let Some(name) = script_name(error) {
            let remedy = format!("write dbdyno-load script {name} run, prepare or cleanup");
            let what = format!("{name} is a Lua script, not a workload");
            return Self::new(exit, ErrorCode::ScriptAsWorkload, what).hint(remedy);
        }
        let mut reasons = error.chain().skip(1).map(ToString::to_string);
        Self {
            why: reasons.next(),
            ..Self::new(
                exit,
                ErrorCode::of(error).unwrap_or(ErrorCode::Bug),
                error.to_string(),
            )
        }
    }

    fn of_drive(error: &DriveError) -> Self {
        Self {
            what: "the load could not start".to_owned(),
            why: Some(error.to_string()),
            remedy: error.remedy(),
            code: error.into(),
            cause: None,
            is_path_lost: false,
            exit: match error {
                DriveError::Interrupted => Exit::NotHeld,
                DriveError::System { source, .. } if is_closed_pipe(source) => Exit::NotHeld,
                other => other.fault().into(),
            },
        }
    }

    /// Reports a run that began and could not go on.
    pub(crate) fn of_failure(failure: &Failure) -> Self {
        Self {
            what: match failure.cause {
                Cause::Network => {
                    "the path to the server was lost: the run says nothing about the server"
                }
                _ => "an error stopped the run; what was measured before it is kept",
            }
            .to_owned(),
            why: Some(failure.to_string()),
            remedy: failure.remedy(),
            code: failure.into(),
            cause: None,
            is_path_lost: matches!(failure.cause, Cause::Network),
            exit: failure.fault.into(),
        }
    }

    /// Prints it and returns the exit code.
    pub(crate) fn tell(&self) -> Exit {
        let mut text = format!("error: {}\n", self.what.replace('\n', "\n  "));
        if let Some(why) = &self.why {
            text += &why
                .lines()
                .map(|line| format!("  {line}\n"))
                .collect::<String>();
        }
        if let Some(remedy) = &self.remedy {
            text += &format!("hint: {remedy}\n");
        }
        text += &code_line(self.code, self.cause.filter(|cause| *cause != self.code));
        // If standard error is gone, the exit code is the only report.
        let _ = terminal::stderr().write_all(text.as_bytes());
        self.exit
    }
}

/// Ends the program with a message about its command line.
pub(crate) fn exit_by(error: &clap::Error) -> ! {
    let _ = error.print(); // if nobody can read it, the exit code is the only report
    if error.use_stderr() {
        let code = match error.kind() {
            ErrorKind::InvalidValue | ErrorKind::ValueValidation => ErrorCode::WrongValue,
            _ => ErrorCode::WrongArguments,
        };
        let line = code_line(code, None);
        let _ = terminal::stderr().write_all(line.as_bytes());
    }
    std::process::exit(error.exit_code())
}

/// Returns the line with the codes of an error; nothing if nobody asked for it.
fn code_line(code: ErrorCode, cause: Option<ErrorCode>) -> String {
    if std::env::var_os(SHOWS_CODES).is_none() {
        return String::new();
    }
    let cause = cause.map_or(String::new(), |cause| format!(" {}", cause.word()));
    format!("code: {}{cause}\n", code.word())
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.why.iter().try_for_each(|why| write!(f, ": {why}"))
    }
}

impl std::error::Error for CliError {}

/// Returns the file if a script of sysbench was given as the workload.
fn script_name(error: &anyhow::Error) -> Option<&str> {
    match error.downcast_ref() {
        Some(WorkloadError::UnknownWorkload { name, .. }) if name.ends_with(".lua") => Some(name),
        _ => None,
    }
}

/// Reports output that can't be written. A closed pipe ends the program, but is not an error.
pub(crate) fn unwritable(what: &str) -> impl Fn(io::Error) -> CliError {
    move |error| {
        let exit = if is_closed_pipe(&error) {
            Exit::NotHeld
        } else {
            Exit::World
        };
        CliError::new(
            exit,
            ErrorCode::FileNotWritable,
            format!("{what} can't be written"),
        )
        .because(error)
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
        let exit = |error: anyhow::Error| CliError::of(&error).exit;
        assert_eq!(exit(wrong.into()), Exit::Request);
        assert_eq!(exit(io::Error::other("disk").into()), Exit::World);
        assert_eq!(exit(DriveError::Bug("x".to_owned()).into()), Exit::Us);
        assert_eq!(exit(DriveError::Interrupted.into()), Exit::NotHeld);
        assert_eq!(
            exit(CliError::request(ErrorCode::NoServer, "no").into()),
            Exit::Request
        );
    }
}
