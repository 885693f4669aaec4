//! Allocates small pieces of memory for the states of one thread, without a header each.
//!
//! A state is thousands of small objects, and Lua passes the size of what it frees: a general allocator's headers and
//! rounding would be a sixth of a user's memory. Other states reuse what one state frees; nothing is returned
//! to the system before the process ends.
//!
//! Each answer from the server lets another user go on, whose state lies elsewhere. The TLB has no room for the pages of
//! hundreds of states, so they lie on huge pages, where the system has them.

#![expect(unsafe_code, reason = "an allocator")]

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;

/// Sizes are rounded up to this, Lua's alignment of objects.
const STEP: usize = 8;
/// Most bytes of a size that is rounded up to a step only.
const FINE: usize = 4096;
/// Kinds of sizes between a power of two above [`FINE`] and the next.
const KINDS_TO_TWICE: usize = 8;
/// Larger pieces come from the C library. Tables and stacks of ordinary scripts are smaller.
pub(crate) const LARGEST: usize = 16 * 1024;
const KINDS: usize = FINE / STEP + 1 + KINDS_TO_TWICE * (LARGEST / FINE).ilog2() as usize;
/// Bytes requested from the C library at once, while a thread has few states.
const SLAB_BYTES: usize = 64 * 1024;
/// Bytes requested at once when a thread has requested as many: a huge page of x86-64 and of most ARM systems.
const HUGE_SLAB_BYTES: usize = 2 * 1024 * 1024;

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
    /// Bytes of all slabs.
    requested_bytes: Cell<usize>,
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

/// Returns the kind of a size: those of a kind are rounded up to the same number of bytes.
#[inline]
pub(crate) fn kind_of(bytes: usize) -> usize {
    if bytes <= FINE {
        return bytes.div_ceil(STEP);
    }
    let power = (bytes - 1).ilog2();
    let eighth = ((bytes - 1) >> (power - KINDS_TO_TWICE.ilog2())) - KINDS_TO_TWICE;
    FINE / STEP + 1 + KINDS_TO_TWICE * (power - FINE.ilog2()) as usize + eighth
}

/// Returns the bytes of a piece of a kind.
fn bytes_of(kind: usize) -> usize {
    let Some(coarse) = kind.checked_sub(FINE / STEP + 1) else {
        return kind * STEP;
    };
    let (doublings, eighth) = (coarse / KINDS_TO_TWICE, coarse % KINDS_TO_TWICE);
    ((KINDS_TO_TWICE + eighth + 1) << doublings) * (FINE / KINDS_TO_TWICE)
}

impl Pool {
    const fn new() -> Self {
        Self {
            free: [const { Cell::new(null_mut()) }; KINDS],
            slab: Cell::new(null_mut()),
            left_bytes: Cell::new(0),
            requested_bytes: Cell::new(0),
        }
    }

    #[inline]
    fn take(&self, kind: usize) -> *mut c_void {
        let first = self.free[kind].get();
        if first.is_null() {
            return self.cut(bytes_of(kind));
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

    /// Begins another slab; the rest of the old one becomes free pieces.
    #[cold]
    fn renew(&self) -> bool {
        self.free_rest();
        let bytes = if self.requested_bytes.get() < HUGE_SLAB_BYTES {
            SLAB_BYTES
        } else {
            HUGE_SLAB_BYTES
        };
        let slab = new_slab(bytes);
        self.slab.set(slab);
        if slab.is_null() {
            return false;
        }
        self.left_bytes.set(bytes);
        self.requested_bytes.set(self.requested_bytes.get() + bytes);
        true
    }

    fn free_rest(&self) {
        let mut rest = self.left_bytes.replace(0);
        while rest > 0 {
            let bytes = rest.min(FINE); // a kind has exactly so many, as all sizes are multiples of the step
            // SAFETY: the piece is part of the rest, which is nobody's.
            unsafe { self.give_back(self.slab.get().cast(), kind_of(bytes)) };
            // SAFETY: the slab has that much left.
            self.slab.set(unsafe { self.slab.get().add(bytes) });
            rest -= bytes;
        }
    }
}

/// Requests a slab; returns null if there is no memory. A huge one asks for a huge page, which the system may refuse:
/// it only makes the states faster.
fn new_slab(bytes: usize) -> *mut u8 {
    if bytes < HUGE_SLAB_BYTES {
        // SAFETY: malloc has no conditions.
        return unsafe { libc::malloc(bytes) }.cast();
    }
    let mut slab = null_mut();
    // SAFETY: the pointer is ours, and the alignment a power of two.
    if unsafe { libc::posix_memalign(&raw mut slab, HUGE_SLAB_BYTES, bytes) } != 0 {
        return null_mut();
    }
    // SAFETY: the range is the slab, which holds nothing yet.
    unsafe { libc::madvise(slab, bytes, libc::MADV_HUGEPAGE) };
    slab.cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_room_for_its_sizes_and_wastes_an_eighth_at_most() {
        for bytes in 1..=LARGEST {
            let room = bytes_of(kind_of(bytes));
            assert!(
                bytes <= room && room - bytes < STEP.max(bytes / KINDS_TO_TWICE + 1),
                "{bytes}: {room}"
            );
            assert_eq!(kind_of(room), kind_of(bytes), "{bytes}");
        }
        assert_eq!(kind_of(LARGEST), KINDS - 1);
        assert_eq!(bytes_of(kind_of(4096)), 4096);
    }

    #[test]
    fn pieces_do_not_overlap_and_come_again() {
        let sizes = [1, 8, 9, 24, 1000, FINE, FINE + 1, 9000, LARGEST];
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
