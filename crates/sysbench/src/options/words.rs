//! Runs the first pass over the arguments: words, options that are known, and the rest.

use super::table::{OptionOutcome, Table};
use super::{ArgKind, EarlyExit, Leftover, OptionMessage, own};
use crate::Dialect;

const TEST_WARNING: &str = "WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.\n";

/// Holds the meaning of the arguments, as far as known.
pub(super) struct Words {
    pub name: Option<String>,
    pub command: Option<String>,
    pub table: Table,
    pub leftovers: Vec<Leftover>,
    pub own: Vec<Leftover>,
    pub said: Vec<OptionMessage>,
    dialect: Dialect,
}

impl Words {
    pub fn new(table: Table, dialect: Dialect) -> Self {
        Self {
            name: None,
            command: None,
            table,
            leftovers: Vec::new(),
            own: Vec::new(),
            said: Vec::new(),
            dialect,
        }
    }

    pub fn read(&mut self, arguments: &[String]) -> Result<(), EarlyExit> {
        for argument in arguments {
            match argument.strip_prefix("--") {
                Some(option) => self.option(option),
                None => self.word(argument)?,
            }
        }
        if self.command.is_some() && self.name.is_none() {
            self.name = Some("-".to_owned());
        }
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), EarlyExit> {
        if self.name.is_none() {
            self.name = Some(word.to_owned());
        } else if self.command.is_none() {
            self.command = Some(word.to_owned());
        } else {
            let complaint = format!("Unrecognized command line argument: {word}\n");
            let said = std::mem::take(&mut self.said);
            return Err(EarlyExit::bad(OptionMessage::err(complaint)).after(said));
        }
        Ok(())
    }

    fn option(&mut self, option: &str) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        if let ("test", Some(test), Dialect::V1_0) = (name, value, self.dialect) {
            self.test(test);
            return;
        }
        let leftover = Leftover {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        if own::is(name) {
            self.own.push(leftover);
        } else if self.table.give(name, value, &mut self.said) != OptionOutcome::Taken {
            self.leftovers.push(leftover);
        }
    }

    /// Takes `--test=NAME` in place of the first word; with no name there is none so far. From then on it is an option
    /// like others.
    fn test(&mut self, test: &str) {
        self.said.push(OptionMessage::err(TEST_WARNING));
        let said = &mut self.said;
        self.table.declare("test", ArgKind::Text, Some(test), said);
        self.name = Some(test.to_owned()).filter(|test| !test.is_empty());
    }
}
