//! Defines what every script and builtin can do for the command line.

use dbdyno_sysbench::options::{CommandLine, EarlyExit, OptionValues, ScriptOption};
use dbdyno_sysbench::run::Failed;
use dbdyno_sysbench::{Actor, Engine};
use std::rc::Rc;
use std::sync::Arc;

/// Holds a call of the program.
#[derive(Clone, Copy)]
pub(super) struct Invocation<'a> {
    pub(super) engine: &'a Arc<Engine>,
    pub(super) line: &'a CommandLine,
    /// As typed, the program's name first.
    pub(super) words: &'a [String],
}

impl Invocation<'_> {
    /// Returns the name of the script or builtin.
    pub(super) fn name(&self) -> &str {
        self.line.name.as_deref().unwrap_or("-")
    }

    /// Returns whether the script comes on standard input.
    pub(super) fn is_from_stdin(&self) -> bool {
        self.name() == "-"
    }
}

/// Says who executes a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExecutionScope {
    /// The main thread.
    Once,
    /// Each user its part, if there are several users.
    Shared,
}

/// A user's part of a command.
pub(super) type Part = Box<dyn Fn(&Arc<Engine>, Rc<Actor>) -> Result<(), Failed> + Send + Sync>;

/// Implements what a name on the command line stands for. A method that fails has logged the error.
pub(super) trait Benchmark {
    /// Returns the options that it declares; `None` if it declares none at all.
    fn declared(&self) -> Result<Option<Vec<ScriptOption>>, Failed>;

    /// Returns whether an option that has a validator may have this value.
    fn accepts(&self, name: &str, value: Option<&str>) -> bool {
        let _ = (name, value);
        true
    }

    /// Handles a call without a command.
    fn without_command(&self) -> Result<(), EarlyExit>;

    /// Returns who executes a command; `None`: there is no such command here.
    fn execution_scope(&self, command: &str) -> Result<Option<ExecutionScope>, Failed>;

    /// Receives the values of all options before it does anything. Returns false if only the script of the same name
    /// does with them what sysbench does.
    fn take(&mut self, values: OptionValues) -> Result<bool, Failed>;

    /// Executes a command.
    fn carry_out(&mut self, command: &str) -> Result<(), Failed>;

    /// Returns each user's part of a command.
    fn part(&self, command: &str) -> Part;

    /// Runs the command `run`; returns its exit code.
    fn run(&mut self) -> u8;
}
