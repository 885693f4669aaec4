//! Handles stack overflows of fibers: opens the reserve and calls the handler of the program.

#![expect(unsafe_code, reason = "a signal handler")]

use crate::core::running;
use crate::stack::open_reserve;
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Called in a signal handler, on the thread at fault.
static OVERFLOW_HANDLER: AtomicPtr<()> = AtomicPtr::new(null_mut());

/// The previous handler: the standard library's, for the stacks of threads.
static PREVIOUS_HANDLER: OnceLock<libc::sigaction> = OnceLock::new();

/// Registers a function to call when a fiber has used up its stack and goes on on its reserve. A signal handler calls
/// it on the fiber's own thread, so it may do only what such handlers may. Make sure that
/// [`has_stack_overflowed`](crate::has_stack_overflowed) is called soon.
pub fn on_stack_overflow(handler: fn()) {
    OVERFLOW_HANDLER.store(handler as *mut (), Ordering::Release);
}

/// Installs the handler, once per process.
pub(crate) fn install_fault_handler() {
    PREVIOUS_HANDLER.get_or_init(|| {
        // SAFETY: plain data, for which zero is a value; the handler does only what handlers may.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let mut before: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGSEGV, &raw const action, &raw mut before);
            before
        }
    });
}

extern "C" fn on_fault(_signal: c_int, info: *mut libc::siginfo_t, _where: *mut c_void) {
    // SAFETY: the system passes a valid description.
    let address = unsafe { (*info).si_addr() } as usize;
    if let Some(running) = running() {
        let stack = running.stack;
        if stack.reserve().contains(&address) && open_reserve(stack) {
            let handler = OVERFLOW_HANDLER.load(Ordering::Acquire);
            if !handler.is_null() {
                // SAFETY: only `on_stack_overflow` stores here, and what it stores is such a function.
                unsafe { std::mem::transmute::<*mut (), fn()>(handler)() };
            }
            return;
        }
        if stack.guard().contains(&address) {
            write_message(b"FATAL: a user's stack is used up: calls between a script and C code go too deep\n");
        } else {
            write_message(
                b"FATAL: a user's script, or this program, has touched memory that isn't there\n",
            );
        }
    }
    // The instruction is retried, and its fault is handled as without our handler.
    // SAFETY: what the system gave is given back.
    unsafe {
        let before = PREVIOUS_HANDLER.get().map_or(null(), std::ptr::from_ref);
        if before.is_null() {
            libc::signal(libc::SIGSEGV, libc::SIG_DFL);
        } else {
            libc::sigaction(libc::SIGSEGV, before, null_mut());
        }
    }
}

/// Writes without buffering.
fn write_message(text: &[u8]) {
    // SAFETY: the text is what it says.
    let _ = unsafe { libc::write(libc::STDOUT_FILENO, text.as_ptr().cast(), text.len()) };
}
