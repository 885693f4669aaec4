//! Finds the script or builtin that a command line names, and runs its command.

use super::bundled::BundledScript;
use super::cpu::CpuTest;
use super::script::ScriptBenchmark;
use super::unsupported_builtin::UnsupportedBuiltin;
use super::{FAILED, GOOD, complaint, failed, tell};
use dbdyno_sysbench::options::{
    CommandLine, EarlyExit, OptionMessage, OptionValues, ScriptOption, Table, apply_script_options,
    script_help,
};
use dbdyno_sysbench::run::{self, Failed};
use dbdyno_sysbench::{Actor, Engine};
use std::rc::Rc;
use std::sync::Arc;

/// A call of the program.
#[derive(Clone, Copy)]
pub(super) struct Invocation<'a> {
    pub(super) engine: &'a Arc<Engine>,
    pub(super) line: &'a CommandLine,
    /// As typed, the program's name first.
    pub(super) words: &'a [String],
}

impl Invocation<'_> {
    /// The name of the script or builtin.
    pub(super) fn name(&self) -> &str {
        self.line.name.as_deref().unwrap_or("-")
    }

    /// Whether the script comes on standard input.
    pub(super) fn is_from_stdin(&self) -> bool {
        self.name() == "-"
    }
}

/// Who carries a command out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExecutionScope {
    /// The main thread.
    Once,
    /// Each user its part, where there are several users.
    Shared,
}

/// A user's part of a command.
pub(super) type Part = Box<dyn Fn(&Arc<Engine>, Rc<Actor>) -> Result<(), Failed> + Send + Sync>;

/// What a name on the command line stands for. Whoever fails has said so in the log.
pub(super) trait Benchmark {
    /// The options that it declares; `None` if it declares none at all.
    fn declared(&self) -> Result<Option<Vec<ScriptOption>>, Failed>;

    /// Whether an option that has a validator may have this value.
    fn accepts(&self, name: &str, value: Option<&str>) -> bool {
        let _ = (name, value);
        true
    }

    /// There is no command: what becomes of that.
    fn without_command(&self) -> Result<(), EarlyExit>;

    /// Who carries a command out; `None`: there is no such command here.
    fn manner(&self, command: &str) -> Result<Option<ExecutionScope>, Failed>;

    /// Gets the values of all options before it does anything. False: only the script of the same name does with
    /// them what sysbench does.
    fn take(&mut self, values: OptionValues) -> Result<bool, Failed>;

    /// Carries a command out.
    fn carry_out(&mut self, command: &str) -> Result<(), Failed>;

    /// What each user does for a command.
    fn part(&self, command: &str) -> Part;

    /// The command `run`, to its exit code.
    fn run(&mut self) -> u8;
}

/// A builtin, a file or a module.
pub(super) fn find(call: Invocation<'_>) -> Result<Box<dyn Benchmark + '_>, EarlyExit> {
    if let Some(bundled) = BundledScript::named(call) {
        return Ok(Box::new(bundled));
    }
    if let Some(elsewhere) = UnsupportedBuiltin::named(call) {
        return Ok(Box::new(elsewhere));
    }
    if call.name() == CpuTest::NAME {
        return Ok(Box::new(CpuTest::new(call)));
    }
    Ok(Box::new(ScriptBenchmark::load(call)?))
}

/// A benchmark whose options are known, and what the command line says of them.
pub(super) struct ConfiguredBenchmark<'a> {
    call: Invocation<'a>,
    benchmark: Box<dyn Benchmark + 'a>,
    declared: Vec<ScriptOption>,
    table: Table,
}

impl<'a> ConfiguredBenchmark<'a> {
    /// The second pass over the command line.
    pub(super) fn new(
        call: Invocation<'a>,
        benchmark: Box<dyn Benchmark + 'a>,
    ) -> Result<Self, EarlyExit> {
        let (ready, said) = Self::read(call, benchmark)?;
        tell(&said);
        Ok(ready)
    }

    fn read(
        call: Invocation<'a>,
        benchmark: Box<dyn Benchmark + 'a>,
    ) -> Result<(Self, Vec<OptionMessage>), EarlyExit> {
        let declared = benchmark.declared().map_err(|Failed| failed())?;
        let mut validate = |name: &str, value: Option<&str>| benchmark.accepts(name, value);
        let (table, said) = apply_script_options(call.line, declared.as_deref(), &mut validate)?;
        let ready = Self {
            call,
            benchmark,
            declared: declared.unwrap_or_default(),
            table,
        };
        Ok((ready, said))
    }

    /// Who carries a command out, if there is such a command.
    pub(super) fn manner(&self, command: &str) -> Result<Option<ExecutionScope>, EarlyExit> {
        self.benchmark.manner(command).map_err(|Failed| failed())
    }

    /// Hands the values over, which sysbench reads where somebody begins to act.
    fn hand_over(&mut self) -> Result<(), EarlyExit> {
        let values = self.table.values()?;
        if self.benchmark.take(values).map_err(|Failed| failed())? {
            return Ok(());
        }
        let script = ScriptBenchmark::of_bundled(self.call)?;
        (*self, _) = Self::read(self.call, Box::new(script))?;
        let values = self.table.values()?;
        self.benchmark.take(values).map_err(|Failed| failed())?;
        Ok(())
    }

    /// The command `run`.
    pub(super) fn run(&mut self) -> Result<u8, EarlyExit> {
        self.hand_over()?;
        Ok(self.benchmark.run())
    }

    /// A command that there is.
    pub(super) fn carry_out(
        &mut self,
        command: &str,
        manner: ExecutionScope,
    ) -> Result<u8, EarlyExit> {
        self.hand_over()?;
        let engine = self.call.engine;
        let is_shared = manner == ExecutionScope::Shared && engine.settings.threads > 1;
        let done = match is_shared {
            true => run::parallel_command(engine, self.benchmark.part(command)),
            false => self.benchmark.carry_out(command),
        };
        // sysbench forgets what became of what users shared.
        let is_forgotten = is_shared && !engine.settings.fixes.prepare_exit;
        Ok(if done.is_ok() || is_forgotten {
            GOOD
        } else {
            FAILED
        })
    }

    /// A command that there is not: options are listed all the same.
    pub(super) fn without(&self, command: &str) -> Result<u8, EarlyExit> {
        let name = self.call.name();
        match command {
            "help" if !self.declared.is_empty() => {
                let title = name.rsplit('/').next().unwrap_or(name);
                let help = script_help(title, &self.declared);
                self.call.engine.log.answer(&help);
                Ok(GOOD)
            }
            "help" | "prepare" | "cleanup" => Err(complaint(format!(
                "'{name}' test does not implement the '{command}' command.\n"
            ))),
            _ => Err(complaint(format!("Unknown command: {command}\n"))),
        }
    }
}
