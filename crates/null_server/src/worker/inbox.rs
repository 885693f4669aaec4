//! Where a worker finds the connections that were accepted for it.

use super::Newcomer;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::sync::{Mutex, PoisonError};

/// Sockets and a bell, which also rings when the server is to end.
#[derive(Debug)]
pub(crate) struct Inbox {
    sockets: Mutex<Vec<Newcomer>>,
    bell: OwnedFd,
}

impl Inbox {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            sockets: Mutex::default(),
            bell: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        })
    }

    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    pub(crate) fn put(&self, socket: Newcomer) {
        self.lock().push(socket);
        self.ring();
    }

    /// Wakes who waits for the bell.
    pub(crate) fn ring(&self) {
        // It can fail only when it has been rung 2^64 times without being heard.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    /// Stills the bell and takes what has come.
    pub(crate) fn take(&self) -> Vec<Newcomer> {
        let _ = rustix::io::read(&self.bell, &mut [0; 8]); // fails only when it did not ring
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Newcomer>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
