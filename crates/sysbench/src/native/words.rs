//! Words the failures of a builtin as the scripts do, file and line included.

use crate::Engine;
use crate::db::{Connection, ErrorKind};
use crate::run::Failed;

/// Where the scripts lie in an installation of sysbench 1.0.20, whose line numbers these are.
const FOLDER: &str = "/usr/share/sysbench/";

/// A function of a script, and the file and line where it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    pub(super) function: &'static str,
    pub(super) file: &'static str,
    pub(super) line: u32,
}

/// The function that carries out commands of the script's own.
pub(super) const CALL_COMMAND: &str = "sysbench.cmdline.call_command";

/// The script that most others share.
pub(super) const COMMON: &str = "oltp_common.lua";

/// Reports the error that the common part of the scripts raises while it is loaded.
pub(super) fn refuse_to_load(engine: &Engine, what: &str) -> Failed {
    engine.log.fatal(&format!("{FOLDER}{COMMON}:28: {what}"));
    Failed
}

impl At {
    pub(super) const fn common(function: &'static str, line: u32) -> Self {
        Self {
            function,
            file: COMMON,
            line,
        }
    }

    /// Reports the failure of something else than a statement.
    pub(super) fn fail(self, engine: &Engine, what: &str) -> Failed {
        let Self {
            function,
            file,
            line,
        } = self;
        let text = format!("`{function}' function failed: {FOLDER}{file}:{line}: {what}");
        engine.log.fatal(&text);
        Failed
    }

    /// Reports the missing driver, which is made on the line before the one that connects.
    pub(super) fn driverless(self, engine: &Engine) -> Failed {
        let line = self.line - 1;
        Self { line, ..self }.fail(engine, "failed to initialize the DB driver")
    }

    /// Reports the missing connection.
    pub(super) fn unconnected(self, engine: &Engine) -> Failed {
        self.fail(engine, "connection creation failed")
    }

    /// Reports a failed statement, for good or, outside of an event, at all.
    pub(super) fn refused(self, engine: &Engine, connection: &Connection) -> Failed {
        let error = connection.last_error();
        let Some(state) = error.state else {
            return self.fail(engine, "SQL API error");
        };
        let state = String::from_utf8_lossy(&state);
        let (code, message) = (error.code, &error.message);
        let what = format!("SQL error, errno = {code}, state = '{state}': {message}");
        match error.kind {
            // The error that would have an event repeated is a table, of which nothing can be said.
            ErrorKind::Ignorable => self.fail_without_place(engine),
            ErrorKind::None | ErrorKind::Fatal => self.fail(engine, &what),
        }
    }

    fn fail_without_place(self, engine: &Engine) -> Failed {
        let text = format!("`{}' function failed: (not a string)", self.function);
        engine.log.fatal(&text);
        Failed
    }
}
