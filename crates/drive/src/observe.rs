//! Defines the output of a run: its start, each second, messages, and how it ended.

use crate::search_result::{Probe, SearchResult};
use crate::{Failure, NetworkPath, NetworkTraffic, Outage, SessionReadBack};
use dbdyno_meter::{Histogram, Interval, Silence};
use std::io;

/// Silences of a share that are kept: 300 KB of its record at most.
pub const SILENCES_KEPT: usize = 10_000;

/// Receives the output of a run while it runs, on the thread that called
/// [`drive`](crate::drive) and never on a worker.
pub trait Observer {
    /// All connections are ready; second 0 begins shortly after this call.
    fn started(&mut self, start: &Start) -> io::Result<()>;
    /// A second is over.
    fn interval(&mut self, record: &IntervalRecord<'_>) -> io::Result<()>;
    /// Passes on a message for the user.
    fn message(&mut self, level: Level, text: &str) -> io::Result<()>;
    /// A probe of a [`search`](crate::search) is over.
    fn probe(&mut self, probe: &Probe) -> io::Result<()> {
        let _ = probe; // only a search has some
        Ok(())
    }
}

/// Ignores all measurements, for runs whose speed does not matter.
#[derive(Debug)]
pub struct SilentObserver;

impl Observer for SilentObserver {
    fn started(&mut self, _: &Start) -> io::Result<()> {
        Ok(())
    }

    fn interval(&mut self, _: &IntervalRecord<'_>) -> io::Result<()> {
        Ok(())
    }

    fn message(&mut self, _: Level, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// Says how important a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Info,
    /// It may weaken the result.
    Warning,
}

/// Holds facts known before second 0.
#[derive(Debug, Clone)]
pub struct Start {
    /// When second 0 begins, on the monotonic clock.
    pub monotonic_ns: u64,
    /// The same instant as Unix time.
    pub realtime_ns: u64,
    /// The session settings that the server reports.
    pub session: SessionReadBack,
    /// The same for the server of the workload's role, if it has one.
    pub role_session: Option<SessionReadBack>,
    /// How long it took to log all connections in and to prepare their statements.
    pub connect_ns: u64,
    /// Log-ins tried again because the server's listen queue was full.
    pub connect_retries: u64,
    /// Statements that the server holds prepared, over all connections.
    pub prepared_statements: u64,
    /// Statements sent as text because the server refused to prepare more, over all connections.
    pub statements_as_text: u64,
    /// The network path to the server; `None` over a socket.
    pub network: Option<NetworkPath>,
}

/// Holds one second over all workers.
#[derive(Debug)]
pub struct IntervalRecord<'a> {
    /// Name of its phase.
    pub phase: &'a str,
    /// Unix time at which it began, by the clock as it was set when it ended.
    pub realtime_ns: u64,
    /// The counts.
    pub interval: &'a Interval,
}

/// Says how a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// As requested.
    Complete,
    /// By the user.
    Interrupted,
    /// By an error.
    Failed(Failure),
}

/// Accounts for a whole run: `scheduled = completed + failed + unsent`.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// How it ended.
    pub status: Status,
    /// Events due before the end; in a closed loop those started.
    pub scheduled: u64,
    /// Events that succeeded, also after the last phase.
    pub completed: u64,
    /// Events given up, `abandoned` included.
    pub failed: u64,
    /// Events that were due before the end and never started.
    pub unsent: u64,
    /// Events under way when the last phase ended. No interval counts how they ended.
    pub in_flight_at_end: u64,
    /// Events of `in_flight_at_end` that had not ended when the drain did.
    pub abandoned: u64,
    /// How long the events `unsent` and `in_flight_at_end` had been due when the last phase ended. They take longer
    /// than that, and no interval has their times.
    pub unended: Histogram,
    /// How much later than second 0 the last worker began.
    pub began_late_ns: u64,
    /// Longest stretch of the phases without any reply while a request was out or due, at a resolution of 10 ms.
    pub longest_silence_ns: u64,
    /// The longest stretches of a share without any reply, in order, by the time since second 0: at most
    /// [`SILENCES_KEPT`]. Empty for a whole client.
    pub silences: Vec<Silence>,
    /// Stretches with lost connections, in order.
    pub outages: Vec<Outage>,
    /// Traffic on the path to the server; `None` over a socket.
    pub network: Option<NetworkTraffic>,
    /// The result of a search; `None` for a run.
    pub search: Option<SearchResult>,
    /// CPU time of the process from second 0 to the end of the drain, without the pauses between segments.
    pub process_cpu_ns: u64,
    /// Peak memory of the process.
    pub peak_rss_bytes: u64,
}

impl RunOutcome {
    /// Returns the outcome of a run that never began.
    #[must_use]
    pub fn nothing(status: Status) -> Self {
        Self {
            status,
            scheduled: 0,
            completed: 0,
            failed: 0,
            unsent: 0,
            in_flight_at_end: 0,
            abandoned: 0,
            unended: Histogram::new(),
            began_late_ns: 0,
            longest_silence_ns: 0,
            silences: Vec::new(),
            outages: Vec::new(),
            network: None,
            search: None,
            process_cpu_ns: 0,
            peak_rss_bytes: 0,
        }
    }

    /// Adds the outcome of a later segment.
    pub(crate) fn add(&mut self, segment: &Self) {
        self.status = segment.status.clone();
        self.scheduled += segment.scheduled;
        self.completed += segment.completed;
        self.failed += segment.failed;
        self.unsent += segment.unsent;
        self.in_flight_at_end += segment.in_flight_at_end;
        self.abandoned += segment.abandoned;
        self.unended.merge(&segment.unended);
        self.began_late_ns = self.began_late_ns.max(segment.began_late_ns);
        self.longest_silence_ns = self.longest_silence_ns.max(segment.longest_silence_ns);
        self.silences.extend_from_slice(&segment.silences);
        self.outages.extend_from_slice(&segment.outages);
        self.process_cpu_ns += segment.process_cpu_ns;
        self.peak_rss_bytes = segment.peak_rss_bytes;
    }
}
