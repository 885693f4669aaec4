//! Reports, when Ctrl-C or SIGTERM ends the program, whether a script was running in a loop.

use super::ticks::any_script_is_busy;
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};

/// How long a busy script may take to notice that it is to end.
const RESPITE_S: u32 = 2;

/// The signal that came; 0: none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// From now on, when Ctrl-C or SIGTERM comes, a script that is caught in a loop is interrupted first, so that its error
/// names the line. A second signal ends the program at once.
pub fn tell_scripts_of_signals() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: plain data, for which zero is a value, and pointers to it; the handlers do only what handlers may.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, null_mut(), &raw mut before);
            // The parent process may want this program to ignore the signals.
            if before.sa_sigaction == libc::SIG_DFL {
                handle(signal, on_end);
            }
        }
    }
    handle(libc::SIGALRM, on_respite_over);
}

/// Ends the program by the signal that came, if there was one.
pub fn end_if_told() {
    let signal = SIGNAL.load(Ordering::Acquire);
    if signal != 0 {
        end_by(signal);
    }
}

/// Returns whether the program is to end. May be called at any time.
pub(super) fn is_told() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

fn handle(signal: c_int, handler: extern "C" fn(c_int)) {
    // SAFETY: as above.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(signal, &raw const action, null_mut());
    }
}

extern "C" fn on_end(signal: c_int) {
    let is_first = SIGNAL.swap(signal, Ordering::AcqRel) == 0;
    if is_first && any_script_is_busy() {
        // SAFETY: alarm may be called by a handler.
        unsafe { libc::alarm(RESPITE_S) };
    } else {
        end_by(signal);
    }
}

extern "C" fn on_respite_over(_signal: c_int) {
    end_if_told();
}

/// Ends by the signal, so that the parent process sees it.
fn end_by(signal: c_int) {
    // SAFETY: handlers may call these.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
    }
}
