//! Counts and limits the memory of a state.

#![expect(unsafe_code, reason = "an allocator in the C interface of Lua")]

use crate::pool::{LARGEST, give_back, kind_of, take};
use mlua_sys as lua;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;

/// Most bytes of a state before its script gets an out-of-memory error.
const LIMIT_BYTES: usize = 1 << 30;

/// Interrupts a script at its next instruction.
type Interrupt = fn(*mut lua::lua_State);

/// Counts the bytes that one state holds.
///
/// Above the limit the script is interrupted at its next instruction, so that the error names a line. The allocator,
/// which can't know the line, refuses only at twice the limit.
pub(crate) struct Memory {
    used_bytes: Cell<usize>,
    limit_bytes: usize,
    /// Bytes at which the script is interrupted: the limit or, after the first interruption, some more, to leave room
    /// for the code that ends it.
    alarm_bytes: Cell<usize>,
    exceeded: Cell<bool>,
    /// Interrupts the state.
    interrupt: Cell<Option<(*mut lua::lua_State, Interrupt)>>,
}

impl Memory {
    /// Sets the limit to a gibibyte or a quarter of this machine's memory, whichever is less.
    pub(crate) fn limited_by_the_machine() -> Self {
        Self::limited(LIMIT_BYTES.min(machine_bytes() / 4))
    }

    pub(crate) fn limited(limit_bytes: usize) -> Self {
        Self {
            used_bytes: Cell::new(0),
            limit_bytes,
            alarm_bytes: Cell::new(limit_bytes),
            exceeded: Cell::new(false),
            interrupt: Cell::new(None),
        }
    }

    /// Sets the state to interrupt when the limit is passed, and how.
    pub(crate) fn interrupts(&self, state: *mut lua::lua_State, how: Interrupt) {
        self.interrupt.set(Some((state, how)));
    }

    /// Returns whether to report, once, that the script holds too much.
    pub(crate) fn tells_of_excess(&self) -> bool {
        let is_exceeded = self.exceeded.replace(false) && self.used_bytes.get() > self.limit_bytes;
        if is_exceeded {
            self.alarm_bytes
                .set(self.used_bytes.get() + self.limit_bytes / 8);
        }
        is_exceeded
    }

    /// Returns whether the limit was passed, so that collecting garbage is worthwhile.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.exceeded.get()
    }

    /// Returns whether so many bytes are allowed; past the limit, the script is interrupted soon.
    fn admits(&self, after_bytes: usize) -> bool {
        if after_bytes <= self.limit_bytes {
            self.alarm_bytes.set(self.limit_bytes);
            return true;
        }
        if after_bytes > self.alarm_bytes.get()
            && !self.exceeded.replace(true)
            && let Some((state, interrupt)) = self.interrupt.get()
        {
            interrupt(state);
        }
        after_bytes <= 2 * self.limit_bytes
    }
}

/// Implements `lua_Alloc`: small pieces come from this thread's pool, others from the C library.
///
/// # Safety
/// `memory` points to the [`Memory`] of the state that calls; the rest is the state's business.
pub(crate) unsafe extern "C" fn allocate(
    memory: *mut c_void,
    old: *mut c_void,
    old_bytes: usize,
    new_bytes: usize,
) -> *mut c_void {
    // SAFETY: the state keeps the pointer it was created with, and its owner keeps the memory's count alive longer.
    let memory = unsafe { &*memory.cast::<Memory>() };
    let old_bytes = if old.is_null() { 0 } else { old_bytes };
    let after_bytes = memory.used_bytes.get() - old_bytes + new_bytes;
    if new_bytes > old_bytes && !memory.admits(after_bytes) {
        return null_mut();
    }
    // SAFETY: Lua passes what it got here, with its size.
    let new = unsafe { move_to(old, old_bytes, new_bytes) };
    if !new.is_null() || new_bytes == 0 {
        memory.used_bytes.set(after_bytes);
    }
    new
}

/// Resizes a piece; no bytes: no piece. Returns null, and keeps the old piece, if there is no memory.
///
/// # Safety
/// `old` is what this function gave for `old_bytes` on this thread.
unsafe fn move_to(old: *mut c_void, old_bytes: usize, new_bytes: usize) -> *mut c_void {
    let (was_small, is_small) = (old_bytes <= LARGEST, new_bytes <= LARGEST);
    // SAFETY: as the caller says.
    unsafe {
        if !was_small && !is_small {
            return libc::realloc(old, new_bytes);
        }
        if was_small && is_small && kind_of(old_bytes) == kind_of(new_bytes) {
            return old;
        }
        let new = match new_bytes {
            0 => null_mut(),
            _ if is_small => take(new_bytes),
            _ => libc::malloc(new_bytes),
        };
        if new.is_null() && new_bytes > 0 {
            return null_mut();
        }
        let kept_bytes = old_bytes.min(new_bytes);
        if kept_bytes > 0 {
            std::ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), kept_bytes);
        }
        match old_bytes {
            0 => {}
            _ if was_small => give_back(old, old_bytes),
            _ => libc::free(old),
        }
        new
    }
}

fn machine_bytes() -> usize {
    // SAFETY: sysconf only reads.
    let (pages, page_bytes) = unsafe {
        (
            libc::sysconf(libc::_SC_PHYS_PAGES),
            libc::sysconf(libc::_SC_PAGESIZE),
        )
    };
    usize::try_from(pages).unwrap_or(0) * usize::try_from(page_bytes).unwrap_or(0)
}
