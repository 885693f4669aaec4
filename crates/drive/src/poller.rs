//! Wraps one worker's epoll set.

use crate::DriveError;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::time::Timespec;
use std::io;

/// Ready connections taken at one wake-up.
const BATCH: usize = 256;

/// Reports the state of one connection at a wake-up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ready {
    pub(crate) token: u32,
    pub(crate) writable: bool,
    /// Something can be read, the end of the stream included.
    pub(crate) readable: bool,
}

pub(crate) struct SocketPoller {
    set: OwnedFd,
    events: Vec<epoll::Event>,
}

impl SocketPoller {
    pub(crate) fn new() -> Result<Self, DriveError> {
        let set = epoll::create(epoll::CreateFlags::CLOEXEC)
            .map_err(|error| DriveError::system("creating an epoll set")(error.into()))?;
        Ok(Self {
            set,
            events: Vec::with_capacity(BATCH),
        })
    }

    /// Watches a descriptor for replies. It leaves the set when it is closed.
    pub(crate) fn watch(&self, fd: impl AsFd, token: u32) -> io::Result<()> {
        Ok(epoll::add(&self.set, fd, data(token), EventFlags::IN)?)
    }

    /// Watches a descriptor for replies, and for room to write if asked.
    pub(crate) fn rewatch(&self, fd: impl AsFd, token: u32, write: bool) -> io::Result<()> {
        let flags = if write {
            EventFlags::IN | EventFlags::OUT
        } else {
            EventFlags::IN
        };
        Ok(epoll::modify(&self.set, fd, data(token), flags)?)
    }

    /// Waits until a descriptor is ready or the time is over, and returns how many are.
    pub(crate) fn wait(&mut self, timeout_ns: u64) -> io::Result<usize> {
        let timeout = Timespec {
            tv_sec: (timeout_ns / 1_000_000_000) as i64,
            tv_nsec: (timeout_ns % 1_000_000_000) as i64,
        };
        self.events.clear();
        match epoll::wait(&self.set, spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(count) => Ok(count),
            Err(Errno::INTR) => Ok(0),
            Err(Errno::NOSYS) => Err(io::Error::other(
                "Linux 5.11 or newer is needed (epoll_pwait2)",
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the state of the `place`-th descriptor of the last wait.
    #[inline]
    pub(crate) fn ready(&self, place: usize) -> Ready {
        let event = self.events[place];
        let flags = event.flags;
        let data = event.data;
        Ready {
            token: data.u64() as u32,
            writable: flags.contains(EventFlags::OUT),
            readable: flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR),
        }
    }
}

fn data(token: u32) -> EventData {
    EventData::new_u64(u64::from(token))
}
