//! Reads the clocks and the facts of this host.

use crate::kernel;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::path::Path;

/// Returns the nanoseconds of the monotonic clock.
pub(crate) fn monotonic_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    // Neither clock is negative if the machine's date is after 1970.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns both clocks.
pub(crate) fn clocks() -> Value {
    let monotonic_ns = monotonic_ns();
    json!({
        "monotonic_ns": monotonic_ns,
        "realtime_ns": nanoseconds(ClockId::Realtime),
    })
}

/// Returns the facts of this agent and its host.
pub(crate) fn facts(home: &Path) -> Value {
    let uid = rustix::process::geteuid().as_raw();
    let pid = std::process::id();
    json!({
        "home": home,
        "pid": pid,
        "start_ticks": kernel::start_ticks(pid),
        "uid": uid,
        "gid": rustix::process::getegid().as_raw(),
        "user_home": std::env::var("HOME").unwrap_or_default(),
        "runtime_folder": std::env::var("XDG_RUNTIME_DIR").unwrap_or_default(),
        "architecture": std::env::consts::ARCH,
        "kernel": kernel::text("/proc/sys/kernel/osrelease"),
        "hostname": kernel::text("/proc/sys/kernel/hostname"),
        "boot_id": kernel::boot_id(),
        "page_bytes": rustix::param::page_size(),
        "ticks_per_s": rustix::param::clock_ticks_per_second(),
        "io_uring_errno": kernel::io_uring_errno(),
        "native_aio_errno": kernel::native_aio_errno(),
    })
}
