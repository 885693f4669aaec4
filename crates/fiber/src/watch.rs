//! Lets a fiber or a thread wait for a socket.

use crate::core::{Core, current, leave};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::io;
use std::rc::Rc;

/// Waits for a socket, in the fiber or thread that created it.
///
/// Drop it before the socket is closed.
pub struct SocketWatch {
    fd: RawFd,
    place: Option<(Rc<Core>, u32)>,
}

impl SocketWatch {
    /// Watches a socket; inside a fiber it joins the thread's epoll set permanently.
    ///
    /// # Errors
    /// The system can't watch it.
    pub fn new(fd: BorrowedFd<'_>) -> io::Result<Self> {
        let place = match current() {
            Some((core, _)) => {
                let token = core.add_socket();
                core.poller.borrow().watch(fd, token)?;
                Some((core, token))
            }
            None => None,
        };
        Ok(Self {
            fd: fd.as_raw_fd(),
            place,
        })
    }

    /// Waits until input came since the last wait. It may return without input: read, and wait again.
    ///
    /// # Errors
    /// The system can't wait for it.
    #[inline]
    pub fn readable(&self) -> io::Result<()> {
        match &self.place {
            Some((core, token)) => wait(core, *token),
            None => self.poll(PollFlags::IN),
        }
    }

    /// Waits until the socket may be written.
    ///
    /// # Errors
    /// The system can't wait for it.
    #[cold]
    pub fn writable(&self) -> io::Result<()> {
        let Some((core, token)) = &self.place else {
            return self.poll(PollFlags::OUT);
        };
        core.poller.borrow().rewatch(self.socket(), *token, true)?;
        let waited = wait(core, *token);
        core.poller.borrow().rewatch(self.socket(), *token, false)?;
        waited
    }

    fn poll(&self, flags: PollFlags) -> io::Result<()> {
        let socket = self.socket();
        match poll(&mut [PollFd::new(&socket, flags)], None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    #[expect(
        unsafe_code,
        reason = "a watch and its socket have one owner, who drops the watch first"
    )]
    fn socket(&self) -> BorrowedFd<'_> {
        // SAFETY: the owner keeps the socket open as long as it is watched.
        unsafe { BorrowedFd::borrow_raw(self.fd) }
    }
}

#[inline]
fn wait(core: &Core, token: u32) -> io::Result<()> {
    let Some((_, running)) = current() else {
        return Err(io::Error::other(
            "a socket is waited for by the fiber that watches it",
        ));
    };
    if !core.register_wait(token, core.begin_wait(running)) {
        leave(running);
    }
    Ok(())
}

impl Drop for SocketWatch {
    fn drop(&mut self) {
        if let Some((core, token)) = self.place.take() {
            core.poller.borrow().forget(self.socket().as_fd());
            core.remove_socket(token);
        }
    }
}

impl std::fmt::Debug for SocketWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SocketWatch")
            .field("fd", &self.fd)
            .finish_non_exhaustive()
    }
}
