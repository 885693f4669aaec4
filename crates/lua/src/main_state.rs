//! Runs the state of the main thread: it declares options, runs commands, and begins and ends a run.

use crate::program::ScriptProgram;
use crate::script::{Launch, LuaScript, ScriptSource};
use crate::script_instance::ScriptInstance;
use crate::script_watch::Stage;
use crate::state::Returned;
use dbdyno_sysbench::figures::Stat;
use dbdyno_sysbench::options::{OptionValues, ScriptOption};
use dbdyno_sysbench::run::{Failed, MainActor};
use dbdyno_sysbench::{Dialect, Engine};
use std::ffi::{CStr, CString};
use std::sync::Arc;

/// Classifies the command of the command line for this script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// The script's own command, run once in the main thread.
    Custom,
    /// The script's own command, run in a separate state for each user.
    Parallel,
    /// A known command, not the script's own.
    Known,
}

/// Lists the functions that the main thread calls by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `help()`
    Help,
    /// `prepare()`
    Prepare,
    /// `cleanup()`
    Cleanup,
    /// `init()`
    Init,
    /// `done()`
    Done,
    /// `event()`, which is only looked up
    Event,
}

impl Function {
    fn name(self) -> &'static CStr {
        match self {
            Self::Help => c"help",
            Self::Prepare => c"prepare",
            Self::Cleanup => c"cleanup",
            Self::Init => c"init",
            Self::Done => c"done",
            Self::Event => c"event",
        }
    }
}

/// Holds the main thread's state, in which the script's body has run.
pub struct MainState {
    seat: ScriptInstance,
}

impl MainState {
    /// Finds the script and runs its body once. Messages have been logged when it fails.
    ///
    /// # Errors
    /// There is no such script, or its body raises an error.
    pub fn load(engine: &Arc<Engine>, launch: Launch) -> Result<Self, Failed> {
        let script = match LuaScript::find(launch) {
            Ok(script) => Arc::new(script),
            Err(error) => {
                engine
                    .log
                    .fatal(&format!("cannot read the script: {error}"));
                return Err(Failed);
            }
        };
        let seat = ScriptInstance::new(engine, engine.main_actor(), Arc::clone(&script))?;
        if matches!(script.source, ScriptSource::Module) && !seat.ask(c"is_module")?.is_true() {
            let name = script.path().unwrap_or_default();
            engine.log.fatal(&format!(
                "Cannot find benchmark '{name}': no such built-in test, file or module"
            ));
            return Err(Failed);
        }
        seat.load()?;
        Ok(Self { seat })
    }

    /// Returns the options that the script declares; `None` if it declares none at all.
    ///
    /// # Errors
    /// They do not have the required form; that has been logged.
    pub fn declared_options(&self) -> Result<Option<Vec<ScriptOption>>, Failed> {
        let declares = self.seat.cmdline(c"read_cmdline_options")?.is_true();
        let context = &self.seat.context;
        let first = context.engine.settings.dialect == Dialect::V1_0;
        let _: Result<(), bool> = context.script.options_are_globals.set(first && !declares);
        let mut declared = std::mem::take(&mut context.exchange.borrow_mut().declared);
        declared.sort_by(|one, other| one.name.cmp(&other.name));
        let _: Result<(), Vec<_>> = context.script.declared.set(declared.clone());
        Ok(declares.then_some(declared))
    }

    /// Calls the script's validator of an option; returns false if the value is refused.
    #[must_use]
    pub fn validate(&self, name: &str, value: Option<&str>) -> bool {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        self.seat.context.exchange.borrow_mut().validated = (text(name), value.map(text));
        self.seat.ask(c"validate").is_ok_and(Returned::is_true)
    }

    /// Sets the options that all states of this script see from now on, this one included.
    ///
    /// # Errors
    /// The state has no memory for them.
    pub fn set_options(&self, values: OptionValues) -> Result<(), Failed> {
        let _: Result<(), OptionValues> = self.seat.context.script.options.set(values);
        self.seat.set_options()
    }

    /// Classifies the command of the command line for this script.
    ///
    /// # Errors
    /// The script's table of commands does not have the required form; that has been logged.
    pub fn command(&self) -> Result<Command, Failed> {
        if !self.seat.cmdline(c"command_defined")?.is_true() {
            return Ok(Command::Known);
        }
        match self.seat.cmdline(c"command_parallel")?.is_true() {
            true => Ok(Command::Parallel),
            false => Ok(Command::Custom),
        }
    }

    /// Runs the script's own command.
    ///
    /// # Errors
    /// It raised an error, which has been logged, or returned false.
    pub fn call_command(&self) -> Result<(), Failed> {
        self.seat.call_command()
    }

    /// Returns whether the script has a function of that name.
    #[must_use]
    pub fn has(&self, function: Function) -> bool {
        self.seat.has(function.name())
    }

    /// Calls one of the script's functions.
    ///
    /// # Errors
    /// It raised an error, which has been logged.
    pub fn call(&self, function: Function) -> Result<(), Failed> {
        self.seat.enters(match function {
            Function::Help | Function::Prepare | Function::Cleanup => Stage::Command,
            Function::Init | Function::Done | Function::Event => Stage::Brief,
        });
        self.seat.call(function.name())
    }

    /// Returns the program that a run of this script executes.
    #[must_use]
    pub fn program(&self) -> ScriptProgram {
        ScriptProgram::new(Arc::clone(&self.seat.context.script))
    }
}

impl MainActor for MainState {
    /// Runs `init`. Refuses a script without events, as sysbench does after `init`.
    fn init(&mut self) -> Result<(), Failed> {
        if self.has(Function::Init) {
            self.call(Function::Init)?;
        }
        if !self.has(Function::Event) {
            let context = &self.seat.context;
            let name = context.script.base_name();
            let text = format!("cannot find the event() function in {name}");
            context.engine.log.fatal(&text);
            return Err(Failed);
        }
        Ok(())
    }

    fn cumulative(&mut self, stat: &Stat) -> Result<bool, Failed> {
        self.seat.report(c"report_cumulative", stat)
    }

    fn done(&mut self) -> Result<(), Failed> {
        match self.has(Function::Done) {
            true => self.call(Function::Done),
            false => Ok(()),
        }
    }
}
