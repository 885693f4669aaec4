//! One actor's state with the script in it, and what it can be asked to do.

use crate::context::Context;
use crate::exchange::CStat;
use crate::interrupt::{ticks_of, watch_this_thread};
use crate::script::Script;
use crate::state::{Raised, Returned, State};
use dbdyno_sysbench::figures::Stat;
use dbdyno_sysbench::run::Failed;
use dbdyno_sysbench::{Actor, Engine};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::Arc;

/// How long a script may compute outside of events, where nothing else would end it.
const PATIENCE_S: u32 = 60;

/// A state and its context.
pub(crate) struct Seat {
    /// There until the seat is dropped.
    state: Option<State>,
    pub(crate) context: Box<Context>,
}

impl Seat {
    /// A new state, before the script's body has run in it.
    pub(crate) fn new(
        engine: &Arc<Engine>,
        actor: Rc<Actor>,
        script: Arc<Script>,
    ) -> Result<Self, Failed> {
        watch_this_thread();
        let context = Box::new(Context::new(Arc::clone(engine), actor, script));
        context.patience_ticks.set(ticks_of(PATIENCE_S));
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

    /// A new state with the script's body run and the options set, as users and reports have them.
    pub(crate) fn ready(
        engine: &Arc<Engine>,
        actor: Rc<Actor>,
        script: &Arc<Script>,
    ) -> Result<Self, Failed> {
        let seat = Self::new(engine, actor, Arc::clone(script))?;
        seat.load()?;
        seat.set_options()?;
        Ok(seat)
    }

    /// Runs the script's body.
    pub(crate) fn load(&self) -> Result<(), Failed> {
        self.ask(c"load").map(drop)
    }

    pub(crate) fn set_options(&self) -> Result<(), Failed> {
        let as_globals = self.context.script.options_are_globals.get() == Some(&true);
        let function = if as_globals {
            c"set_options_and_globals"
        } else {
            c"set_options"
        };
        self.ask(function).map(drop)
    }

    pub(crate) fn has(&self, function: &'static CStr) -> bool {
        self.ask(function).is_ok_and(Returned::is_true)
    }

    /// Calls into the state; an error is logged as it is.
    pub(crate) fn ask(&self, function: &'static CStr) -> Result<Returned, Failed> {
        self.raw_call(function, None)
            .map_err(|Raised(text)| self.log(&text))
    }

    /// Calls into the state; an error is logged as that of a function.
    pub(crate) fn call(&self, function: &'static CStr, name: &str) -> Result<Returned, Failed> {
        let tid = f64::from(self.context.actor.tid);
        self.raw_call(function, Some(tid))
            .map_err(|Raised(text)| self.log(&format!("`{name}' function failed: {text}")))
    }

    fn raw_call(&self, function: &'static CStr, argument: Option<f64>) -> Result<Returned, Raised> {
        match &self.state {
            Some(state) => state.call(&self.context, function, argument),
            None => Err(Raised("the state is closed".to_owned())),
        }
    }

    /// Calls a script's function that may be missing.
    pub(crate) fn call_if_there(
        &self,
        has: &'static CStr,
        function: &'static CStr,
        name: &str,
    ) -> Result<(), Failed> {
        if !self.has(has) {
            return Ok(());
        }
        self.call(function, name).map(drop)
    }

    /// Runs the script's own command; false counts as failed.
    pub(crate) fn call_command(&self) -> Result<(), Failed> {
        match self.call(c"call_command", "sysbench.cmdline.call_command")? {
            Returned::Truth(false) => Err(Failed),
            _ => Ok(()),
        }
    }

    /// The report of an interval; false if the script leaves it to us.
    pub(crate) fn report_intermediate(&self, stat: &Stat) -> Result<bool, Failed> {
        self.report(
            stat,
            c"has_intermediate",
            c"report_intermediate",
            "report_intermediate",
        )
    }

    /// A full report; false if the script leaves it to us.
    pub(crate) fn report_cumulative(&self, stat: &Stat) -> Result<bool, Failed> {
        self.report(
            stat,
            c"has_cumulative",
            c"report_cumulative",
            "report_cumulative",
        )
    }

    fn report(
        &self,
        stat: &Stat,
        has: &'static CStr,
        function: &'static CStr,
        name: &str,
    ) -> Result<bool, Failed> {
        if !self.has(has) {
            return Ok(false);
        }
        self.context.exchange.borrow_mut().stat = CStat::from(stat);
        self.call(function, name).map(|_| true)
    }

    fn log(&self, text: &str) -> Failed {
        self.context.engine.log.fatal(text);
        Failed
    }
}

impl Drop for Seat {
    /// Finalizers that run while the state is closed still act for this actor.
    fn drop(&mut self) {
        let _entered = self.context.enter();
        self.context.state.set(null_mut());
        self.state = None;
    }
}
