//! Replaces the C library's ways to sleep: a script that sleeps yields to the other users of its thread.
//!
//! These replace the C library's functions in the whole program. Outside a fiber they are the system calls.

use super::keep;
use crate::context::Context;
use dbdyno_fiber::{in_fiber, monotonic_ns, sleep_until};
use std::ffi::{c_int, c_uint, c_ulong};
use std::ptr::null_mut;

keep!(usleep, sleep, nanosleep, poll, select);

fn pause_ns(ns: u64) {
    if let Some(context) = Context::current() {
        context.watched.comes_to_a_wait();
    }
    sleep_until(monotonic_ns() + ns);
}

/// Makes the system call, and sets errno as the C library does.
fn pause_thread(time: libc::timespec, rest: *mut libc::timespec) -> c_int {
    // SAFETY: the kernel checks what it is given.
    let result = unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, rest) };
    result as c_int
}

#[unsafe(no_mangle)]
extern "C" fn usleep(us: c_uint) -> c_int {
    if in_fiber() {
        pause_ns(u64::from(us) * 1000);
        return 0;
    }
    let time = libc::timespec {
        tv_sec: i64::from(us / 1_000_000),
        tv_nsec: i64::from(us % 1_000_000) * 1000,
    };
    pause_thread(time, null_mut())
}

#[unsafe(no_mangle)]
extern "C" fn sleep(seconds: c_uint) -> c_uint {
    if in_fiber() {
        pause_ns(u64::from(seconds) * 1_000_000_000);
        return 0;
    }
    let time = libc::timespec {
        tv_sec: i64::from(seconds),
        tv_nsec: 0,
    };
    let mut rest = time;
    match pause_thread(time, &raw mut rest) {
        0 => 0,
        _ => rest.tv_sec as c_uint + c_uint::from(rest.tv_nsec > 0),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(time: *const libc::timespec, rest: *mut libc::timespec) -> c_int {
    // SAFETY: the caller passes a time, as for the C library's function.
    let time = unsafe { *time };
    if in_fiber() && time.tv_sec >= 0 && (0..1_000_000_000).contains(&time.tv_nsec) {
        pause_ns(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64);
        return 0;
    }
    pause_thread(time, rest)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn poll(places: *mut libc::pollfd, count: c_ulong, timeout_ms: c_int) -> c_int {
    if in_fiber() && count == 0 && timeout_ms >= 0 {
        pause_ns(timeout_ms as u64 * 1_000_000);
        return 0;
    }
    // SAFETY: the kernel checks what it is given.
    unsafe { libc::syscall(libc::SYS_poll, places, count, timeout_ms) as c_int }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn select(
    count: c_int,
    readable: *mut libc::fd_set,
    writable: *mut libc::fd_set,
    special: *mut libc::fd_set,
    timeout: *mut libc::timeval,
) -> c_int {
    if in_fiber() && count == 0 && !timeout.is_null() {
        // SAFETY: the caller passes a time, as for the C library's function.
        let time = unsafe { *timeout };
        if time.tv_sec >= 0 && time.tv_usec >= 0 {
            pause_ns(time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000);
            return 0;
        }
    }
    // SAFETY: the kernel checks what it is given.
    unsafe {
        let number = libc::SYS_select;
        libc::syscall(number, count, readable, writable, special, timeout) as c_int
    }
}
