//! Allocates the stacks of fibers, guards them and releases unused pages.
//!
//! From low addresses to high: a guard page, which ends the program; a reserve, which is closed until a call goes that
//! deep; the stack itself. If the C calls of a script go too deep, the script gets an error while it runs on the
//! reserve, and the program goes on.

#![expect(
    unsafe_code,
    reason = "memory is given back to the system, and protected"
)]

use crate::core::current;
use crate::sleep::yield_now;
use corosensei::stack::{DefaultStack, Stack};
use rustix::mm::{Advice, MprotectFlags, madvise, mprotect};
use rustix::param::page_size;
use std::cell::Cell;
use std::ffi::c_void;
use std::io;
use std::ops::Range;

/// Address space of a fiber's stack: whole pages of every page size in use, up to 64 KiB. Only touched pages take
/// memory.
const STACK_BYTES: usize = 256 * 1024;

/// Room for the code that detects a used-up stack and reports it. Whole pages, too.
const RESERVE_BYTES: usize = 64 * 1024;

/// More than a fiber uses of its stack between a request and the switch.
const FRAMES_BYTES: usize = if cfg!(debug_assertions) { 4096 } else { 1024 };

/// More than the calls that close a reserve use.
const CLOSING_BYTES: usize = 4096;

thread_local! {
    /// Whether a reserve was opened on this thread: some may still be open.
    static RESERVE_OPENED: Cell<bool> = const { Cell::new(false) };
    /// The part of its stack that the last running fiber wants to release.
    static UNUSED_STACK: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Addresses of the parts of a stack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StackLayout {
    lowest_address: usize,
    page_bytes: usize,
}

impl StackLayout {
    pub(crate) fn guard(self) -> Range<usize> {
        self.lowest_address..self.lowest_address + self.page_bytes
    }

    pub(crate) fn reserve(self) -> Range<usize> {
        let start = self.guard().end;
        start..start + RESERVE_BYTES
    }

    /// Returns the whole pages of the stack itself below all that is used. Empty, perhaps backwards, if there are none.
    fn unused(self, used_from: usize) -> (usize, usize) {
        (self.reserve().end, used_from & !(self.page_bytes - 1))
    }

    /// Opens the reserve or closes it. May be called by a signal handler.
    fn protect(self, flags: MprotectFlags) -> io::Result<()> {
        let reserve = self.reserve();
        // SAFETY: the range is part of this stack, and nothing lies in it when it is closed.
        let done = unsafe { mprotect(reserve.start as *mut c_void, reserve.len(), flags) };
        Ok(done?)
    }
}

/// Allocates a stack with its reserve closed.
pub(crate) fn new_stack() -> io::Result<(DefaultStack, StackLayout)> {
    let stack = DefaultStack::new(STACK_BYTES + RESERVE_BYTES)?;
    let layout = StackLayout {
        lowest_address: stack.limit().get(),
        page_bytes: page_size(),
    };
    layout.protect(MprotectFlags::empty())?;
    Ok((stack, layout))
}

/// Lets the running fiber go on when its stack is used up. Returns false if the system refuses.
pub(crate) fn open_reserve(layout: StackLayout) -> bool {
    let opens = layout.protect(MprotectFlags::READ | MprotectFlags::WRITE);
    RESERVE_OPENED.set(true);
    opens.is_ok()
}

/// Returns whether the running fiber has used up its stack and runs on its reserve. If it has come back from there, the
/// reserve is closed again.
#[must_use]
pub fn has_stack_overflowed() -> bool {
    let (Some((_, running)), true) = (current(), RESERVE_OPENED.get()) else {
        return false;
    };
    let layout = running.stack;
    let here = 0_u8;
    let here = &raw const here as usize;
    let end = layout.reserve().end;
    // The calls below need stack space themselves.
    if here > end + CLOSING_BYTES {
        // If the system refuses, the guard page is nearer than necessary.
        let _: io::Result<()> = layout.protect(MprotectFlags::empty());
    }
    here < end
}

/// Releases the part of the running fiber's stack that a deep call used once: touched pages stay allocated, and
/// thousands of users have thousands of them. Lets other fibers run; does nothing outside a fiber.
pub fn trim_stack() {
    let Some((_, running)) = current() else {
        return;
    };
    let here = 0_u8;
    let used_from = (&raw const here as usize).saturating_sub(FRAMES_BYTES);
    UNUSED_STACK.set(Some(running.stack.unused(used_from)));
    yield_now();
}

/// Executes the request of [`trim_stack`], now that the fiber has left its stack and nothing below is in use.
#[inline]
pub(crate) fn trim_left_stack() {
    if let Some((start, end)) = UNUSED_STACK.take()
        && start < end
    {
        // SAFETY: the range lies on a stack that nobody runs on, below all that is in use; it reads as zeros from now on.
        // If the release fails, only memory is lost.
        let _: rustix::io::Result<()> =
            unsafe { madvise(start as *mut c_void, end - start, Advice::LinuxDontNeed) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scheduler, on_stack_overflow};
    use std::hint::black_box;
    use std::rc::Rc;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn deep(levels: u32) -> u64 {
        let room = black_box([levels as u8; 1024]);
        match levels {
            0 => 0,
            _ => deep(levels - 1) + u64::from(room[17]),
        }
    }

    #[test]
    fn the_guard_is_a_page_of_the_system_and_the_reserve_begins_behind_it() {
        let (stack, layout) = new_stack().unwrap();
        // SAFETY: reads a figure of the system.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        assert_eq!(layout.guard().len(), page_bytes);
        let end = layout.reserve().end + STACK_BYTES;
        assert_eq!(end, stack.base().get(), "nothing lies between the parts");
    }

    #[test]
    fn the_parts_are_whole_pages_of_every_size() {
        for page_bytes in [4096, 16_384, 65_536] {
            let layout = StackLayout {
                lowest_address: 7 * page_bytes,
                page_bytes,
            };
            let end = layout.reserve().end + STACK_BYTES;
            for address in [layout.guard().end, layout.reserve().end, end] {
                assert_eq!(address % page_bytes, 0, "{page_bytes}");
            }
            assert_eq!(layout.guard().len(), page_bytes);
            let (start, unused_end) = layout.unused(end - 100);
            assert_eq!(
                (start, unused_end),
                (layout.reserve().end, end - page_bytes)
            );
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

    static NOTIFIED: AtomicU32 = AtomicU32::new(0);

    /// Recurses until its stack is reported as used up; returns how many levels that was.
    fn until_notified(level: u32) -> u32 {
        let room = black_box([level as u8; 1024]);
        let levels = if has_stack_overflowed() {
            level
        } else {
            until_notified(level + 1)
        };
        levels + u32::from(black_box(room[3]) == 1 && level == u32::MAX)
    }

    #[test]
    fn a_stack_overflow_is_reported_and_the_fiber_goes_on_again_and_again() {
        on_stack_overflow(|| {
            NOTIFIED.fetch_add(1, Ordering::Relaxed);
        });
        let mut scheduler = Scheduler::new().unwrap();
        let depths = Rc::new(Cell::new((0, 0)));
        let place = Rc::clone(&depths);
        let spawned = scheduler.spawn(move || {
            let first = until_notified(0);
            assert!(
                !has_stack_overflowed(),
                "the reserve is closed on the way back"
            );
            place.set((first, until_notified(0)));
        });
        spawned.unwrap();
        scheduler.run();
        let (first, second) = depths.get();
        assert!(first > 50, "{first}");
        assert!(first.abs_diff(second) < 5, "{first} {second}");
        assert_eq!(NOTIFIED.load(Ordering::Relaxed), 2);
    }
}
