//! Lets users wait for each other before the start.

use dbdyno_fiber::Signal;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

const SHUT: u8 = 0;
const OPEN: u8 = 1;
const ABANDONED: u8 = 2;

/// All users are initialised before the first begins.
#[derive(Debug)]
pub(super) struct Gate {
    state: AtomicU8,
    /// Users that have been initialised, or failed to be.
    expected: AtomicU32,
    failed: AtomicU32,
    /// For users: given when the state changes.
    turned: Signal,
    /// For the main thread: given when the last user has arrived.
    changed: Signal,
}

impl Gate {
    /// Makes a gate for so many users.
    pub(super) fn new(users: u32, changed: &Signal) -> Self {
        Self {
            state: AtomicU8::new(SHUT),
            expected: AtomicU32::new(users),
            failed: AtomicU32::new(0),
            turned: Signal::new(),
            changed: changed.clone(),
        }
    }

    /// Records that a user has been initialised, or not.
    pub(super) fn arrive(&self, is_well: bool) {
        if !is_well {
            self.failed.fetch_add(1, Ordering::AcqRel);
        }
        if self.expected.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.changed.notify_all();
        }
    }

    /// Returns whether every user has arrived.
    pub(super) fn is_complete(&self) -> bool {
        self.expected.load(Ordering::Acquire) == 0
    }

    /// Returns whether any user failed to be initialised.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire) > 0
    }

    /// Lets everybody begin.
    pub(super) fn open(&self) {
        self.turn(OPEN);
    }

    /// Sends everybody home.
    pub(super) fn abandon(&self) {
        self.turn(ABANDONED);
    }

    /// Waits for either. True: begin.
    pub(super) fn pass(&self) -> bool {
        loop {
            let generation = self.turned.generation();
            match self.state.load(Ordering::Acquire) {
                SHUT => self.turned.wait_past(generation, None),
                state => return state == OPEN,
            }
        }
    }

    fn turn(&self, state: u8) {
        self.state.store(state, Ordering::Release);
        self.turned.notify_all();
    }
}
