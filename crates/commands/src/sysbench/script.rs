//! Runs a script as a benchmark.

use super::benchmark::{Benchmark, ExecutionScope, Invocation, Part};
use super::{complaint, failed};
use dbdyno_lua::{Command, Function, Launch, MainState};
use dbdyno_sysbench::Engine;
use dbdyno_sysbench::options::{EarlyExit, OptionValues, ScriptOption};
use dbdyno_sysbench::run::{self, Failed, Program};
use std::sync::Arc;

/// Holds a script whose body has been run in the main thread.
pub(super) struct ScriptBenchmark<'a> {
    engine: &'a Arc<Engine>,
    state: MainState,
}

impl<'a> ScriptBenchmark<'a> {
    /// Finds the script and runs its body.
    pub(super) fn load(call: Invocation<'a>) -> Result<Self, EarlyExit> {
        let launch = Launch {
            name: call.line.name.clone(),
            command: call.line.command.clone(),
            arguments: call.words.to_vec(),
        };
        let state = MainState::load(call.engine, launch).map_err(|Failed| failed())?;
        Ok(Self {
            engine: call.engine,
            state,
        })
    }

    /// Uses the script in place of its native form, which can't do what the options request.
    pub(super) fn of_bundled(call: Invocation<'a>) -> Result<Self, EarlyExit> {
        Self::load(call).map_err(|mut ending| {
            let why = format!(
                "'{}' with these options is run by sysbench's own script, which has to be installed\n",
                call.name()
            );
            ending.said.extend(complaint(why).said);
            ending
        })
    }
}

/// Returns the functions of a script that are commands.
fn function(command: &str) -> Option<Function> {
    match command {
        "help" => Some(Function::Help),
        "prepare" => Some(Function::Prepare),
        "cleanup" => Some(Function::Cleanup),
        _ => None,
    }
}

impl Benchmark for ScriptBenchmark<'_> {
    fn declared(&self) -> Result<Option<Vec<ScriptOption>>, Failed> {
        self.state.declared_options()
    }

    fn accepts(&self, name: &str, value: Option<&str>) -> bool {
        self.state.validate(name, value)
    }

    /// Does nothing: loading the script is enough.
    fn without_command(&self) -> Result<(), EarlyExit> {
        Ok(())
    }

    /// Looks up a command: the script's own one hides a function of the same name.
    fn execution_scope(&self, command: &str) -> Result<Option<ExecutionScope>, Failed> {
        Ok(match self.state.command()? {
            Command::Custom => Some(ExecutionScope::Once),
            Command::Parallel => Some(ExecutionScope::Shared),
            Command::Known => function(command)
                .filter(|function| self.state.has(*function))
                .map(|_| ExecutionScope::Once),
        })
    }

    fn take(&mut self, values: OptionValues) -> Result<bool, Failed> {
        self.state.set_options(values).map(|()| true)
    }

    fn carry_out(&mut self, command: &str) -> Result<(), Failed> {
        match (self.state.command()?, function(command)) {
            (Command::Known, Some(function)) => self.state.call(function),
            _ => self.state.call_command(),
        }
    }

    fn part(&self, _command: &str) -> Part {
        let program = self.state.program();
        Box::new(move |engine, actor| program.command(engine, actor))
    }

    fn run(&mut self) -> u8 {
        let program: Arc<dyn Program> = Arc::new(self.state.program());
        run::run(self.engine, &program, &mut self.state)
    }
}
