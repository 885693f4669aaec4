//! Wraps one worker's epoll set.

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::time::Timespec;
use std::io;

/// Ready connections taken at one wake-up.
const BATCH: usize = 256;

/// Holds what a wake-up says of one descriptor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ready {
    pub(crate) token: u64,
    pub(crate) writable: bool,
    /// Something can be read, the end of the stream included.
    pub(crate) readable: bool,
}

pub(crate) struct ConnectionPoller {
    set: OwnedFd,
    events: Vec<epoll::Event>,
}

impl ConnectionPoller {
    /// Makes an empty set, which unlike the room for its events may go from thread to thread.
    pub(crate) fn empty_set() -> io::Result<OwnedFd> {
        Ok(epoll::create(epoll::CreateFlags::CLOEXEC)?)
    }

    pub(crate) fn over(set: OwnedFd) -> Self {
        Self {
            set,
            events: Vec::with_capacity(BATCH),
        }
    }

    /// Watches a descriptor for requests. It leaves the set when it is closed.
    pub(crate) fn watch(&self, fd: impl AsFd, token: u64) -> io::Result<()> {
        Ok(epoll::add(
            &self.set,
            fd,
            EventData::new_u64(token),
            EventFlags::IN,
        )?)
    }

    /// Watches a descriptor for room to write or else for requests: who does not read is not listened to.
    pub(crate) fn rewatch(&self, fd: impl AsFd, token: u64, write: bool) -> io::Result<()> {
        let flags = if write {
            EventFlags::OUT
        } else {
            EventFlags::IN
        };
        Ok(epoll::modify(
            &self.set,
            fd,
            EventData::new_u64(token),
            flags,
        )?)
    }

    /// Waits until a descriptor is ready or the time is over, and says how many are.
    pub(crate) fn wait(&mut self, timeout_ns: Option<u64>) -> io::Result<usize> {
        let timeout = timeout_ns.map(|timeout_ns| Timespec {
            tv_sec: (timeout_ns / 1_000_000_000) as i64,
            tv_nsec: (timeout_ns % 1_000_000_000) as i64,
        });
        self.events.clear();
        match epoll::wait(
            &self.set,
            spare_capacity(&mut self.events),
            timeout.as_ref(),
        ) {
            Ok(count) => Ok(count),
            Err(Errno::INTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns what the last wait reported for its `index`-th descriptor.
    #[inline]
    pub(crate) fn ready(&self, index: usize) -> Ready {
        let event = self.events[index];
        let (flags, data) = (event.flags, event.data);
        Ready {
            token: data.u64(),
            writable: flags.contains(EventFlags::OUT),
            readable: flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR),
        }
    }
}
