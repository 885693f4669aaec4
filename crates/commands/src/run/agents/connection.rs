//! Holds the connection to one load host: commands go there, records come back.

use super::host_clock::{ClockOffset, Exchange};
use super::live_records::ShareLine;
use super::share_command::ShareCommand;
use super::ssh::{SSH_FAILED, ssh};
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::run::merge::read_record_line;
use dbdyno_meter::clock;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A share that is silent for so long is lost: it answers every second, even if the server does not.
const SILENCE: Duration = Duration::from_secs(5);

/// The same before its first output: ssh connects, and the program starts.
const FIRST_WORD: Duration = Duration::from_secs(40);

/// Bytes kept of the standard error of ssh and the share.
const WORDS_KEPT: u64 = 4_000;

/// How long an ended connection may take to report its exit code.
const EXIT_WAIT: Duration = Duration::from_secs(1);

/// Holds the fields that are kept of an end record.
#[derive(Debug, Deserialize)]
struct EndedRow {
    status: String,
    reason: String,
    error_code: Option<u16>,
    failure_kind: Option<String>,
}

/// Says why a share did not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShareFailure {
    /// Name of the host for people.
    pub(super) host: String,
    pub(super) reason: String,
    pub(super) error_code: Option<u16>,
    /// As in an end record.
    pub(super) kind: String,
}

/// Holds one host and its share.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) host: String,
    child: Mutex<Child>,
    input: Mutex<Option<ChildStdin>>,
    state: Mutex<ConnectionState>,
    /// Standard error so far.
    words: Mutex<Vec<u8>>,
    has_all_words: AtomicBool,
}

#[derive(Debug)]
struct ConnectionState {
    /// `None` until the share's first output.
    heard: Option<Instant>,
    began: Instant,
    is_ready: bool,
    /// Empty until the share's first answer, or where it is unknown.
    boot_id: String,
    has_ended: bool,
    /// Unix time at which each clock request was sent, by its id.
    asked_ns: BTreeMap<u64, u64>,
    next_id: u64,
    exchanges: Vec<Exchange>,
    /// `None` once no more records come.
    records: Option<Sender<ShareLine>>,
}

#[derive(Debug, Deserialize)]
struct ClockRow {
    id: u64,
    realtime_ns: u64,
    is_ready: bool,
    #[serde(default)]
    boot_id: String,
}

/// The pipes of a share that its threads read.
pub(super) type Pipes = (ChildStdout, ChildStderr);

impl Connection {
    /// Starts the share of a host. Its records go to `records`.
    pub(super) fn start(
        share: &ShareCommand,
        records: Sender<ShareLine>,
    ) -> Result<(Self, Pipes), CliError> {
        let started = ssh(&share.ssh, &share.command).spawn();
        let mut child = started.map_err(|error| {
            CliError::world(ErrorCode::SshNotStarted, "ssh can't be started")
                .because(error)
                .hint("install the OpenSSH client")
        })?;
        let pipes = child.stdout.take().zip(child.stderr.take());
        let (input, pipes) = child.stdin.take().zip(pipes).ok_or_else(|| {
            CliError::world(ErrorCode::SshNotStarted, "ssh can't be started")
                .because("it has no pipes") // the pipes were requested
        })?;
        let connection = Self {
            host: share.host.clone(),
            child: Mutex::new(child),
            input: Mutex::new(Some(input)),
            state: Mutex::new(ConnectionState {
                heard: None,
                began: Instant::now(),
                is_ready: false,
                boot_id: String::new(),
                has_ended: false,
                asked_ns: BTreeMap::new(),
                next_id: 0,
                exchanges: Vec::new(),
                records: Some(records),
            }),
            words: Mutex::default(),
            has_all_words: AtomicBool::new(false),
        };
        connection.send(&share.order);
        Ok((connection, pipes))
    }

    /// Requests the time. The reply shows that the share lives, and whether it is ready.
    pub(super) fn ask_clock(&self) {
        let id = {
            let mut state = self.state();
            state.next_id += 1;
            let id = state.next_id;
            state.asked_ns.insert(id, clock::realtime_ns());
            id
        };
        self.send(&format!("{}\n", json!({"do": "clock", "id": id})));
    }

    /// Sends when second 0 begins: Unix time by the clock here, and how far the host's is ahead.
    pub(super) fn begin(&self, start_at_ns: u64, offset: ClockOffset) {
        let command = json!({
            "do": "begin",
            "start_at_ns": start_at_ns,
            "clock_ahead_ns": offset.ahead_ns,
            "clock_error_ns": offset.error_ns,
        });
        self.send(&format!("{command}\n"));
    }

    /// Asks the share to end early and report.
    pub(super) fn stop(&self) {
        self.send(&format!("{}\n", json!({"do": "stop"})));
    }

    /// Sends no more; a share that still runs ends.
    pub(super) fn close(&self) {
        *self.input.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn is_ready(&self) -> bool {
        self.state().is_ready
    }

    /// Returns what names this boot of the host's machine, once the share is ready; empty where it is unknown.
    pub(super) fn boot_id(&self) -> String {
        self.state().boot_id.clone()
    }

    /// Returns whether no more records come.
    pub(super) fn is_over(&self) -> bool {
        self.state().records.is_none()
    }

    /// Discards the clock exchanges of the log-in, which the host's work has delayed.
    pub(super) fn forget_exchanges(&self) {
        let mut state = self.state();
        state.exchanges.clear();
        state.asked_ns.clear();
    }

    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        self.state().exchanges.clone()
    }

    /// Declares the share lost if it has been silent for too long.
    pub(super) fn check_silence(&self) -> Option<ShareFailure> {
        let silent = {
            let state = self.state();
            let limit = state.heard.map_or(FIRST_WORD, |_| SILENCE);
            let silent = state.heard.unwrap_or(state.began).elapsed();
            (state.records.is_some() && silent > limit).then_some(silent)
        }?;
        let reason = format!("{} was silent for {} s", self.host, silent.as_secs());
        self.lose(&reason);
        let _ = self.child().kill();
        Some(self.failure(reason, "network"))
    }

    /// Reads records until the share closes its output. It reports a failure before the end can be read.
    pub(super) fn read(&self, output: ChildStdout, fail: impl Fn(ShareFailure)) {
        let mut output = BufReader::with_capacity(1 << 16, output);
        let mut line = Vec::new();
        let broken = loop {
            match read_record_line(&mut output, &mut line) {
                Ok(0) => break None,
                Ok(_) => {}
                Err(error) => break Some(error),
            }
            let received_ns = clock::realtime_ns();
            if line.pop() == Some(b'\n') {
                self.take(&line, received_ns, &fail);
            }
            line.clear();
        };
        if let Some(error) = broken {
            let reason = format!("its records can't be read: {error}");
            fail(self.failure(reason.clone(), "client"));
            self.lose(&reason);
            let _ = self.child().kill();
        }
        self.close_records(&fail);
    }

    /// Keeps standard error, up to a limit.
    pub(super) fn read_words(&self, errors: ChildStderr) {
        let mut errors = errors.take(WORDS_KEPT);
        let mut block = [0; 1024];
        while let Ok(count @ 1..) = errors.read(&mut block) {
            let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
            words.extend_from_slice(&block[..count]);
        }
        let _ = io::copy(&mut errors.into_inner(), &mut io::sink());
        self.has_all_words.store(true, Ordering::Relaxed);
    }

    /// Waits until the connection has ended by itself; otherwise ends it, and the share by the end of its input.
    pub(super) fn finish(&self, timeout: Duration) {
        self.close();
        if self.exit_code(timeout).is_none() {
            let mut child = self.child();
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Handles one line. Output of a login shell is not a record.
    fn take(&self, line: &[u8], received_ns: u64, fail: &impl Fn(ShareFailure)) {
        if !line.starts_with(b"{\"record\":\"") {
            return;
        }
        let is_end = line.starts_with(b"{\"record\":\"end\"");
        self.state().heard = Some(Instant::now());
        if let Some(clock) = clock_row(line) {
            self.take_clock(&clock, received_ns);
            return;
        }
        let end: Option<EndedRow> = serde_json::from_slice(line).ok().filter(|_| is_end);
        if let Some(end) = end.filter(|end| end.status != "complete") {
            fail(ShareFailure {
                error_code: end.error_code,
                kind: end.failure_kind.unwrap_or_else(|| "client".to_owned()),
                ..self.failure(end.reason, "client")
            });
        }
        let mut state = self.state();
        state.has_ended |= is_end;
        if let Some(records) = &state.records {
            let _ = records.send(ShareLine::Record(line.to_vec())); // after a loss there is no reader
        }
    }

    fn take_clock(&self, clock: &ClockRow, received_ns: u64) {
        let mut state = self.state();
        state.is_ready = clock.is_ready;
        state.boot_id.clone_from(&clock.boot_id);
        if let Some(sent_ns) = state.asked_ns.remove(&clock.id) {
            state.exchanges.push(Exchange {
                sent_ns,
                there_ns: clock.realtime_ns,
                received_ns,
            });
        }
    }

    /// Handles the end of the output. Without an end record, the share was killed, never started, or disconnected.
    fn close_records(&self, fail: &impl Fn(ShareFailure)) {
        let (has_ended, is_heard) = {
            let state = self.state();
            (
                state.has_ended || state.records.is_none(),
                state.heard.is_some(),
            )
        };
        if !has_ended {
            let (reason, kind) = self.break_reason(is_heard);
            fail(self.failure(reason.clone(), kind));
            if kind == "network" {
                self.lose(&reason);
            }
        }
        self.state().records = None;
    }

    /// Returns why a share has no end record, in words and in the form of an end record.
    fn break_reason(&self, is_heard: bool) -> (String, &'static str) {
        let (reason, kind) = match self.exit_code(EXIT_WAIT) {
            // ssh fails in the same way if the program there was killed.
            Some(SSH_FAILED) if is_heard => (
                "its load generator was killed, or the connection to it was lost".to_owned(),
                "network",
            ),
            Some(SSH_FAILED) => ("the connection to it failed".to_owned(), "network"),
            Some(code) => (
                format!("its load generator ended with exit code {code}"),
                "client",
            ),
            None => ("its load generator closed its output".to_owned(), "client"),
        };
        let words = self.all_words();
        let words = String::from_utf8_lossy(&words).trim().to_owned();
        match words.is_empty() {
            true => (reason, kind),
            false => (format!("{reason}: {words}"), kind),
        }
    }

    /// Returns all of standard error, which ends with the program and is read by another thread.
    fn all_words(&self) -> Vec<u8> {
        let deadline = Instant::now() + EXIT_WAIT;
        while !self.has_all_words.load(Ordering::Relaxed) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        words.clone()
    }

    fn lose(&self, reason: &str) {
        if let Some(records) = self.state().records.take() {
            let _ = records.send(ShareLine::Lost(reason.to_owned()));
        }
    }

    fn failure(&self, reason: String, kind: &str) -> ShareFailure {
        ShareFailure {
            host: self.host.clone(),
            reason,
            error_code: None,
            kind: kind.to_owned(),
        }
    }

    /// Sends a command; a share that is gone takes none, and its reader reports that.
    fn send(&self, line: &str) {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipe) = input.as_mut() {
            let _ = pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush());
        }
    }

    fn exit_code(&self, timeout: Duration) -> Option<i32> {
        let deadline = Instant::now() + timeout;
        loop {
            match self.child().try_wait() {
                Ok(Some(status)) => return Some(status.code().unwrap_or(SSH_FAILED)),
                Ok(None) if Instant::now() < deadline => {}
                _ => return None,
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn clock_row(line: &[u8]) -> Option<ClockRow> {
    let is_clock = line.starts_with(b"{\"record\":\"clock\"");
    is_clock
        .then(|| serde_json::from_slice(line).ok())
        .flatten()
}
