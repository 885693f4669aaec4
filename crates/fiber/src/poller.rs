//! Wraps one thread's epoll set.

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::time::Timespec;
use std::io;

/// Ready descriptors taken at one wake-up.
const BATCH: usize = 256;

pub(crate) struct Poller {
    set: OwnedFd,
    events: Vec<epoll::Event>,
}

impl Poller {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            set: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            events: Vec::with_capacity(BATCH),
        })
    }

    /// Watches a descriptor for input; each arrival is reported once. The descriptor leaves the set when it is
    /// closed.
    pub(crate) fn watch(&self, fd: impl AsFd, token: u32) -> io::Result<()> {
        Ok(epoll::add(&self.set, fd, data(token), flags(false))?)
    }

    /// Starts or stops watching also for room to write. Readiness that exists already is reported again.
    pub(crate) fn rewatch(&self, fd: impl AsFd, token: u32, write: bool) -> io::Result<()> {
        Ok(epoll::modify(&self.set, fd, data(token), flags(write))?)
    }

    pub(crate) fn forget(&self, fd: impl AsFd) {
        // A closed descriptor has already left the set by itself.
        let _: Result<(), Errno> = epoll::delete(&self.set, fd);
    }

    /// Waits until a descriptor is ready or the time is over (`None`: never), and returns the tokens of the ready ones.
    pub(crate) fn wait(
        &mut self,
        timeout_ns: Option<u64>,
    ) -> io::Result<impl Iterator<Item = u32>> {
        let timeout = timeout_ns.map(|ns| Timespec {
            tv_sec: (ns / 1_000_000_000) as i64,
            tv_nsec: (ns % 1_000_000_000) as i64,
        });
        self.events.clear();
        match epoll::wait(
            &self.set,
            spare_capacity(&mut self.events),
            timeout.as_ref(),
        ) {
            Ok(_) | Err(Errno::INTR) => Ok(self.events.iter().map(|event| {
                let data = event.data;
                data.u64() as u32
            })),
            Err(Errno::NOSYS) => Err(io::Error::other(
                "Linux 5.11 or newer is needed (epoll_pwait2)",
            )),
            Err(error) => Err(error.into()),
        }
    }
}

/// Selects edge-triggered events: a readable socket without a waiting fiber must not keep the thread awake.
fn flags(write: bool) -> EventFlags {
    let flags = EventFlags::IN | EventFlags::RDHUP | EventFlags::ET;
    if write {
        flags | EventFlags::OUT
    } else {
        flags
    }
}

fn data(token: u32) -> EventData {
    EventData::new_u64(u64::from(token))
}
