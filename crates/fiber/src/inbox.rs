//! Lets other threads wake a fiber.

use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::sync::{Mutex, PoisonError};

/// Identifies a wait: the fiber's number and the wait's number, so that a late wakeup ends no later wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) fiber: u32,
    pub(crate) number: u64,
}

/// Holds ended waits, and the event descriptor that wakes the scheduler.
#[derive(Debug)]
pub(crate) struct Inbox {
    over: Mutex<Vec<Wait>>,
    wakeup: OwnedFd,
}

impl Inbox {
    pub(crate) fn new() -> io::Result<Self> {
        let flags = EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC;
        Ok(Self {
            over: Mutex::default(),
            wakeup: eventfd(0, flags)?,
        })
    }

    pub(crate) fn wakeup(&self) -> BorrowedFd<'_> {
        self.wakeup.as_fd()
    }

    /// Ends a wait, from any thread.
    pub(crate) fn put(&self, wait: Wait) {
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        over.push(wait);
        if over.len() == 1 {
            // The only possible error is a full descriptor, and then the scheduler wakes already.
            let _: Result<usize, _> = rustix::io::write(&self.wakeup, &1u64.to_ne_bytes());
        }
    }

    /// Moves the ended waits to `waits`, and resets the wakeup.
    pub(crate) fn take(&self, waits: &mut Vec<Wait>) {
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let _: Result<usize, _> = rustix::io::read(&self.wakeup, &mut [0; 8]);
        waits.append(&mut over);
    }
}
