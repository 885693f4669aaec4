//! Checks that the server still accepts connections while statements run that may take hours.
//!
//! An index that is being built and a stopped process look alike to the connection that waits for them. So
//! another connection logs in from time to time. A server that leaves several log-ins in a row without an answer is
//! given up, even if its statement still has time; if it answers, even with a refusal, it is waited for.

use crate::cli_error::{CliError, Exit};
use crate::error_code::ErrorCode;
use crate::order::Access;
use crate::terminal;
use dbdyno_drive::StopSwitch;
use dbdyno_wire::{CancelFlag, Session, WireError};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Log-ins without an answer before a server is given up; they and the pauses share the time until then.
const LOG_INS: u32 = 2;

/// Shortest time for a log-in.
const SHORTEST: Duration = Duration::from_millis(500);

/// Logs in repeatedly while it lives.
pub(crate) struct Liveness {
    address: String,
    server_timeout: Duration,
    is_given_up: Arc<AtomicBool>,
    is_path_lost: Arc<AtomicBool>,
    cancel: CancelFlag,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Probes over a connection that is separate from the others.
struct Prober {
    access: Access,
    limit: Duration,
    stop: StopSwitch,
    is_given_up: Arc<AtomicBool>,
    /// Whether the last log-in without an answer reached no host at all.
    is_path_lost: Arc<AtomicBool>,
}

impl Liveness {
    /// Throws the switch when the server has accepted no log-in for as long as `server_timeout`.
    pub(crate) fn watch(access: &Access, stop: &StopSwitch, server_timeout: Duration) -> Self {
        let (cancel, is_given_up) = (CancelFlag::default(), Arc::<AtomicBool>::default());
        let is_path_lost = Arc::<AtomicBool>::default();
        let mut access = access.clone();
        access.options.cancel = cancel.clone();
        access.endpoint.database = None; // it may be still to be created
        let address = access.endpoint.address.to_string();
        let prober = Prober {
            access,
            limit: (server_timeout / (LOG_INS + 1)).max(SHORTEST),
            stop: stop.clone(),
            is_given_up: Arc::clone(&is_given_up),
            is_path_lost: Arc::clone(&is_path_lost),
        };
        let (end, ended) = channel();
        Self {
            address,
            server_timeout,
            is_given_up,
            is_path_lost,
            cancel,
            end: Some(end),
            thread: Some(thread::spawn(move || prober.probe(&ended))),
        }
    }

    /// Turns an interruption into a failure if the server was given up.
    pub(crate) fn judge<T>(&self, result: Result<T, CliError>) -> Result<T, CliError> {
        match result {
            Err(cli_error)
                if cli_error.exit == Exit::NotHeld && self.is_given_up.load(Ordering::Relaxed) =>
            {
                Err(self.given_up(&cli_error))
            }
            other => other,
        }
    }

    /// Does the same as [`judge`](Self::judge) for errors of any kind.
    pub(crate) fn judged(&self, error: anyhow::Error) -> anyhow::Error {
        match error.downcast_ref::<CliError>() {
            Some(cli_error) => match self.judge::<()>(Err(cli_error.clone())) {
                Err(judged) => judged.into(),
                Ok(()) => error,
            },
            None => error,
        }
    }

    fn given_up(&self, during: &CliError) -> CliError {
        let seconds = self.server_timeout.as_secs_f64();
        let what = format!("{} no longer answers", self.address);
        let is_path_lost = self.is_path_lost.load(Ordering::Relaxed);
        let cli_error = CliError::world(ErrorCode::LogInsUnanswered, what)
            .because(format!(
                "{LOG_INS} log-ins in a row got no answer within {seconds} s in total; {during}"
            ))
            .hint(match is_path_lost {
                true => "check cable, switch, route and power of its host, or raise --server-timeout",
                false => "check whether its process is stopped or its machine stalls, or raise --server-timeout",
            });
        CliError {
            is_path_lost,
            cause: during.cause,
            ..cli_error
        }
    }
}

impl Drop for Liveness {
    fn drop(&mut self) {
        self.end = None;
        self.cancel.set();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it has reported everything already
        }
    }
}

impl Prober {
    fn probe(&self, ended: &Receiver<()>) {
        let mut unanswered = 0;
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(self.pause(unanswered)) {
            unanswered = if self.is_answered(ended) {
                0
            } else {
                unanswered + 1
            };
            match unanswered {
                0 => {}
                LOG_INS.. => {
                    self.is_given_up.store(true, Ordering::Relaxed);
                    return self.stop.throw();
                }
                _ => self.warn(),
            }
        }
    }

    fn pause(&self, unanswered: u32) -> Duration {
        match unanswered {
            0 => self.limit,
            _ => Duration::ZERO,
        }
    }

    /// Returns whether a log-in had an answer, even a refusal. Without one it takes the whole time: the kernel reports
    /// at once that a host is unreachable, which may be temporary.
    fn is_answered(&self, ended: &Receiver<()>) -> bool {
        let (access, began) = (&self.access, Instant::now());
        match Session::open_with(&access.endpoint, &access.options, self.limit) {
            Ok(session) => session.close(),
            Err(error) if error.is_path_lost() || matches!(error, WireError::Timeout { .. }) => {
                self.is_path_lost
                    .store(error.is_path_lost(), Ordering::Relaxed);
                let _ = ended.recv_timeout(self.limit.saturating_sub(began.elapsed()));
                return false;
            }
            Err(_) => {} // a server that refuses has answered, and the others will
        }
        true
    }

    fn warn(&self) {
        let (address, limit) = (&self.access.endpoint.address, self.limit.as_secs_f64());
        // Nobody reads the messages any more, so none is lost.
        let _ = writeln!(
            terminal::stderr(),
            "warning: {address} has not answered a log-in for {limit} s; after another one, dbdyno-load gives up"
        );
    }
}
