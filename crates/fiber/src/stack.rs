//! What a fiber's stack takes.

#![expect(unsafe_code, reason = "memory is given back to the system")]

use crate::core::current;
use rustix::mm::{Advice, madvise};
use std::ffi::c_void;

const PAGE_BYTES: usize = 4096;

/// Gives back the part of the running fiber's stack that a deep call used once: pages stay where they were touched, and
/// thousands of users have thousands of them. Does nothing outside a fiber.
pub fn trim_stack() {
    let Some((_, running)) = current() else {
        return;
    };
    let here = 0_u8;
    // The calls below need some room themselves; it stays.
    let end = (&raw const here as usize & !(PAGE_BYTES - 1)).saturating_sub(PAGE_BYTES);
    let start = running.stack_limit.next_multiple_of(PAGE_BYTES);
    if start < end {
        // SAFETY: the range lies on this fiber's stack, below all that is in use; it reads as zeros from now on.
        // What can't be given back only takes room.
        let _: rustix::io::Result<()> =
            unsafe { madvise(start as *mut c_void, end - start, Advice::LinuxDontNeed) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scheduler;
    use std::hint::black_box;

    fn deep(levels: u32) -> u64 {
        let room = black_box([levels as u8; 1024]);
        match levels {
            0 => 0,
            _ => deep(levels - 1) + u64::from(room[17]),
        }
    }

    #[test]
    fn a_trimmed_stack_works_on() {
        let mut scheduler = Scheduler::new().unwrap();
        let spawned = scheduler.spawn(|| {
            let before = deep(60);
            trim_stack();
            assert_eq!(deep(60), before);
        });
        spawned.unwrap();
        scheduler.run();
        trim_stack(); // outside a fiber
    }
}
