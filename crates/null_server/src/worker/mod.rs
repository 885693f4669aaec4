//! One thread with its share of the connections.

mod answer;
mod connection;
mod deadlines;
mod desk;
mod inbox;
mod poller;
mod requests;
mod serve;
mod statement;
mod template;
mod visit;

pub(crate) use inbox::Inbox;

use crate::Settings;
use crate::faults::Faults;
use crate::protocol::{capability, put_greeting};
use crate::record::{Recorder, Tally};
use crate::shared::Shared;
use crate::sql::Known;
use connection::Connection;
use dbdyno_meter::clock::monotonic_ns;
use desk::{Desk, Goodbye, now_if};
use poller::{Poller, Ready};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use std::io;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, JoinHandle};

/// Bytes read at once, for all connections of a worker.
const READ_BYTES: usize = 128 * 1024;

/// Token of the inbox; connections have their place.
const INBOX: u64 = u64::MAX;

struct Worker {
    poller: Poller,
    inbox: Arc<Inbox>,
    settings: Arc<Settings>,
    /// Connections by place; boxed, so that a place that is free costs a pointer.
    connections: Vec<Option<Box<Connection>>>,
    free: Vec<u32>,
    desk: Desk,
    buffer: Vec<u8>,
}

/// What a worker is made from, in its own thread: connections and their statements never leave it.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(crate) settings: Arc<Settings>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) recorder: Recorder,
    pub(crate) index: u32,
}

impl Seat {
    /// Starts the thread of a worker.
    pub(crate) fn start(self) -> io::Result<JoinHandle<io::Result<Tally>>> {
        let set = Poller::empty_set()?;
        let name = format!("null-{}", self.index);
        Builder::new()
            .name(name)
            .spawn(move || Worker::new(self, Poller::over(set))?.run())
    }
}

impl Worker {
    fn new(seat: Seat, poller: Poller) -> io::Result<Self> {
        let Seat {
            settings,
            shared,
            inbox,
            recorder,
            index,
        } = seat;
        poller.watch(inbox.bell(), INBOX)?;
        let plan = Arc::new(settings.faults.clone());
        let known = Known {
            version: settings.version.clone(),
            max_prepared: plan.max_prepared.unwrap_or(u32::MAX),
            deprecate_eof: settings.deprecate_eof,
        };
        let is_timed = settings.needs_clock();
        let max_prepared = plan.max_prepared;
        let faults = Faults::new(plan, Arc::clone(&shared), settings.seed, index);
        Ok(Self {
            poller,
            inbox,
            connections: Vec::new(),
            free: Vec::new(),
            desk: Desk::new(shared, known, max_prepared, faults, recorder, is_timed),
            buffer: vec![0; READ_BYTES],
            settings,
        })
    }

    /// Serves until the server is to end, and tells what was done.
    fn run(mut self) -> io::Result<Tally> {
        // The kernel is to wake the thread at the nanosecond it asked for, not up to 50 µs later.
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
        while !self.desk.shared.stop.load(Ordering::Relaxed) {
            let timeout_ns = self.timeout_ns();
            let count = self.poller.wait(timeout_ns)?;
            // Whatever is ready now had arrived by now.
            let now_ns = now_if(self.desk.is_timed);
            for index in 0..count {
                match self.poller.ready(index) {
                    Ready { token: INBOX, .. } => self.take_newcomers(now_ns),
                    ready => self.serve(ready, now_ns),
                }
            }
            self.release_due();
        }
        Ok(self.desk.recorder.close())
    }

    /// How long nothing needs to be done unless somebody asks.
    fn timeout_ns(&mut self) -> Option<u64> {
        let wake_ns = [self.desk.deadlines.next_ns(), self.desk.recorder.next_ns()];
        let wake_ns = wake_ns.into_iter().flatten().min()?;
        Some(wake_ns.saturating_sub(monotonic_ns()))
    }

    fn take_newcomers(&mut self, now_ns: u64) {
        for socket in self.inbox.take() {
            let number = self.desk.shared.connections.fetch_add(1, Ordering::Relaxed) + 1;
            let place = self.free.pop().unwrap_or(self.connections.len() as u32);
            if place as usize == self.connections.len() {
                self.connections.push(None);
            }
            // A client that can't be watched is turned away by dropping its socket.
            if self.poller.watch(&socket, u64::from(place)).is_err() {
                self.free.push(place);
                continue;
            }
            let client = Box::new(Connection::new(socket, number));
            self.connections[place as usize] = Some(client);
            self.greet(place, number, now_ns);
        }
    }

    fn greet(&mut self, place: u32, number: u32, now_ns: u64) {
        let Settings { version, auth, .. } = &*self.settings;
        let mut offered = capability::OFFERED;
        if !self.settings.deprecate_eof {
            offered &= !capability::DEPRECATE_EOF;
        }
        let mut greeting = Vec::new();
        put_greeting(&mut greeting, version, number, offered, *auth);
        self.with_client(place, |desk, client| {
            desk.greeting(client, place, greeting, now_ns)
        });
    }

    /// Does what a connection is ready for.
    #[inline]
    fn serve(&mut self, ready: Ready, now_ns: u64) {
        let place = ready.token as u32;
        let Self {
            connections,
            desk,
            buffer,
            ..
        } = self;
        let Some(client) = &mut connections[place as usize] else {
            return; // closed by an earlier event of the same batch
        };
        if ready.writable {
            let is_there = client.push();
            if !is_there || !client.wants_write() {
                self.settle(place, is_there);
            }
            return;
        }
        if !ready.readable {
            return;
        }
        let result = match recv(&client.socket, &mut buffer[..], RecvFlags::DONTWAIT) {
            Ok((0, _)) => Err(Goodbye),
            Ok((count, _)) => {
                desk.recorder.received(count);
                let result = desk.requests(client, place, &buffer[..count], now_ns);
                // What was asked before a good-bye is still answered.
                desk.send(client).and(result)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(_) => Err(Goodbye),
        };
        if result.is_err() || client.wants_write() {
            self.settle(place, result.is_ok());
        }
    }

    /// Gives out what is due.
    fn release_due(&mut self) {
        if self.desk.deadlines.next_ns().is_none() && self.desk.recorder.next_ns().is_none() {
            return;
        }
        let mut now_ns = monotonic_ns();
        // A worker that was late must not answer into a silence that has begun meanwhile.
        if self.desk.faults.released(now_ns) == now_ns {
            while let Some((number, place)) = self.desk.deadlines.take(now_ns) {
                let is_same = |client: &Connection| client.number == number;
                let client = self.connections[place as usize].as_deref();
                if client.is_some_and(is_same) {
                    self.with_client(place, |desk, client| desk.release(client, now_ns));
                }
                now_ns = monotonic_ns();
            }
        } else {
            self.desk
                .deadlines
                .postpone(self.desk.faults.released(now_ns));
        }
        self.desk.recorder.flush_if_due(now_ns);
    }

    /// Has the desk do something for a client and sends what it gave out.
    fn with_client(
        &mut self,
        place: u32,
        act: impl FnOnce(&mut Desk, &mut Connection) -> Result<(), Goodbye>,
    ) {
        let Some(client) = &mut self.connections[place as usize] else {
            return;
        };
        let result = act(&mut self.desk, client);
        let result = self.desk.send(client).and(result);
        if result.is_err() || client.wants_write() {
            self.settle(place, result.is_ok());
        }
    }

    /// Watches a client for what it is waited for now, or closes its connection.
    #[cold]
    fn settle(&mut self, place: u32, is_there: bool) {
        let Some(client) = &mut self.connections[place as usize] else {
            return;
        };
        let watched = is_there
            && self
                .poller
                .rewatch(&client.socket, u64::from(place), client.wants_write())
                .is_ok();
        if !watched {
            self.desk.recorder.wait_no_more(client.held.len());
            let count = client.prepared.clear();
            self.desk
                .shared
                .prepared
                .fetch_sub(count, Ordering::Relaxed);
            self.connections[place as usize] = None;
            self.free.push(place);
        }
    }
}

/// A socket on its way to a worker.
pub(crate) type Newcomer = OwnedFd;
