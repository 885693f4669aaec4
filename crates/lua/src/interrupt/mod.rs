//! Interrupts scripts that run without waiting, hold too much memory, or recurse too deep.
//!
//! A timer counts the processor time of each thread that runs states (`ticks`). Each tick checks whether the current
//! script has reached a wait since the last one. If not, it is interrupted at its next instruction, also in compiled
//! code: it lets others run, or ends with an error that names the line if its time is over. Scripts that wait now and
//! then are never interrupted, so all this costs them nothing.

#![expect(
    unsafe_code,
    reason = "signal handlers, and the C interface of Lua's hooks"
)]

mod exit_notice;
mod ticks;

pub use exit_notice::{end_if_told, tell_scripts_of_signals};
pub(crate) use ticks::{end_script_on, watch_this_thread};

use crate::context::Context;
use crate::memory::Memory;
use dbdyno_fiber::{has_stack_overflowed, monotonic_ns, on_stack_overflow, yield_now};
use mlua_sys as lua;
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

/// Ends scripts whose calls through C code go too deep with an error.
pub(crate) fn watch_stacks() {
    on_stack_overflow(|| {
        if let Some(context) = Context::current() {
            soon(context.state.get());
        }
    });
}

/// Interrupts a state at its next instruction. May be called by a signal handler on the state's own thread.
pub(crate) fn soon(state: *mut lua::lua_State) {
    if !state.is_null() {
        // SAFETY: Lua allows this call at any moment on the thread that runs the state.
        unsafe { lua::lua_sethook(state, Some(on_instruction), lua::LUA_MASKCOUNT, 1) };
    }
}

/// Cancels an interruption that has not happened, or that was to recur.
pub(crate) fn not_any_more(state: *mut lua::lua_State) {
    // SAFETY: as above.
    unsafe { lua::lua_sethook(state, None, 0, 0) };
}

/// Says why a script is interrupted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InterruptReason {
    GoOn,
    OutOfMemory,
    TooDeep,
    TooLong,
    TimeLimit,
    Interrupted,
}

impl InterruptReason {
    fn text(self) -> &'static CStr {
        match self {
            Self::GoOn => c"",
            Self::OutOfMemory => c"not enough memory",
            Self::TooDeep => c"C stack overflow",
            Self::TooLong => c"the script ran too long without a wait",
            Self::TimeLimit => c"the script ran too long without a wait (see --script-timeout)",
            Self::Interrupted => c"interrupted",
        }
    }

    /// Returns whether the script is to end, whichever errors it catches.
    fn is_final(self) -> bool {
        matches!(self, Self::TooLong | Self::TimeLimit | Self::Interrupted)
    }
}

/// Implements Lua's hook: it runs in place of the script, on its stack.
unsafe extern "C-unwind" fn on_instruction(
    state: *mut lua::lua_State,
    _place: *mut lua::lua_Debug,
) {
    not_any_more(state);
    let verdict = catch_unwind(AssertUnwindSafe(|| judge(state))).unwrap_or(InterruptReason::GoOn);
    if verdict == InterruptReason::GoOn {
        return;
    }
    // SAFETY: called by Lua with its own state.
    let place = unsafe { place_of(state) };
    let is_final = verdict.is_final();
    // If only the default loop is left, it is about to end.
    if is_final && place.is_none() {
        return;
    }
    // A script that catches the errors again and again gets one at every instruction; one that recursed too deep is
    // checked again when it has returned.
    if verdict == InterruptReason::TooDeep || is_final && hears_nothing() {
        soon(state);
    }
    // SAFETY: as above; no value with a destructor lives here.
    unsafe { raise(state, place, verdict.text()) }
}

fn hears_nothing() -> bool {
    Context::current().is_some_and(|context| context.watched.hears_nothing())
}

fn judge(state: *mut lua::lua_State) -> InterruptReason {
    if memory_is_exceeded(state) {
        return InterruptReason::OutOfMemory;
    }
    if has_stack_overflowed() {
        return InterruptReason::TooDeep;
    }
    let Some(context) = Context::current() else {
        return InterruptReason::GoOn;
    };
    let watched = &context.watched;
    if watched.is_too_long(&context.engine, monotonic_ns()) {
        return match watched.has_time_limit() {
            true => InterruptReason::TimeLimit,
            false => InterruptReason::TooLong,
        };
    }
    if watched.is_busy() {
        if exit_notice::is_told() {
            return InterruptReason::Interrupted;
        }
        // The thread notices runnable users only when it polls.
        yield_now();
    }
    InterruptReason::GoOn
}

/// Returns whether the state holds more than allowed, garbage not counted.
fn memory_is_exceeded(state: *mut lua::lua_State) -> bool {
    let mut data: *mut c_void = null_mut();
    // SAFETY: the state runs; its allocator's data is a `Memory` (see `State::new`).
    let memory = unsafe {
        lua::lua_getallocf(state, &raw mut data);
        &*data.cast::<Memory>()
    };
    if memory.is_exceeded() {
        // SAFETY: a hook may do what any C function may.
        unsafe { lua::lua_gc(state, lua::LUA_GCCOLLECT, 0) };
    }
    memory.tells_of_excess()
}

/// Finds the innermost function that comes from a file, and its line: everything between it and the hook is ours, or
/// text that the script made.
unsafe fn place_of(state: *mut lua::lua_State) -> Option<lua::lua_Debug> {
    // SAFETY: as for the caller; the description is plain data, for which zero is a value.
    unsafe {
        let mut place: lua::lua_Debug = std::mem::zeroed();
        let mut level = 0;
        while lua::lua_getstack(state, level, &raw mut place) != 0 {
            lua::lua_getinfo(state, c"Sl".as_ptr(), &raw mut place);
            let is_of_a_file = matches!((*place.source).to_ne_bytes(), [b'@' | b'=']);
            if is_of_a_file && place.currentline > 0 {
                return Some(place);
            }
            level += 1;
        }
    }
    None
}

/// Raises an error that names the place.
unsafe fn raise(
    state: *mut lua::lua_State,
    place: Option<lua::lua_Debug>,
    text: &'static CStr,
) -> ! {
    // SAFETY: as for the caller; Lua ends the file's short name with a zero.
    unsafe {
        match place {
            Some(place) => {
                let (file, line) = (place.short_src.as_ptr(), place.currentline);
                lua::lua_pushfstring(state, c"%s:%d: %s".as_ptr(), file, line, text.as_ptr());
            }
            None => {
                lua::lua_pushstring_(state, text.as_ptr());
            }
        }
        lua::lua_error(state)
    }
}
