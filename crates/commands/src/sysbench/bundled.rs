//! Runs the scripts that come with sysbench, in their native form.

use super::benchmark::{Benchmark, ExecutionScope, Invocation, Part};
use super::{FAILED, failed};
use dbdyno_lua::is_module_replaced;
use dbdyno_sysbench::Engine;
use dbdyno_sysbench::native::{Builtin, Native};
use dbdyno_sysbench::options::{EarlyExit, OptionValues, ScriptOption};
use dbdyno_sysbench::run::{self, Failed, Program};
use std::path::Path;
use std::sync::Arc;

/// The module that all of them but `bulk_insert` require.
const COMMON: &str = "oltp_common";

/// Runs one of the scripts.
pub(super) struct BundledScript<'a> {
    engine: &'a Arc<Engine>,
    builtin: Builtin,
    /// Present once the values of its options are known.
    native: Option<Native>,
}

impl<'a> BundledScript<'a> {
    /// Finds the script of this name, unless a user's own file or module takes the place of it or of the module that it
    /// requires, or the script itself is asked for.
    pub(super) fn named(call: Invocation<'a>) -> Option<Self> {
        let settings = &call.engine.settings;
        let builtin = Builtin::named(call.name(), settings.dialect)?;
        let is_replaced = || [call.name(), COMMON].into_iter().any(is_module_replaced);
        if !settings.native || Path::new(call.name()).is_file() || is_replaced() {
            return None;
        }
        Some(Self {
            engine: call.engine,
            builtin,
            native: None,
        })
    }
}

impl Benchmark for BundledScript<'_> {
    fn declared(&self) -> Result<Option<Vec<ScriptOption>>, Failed> {
        Ok(self.builtin.options())
    }

    fn without_command(&self) -> Result<(), EarlyExit> {
        self.builtin
            .without_command(self.engine)
            .map_err(|Failed| failed())
    }

    fn execution_scope(&self, command: &str) -> Result<Option<ExecutionScope>, Failed> {
        let is_shared = self.builtin.command(command);
        Ok(is_shared.map(|is_shared| match is_shared {
            true => ExecutionScope::Shared,
            false => ExecutionScope::Once,
        }))
    }

    fn take(&mut self, values: OptionValues) -> Result<bool, Failed> {
        self.native = self.builtin.with(&values, self.engine);
        Ok(self.native.is_some())
    }

    fn carry_out(&mut self, command: &str) -> Result<(), Failed> {
        self.part(command)(self.engine, self.engine.main_actor())
    }

    fn part(&self, command: &str) -> Part {
        let (native, command) = (self.native.clone(), command.to_owned());
        Box::new(move |engine, actor| match &native {
            Some(native) => native.command(engine, actor, &command),
            None => Err(Failed),
        })
    }

    fn run(&mut self) -> u8 {
        let Some(native) = &mut self.native else {
            return FAILED;
        };
        native.take_options(self.engine);
        let program: Arc<dyn Program> = Arc::new(native.clone());
        run::run(self.engine, &program, native)
    }
}
