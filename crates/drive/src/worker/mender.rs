//! Lost connections opened again, beside the worker so that its other connections go on.

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

/// Errors with which a server that starts, stops or is full answers; they pass.
const PASSING: [u16; 4] = [1040, 1053, 1203, 3168];

/// What became of a connection that was to be opened again.
pub(crate) type Mended = (u32, Result<Opened, DriveError>);

/// Opens lost connections again until it succeeds or the run ends. Rings a bell, which the worker's
/// epoll set watches, when one is ready.
#[derive(Debug)]
pub(crate) struct Mender {
    lost: Sender<u32>,
    mended: Receiver<Mended>,
    bell: Arc<OwnedFd>,
}

impl Mender {
    pub(crate) fn start(
        opener: &Arc<Opener>,
        stop: &StopSwitch,
        failure: &Arc<FailureSlot>,
    ) -> Result<Self, DriveError> {
        let refused = DriveError::system("setting up the reopening of connections");
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let bell = Arc::new(eventfd(0, flags).map_err(|error| refused(error.into()))?);
        let (lost, to_mend) = channel();
        let (done, mended) = channel();
        let to_mend = Arc::new(Mutex::new(to_mend));
        for _ in 0..THREADS {
            let bench = Bench {
                opener: Arc::clone(opener),
                stop: stop.clone(),
                failure: Arc::clone(failure),
                to_mend: Arc::clone(&to_mend),
                done: done.clone(),
                bell: Arc::clone(&bell),
            };
            thread::Builder::new()
                .name("mender".to_owned())
                .spawn(move || bench.work())
                .map_err(&refused)?;
        }
        Ok(Self { lost, mended, bell })
    }

    pub(crate) fn mend(&self, connection: u32) {
        // The receivers live as long as this sender does.
        let _ = self.lost.send(connection);
    }

    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Silences the bell. Connections that are ready are then told by [`next`](Self::next).
    pub(crate) fn answer_bell(&self) {
        let _ = rustix::io::read(&*self.bell, &mut [0; 8]);
    }

    pub(crate) fn next(&self) -> Option<Mended> {
        self.mended.try_recv().ok()
    }
}

/// What one mending thread works with.
struct Bench {
    opener: Arc<Opener>,
    stop: StopSwitch,
    failure: Arc<FailureSlot>,
    to_mend: Arc<Mutex<Receiver<u32>>>,
    done: Sender<Mended>,
    bell: Arc<OwnedFd>,
}

impl Bench {
    /// Ends when the worker has dropped its mender.
    fn work(&self) {
        while let Some(connection) = self.next() {
            let Some(result) = self.open_until_it_works() else {
                return;
            };
            if self.done.send((connection, result)).is_err() {
                return;
            }
            let _ = rustix::io::write(&*self.bell, &1_u64.to_ne_bytes());
        }
    }

    fn next(&self) -> Option<u32> {
        let to_mend = self.to_mend.lock().unwrap_or_else(PoisonError::into_inner);
        to_mend.recv().ok()
    }

    /// `None` when the run has ended meanwhile.
    fn open_until_it_works(&self) -> Option<Result<Opened, DriveError>> {
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

/// A bell that can't be rung is a defect of the machine, told when the worker starts.
pub(crate) fn watch_bell(
    mender: &Mender,
    watch: impl FnOnce(BorrowedFd<'_>) -> io::Result<()>,
) -> Result<(), DriveError> {
    watch(mender.bell()).map_err(DriveError::system("watching for reopened connections"))
}
