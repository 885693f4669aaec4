//! Reads the command line as sysbench does, in two passes.
//!
//! [`parse`] reads the words and the options that every run knows, and holds them against the rules in sysbench's
//! order. Unknown options are kept until the script has declared its own, for [`apply_script_options`]. Nothing is
//! printed here. [`OptionMessage`] holds what is to be said, where and in which order; the result says whether the
//! program goes on. The script's values reach Lua as [`OptionValues`].

mod check;
mod config_file;
mod database;
mod definitions;
mod help;
mod number;
mod own;
mod random;
mod script;
mod table;
mod value;
mod words;

#[cfg(test)]
mod tests;

pub use help::{help, option_lines, script_help};
pub use script::apply_script_options;
pub use table::Table;
pub use value::{ArgKind, OptionValues, ScriptOption, Value};

use crate::{Dialect, Settings};

/// Says where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output: the logger's lines, help, the version.
    Stdout,
    /// Standard error: complaints about the form of the command line.
    Stderr,
}

/// A message, complete with its line's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionMessage {
    /// Where it goes.
    pub stream: OutputStream,
    /// The whole text.
    pub text: String,
}

impl OptionMessage {
    fn out(text: impl Into<String>) -> Self {
        Self {
            stream: OutputStream::Stdout,
            text: text.into(),
        }
    }

    fn err(text: impl Into<String>) -> Self {
        Self {
            stream: OutputStream::Stderr,
            text: text.into(),
        }
    }
}

/// The program ends here: a complaint, or the answer to `--help` and `--version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlyExit {
    /// What is to be said, in this order; warnings said before are in it.
    pub said: Vec<OptionMessage>,
    /// The exit code.
    pub exit: u8,
    /// The option or the name that was probably meant. sysbench says nothing of the kind, so it is for people at a
    /// terminal alone.
    pub meant: Option<String>,
}

impl EarlyExit {
    fn bad(said: OptionMessage) -> Self {
        Self {
            said: vec![said],
            exit: 1,
            meant: None,
        }
    }

    fn fatal(words: &str) -> Self {
        Self::bad(OptionMessage::out(format!("FATAL: {words}\n")))
    }

    fn bad_value(name: &str, value: &str) -> Self {
        Self::bad(OptionMessage::err(format!(
            "Invalid value for the '{name}' option: '{value}'\n"
        )))
    }

    /// Makes the same ending, with what had been said before it.
    fn after(mut self, mut said: Vec<OptionMessage>) -> Self {
        said.append(&mut self.said);
        self.said = said;
        self
    }
}

/// Holds what is not on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Environment {
    /// The dialect where `--dialect` says none.
    pub dialect: Dialect,
    /// Called by its own name, not as `sysbench`: help lists our own options, too.
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
    pub said: Vec<OptionMessage>,
    /// The options of the first pass.
    pub table: Table,
    /// What the first pass did not know or could not take, as written and in order: for the script, or nobody's.
    pub leftovers: Vec<Leftover>,
    /// Our own options that were given: a script that declares one of the same name takes it.
    own: Vec<Leftover>,
}

/// An option as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// Without the two dashes.
    pub name: String,
    /// Behind `=`; `None` where there is none.
    pub value: Option<String>,
}

impl Leftover {
    fn refused(&self) -> EarlyExit {
        let value = self.value.as_ref().map(|value| format!("={value}"));
        EarlyExit::bad(OptionMessage::err(format!(
            "invalid option: --{}{}\n",
            self.name,
            value.unwrap_or_default()
        )))
    }
}

/// Reads the arguments behind the program's name.
///
/// # Errors
///
/// The program ends here, for worse or for help.
pub fn parse(arguments: &[String], environment: &Environment) -> Result<CommandLine, EarlyExit> {
    let dialect = own::dialect(arguments, environment.dialect)?;
    let mut words = words::Words::new(Table::general(dialect), dialect);
    words.read(arguments)?;
    if words.table.flag("help") {
        let text = help(dialect, environment.own_name);
        return Err(answer(text, words.said));
    }
    if words.table.flag("version") {
        return Err(answer(crate::text::version(dialect), words.said));
    }
    let mut said = std::mem::take(&mut words.said);
    let own = own::read(&words.own, environment.own_form).map_err(|e| e.after(said.clone()))?;
    let settings = check::settings(&mut words.table, dialect, own, &mut said)
        .map_err(|ending| ending.after(said.clone()))?;
    Ok(CommandLine {
        settings,
        name: words.name,
        command: words.command,
        said,
        table: words.table,
        leftovers: words.leftovers,
        own: words.own,
    })
}

fn answer(text: String, said: Vec<OptionMessage>) -> EarlyExit {
    EarlyExit {
        said: vec![OptionMessage::out(text)],
        exit: 0,
        meant: None,
    }
    .after(said)
}
