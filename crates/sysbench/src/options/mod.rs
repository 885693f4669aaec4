//! The command line as sysbench reads it, in two passes.
//!
//! [`parse`] reads the words and the options that every run knows; what it does not know is kept until the script
//! has told its own options, for [`apply_script_options`]. Nothing is printed here: what is to be said, where
//! and in which order is in [`Said`], whether the program goes on is in the result.

mod value;

pub use value::{ArgKind, OptionValues, ScriptOption, Value};

use crate::{Dialect, Settings};

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output: the logger's lines, help, the version.
    Stdout,
    /// Standard error: complaints about the form of the command line.
    Stderr,
}

/// A message, complete with its line's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Where it goes.
    pub stream: Stream,
    /// The whole text.
    pub text: String,
}

/// The program ends here: a complaint, or the answer to `--help` and `--version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// What is to be said, in this order; warnings said before are in it.
    pub said: Vec<Said>,
    /// The exit code.
    pub exit: u8,
}

/// What is not on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Environment {
    /// The dialect where `--dialect` says none.
    pub dialect: Dialect,
    /// Called by its own name, not as `sysbench`: help tells of our own options too.
    pub own_name: bool,
    /// Our own form: the fixes that change a report are on unless `--fixes` says otherwise.
    pub own_form: bool,
}

/// A command line after the first pass.
#[derive(Debug, Clone)]
pub struct CommandLine {
    /// What every run knows.
    pub settings: Settings,
    /// A builtin, a file or a module; `None` and `-`: the script comes on standard input.
    pub name: Option<String>,
    /// What is to be done with it.
    pub command: Option<String>,
    /// Warnings, said before the header.
    pub said: Vec<Said>,
    /// The options of the first pass as `sysbench.opt` shows them.
    pub values: OptionValues,
    /// What the first pass did not know, as written (dashes as they are), in order: for the script, or nobody's.
    pub leftovers: Vec<Leftover>,
}

/// An option that the first pass did not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// Without the two dashes, as written.
    pub name: String,
    /// Behind `=`; `None` where there is none.
    pub value: Option<String>,
}

/// Reads the arguments behind the program's name.
///
/// # Errors
///
/// The program ends here, for worse or for help.
pub fn parse(_arguments: &[String], _environment: &Environment) -> Result<CommandLine, Ending> {
    todo!("follows at once")
}

/// The second pass: values of the options that the script declares, its defaults where the command line is silent,
/// behind those of the first pass. `declared` is `None` where the script declares none at all: then 1.0 takes
/// what it does not know as strings. `validate` is asked of options that have a validator.
///
/// # Errors
///
/// A value cannot be read or is refused, or an option is nobody's.
pub fn apply_script_options(
    _line: &CommandLine,
    _declared: Option<&[ScriptOption]>,
    _validate: &mut dyn FnMut(&str, Option<&str>) -> bool,
) -> Result<OptionValues, Ending> {
    todo!("follows at once")
}

/// The answer to `--help`; `own` adds our own options in a block at the end.
#[must_use]
pub fn help(_dialect: Dialect, _own: bool) -> String {
    todo!("follows at once")
}

/// The lines of a script's options, as `sysbench NAME help` prints them behind the header; `name` is the script's
/// without folder and suffix.
#[must_use]
pub fn script_help(_name: &str, _options: &[ScriptOption]) -> String {
    todo!("follows at once")
}
