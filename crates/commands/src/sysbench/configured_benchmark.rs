//! Finds the script or builtin that a command line names, and runs its command with the options of the line.

use super::benchmark::{Benchmark, ExecutionScope, Invocation};
use super::bundled::BundledScript;
use super::cpu::CpuTest;
use super::script::ScriptBenchmark;
use super::unsupported_builtin::UnsupportedBuiltin;
use super::{FAILED, GOOD, complaint, failed, tell};
use dbdyno_sysbench::native::Builtin;
use dbdyno_sysbench::options::{
    EarlyExit, OptionMessage, ScriptOption, Table, apply_script_options, script_help,
};
use dbdyno_sysbench::run::{self, Failed};
use dbdyno_workload::probably_meant;
use std::path::Path;

/// Commands that most benchmarks have.
const COMMANDS: [&str; 4] = ["prepare", "run", "cleanup", "help"];

/// Finds a builtin, a file or a module.
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
    let script = ScriptBenchmark::load(call).map_err(|ending| EarlyExit {
        meant: nearest_builtin(call.name()),
        ..ending
    })?;
    Ok(Box::new(script))
}

/// Returns the builtin that was probably meant by a name that no file has.
fn nearest_builtin(name: &str) -> Option<String> {
    let meant = probably_meant(name, Builtin::names()).filter(|_| !Path::new(name).exists());
    meant.map(str::to_owned)
}

/// Holds a benchmark whose options are known, and the values from the command line.
pub(super) struct ConfiguredBenchmark<'a> {
    call: Invocation<'a>,
    benchmark: Box<dyn Benchmark + 'a>,
    /// `None`: it declares none at all; an empty list is a declaration, too.
    declared: Option<Vec<ScriptOption>>,
    table: Table,
}

impl<'a> ConfiguredBenchmark<'a> {
    /// Parses the command line a second time.
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
            declared,
            table,
        };
        Ok((ready, said))
    }

    /// Returns who executes a command, if there is such a command.
    pub(super) fn execution_scope(
        &self,
        command: &str,
    ) -> Result<Option<ExecutionScope>, EarlyExit> {
        self.benchmark
            .execution_scope(command)
            .map_err(|Failed| failed())
    }

    /// Passes the values on, which sysbench reads when a user begins to act.
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

    /// Runs the command `run`.
    pub(super) fn run(&mut self) -> Result<u8, EarlyExit> {
        self.hand_over()?;
        Ok(self.benchmark.run())
    }

    /// Executes an existing command.
    pub(super) fn carry_out(
        &mut self,
        command: &str,
        scope: ExecutionScope,
    ) -> Result<u8, EarlyExit> {
        self.hand_over()?;
        let engine = self.call.engine;
        let is_shared = scope == ExecutionScope::Shared && engine.settings.threads > 1;
        let done = match is_shared {
            true => run::parallel_command(engine, self.benchmark.part(command)),
            false => self.benchmark.carry_out(command),
        };
        // sysbench ignores the result of commands that users shared.
        let is_forgotten = is_shared && !engine.settings.fixes.prepare_exit;
        Ok(if done.is_ok() || is_forgotten {
            GOOD
        } else {
            FAILED
        })
    }

    /// Handles a missing command: options are listed all the same.
    pub(super) fn without(&self, command: &str) -> Result<u8, EarlyExit> {
        let path = self.call.name();
        let name = path.rsplit('/').next().unwrap_or(path);
        match (command, &self.declared) {
            ("help", Some(declared)) => {
                let help = script_help(name, declared);
                self.call.engine.log.answer(&help);
                Ok(GOOD)
            }
            ("help" | "prepare" | "cleanup", _) => Err(complaint(format!(
                "'{name}' test does not implement the '{command}' command.\n"
            ))),
            (_, _) => Err(EarlyExit {
                meant: probably_meant(command, COMMANDS).map(str::to_owned),
                ..complaint(format!("Unknown command: {command}\n"))
            }),
        }
    }
}
