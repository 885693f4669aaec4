//! Refuses the builtins of sysbench that don't drive a database.

use super::FAILED;
use super::benchmark::{Benchmark, ExecutionScope, Invocation, Part};
use super::cpu::command_required;
use dbdyno_sysbench::options::{ArgKind, EarlyExit, OptionValues, ScriptOption};
use dbdyno_sysbench::run::Failed;

/// Their names, known so that no script is looked for, and the prefixes of their options.
const NAMES: [(&str, &str); 4] = [
    ("fileio", "file"),
    ("memory", "memory"),
    ("threads", "thread"),
    ("mutex", "mutex"),
];

/// Accepts the name and the options of one of them, and nothing else.
pub(super) struct UnsupportedBuiltin<'a> {
    call: Invocation<'a>,
    prefix: &'static str,
}

impl<'a> UnsupportedBuiltin<'a> {
    pub(super) fn named(call: Invocation<'a>) -> Option<Self> {
        let (_, prefix) = NAMES.into_iter().find(|(name, _)| *name == call.name())?;
        Some(Self { call, prefix })
    }

    fn refuse(&self) -> Failed {
        let name = self.call.name();
        self.call.engine.log.fatal(&format!(
            "the builtin '{name}' is not part of this program, which drives databases"
        ));
        Failed
    }
}

impl Benchmark for UnsupportedBuiltin<'_> {
    /// Returns the given options that look like its own: any other misspelt option is reported.
    fn declared(&self) -> Result<Option<Vec<ScriptOption>>, Failed> {
        let given = self.call.line.leftovers.iter();
        let own = given.filter(|given| {
            let first = given.name.split(['-', '_']).next();
            first == Some(self.prefix)
        });
        let declared = own.map(|given| ScriptOption {
            name: given.name.clone(),
            description: String::new(),
            default: None,
            kind: ArgKind::Text,
            has_validator: false,
        });
        Ok(Some(declared.collect()))
    }

    fn without_command(&self) -> Result<(), EarlyExit> {
        Err(command_required(self.call.name()))
    }

    fn execution_scope(&self, command: &str) -> Result<Option<ExecutionScope>, Failed> {
        // Only the builtin that needs files prepares something.
        let has_it = match command {
            "prepare" | "cleanup" => self.prefix == "file",
            _ => command == "help",
        };
        Ok(has_it.then_some(ExecutionScope::Once))
    }

    fn take(&mut self, _values: OptionValues) -> Result<bool, Failed> {
        Ok(true)
    }

    fn carry_out(&mut self, _command: &str) -> Result<(), Failed> {
        Err(self.refuse())
    }

    fn part(&self, _command: &str) -> Part {
        Box::new(|_, _| Err(Failed))
    }

    fn run(&mut self) -> u8 {
        self.refuse();
        FAILED
    }
}
