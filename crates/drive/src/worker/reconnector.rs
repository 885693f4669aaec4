//! Opens lost connections again, on a separate thread so that the worker's other connections go on.

use crate::login::{Opened, Opener};
use crate::stop::FailureSlot;
use crate::{DriveError, StopSwitch};
use dbdyno_wire::WireError;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Connections of one worker opened at the same time.
const THREADS: usize = 4;
const PAUSE: Duration = Duration::from_millis(20);

/// Temporary errors of a server that starts, stops or is full.
const PASSING: [u16; 4] = [1040, 1053, 1203, 3168];

/// Holds the outcome for a connection that was to be opened again.
pub(crate) type ReconnectResult = (u32, Result<Opened, DriveError>);

/// Opens lost connections again until it succeeds or the run ends. When one is ready it signals the worker, whose
/// epoll set watches for that.
#[derive(Debug)]
pub(crate) struct Reconnector {
    lost: Sender<u32>,
    mended: Receiver<ReconnectResult>,
    wakeup: Arc<OwnedFd>,
}

impl Reconnector {
    pub(crate) fn start(
        opener: &Arc<Opener>,
        stop: &StopSwitch,
        failure: &Arc<FailureSlot>,
    ) -> Result<Self, DriveError> {
        let refused = DriveError::system("setting up the reopening of connections");
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let wakeup = Arc::new(eventfd(0, flags).map_err(|error| refused(error.into()))?);
        let (lost, to_reconnect) = channel();
        let (done, mended) = channel();
        let to_reconnect = Arc::new(Mutex::new(to_reconnect));
        for _ in 0..THREADS {
            let bench = ReconnectThread {
                opener: Arc::clone(opener),
                stop: stop.clone(),
                failure: Arc::clone(failure),
                to_reconnect: Arc::clone(&to_reconnect),
                done: done.clone(),
                wakeup: Arc::clone(&wakeup),
            };
            thread::Builder::new()
                .name("mender".to_owned())
                .spawn(move || bench.work())
                .map_err(&refused)?;
        }
        Ok(Self {
            lost,
            mended,
            wakeup,
        })
    }

    pub(crate) fn reconnect(&self, connection: u32) {
        // The receivers live as long as this sender does.
        let _ = self.lost.send(connection);
    }

    pub(crate) fn wakeup(&self) -> BorrowedFd<'_> {
        self.wakeup.as_fd()
    }

    /// Resets the wakeup. [`next`](Self::next) then returns the ready connections.
    pub(crate) fn reset_wakeup(&self) {
        let _ = rustix::io::read(&*self.wakeup, &mut [0; 8]);
    }

    pub(crate) fn next(&self) -> Option<ReconnectResult> {
        self.mended.try_recv().ok()
    }
}

/// Holds the inputs of one reconnecting thread.
struct ReconnectThread {
    opener: Arc<Opener>,
    stop: StopSwitch,
    failure: Arc<FailureSlot>,
    to_reconnect: Arc<Mutex<Receiver<u32>>>,
    done: Sender<ReconnectResult>,
    wakeup: Arc<OwnedFd>,
}

impl ReconnectThread {
    /// Opens connections until the worker has dropped its reconnector.
    fn work(&self) {
        while let Some(connection) = self.next() {
            let Some(result) = self.reconnect_until_open() else {
                return;
            };
            if self.done.send((connection, result)).is_err() {
                return;
            }
            let _ = rustix::io::write(&*self.wakeup, &1_u64.to_ne_bytes());
        }
    }

    fn next(&self) -> Option<u32> {
        let to_reconnect = self
            .to_reconnect
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        to_reconnect.recv().ok()
    }

    /// Retries until the connection is open; `None` if the run has ended meanwhile.
    fn reconnect_until_open(&self) -> Option<Result<Opened, DriveError>> {
        while !self.stop.is_thrown() && !self.failure.is_filled() {
            match self.opener.open() {
                Err(error) if passes(&error) => thread::sleep(PAUSE),
                result => return Some(result),
            }
        }
        None
    }
}

fn passes(error: &DriveError) -> bool {
    match error {
        DriveError::Server {
            source: WireError::Server(server),
            ..
        } => PASSING.contains(&server.code),
        DriveError::Server { source, .. } => source.is_connection_lost(),
        _ => false,
    }
}

/// Watches the wakeup. A failure is a defect of the machine, reported when the worker starts.
pub(crate) fn watch_wakeup(
    reconnector: &Reconnector,
    watch: impl FnOnce(BorrowedFd<'_>) -> io::Result<()>,
) -> Result<(), DriveError> {
    watch(reconnector.wakeup()).map_err(DriveError::system("watching for reopened connections"))
}
