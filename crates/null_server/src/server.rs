//! Starts and stops a server and its threads.

use crate::acceptor::Acceptor;
use crate::listener::{ListenAddress, Listener};
use crate::log::StatementLog;
use crate::record::{TrafficRecorder, WorkerCounters};
use crate::shared::ServerShared;
use crate::statistics::{Statistics, Times};
use crate::worker::{Inbox, WorkerConfig};
use crate::{Epoch, NullServerError, Settings};
use dbdyno_meter::clock::{monotonic_ns, process_cpu_ns};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, JoinHandle};

/// A server that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct NullServer {
    address: NullAddress,
    shared: Arc<ServerShared>,
    threads: Option<Threads>,
    log_path: Option<PathBuf>,
}

/// Describes where a server listens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NullAddress {
    /// Its Unix domain socket.
    pub socket: Option<PathBuf>,
    /// Its TCP address, with the port that was chosen if any would do.
    pub tcp: Option<SocketAddr>,
}

#[derive(Debug)]
struct Threads {
    wakeups: Vec<Arc<Inbox>>,
    acceptor: JoinHandle<io::Result<u64>>,
    workers: Vec<JoinHandle<io::Result<WorkerCounters>>>,
    log: Option<StatementLog>,
}

impl NullServer {
    /// Starts a server. When this returns, clients can connect.
    pub fn start(settings: Settings) -> Result<Self, NullServerError> {
        check(&settings)?;
        allow_open_files();
        let listeners = Listener::all(&settings)?;
        let address = NullAddress::of(&listeners);
        let shared = Arc::new(ServerShared::new(&settings.faults));
        match settings.epoch {
            Epoch::FirstStatement => {}
            Epoch::Start => shared.begin_epoch(monotonic_ns()),
            Epoch::At(instant_ns) => shared.begin_epoch(instant_ns),
        }
        let log_path = settings.log.clone();
        let threads = Threads::start(settings, listeners, &shared)?;
        Ok(Self {
            address,
            shared,
            threads: Some(threads),
            log_path,
        })
    }

    /// Returns where it listens.
    #[must_use]
    pub fn address(&self) -> &NullAddress {
        &self.address
    }

    /// Closes all connections and returns what was done.
    pub fn stop(mut self) -> Result<Statistics, NullServerError> {
        let Some(threads) = self.threads.take() else {
            return Ok(Statistics::default());
        };
        threads.stop(&self.shared, self.log_path.as_deref())
    }
}

impl Drop for NullServer {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            let _ = threads.stop(&self.shared, self.log_path.as_deref());
        }
    }
}

impl NullAddress {
    fn of(listeners: &[Listener]) -> Self {
        let mut address = Self::default();
        for listener in listeners {
            match &listener.place {
                ListenAddress::Socket(path) => address.socket = Some(path.clone()),
                ListenAddress::Tcp(tcp) => address.tcp = Some(*tcp),
            }
        }
        address
    }
}

impl Threads {
    fn start(
        settings: Settings,
        listeners: Vec<Listener>,
        shared: &Arc<ServerShared>,
    ) -> Result<Self, NullServerError> {
        let log = start_log(&settings)?;
        let settings = Arc::new(settings);
        let system = NullServerError::system;
        let (mut inboxes, mut workers) = (Vec::new(), Vec::new());
        for index in 0..settings.workers {
            let inbox = Arc::new(Inbox::new().map_err(system("creating an event descriptor"))?);
            let recorder = TrafficRecorder::new(
                log.as_ref().map(StatementLog::sender),
                settings.needs_clock(),
            );
            let config = WorkerConfig {
                settings: Arc::clone(&settings),
                shared: Arc::clone(shared),
                inbox: Arc::clone(&inbox),
                recorder,
                index,
            };
            workers.push(config.start().map_err(system("starting a worker"))?);
            inboxes.push(inbox);
        }
        let wakeup = Arc::new(Inbox::new().map_err(system("creating an event descriptor"))?);
        let acceptor = Acceptor {
            listeners,
            workers: inboxes.clone(),
            refusals: settings.faults.refusals.clone(),
            shared: Arc::clone(shared),
            wakeup: Arc::clone(&wakeup),
        };
        let name = "null-door".to_owned();
        let acceptor = Builder::new().name(name).spawn(|| acceptor.run());
        inboxes.push(wakeup);
        Ok(Self {
            wakeups: inboxes,
            acceptor: acceptor.map_err(system("starting a thread"))?,
            workers,
            log,
        })
    }

    fn stop(
        self,
        shared: &ServerShared,
        log_path: Option<&Path>,
    ) -> Result<Statistics, NullServerError> {
        shared.stop.store(true, Ordering::Relaxed);
        self.wakeups.iter().for_each(|wakeup| wakeup.wake());
        let refused =
            joined(self.acceptor).map_err(NullServerError::system("accepting clients"))?;
        let mut counters = WorkerCounters::default();
        for worker in self.workers {
            counters.merge(&joined(worker).map_err(NullServerError::system("serving clients"))?);
        }
        let times = match self.log {
            Some(log) => log.finish().map_err(|source| NullServerError::Log {
                path: log_path.unwrap_or(Path::new("-")).to_owned(),
                source,
            })?,
            None => Times::default(),
        };
        Ok(Statistics {
            connections: shared.connections.load(Ordering::Relaxed),
            refused,
            process_cpu_ns: process_cpu_ns(),
            epoch_ns: shared.epoch(),
            ..Statistics::of(&counters, times)
        })
    }
}

fn joined<T>(thread: JoinHandle<io::Result<T>>) -> io::Result<T> {
    thread
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("a thread of the null server has ended")))
}

fn start_log(settings: &Settings) -> Result<Option<StatementLog>, NullServerError> {
    if settings.log.is_none() && !settings.keep_times {
        return Ok(None);
    }
    let log = StatementLog::start(settings.log.as_deref(), settings.keep_times);
    log.map(Some).map_err(|source| NullServerError::Log {
        path: settings.log.clone().unwrap_or_default(),
        source,
    })
}

fn check(settings: &Settings) -> Result<(), NullServerError> {
    let wrong = |what: &str| Err(NullServerError::Settings(what.to_owned()));
    if let Some(address) = settings.listen
        && !address.ip().is_loopback()
        && !settings.anyone
    {
        return Err(NullServerError::Exposed(address));
    }
    if settings.workers == 0 {
        return wrong("a null server needs a worker");
    }
    if settings.version.is_empty() || settings.version.contains('\0') {
        return wrong("a version is a text without zero bytes");
    }
    match settings.faults.capacity_per_s {
        Some(capacity) if !(capacity > 0.0 && capacity <= 1e9) => {
            wrong("a capacity is more than 0 and at most 1e9 statements per second")
        }
        _ => Ok(()),
    }
}

/// Allows as many connections as the system lets this process have; more are not accepted.
fn allow_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum.or(Some(1 << 20)),
        maximum: limit.maximum,
    };
    let _ = setrlimit(Resource::Nofile, raised);
}
