//! Stores one word for each fiber and thread.

use std::cell::Cell;

thread_local! {
    static LOCAL: Cell<usize> = const { Cell::new(0) };
}

/// Returns the word of the running fiber, or of the thread outside of any fiber; 0 at first.
#[inline]
#[must_use]
pub fn local() -> usize {
    LOCAL.get()
}

/// Sets the word that [`local`] returns from now on.
#[inline]
pub fn set_local(value: usize) {
    LOCAL.set(value);
}
