//! Lets a fiber wait for an instant, or for its next turn.

use crate::core::{current, leave};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Reads the clock of all instants here: nanoseconds of CLOCK_MONOTONIC.
#[inline]
#[must_use]
pub fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Waits until the instant.
pub fn sleep_until(at_ns: u64) {
    match current() {
        Some((core, running)) => {
            core.end_wait_at(core.begin_wait(running), at_ns);
            leave(running);
        }
        None => std::thread::sleep(Duration::from_nanos(at_ns.saturating_sub(monotonic_ns()))),
    }
}

/// Lets the thread's other fibers run if any are ready, and polls its sockets.
pub fn yield_now() {
    match current() {
        Some((core, running)) => {
            core.end_wait(core.begin_wait(running));
            leave(running);
        }
        None => std::thread::yield_now(),
    }
}

/// Returns whether other fibers of this thread are ready to run.
#[must_use]
pub fn others_ready() -> bool {
    current().is_some_and(|(core, _)| core.ready_count() > 0)
}
