//! Gives C functions the context in which they are called.

use crate::exchange::Exchange;
use crate::script::LuaScript;
use crate::script_watch::Watched;
use dbdyno_chance::Sampler;
use dbdyno_fiber::{local, set_local};
use dbdyno_sysbench::{Actor, Engine};
use mlua_sys as lua;
use std::cell::{Cell, RefCell};
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::Arc;

/// Holds everything that belongs to one state: its actor, and the values handed through the seam.
///
/// While a state runs, the fiber's own word points to its context, so that a C function called by a script finds its
/// actor.
pub(crate) struct Context {
    pub(crate) engine: Arc<Engine>,
    pub(crate) actor: Rc<Actor>,
    pub(crate) script: Arc<LuaScript>,
    /// The default distribution over the interval that was drawn from last.
    default: RefCell<Option<(u32, u32, Sampler)>>,
    /// What the current call into the state hands over, in either direction.
    pub(crate) exchange: RefCell<Exchange>,
    /// The state, once there is one.
    pub(crate) state: Cell<*mut lua::lua_State>,
    /// Tracks whether the script runs without waiting.
    pub(crate) watched: Watched,
}

impl Context {
    pub(crate) fn new(engine: Arc<Engine>, actor: Rc<Actor>, script: Arc<LuaScript>) -> Self {
        Self {
            engine,
            actor,
            script,
            default: RefCell::default(),
            exchange: RefCell::default(),
            state: Cell::new(null_mut()),
            watched: Watched::new(),
        }
    }

    /// Returns the context of the running fiber or thread.
    #[inline]
    pub(crate) fn current<'a>() -> Option<&'a Self> {
        let word = local() as *const Self;
        #[expect(unsafe_code, reason = "the word outlives what runs: see enter")]
        // SAFETY: the word is 0 or was set by `enter`, whose guard takes it back before the context ends.
        unsafe {
            word.as_ref()
        }
    }

    /// Makes this the current context until the guard is dropped.
    pub(crate) fn enter(&self) -> ContextGuard<'_> {
        let outer = local();
        set_local(std::ptr::from_ref(self) as usize);
        ContextGuard {
            outer,
            _context: self,
        }
    }

    /// Draws a number from the default distribution; users draw from the same interval again and again.
    #[inline]
    pub(crate) fn draw_default(&self, low: u32, high: u32) -> u32 {
        let mut default = self.default.borrow_mut();
        if !matches!(&*default, Some(last) if (last.0, last.1) == (low, high)) {
            let random = &self.engine.settings.random;
            let sampler = random.distribution(random.kind).sampler(low, high);
            *default = Some((low, high, sampler));
        }
        match &*default {
            Some((_, _, sampler)) => self.actor.with_stream(|stream| sampler.draw(stream)),
            None => low,
        }
    }
}

/// Restores the previous context.
pub(crate) struct ContextGuard<'a> {
    outer: usize,
    _context: &'a Context,
}

impl Drop for ContextGuard<'_> {
    fn drop(&mut self) {
        set_local(self.outer);
    }
}
