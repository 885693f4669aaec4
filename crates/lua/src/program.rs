//! Runs a script as a program, with its users and reporters.

use crate::interrupt::end_script_on;
use crate::script::LuaScript;
use crate::script_instance::ScriptInstance;
use crate::script_watch::Stage;
use dbdyno_fiber::trim_stack;
use dbdyno_sysbench::figures::Stat;
use dbdyno_sysbench::run::{Failed, Program, Reporter, VirtualUser};
use dbdyno_sysbench::{Actor, Engine};
use std::ffi::CStr;
use std::os::unix::thread::RawPthread;
use std::rc::Rc;
use std::sync::Arc;

/// Describes what users of a script run.
#[derive(Debug)]
pub struct ScriptProgram {
    script: Arc<LuaScript>,
}

impl ScriptProgram {
    pub(crate) fn new(script: Arc<LuaScript>) -> Self {
        Self { script }
    }

    /// Runs one user's part of a parallel command, in a separate state.
    ///
    /// # Errors
    /// The script raised an error, which has been logged, or its command returned false.
    pub fn command(&self, engine: &Arc<Engine>, actor: Rc<Actor>) -> Result<(), Failed> {
        ScriptInstance::ready(engine, actor, &self.script, Stage::Brief)?.call_command()
    }
}

impl Program for ScriptProgram {
    fn user(&self, engine: &Arc<Engine>, actor: Rc<Actor>) -> Result<Box<dyn VirtualUser>, Failed> {
        let seat = ScriptInstance::ready(engine, actor, &self.script, Stage::Init)?;
        trim_stack(); // all other users hold their stacks while this one connects
        Ok(Box::new(ScriptUser { seat }))
    }

    /// The script's body runs in the reporting thread even if it has no hook for reports.
    fn reporter(
        &self,
        engine: &Arc<Engine>,
        actor: Rc<Actor>,
    ) -> Result<Option<Box<dyn Reporter>>, Failed> {
        let seat = ScriptInstance::ready(engine, actor, &self.script, Stage::Brief)?;
        Ok(Some(Box::new(ScriptReporter { seat })))
    }

    fn interrupt(&self, worker: RawPthread) -> bool {
        end_script_on(worker)
    }
}

struct ScriptUser {
    seat: ScriptInstance,
}

impl VirtualUser for ScriptUser {
    fn thread_init(&mut self) -> Result<(), Failed> {
        call_if_there(&self.seat, c"thread_init")?;
        // What is created here stays; the garbage is much larger, so it is collected at once.
        self.seat.ask(c"collect")?;
        trim_stack(); // nothing after this goes as deep as Lua's parsers
        Ok(())
    }

    fn thread_run(&mut self) -> Result<(), Failed> {
        self.seat.enters(Stage::Run);
        self.seat.call_user(c"thread_run")
    }

    fn thread_done(&mut self) -> Result<(), Failed> {
        self.seat.enters(Stage::Brief);
        call_if_there(&self.seat, c"thread_done")
    }
}

/// Calls a function of the script if it exists.
fn call_if_there(seat: &ScriptInstance, function: &CStr) -> Result<(), Failed> {
    match seat.has(function) {
        true => seat.call_user(function),
        false => Ok(()),
    }
}

struct ScriptReporter {
    seat: ScriptInstance,
}

impl Reporter for ScriptReporter {
    fn intermediate(&mut self, stat: &Stat) -> Result<bool, Failed> {
        self.seat.report(c"report_intermediate", stat)
    }

    fn cumulative(&mut self, stat: &Stat) -> Result<bool, Failed> {
        self.seat.report(c"report_cumulative", stat)
    }
}
