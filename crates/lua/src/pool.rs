//! Allocates small pieces of memory for the states of one thread, without a header each.
//!
//! A state is thousands of small objects, and Lua passes the size of what it frees: a general allocator's headers and
//! rounding would be a sixth of a user's memory. Other states reuse what one state frees; nothing is returned
//! to the system before the process ends.

#![expect(unsafe_code, reason = "an allocator")]

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;

/// Sizes are rounded up to this, Lua's alignment of objects.
const STEP: usize = 8;
/// Larger pieces come from the C library.
pub(crate) const LARGEST: usize = 1024;
const KINDS: usize = LARGEST / STEP + 1;
/// Bytes requested from the C library at once.
const SLAB_BYTES: usize = 64 * 1024;

thread_local! {
    static POOL: Pool = const { Pool::new() };
}

/// A free piece, which points to the next of its size.
struct Free {
    next: *mut Free,
}

struct Pool {
    free: [Cell<*mut Free>; KINDS],
    slab: Cell<*mut u8>,
    left_bytes: Cell<usize>,
}

/// Takes a piece of up to [`LARGEST`] bytes; returns null if there is no memory.
#[inline]
pub(crate) fn take(bytes: usize) -> *mut c_void {
    POOL.with(|pool| pool.take(kind_of(bytes)))
}

/// Frees what [`take`] returned on this thread for the same number of bytes.
///
/// # Safety
/// Nobody uses the piece any more.
#[inline]
pub(crate) unsafe fn give_back(piece: *mut c_void, bytes: usize) {
    // SAFETY: as the caller says.
    POOL.with(|pool| unsafe { pool.give_back(piece.cast(), kind_of(bytes)) });
}

/// Returns the size class of a piece.
#[inline]
pub(crate) fn kind_of(bytes: usize) -> usize {
    bytes.div_ceil(STEP)
}

impl Pool {
    const fn new() -> Self {
        Self {
            free: [const { Cell::new(null_mut()) }; KINDS],
            slab: Cell::new(null_mut()),
            left_bytes: Cell::new(0),
        }
    }

    #[inline]
    fn take(&self, kind: usize) -> *mut c_void {
        let first = self.free[kind].get();
        if first.is_null() {
            return self.cut(kind * STEP);
        }
        // SAFETY: the list holds only free pieces.
        self.free[kind].set(unsafe { (*first).next });
        first.cast()
    }

    /// # Safety
    /// The piece is of this kind, and free from now on.
    #[inline]
    unsafe fn give_back(&self, piece: *mut Free, kind: usize) {
        // SAFETY: as the caller says; pieces hold at least a pointer.
        unsafe { (*piece).next = self.free[kind].get() };
        self.free[kind].set(piece);
    }

    /// Cuts a new piece off the slab.
    fn cut(&self, bytes: usize) -> *mut c_void {
        if self.left_bytes.get() < bytes && !self.renew() {
            return null_mut();
        }
        let piece = self.slab.get();
        // SAFETY: the slab has that much left.
        self.slab.set(unsafe { piece.add(bytes) });
        self.left_bytes.set(self.left_bytes.get() - bytes);
        piece.cast()
    }

    /// Begins another slab; the rest of the old one becomes a free piece.
    #[cold]
    fn renew(&self) -> bool {
        let rest = self.left_bytes.replace(0);
        if rest > 0 {
            // SAFETY: the rest is smaller than the largest piece, a multiple of the step, and nobody's.
            unsafe { self.give_back(self.slab.get().cast(), rest / STEP) };
        }
        // SAFETY: malloc has no conditions.
        let slab = unsafe { libc::malloc(SLAB_BYTES) };
        self.slab.set(slab.cast());
        if slab.is_null() {
            return false;
        }
        self.left_bytes.set(SLAB_BYTES);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_overlap_and_come_again() {
        let sizes = [1, 8, 9, 24, 1000, LARGEST];
        let pieces: Vec<_> = sizes
            .iter()
            .cycle()
            .take(600)
            .map(|bytes| (take(*bytes) as usize, *bytes))
            .collect();
        let mut ordered = pieces.clone();
        ordered.sort_unstable();
        for pair in ordered.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:?}");
            assert_eq!(pair[0].0 % STEP, 0);
        }
        let (piece, bytes) = pieces[3];
        // SAFETY: nobody uses it.
        unsafe { give_back(piece as *mut c_void, bytes) };
        assert_eq!(take(bytes) as usize, piece);
    }
}
