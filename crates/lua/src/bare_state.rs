//! Wraps a Lua state with nothing in it, and compiles source in one.

#![expect(unsafe_code, reason = "the C interface of Lua")]

use crate::memory::{Memory, allocate};
use mlua_sys as lua;
use std::ffi::{CStr, c_int, c_void};

/// Holds an error that a script raised, as the log shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raised(pub(crate) String);

/// Owns one state and the count of its memory.
pub(crate) struct BareState {
    pub(crate) lua: *mut lua::lua_State,
    pub(crate) memory: Box<Memory>,
}

impl BareState {
    /// Creates a state with nothing in it.
    pub(crate) fn new(memory: Memory) -> Result<Self, Raised> {
        let memory = Box::new(memory);
        let data = std::ptr::from_ref(&*memory).cast_mut().cast::<c_void>();
        // SAFETY: the allocator fits its data, which lives as long as the state.
        let lua = unsafe { lua::lua_newstate(allocate, data) };
        if lua.is_null() {
            return Err(Raised("not enough memory".to_owned()));
        }
        Ok(Self { lua, memory })
    }

    /// Calls a C function that may raise errors.
    pub(crate) fn protected(
        &self,
        function: lua::lua_CFunction,
        data: *mut c_void,
    ) -> Result<(), Raised> {
        // SAFETY: the state is alive; errors end at this call.
        let status = unsafe { lua::lua_cpcall(self.lua, function, data) };
        if status == lua::LUA_OK {
            return Ok(());
        }
        // SAFETY: a failed call leaves its error on the stack.
        let raised = unsafe {
            let raised = message(self.lua);
            lua::lua_settop(self.lua, 0);
            raised
        };
        Err(raised)
    }
}

impl Drop for BareState {
    fn drop(&mut self) {
        // SAFETY: made by lua_newstate and closed once. Finalizers run here, for the context that is current.
        unsafe { lua::lua_close(self.lua) };
    }
}

/// Compiles source to bytecode with its line numbers.
pub(crate) fn compile(source: &[u8], name: &CStr) -> Result<Vec<u8>, Raised> {
    let state = BareState::new(Memory::limited_by_the_machine())?;
    let mut job = Compile {
        source,
        name,
        bytecode: Vec::new(),
    };
    state.protected(compile_protected, (&raw mut job).cast())?;
    Ok(job.bytecode)
}

/// Returns the error on top of the stack, as sysbench shows it.
unsafe fn message(lua: *mut lua::lua_State) -> Raised {
    // SAFETY: the caller's stack holds an error; a number or string converts in place.
    let text = unsafe {
        if lua::lua_isstring(lua, -1) == 0 {
            return Raised("(not a string)".to_owned());
        }
        let mut length = 0;
        let start = lua::lua_tolstring(lua, -1, &raw mut length);
        std::slice::from_raw_parts(start.cast::<u8>(), length)
    };
    Raised(String::from_utf8_lossy(text).into_owned())
}

struct Compile<'a> {
    source: &'a [u8],
    name: &'a CStr,
    bytecode: Vec<u8>,
}

unsafe extern "C-unwind" fn compile_protected(state: *mut lua::lua_State) -> c_int {
    // SAFETY: called by `compile` with its own job.
    unsafe {
        let job = &mut *lua::lua_touserdata(state, 1).cast::<Compile<'_>>();
        let (start, length) = (job.source.as_ptr().cast(), job.source.len());
        if lua::luaL_loadbuffer(state, start, length, job.name.as_ptr()) != lua::LUA_OK {
            lua::lua_error(state);
        }
        lua::lua_dump_(state, append, (&raw mut job.bytecode).cast());
    }
    0
}

unsafe extern "C-unwind" fn append(
    _state: *mut lua::lua_State,
    piece: *const c_void,
    length: usize,
    bytecode: *mut c_void,
) -> c_int {
    // SAFETY: called by lua_dump with a piece of bytecode and the vector given to it.
    unsafe {
        let piece = std::slice::from_raw_parts(piece.cast::<u8>(), length);
        (*bytecode.cast::<Vec<u8>>()).extend_from_slice(piece);
    }
    0
}
