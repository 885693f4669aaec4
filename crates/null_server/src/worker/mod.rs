//! Serves one thread's share of the connections.

mod connection;
mod deadlines;
mod handler;
mod inbox;
mod poller;
mod request_context;
mod requests;
mod response;
mod serve;
mod statement_cache;
mod template;

pub(crate) use inbox::Inbox;

use crate::Settings;
use crate::faults::FaultInjector;
use crate::protocol::{capability, put_greeting};
use crate::record::{TrafficRecorder, WorkerCounters};
use crate::shared::ServerShared;
use crate::sql::ServerInfo;
use connection::ClientConnection;
use dbdyno_meter::clock::monotonic_ns;
use handler::{CloseConnection, ConnectionHandler, now_if};
use poller::{ConnectionPoller, Ready};
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

struct ConnectionWorker {
    poller: ConnectionPoller,
    inbox: Arc<Inbox>,
    settings: Arc<Settings>,
    /// Connections by place; boxed, so that a place that is free costs a pointer.
    connections: Vec<Option<Box<ClientConnection>>>,
    free: Vec<u32>,
    handler: ConnectionHandler,
    buffer: Vec<u8>,
}

/// Holds what a worker is made from, in its own thread: connections and their statements never leave it.
#[derive(Debug)]
pub(crate) struct WorkerConfig {
    pub(crate) settings: Arc<Settings>,
    pub(crate) shared: Arc<ServerShared>,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) recorder: TrafficRecorder,
    pub(crate) index: u32,
}

impl WorkerConfig {
    /// Starts the thread of a worker.
    pub(crate) fn start(self) -> io::Result<JoinHandle<io::Result<WorkerCounters>>> {
        let set = ConnectionPoller::empty_set()?;
        let name = format!("null-{}", self.index);
        Builder::new()
            .name(name)
            .spawn(move || ConnectionWorker::new(self, ConnectionPoller::over(set))?.run())
    }
}

impl ConnectionWorker {
    fn new(config: WorkerConfig, poller: ConnectionPoller) -> io::Result<Self> {
        let WorkerConfig {
            settings,
            shared,
            inbox,
            recorder,
            index,
        } = config;
        poller.watch(inbox.wakeup(), INBOX)?;
        let plan = Arc::new(settings.faults.clone());
        let server_info = ServerInfo {
            version: settings.version.clone(),
            max_prepared: plan.max_prepared.unwrap_or(u32::MAX),
            deprecate_eof: settings.deprecate_eof,
        };
        let is_timed = settings.needs_clock();
        let max_prepared = plan.max_prepared;
        let faults = FaultInjector::new(plan, Arc::clone(&shared), settings.seed, index);
        Ok(Self {
            poller,
            inbox,
            connections: Vec::new(),
            free: Vec::new(),
            handler: ConnectionHandler::new(
                shared,
                server_info,
                max_prepared,
                faults,
                recorder,
                is_timed,
            ),
            buffer: vec![0; READ_BYTES],
            settings,
        })
    }

    /// Serves until the server is to end, and returns what was done.
    fn run(mut self) -> io::Result<WorkerCounters> {
        // The kernel is to wake the thread at the nanosecond it asked for, not up to 50 µs later.
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
        while !self.handler.shared.stop.load(Ordering::Relaxed) {
            let timeout_ns = self.timeout_ns();
            let count = self.poller.wait(timeout_ns)?;
            // Everything that is ready now had arrived by now.
            let now_ns = now_if(self.handler.is_timed);
            for index in 0..count {
                match self.poller.ready(index) {
                    Ready { token: INBOX, .. } => self.accept_connections(now_ns),
                    ready => self.serve(ready, now_ns),
                }
            }
            self.release_due();
        }
        Ok(self.handler.recorder.close())
    }

    /// Returns how long nothing needs to be done unless a client asks.
    fn timeout_ns(&mut self) -> Option<u64> {
        let wake_ns = [
            self.handler.deadlines.next_ns(),
            self.handler.recorder.next_ns(),
        ];
        let wake_ns = wake_ns.into_iter().flatten().min()?;
        Some(wake_ns.saturating_sub(monotonic_ns()))
    }

    fn accept_connections(&mut self, now_ns: u64) {
        for socket in self.inbox.take() {
            let number = self
                .handler
                .shared
                .connections
                .fetch_add(1, Ordering::Relaxed)
                + 1;
            let place = self.free.pop().unwrap_or(self.connections.len() as u32);
            if place as usize == self.connections.len() {
                self.connections.push(None);
            }
            // A client that can't be added to the poll set is refused: its socket is dropped.
            if self.poller.watch(&socket, u64::from(place)).is_err() {
                self.free.push(place);
                continue;
            }
            let client = Box::new(ClientConnection::new(socket, number));
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
        self.with_client(place, |handler, client| {
            handler.greeting(client, place, greeting, now_ns)
        });
    }

    /// Does what a connection is ready for.
    #[inline]
    fn serve(&mut self, ready: Ready, now_ns: u64) {
        let place = ready.token as u32;
        let Self {
            connections,
            handler,
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
            Ok((0, _)) => Err(CloseConnection),
            Ok((count, _)) => {
                handler.recorder.received(count);
                let result = handler.requests(client, place, &buffer[..count], now_ns);
                // Commands before a COM_QUIT are still answered.
                handler.send(client).and(result)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(_) => Err(CloseConnection),
        };
        if result.is_err() || client.wants_write() {
            self.settle(place, result.is_ok());
        }
    }

    /// Gives out what is due.
    fn release_due(&mut self) {
        if self.handler.deadlines.next_ns().is_none() && self.handler.recorder.next_ns().is_none() {
            return;
        }
        let mut now_ns = monotonic_ns();
        // A worker that was late must not answer into a silence that has begun meanwhile.
        if self.handler.faults.released(now_ns) == now_ns {
            while let Some((number, place)) = self.handler.deadlines.take(now_ns) {
                let is_same = |client: &ClientConnection| client.number == number;
                let client = self.connections[place as usize].as_deref();
                if client.is_some_and(is_same) {
                    self.with_client(place, |handler, client| handler.release(client, now_ns));
                }
                now_ns = monotonic_ns();
            }
        } else {
            self.handler
                .deadlines
                .postpone(self.handler.faults.released(now_ns));
        }
        self.handler.recorder.flush_if_due(now_ns);
    }

    /// Makes the handler do something for a client and sends its output.
    fn with_client(
        &mut self,
        place: u32,
        act: impl FnOnce(&mut ConnectionHandler, &mut ClientConnection) -> Result<(), CloseConnection>,
    ) {
        let Some(client) = &mut self.connections[place as usize] else {
            return;
        };
        let result = act(&mut self.handler, client);
        let result = self.handler.send(client).and(result);
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
            self.handler.recorder.end_waits(client.held.len());
            let count = client.prepared.clear();
            self.handler
                .shared
                .prepared
                .fetch_sub(count, Ordering::Relaxed);
            self.connections[place as usize] = None;
            self.free.push(place);
        }
    }
}

/// A socket on its way to a worker.
pub(crate) type AcceptedSocket = OwnedFd;
