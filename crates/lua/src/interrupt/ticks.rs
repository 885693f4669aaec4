//! Counts, by a timer, the processor time of each thread that runs states, and checks the current script at
//! each tick.

use super::soon;
use crate::context::Context;
use crate::script_watch::TICK_MS;
use dbdyno_fiber::monotonic_ns;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static TIMER: Cell<Option<CpuTimer>> = const { Cell::new(None) };
}

/// When a script last went a tick without a wait.
static LAST_BUSY_NS: AtomicU64 = AtomicU64::new(0);

/// Watches this thread's scripts until the thread ends.
pub(crate) fn watch_this_thread() {
    let timer = TIMER.take().or_else(CpuTimer::start);
    TIMER.set(timer);
}

/// Ends the script that runs on another thread with an error. Returns whether the thread could be signalled.
pub(crate) fn end_script_on(thread: std::os::unix::thread::RawPthread) -> bool {
    install_handler();
    // SAFETY: the caller knows that the thread still exists.
    unsafe { libc::pthread_kill(thread, libc::SIGVTALRM) == 0 }
}

/// Returns whether some script has just computed without a wait. May be called by a signal handler.
pub(super) fn any_script_is_busy() -> bool {
    const JUST_NOW_NS: u64 = 1_000_000_000;
    let last_ns = LAST_BUSY_NS.load(Ordering::Relaxed);
    last_ns > 0 && monotonic_ns() < last_ns + JUST_NOW_NS
}

/// Owns a timer of the thread's processor time.
struct CpuTimer(libc::timer_t);

impl CpuTimer {
    fn start() -> Option<Self> {
        install_handler();
        // SAFETY: plain data, for which zero is a value.
        let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = libc::SIGVTALRM;
        event.sigev_notify_thread_id = thread_id();
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

impl Drop for CpuTimer {
    fn drop(&mut self) {
        // SAFETY: made by timer_create, and deleted once.
        unsafe { libc::timer_delete(self.0) };
    }
}

/// Returns the system's number of this thread, by the system call: glibc has a function for it from 2.30 on only.
fn thread_id() -> libc::pid_t {
    // SAFETY: the call has no conditions.
    let number = unsafe { libc::syscall(libc::SYS_gettid) };
    libc::pid_t::try_from(number).expect("Linux numbers threads with 32 bits")
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

/// Handles a tick, or the request to end the current script. Touches only cells of the current context, which belongs
/// to this thread, and Lua's hook.
extern "C" fn on_signal(_signal: c_int, info: *mut libc::siginfo_t, _where: *mut c_void) {
    let Some(context) = Context::current() else {
        return;
    };
    // SAFETY: the system passes a valid description.
    let told_by_us = unsafe { (*info).si_code } == libc::SI_TKILL;
    if told_by_us {
        context.watched.condemn();
    } else if context.watched.tick() {
        LAST_BUSY_NS.store(monotonic_ns(), Ordering::Relaxed);
    } else {
        return;
    }
    soon(context.state.get());
}
