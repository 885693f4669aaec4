//! Accepts clients and hands them to the workers, or refuses them as the fault plan says.

use crate::faults::{Refusal, RefusalKind, error_text};
use crate::listener::{Listener, reset_on_close};
use crate::protocol::put_error;
use crate::shared::ServerShared;
use crate::worker::Inbox;
use dbdyno_meter::clock::monotonic_ns;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use rustix::time::Timespec;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const TOO_MANY_CONNECTIONS: u16 = 1040;

/// How long to wait at most when a plan says that listening begins or ends at some instant.
const LOOK_AGAIN_NS: i64 = 5_000_000;

/// Hands clients to the workers in turn.
pub(crate) struct Acceptor {
    pub(crate) listeners: Vec<Listener>,
    pub(crate) workers: Vec<Arc<Inbox>>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) shared: Arc<ServerShared>,
    /// Wakes the thread when the server is to end.
    pub(crate) wakeup: Arc<Inbox>,
}

impl Acceptor {
    /// Lets clients in until the server is to end, and returns how many were refused.
    pub(crate) fn run(mut self) -> io::Result<u64> {
        let (mut next, mut refused) = (0, 0);
        while !self.shared.stop.load(Ordering::Relaxed) {
            let refusal = self.refusal();
            self.open_or_close(refusal == Some(RefusalKind::Closed))?;
            while let Some(socket) = self.listeners.iter().find_map(Listener::accept) {
                match refusal {
                    Some(kind) => {
                        refuse(socket, kind);
                        refused += 1;
                    }
                    None => {
                        self.workers[next].put(socket);
                        next = (next + 1) % self.workers.len();
                    }
                }
            }
            self.wait()?;
        }
        self.listeners.iter_mut().for_each(Listener::close);
        Ok(refused)
    }

    fn refusal(&self) -> Option<RefusalKind> {
        if self.refusals.is_empty() {
            return None;
        }
        let since_ns = self.shared.since_epoch(monotonic_ns())?;
        let now = self
            .refusals
            .iter()
            .find(|refusal| refusal.window.holds(since_ns));
        now.map(|refusal| refusal.kind)
    }

    fn open_or_close(&mut self, shall_be_closed: bool) -> io::Result<()> {
        for listener in &mut self.listeners {
            match (shall_be_closed, listener.socket.is_some()) {
                (true, true) => listener.close(),
                (false, false) => listener.open()?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Waits for a client, or for the wakeup, or for the plan.
    fn wait(&self) -> io::Result<()> {
        let sockets = self
            .listeners
            .iter()
            .filter_map(|listener| listener.socket.as_ref());
        let mut watched: Vec<_> = sockets
            .map(|socket| PollFd::new(socket, PollFlags::IN))
            .collect();
        let wakeup = self.wakeup.wakeup();
        watched.push(PollFd::new(&wakeup, PollFlags::IN));
        let soon = Timespec {
            tv_sec: 0,
            tv_nsec: LOOK_AGAIN_NS,
        };
        let limit = (!self.refusals.is_empty()).then_some(&soon);
        match poll(&mut watched, limit) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn refuse(socket: OwnedFd, kind: RefusalKind) {
    match kind {
        RefusalKind::Error => {
            let (state, text) = error_text(TOO_MANY_CONNECTIONS);
            let mut out = Vec::new();
            put_error(&mut out, &mut 0, TOO_MANY_CONNECTIONS, state, &text);
            // A client that does not wait for the reason has gone, which serves as well.
            let _ = send(&socket, &out, SendFlags::NOSIGNAL);
        }
        RefusalKind::Reset | RefusalKind::Closed => reset_on_close(&socket),
    }
}
