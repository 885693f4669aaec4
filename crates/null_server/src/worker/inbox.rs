//! Passes accepted connections to a worker.

use super::AcceptedSocket;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::sync::{Mutex, PoisonError};

/// Sockets and a wakeup, which is also written to when the server is to end.
#[derive(Debug)]
pub(crate) struct Inbox {
    sockets: Mutex<Vec<AcceptedSocket>>,
    wakeup: OwnedFd,
}

impl Inbox {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            sockets: Mutex::default(),
            wakeup: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        })
    }

    pub(crate) fn wakeup(&self) -> BorrowedFd<'_> {
        self.wakeup.as_fd()
    }

    pub(crate) fn put(&self, socket: AcceptedSocket) {
        self.lock().push(socket);
        self.wake();
    }

    /// Wakes the thread.
    pub(crate) fn wake(&self) {
        // It fails only after 2^64 unread signals.
        let _ = rustix::io::write(&self.wakeup, &1_u64.to_ne_bytes());
    }

    /// Resets the wakeup and takes what has come.
    pub(crate) fn take(&self) -> Vec<AcceptedSocket> {
        let _ = rustix::io::read(&self.wakeup, &mut [0; 8]); // fails only when it did not ring
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<AcceptedSocket>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
