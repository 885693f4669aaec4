//! Wraps a Lua state and the calls that the program makes into it.

#![expect(unsafe_code, reason = "the C interface of Lua")]

use crate::bare_state::{BareState, Raised};
use crate::context::Context;
use crate::interrupt;
use crate::memory::Memory;
use crate::prelude::{Prelude, prelude};
use mlua_sys as lua;
use std::ffi::{CStr, c_char, c_int};
use std::ptr::{null, null_mut};
use std::sync::Once;

/// Holds what a call of the seam returned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Returned {
    Nothing,
    Truth(bool),
    Something,
}

impl Returned {
    /// Returns whether Lua counts it as true: everything but nil and false.
    pub(crate) fn is_true(self) -> bool {
        !matches!(self, Self::Nothing | Self::Truth(false))
    }
}

/// Owns one state with the standard libraries, the FFI and the prelude.
pub(crate) struct State(BareState);

/// Name under which the registry holds the functions of the seam.
const SEAM: &CStr = c"dbdyno";

impl State {
    /// Creates a state for a context. Nothing of the script has run in it yet.
    pub(crate) fn new(context: &Context) -> Result<Self, Raised> {
        Self::with_memory(context, Memory::limited_by_the_machine())
    }

    pub(crate) fn with_memory(context: &Context, memory: Memory) -> Result<Self, Raised> {
        prints_at_once();
        let state = BareState::new(memory)?;
        state.memory.interrupts(state.lua, interrupt::soon);
        context.state.set(state.lua);
        let _entered = context.enter();
        let prelude = prelude(context.engine.settings.dialect)?;
        state.protected(open, std::ptr::from_ref(prelude).cast_mut().cast())?;
        Ok(Self(state))
    }

    /// Calls a function of the seam.
    pub(crate) fn call(
        &self,
        context: &Context,
        function: &'static CStr,
        argument: Option<&CStr>,
    ) -> Result<Returned, Raised> {
        let _entered = context.enter();
        context.watched.comes_to_a_wait();
        let mut call = FunctionCall {
            function,
            argument: argument.map_or(null(), CStr::as_ptr),
            returned: Returned::Nothing,
        };
        let result = self.0.protected(invoke, (&raw mut call).cast());
        interrupt::not_any_more(self.0.lua);
        result.map(|()| call.returned)
    }
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// Unbuffers standard output, so that what scripts print keeps its order with our own lines.
fn prints_at_once() {
    static ONCE: Once = Once::new();
    // SAFETY: the C library's own stream, before any script has printed.
    ONCE.call_once(|| unsafe {
        libc::setvbuf(stdout, null_mut(), libc::_IONBF, 0);
    });
}

/// Fills a new state: libraries, then the chunks of the prelude, which build the seam.
unsafe extern "C-unwind" fn open(state: *mut lua::lua_State) -> c_int {
    // SAFETY: called by `State::new` with the prelude, which lives for ever.
    unsafe {
        let prelude = lua::lua_touserdata(state, 1).cast::<Prelude>();
        // What is created here lives as long as the state: one collection at the end suffices.
        lua::lua_gc(state, lua::LUA_GCSTOP, 0);
        lua::luaL_openlibs(state);
        lua::lua_newtable(state);
        for chunk in &(*prelude).at_once {
            let (start, length) = (chunk.as_ptr().cast(), chunk.len());
            if lua::luaL_loadbuffer(state, start, length, c"=prelude".as_ptr()) != lua::LUA_OK {
                lua::lua_error(state);
            }
            lua::lua_pushboolean(state, c_int::from((*prelude).second_generation));
            lua::lua_pushvalue(state, 2);
            lua::lua_call(state, 2, 0);
        }
        lua::lua_setfield(state, lua::LUA_REGISTRYINDEX, SEAM.as_ptr());
        lua::lua_gc(state, lua::LUA_GCRESTART, 0);
        lua::lua_gc(state, lua::LUA_GCCOLLECT, 0);
    }
    0
}

struct FunctionCall {
    function: &'static CStr,
    /// Null: none.
    argument: *const c_char,
    returned: Returned,
}

unsafe extern "C-unwind" fn invoke(state: *mut lua::lua_State) -> c_int {
    // SAFETY: called by `State::call` with its own call; nothing here has a destructor that an error could skip.
    unsafe {
        let call = lua::lua_touserdata(state, 1).cast::<FunctionCall>();
        lua::lua_settop(state, 0);
        lua::lua_getfield_(state, lua::LUA_REGISTRYINDEX, SEAM.as_ptr());
        lua::lua_getfield_(state, -1, (*call).function.as_ptr());
        let argument = (*call).argument;
        if !argument.is_null() {
            lua::lua_pushstring_(state, argument);
        }
        let arguments = c_int::from(!argument.is_null());
        lua::lua_call(state, arguments, 1);
        (*call).returned = match lua::lua_type(state, -1) {
            lua::LUA_TNIL => Returned::Nothing,
            lua::LUA_TBOOLEAN => Returned::Truth(lua::lua_toboolean(state, -1) != 0),
            _ => Returned::Something,
        };
    }
    0
}
