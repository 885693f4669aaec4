//! Interrupts scripts that run on and on.
//!
//! A timer counts the processor time of each thread that runs states. At each tick it looks whether the script at
//! hand has come to a wait since the last one. If not, it is interrupted at its next instruction, also in compiled
//! code: it lets others run, or ends with an error that names the line if its time is over.

#![expect(
    unsafe_code,
    reason = "a signal handler, and the C interface of Lua's hooks"
)]

use crate::context::Context;
use crate::memory::Memory;
use dbdyno_fiber::{others_ready, yield_now};
use mlua_sys as lua;
use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::Once;

/// Processor time between two ticks.
const TICK_MS: u32 = 20;

/// How many ticks so many seconds of processor time are.
pub(crate) const fn ticks_of(seconds: u32) -> u32 {
    seconds * 1000 / TICK_MS
}

/// Errors that a script may catch before it gets nothing else.
const PATIENT_VERDICTS: u32 = 3;

thread_local! {
    static TIMER: Cell<Option<Timer>> = const { Cell::new(None) };
}

/// Has this thread's scripts watched until the thread ends.
pub(crate) fn watch_this_thread() {
    let timer = TIMER.take().or_else(Timer::start);
    TIMER.set(timer);
}

/// Ends the script that runs on another thread with an error. Returns whether the thread could be told.
pub(crate) fn end_script_on(thread: std::os::unix::thread::RawPthread) -> bool {
    install_handler();
    // SAFETY: whoever calls knows that the thread still exists.
    unsafe { libc::pthread_kill(thread, libc::SIGVTALRM) == 0 }
}

/// Interrupts a state at its next instruction. May be called by a signal handler on the state's own thread.
pub(crate) fn soon(state: *mut lua::lua_State) {
    if !state.is_null() {
        // SAFETY: Lua allows this call at any moment on the thread that runs the state.
        unsafe { lua::lua_sethook(state, Some(on_instruction), lua::LUA_MASKCOUNT, 1) };
    }
}

/// Takes back an interruption that has not happened, or that was to go on happening.
pub(crate) fn not_any_more(state: *mut lua::lua_State) {
    // SAFETY: as above.
    unsafe { lua::lua_sethook(state, None, 0, 0) };
}

/// A timer of the thread's processor time.
struct Timer(libc::timer_t);

impl Timer {
    fn start() -> Option<Self> {
        install_handler();
        // SAFETY: plain data, for which zero is a value.
        let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = libc::SIGVTALRM;
        // SAFETY: gettid has no conditions.
        event.sigev_notify_thread_id = unsafe { libc::gettid() };
        let tick = libc::timespec {
            tv_sec: 0,
            tv_nsec: i64::from(TICK_MS) * 1_000_000,
        };
        let period = libc::itimerspec {
            it_interval: tick,
            it_value: tick,
        };
        let mut timer: libc::timer_t = null_mut();
        // SAFETY: all pointers are to live values of the right types.
        unsafe {
            if libc::timer_create(
                libc::CLOCK_THREAD_CPUTIME_ID,
                &raw mut event,
                &raw mut timer,
            ) != 0
            {
                return None; // Scripts run all the same; only endless ones are not interrupted.
            }
            libc::timer_settime(timer, 0, &raw const period, null_mut());
        }
        Some(Self(timer))
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: made by timer_create, and deleted once.
        unsafe { libc::timer_delete(self.0) };
    }
}

fn install_handler() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: plain data, for which zero is a value.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        // SAFETY: the handler does only what handlers may.
        unsafe { libc::sigaction(libc::SIGVTALRM, &raw const action, null_mut()) };
    });
}

/// A tick, or the order to end what runs. Touches nothing but cells of the context at hand, which belongs to this
/// thread, and Lua's hook.
extern "C" fn on_signal(_signal: c_int, info: *mut libc::siginfo_t, _where: *mut c_void) {
    let Some(context) = Context::current() else {
        return;
    };
    // SAFETY: the system passes a valid description.
    let told_by_us = unsafe { (*info).si_code } == libc::SI_TKILL;
    if told_by_us {
        context.condemned.set(true);
    } else if context.seen_waits.replace(context.waits.get()) == context.waits.get() {
        context
            .busy_ticks
            .set(context.busy_ticks.get().saturating_add(1));
    } else {
        context.busy_ticks.set(0);
    }
    if told_by_us || context.busy_ticks.get() > 0 {
        soon(context.state.get());
    }
}

/// What an interrupted script gets to hear.
enum Verdict {
    GoOn,
    OutOfMemory,
    TooLong,
}

/// Lua's hook: called in the script's place, on its stack.
unsafe extern "C-unwind" fn on_instruction(state: *mut lua::lua_State, place: *mut lua::lua_Debug) {
    not_any_more(state);
    let verdict = catch_unwind(AssertUnwindSafe(|| judge(state))).unwrap_or(Verdict::GoOn);
    let text = match verdict {
        Verdict::GoOn => return,
        Verdict::OutOfMemory => c"not enough memory",
        Verdict::TooLong => {
            // A script that catches the errors again and again gets one at every instruction.
            if ends_often() {
                soon(state);
            }
            c"the script ran too long without a wait"
        }
    };
    // SAFETY: called by Lua with its own state and place; no value with a destructor lives here.
    unsafe { raise(state, place, text) }
}

/// Whether the script at hand was told to end before, to no avail.
fn ends_often() -> bool {
    Context::current().is_some_and(|context| {
        context.verdicts.set(context.verdicts.get() + 1);
        context.verdicts.get() > PATIENT_VERDICTS
    })
}

fn judge(state: *mut lua::lua_State) -> Verdict {
    if memory_is_exceeded(state) {
        return Verdict::OutOfMemory;
    }
    let Some(context) = Context::current() else {
        return Verdict::GoOn;
    };
    if context.condemned.get() || context.busy_ticks.get() >= context.patience_ticks.get() {
        return Verdict::TooLong;
    }
    if others_ready() {
        yield_now();
    }
    Verdict::GoOn
}

/// Whether more is held than allowed, garbage not counted.
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

/// Raises an error that names the line.
unsafe fn raise(state: *mut lua::lua_State, place: *mut lua::lua_Debug, text: &'static CStr) -> ! {
    // SAFETY: as for the caller.
    unsafe {
        lua::lua_getinfo(state, c"Sl".as_ptr(), place);
        let (file, line) = ((*place).short_src.as_ptr(), (*place).currentline);
        lua::lua_pushfstring(state, c"%s:%d: %s".as_ptr(), file, line, text.as_ptr());
        lua::lua_error(state)
    }
}
