//! Replaces the C library's ways to sleep: a script that sleeps yields to the other users of its thread.
//!
//! These replace the C library's functions in the whole program. Outside a fiber they are the system calls.

use super::keep;
use crate::context::Context;
use dbdyno_fiber::{in_fiber, monotonic_ns, sleep_until};
use std::ffi::{c_int, c_uint, c_ulong};
use std::ptr::{null, null_mut};

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
    // Kernels of newer kinds of processors have no call `poll`, and no `select`.
    let time = libc::timespec {
        tv_sec: i64::from(timeout_ms / 1000),
        tv_nsec: i64::from(timeout_ms % 1000) * 1_000_000,
    };
    let limit = if timeout_ms < 0 {
        null()
    } else {
        &raw const time
    };
    // SAFETY: the kernel checks what it is given; the last two are a set of signals, here none, and its size.
    unsafe { libc::syscall(libc::SYS_ppoll, places, count, limit, 0_usize, 0_usize) as c_int }
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
    // SAFETY: the caller passes a time, or none, as for the C library's function.
    let mut left = unsafe { timeout.as_ref() }.map(|time| libc::timespec {
        tv_sec: time.tv_sec.saturating_add(time.tv_usec / 1_000_000),
        tv_nsec: time.tv_usec % 1_000_000 * 1000,
    });
    let limit = left.as_mut().map_or(null_mut(), |time| &raw mut *time);
    // SAFETY: the kernel checks what it is given; the last is a set of signals, here none.
    let result = unsafe {
        libc::syscall(
            libc::SYS_pselect6,
            count,
            readable,
            writable,
            special,
            limit,
            0_usize,
        ) as c_int
    };
    if let Some(left) = left {
        // SAFETY: as above. The kernel wrote the time that is left, which callers of `select` may read.
        unsafe {
            *timeout = libc::timeval {
                tv_sec: left.tv_sec,
                tv_usec: left.tv_nsec / 1000,
            };
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::time::Instant;

    fn pipe_with_a_byte() -> std::io::PipeReader {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"x").unwrap();
        reader
    }

    #[test]
    fn poll_finds_what_is_ready_and_waits_for_its_time() {
        let reader = pipe_with_a_byte();
        let mut place = libc::pollfd {
            fd: reader.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        for timeout_ms in [-1, 0, 1500] {
            // SAFETY: one description is given.
            assert_eq!(unsafe { poll(&raw mut place, 1, timeout_ms) }, 1);
            assert_eq!(place.revents & libc::POLLIN, libc::POLLIN);
        }
        let begun = Instant::now();
        // SAFETY: no description is given.
        assert_eq!(unsafe { poll(null_mut(), 0, 30) }, 0);
        assert!(begun.elapsed().as_millis() >= 30);
    }

    #[test]
    fn select_finds_what_is_ready_and_says_how_much_time_is_left() {
        let reader = pipe_with_a_byte();
        let mut time = libc::timeval {
            tv_sec: 1,
            tv_usec: 2_500_000,
        };
        // SAFETY: a set of descriptions and a time are given; zeros are an empty set.
        unsafe {
            let mut set: libc::fd_set = std::mem::zeroed();
            libc::FD_SET(reader.as_raw_fd(), &raw mut set);
            let count = reader.as_raw_fd() + 1;
            assert_eq!(
                select(count, &raw mut set, null_mut(), null_mut(), null_mut()),
                1
            );
            let found = select(count, &raw mut set, null_mut(), null_mut(), &raw mut time);
            assert_eq!(found, 1);
        }
        assert!((2..4).contains(&time.tv_sec) && (0..1_000_000).contains(&time.tv_usec));
        time = libc::timeval {
            tv_sec: 0,
            tv_usec: 20_000,
        };
        let begun = Instant::now();
        // SAFETY: no set is given.
        let select = |time: &mut libc::timeval| unsafe {
            select(0, null_mut(), null_mut(), null_mut(), time)
        };
        assert_eq!(select(&mut time), 0);
        assert!(begun.elapsed().as_millis() >= 20 && (time.tv_sec, time.tv_usec) == (0, 0));
        time.tv_sec = -1;
        assert_eq!(select(&mut time), -1);
        let error = std::io::Error::last_os_error();
        assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
    }
}
