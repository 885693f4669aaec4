//! Runs the script in one actor's state.

use crate::bare_state::Raised;
use crate::context::Context;
use crate::exchange::figures_of;
use crate::interrupt::{watch_stacks, watch_this_thread};
use crate::script::LuaScript;
use crate::script_watch::Stage;
use crate::state::{Returned, State};
use dbdyno_sysbench::figures::Stat;
use dbdyno_sysbench::run::Failed;
use dbdyno_sysbench::{Actor, Engine};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::Arc;

/// Most users whose scripts are compiled, and whose garbage may wait. Each state compiles separately: with thousands
/// of them the machine code, its compilation included, costs more than it saves.
const ROOMY_USERS: u32 = 1000;

/// Holds a state and its context.
pub(crate) struct ScriptInstance {
    /// Present until the instance is dropped.
    state: Option<State>,
    pub(crate) context: Box<Context>,
}

impl ScriptInstance {
    /// Creates a state, before the script's body has run in it.
    pub(crate) fn new(
        engine: &Arc<Engine>,
        actor: Rc<Actor>,
        script: Arc<LuaScript>,
    ) -> Result<Self, Failed> {
        watch_this_thread();
        watch_stacks();
        let context = Box::new(Context::new(Arc::clone(engine), actor, script));
        match State::new(&context) {
            Ok(state) => Ok(Self {
                state: Some(state),
                context,
            }),
            Err(Raised(text)) => {
                engine.log.fatal(&text);
                Err(Failed)
            }
        }
    }

    /// Creates a state with the script's body run and the options set, as users and reports need it.
    pub(crate) fn ready(
        engine: &Arc<Engine>,
        actor: Rc<Actor>,
        script: &Arc<LuaScript>,
        stage: Stage,
    ) -> Result<Self, Failed> {
        let seat = Self::new(engine, actor, Arc::clone(script))?;
        seat.enters(stage);
        seat.load()?;
        seat.set_options()?;
        seat.ask(c"collect")?;
        Ok(seat)
    }

    /// Sets the script's current stage, which determines how long it may take.
    pub(crate) fn enters(&self, stage: Stage) {
        self.context.watched.enters(stage);
    }

    /// Returns whether memory matters less than speed.
    fn has_room(&self) -> bool {
        self.context.engine.settings.threads <= ROOMY_USERS
    }

    /// Runs the script's body.
    pub(crate) fn load(&self) -> Result<(), Failed> {
        let compiled = if self.has_room() { c"true" } else { c"false" };
        self.raw_call(c"load", Some(compiled))
            .map(drop)
            .map_err(|Raised(text)| self.log(&text))
    }

    pub(crate) fn set_options(&self) -> Result<(), Failed> {
        let script = &self.context.script;
        let as_globals = script.options_are_globals.get() == Some(&true);
        // As options, and once more as globals.
        for _ in 0..=u32::from(as_globals) {
            if let Some(options) = script.options.get() {
                options.warn_of_untyped(&self.context.engine.log);
            }
        }
        let globals = if as_globals { c"true" } else { c"false" };
        self.raw_call(c"set_options", Some(globals))
            .map(drop)
            .map_err(|Raised(text)| self.log(&text))
    }

    /// Returns whether the script has a global function of this name.
    pub(crate) fn has(&self, function: &CStr) -> bool {
        self.raw_call(c"has", Some(function))
            .is_ok_and(Returned::is_true)
    }

    /// Calls into the state; logs an error unchanged.
    pub(crate) fn ask(&self, function: &'static CStr) -> Result<Returned, Failed> {
        self.raw_call(function, None)
            .map_err(|Raised(text)| self.log(&text))
    }

    /// Calls a global function of the script without an argument.
    pub(crate) fn call(&self, function: &CStr) -> Result<(), Failed> {
        self.named_call(c"call", function, "").map(drop)
    }

    /// Calls a global function of the script with the user's number.
    pub(crate) fn call_user(&self, function: &CStr) -> Result<(), Failed> {
        self.named_call(c"call_user", function, "").map(drop)
    }

    /// Calls a function of `sysbench.cmdline`.
    pub(crate) fn cmdline(&self, function: &CStr) -> Result<Returned, Failed> {
        self.named_call(c"cmdline", function, "sysbench.cmdline.")
    }

    /// Runs the script's own command; false counts as failed.
    pub(crate) fn call_command(&self) -> Result<(), Failed> {
        self.enters(Stage::Command);
        match self.cmdline(c"call_command")? {
            Returned::Truth(false) => Err(Failed),
            _ => Ok(()),
        }
    }

    /// Runs the script's hook of this name to write a report; returns false if there is none.
    pub(crate) fn report(&self, hook: &CStr, stat: &Stat) -> Result<bool, Failed> {
        let has_hook = self.raw_call(c"has_hook", Some(hook));
        if !has_hook.is_ok_and(Returned::is_true) {
            return Ok(false);
        }
        self.context.exchange.borrow_mut().stat = figures_of(stat);
        self.named_call(c"report", hook, "").map(|_| true)
    }

    /// Calls a named function; logs an error under this name.
    fn named_call(&self, how: &'static CStr, name: &CStr, place: &str) -> Result<Returned, Failed> {
        self.raw_call(how, Some(name)).map_err(|Raised(text)| {
            let name = name.to_string_lossy();
            self.log(&format!("`{place}{name}' function failed: {text}"))
        })
    }

    fn raw_call(
        &self,
        function: &'static CStr,
        argument: Option<&CStr>,
    ) -> Result<Returned, Raised> {
        match &self.state {
            Some(state) => state.call(&self.context, function, argument),
            None => Err(Raised("the state is closed".to_owned())),
        }
    }

    fn log(&self, text: &str) -> Failed {
        self.context.engine.log.fatal(text);
        Failed
    }
}

impl Drop for ScriptInstance {
    /// Finalizers that run while the state is closed still act for this actor.
    fn drop(&mut self) {
        let _entered = self.context.enter();
        self.context.state.set(null_mut());
        self.state = None;
    }
}
