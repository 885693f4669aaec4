//! Runs the loop of one worker.
//!
//! `event` handles events that succeed, `error_recovery` the others, `path` silence of the server,
//! `settling` the end of the run; `recorder` records all of it.

mod connection;
mod error_recovery;
mod event;
mod path;
mod pauses;
mod reconnector;
mod recorder;
mod settling;

pub(crate) use connection::WorkerConnection;
pub(crate) use error_recovery::LOST;
pub use error_recovery::{
    ANSWER_TOO_LARGE, LOST_CONNECTION_CODES, MALFORMED_PACKET, UNTIMED_CODES,
};
pub(crate) use recorder::{IntervalMessage, Recorder};

use crate::connection_pair::ConnectionPair;
use crate::grid::Grid;
use crate::login::Opener;
use crate::outage::OutageLog;
use crate::pacing::{Due, Pace};
use crate::poller::SocketPoller;
use crate::stop::FailureSlot;
use crate::timers::Timers;
use crate::{DriveError, ErrorPolicy, StopSwitch};
use connection::Activity;
use dbdyno_meter::{Histogram, Silence, clock};
use dbdyno_wire::{ReadBuffer, StatementText};
use dbdyno_workload::{Call, StatementTemplate, StatementType, Workload};
use pauses::Pauses;
use reconnector::Reconnector;
use recorder::{EventCounts, Gauges};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Longest sleep of a worker, and so the time in which it notices a stop.
const NAP_NS: u64 = 100_000_000;

/// How long events under way may take to end when the run is stopped early.
const HASTY_DRAIN_NS: u64 = 1_000_000_000;

/// Token of the reconnector's wakeup in the epoll set; connections are numbered from 0.
const WAKEUP_TOKEN: u32 = u32::MAX;

/// Holds what all workers read and none writes, except the atomics.
#[derive(Debug)]
pub(crate) struct WorkerShared {
    pub(crate) workload: Arc<dyn Workload>,
    /// How each statement travels, in the workload's order.
    pub(crate) statement_meta: Vec<StatementMeta>,
    /// Each statement as text to be filled in, in the workload's order.
    pub(crate) texts: Vec<StatementText>,
    pub(crate) policy: ErrorPolicy,
    /// Seed of the pauses before repeats.
    pub(crate) seed: u64,
    pub(crate) grid: Arc<Grid>,
    pub(crate) drain_ns: u64,
    /// How long a statement may go without any byte of an answer.
    pub(crate) answer_timeout: Option<Duration>,
    /// Address of the server.
    pub(crate) peer: String,
    pub(crate) opener: Arc<Opener>,
    pub(crate) stop: StopSwitch,
    pub(crate) failure: Arc<FailureSlot>,
    /// Events that may still be started, if they are limited.
    pub(crate) quota: Option<AtomicU64>,
}

/// Describes how a statement travels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StatementMeta {
    pub(crate) kind: StatementType,
    pub(crate) lane: u8,
    pub(crate) keeps_rows: bool,
    pub(crate) is_written: bool,
    /// Whether an OK packet is an invalid answer to it.
    pub(crate) returns_rows: bool,
}

impl StatementMeta {
    pub(crate) fn of(template: &StatementTemplate) -> Self {
        Self {
            kind: template.statement_type,
            lane: template.lane,
            keeps_rows: template.keeps_rows,
            is_written: template.is_written,
            returns_rows: template.returns_rows(),
        }
    }
}

impl WorkerShared {
    /// Takes one event from the quota; returns false if none is left.
    #[inline]
    fn can_start(&self) -> bool {
        let Some(quota) = &self.quota else {
            return true;
        };
        let taken = quota.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        taken.is_ok()
    }
}

/// Says where a worker is in the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkerStage {
    /// Events start.
    Running,
    /// No event starts any more; those under way may end until then.
    Draining { until_ns: u64 },
}

/// Holds a worker's report on a whole segment, and the connections that it drove.
pub(crate) struct WorkerEnd {
    pub(crate) worker: usize,
    pub(crate) connections: Vec<WorkerConnection>,
    pub(crate) totals: EventCounts,
    pub(crate) began_late_ns: u64,
    pub(crate) unsent: u64,
    pub(crate) in_flight_at_end: u64,
    pub(crate) abandoned: u64,
    pub(crate) unended: Histogram,
    pub(crate) silences: Vec<Silence>,
    pub(crate) outages: OutageLog,
}

pub(crate) struct Worker {
    shared: Arc<WorkerShared>,
    connections: Vec<WorkerConnection>,
    poller: SocketPoller,
    pace: Pace,
    timers: Timers,
    pauses: Pauses,
    recorder: Recorder,
    call: Call,
    read_buffer: ReadBuffer,
    reconnector: Option<Reconnector>,
    stage: WorkerStage,
    ended_ns: u64,
    /// Since when a request was out or due at the end.
    asked_at_end_ns: u64,
    in_flight: u64,
    in_flight_at_end: u64,
    began_late_ns: u64,
    unsent: u64,
    unended: Histogram,
    /// Connections whose users begin no event any more.
    retired: usize,
    /// Whether the users were asked for their remaining statements.
    has_settled_up: bool,
    /// Error codes already reported to the user.
    reported_codes: Vec<u16>,
    /// When silent connections are checked next.
    look_at_ns: u64,
}

impl Worker {
    /// Creates a worker; `number` distinguishes the workers of a client, on any host.
    pub(crate) fn new(
        shared: Arc<WorkerShared>,
        number: u32,
        connections: Vec<WorkerConnection>,
        pace: Pace,
        recorder: Recorder,
    ) -> Result<Self, DriveError> {
        let poller = SocketPoller::new()?;
        for (connection, token) in connections.iter().zip(0..) {
            let mut lanes = connection.lanes.iter().flat_map(ConnectionPair::iter);
            let watched = lanes.try_for_each(|channel| poller.watch(channel, token));
            watched.map_err(DriveError::system("watching a connection"))?;
        }
        let pause_ns = u64::try_from(shared.policy.pause.as_nanos()).unwrap_or(u64::MAX);
        Ok(Self {
            timers: Timers::new(connections.len()),
            retired: connections.iter().filter(|c| c.is_retired).count(),
            pauses: Pauses::new(pause_ns, shared.seed, number.into()),
            connections,
            poller,
            pace,
            recorder,
            call: Call::default(),
            read_buffer: ReadBuffer::new(),
            reconnector: None,
            stage: WorkerStage::Running,
            ended_ns: 0,
            asked_at_end_ns: 0,
            in_flight: 0,
            in_flight_at_end: 0,
            began_late_ns: 0,
            unsent: 0,
            unended: Histogram::new(),
            has_settled_up: false,
            reported_codes: Vec::with_capacity(16),
            look_at_ns: 0,
            shared,
        })
    }

    /// Drives the connections until the run is over.
    pub(crate) fn run(mut self) -> WorkerEnd {
        self.begin();
        loop {
            let now_ns = self.start_due_events();
            if self.is_done(now_ns) {
                break;
            }
            let nap_ns = self.nap_ns(now_ns);
            self.recorder.rest(now_ns, nap_ns);
            let ready = self.poller.wait(nap_ns);
            let now_ns = clock::monotonic_ns();
            self.recorder.wake(now_ns, *ready.as_ref().unwrap_or(&0));
            self.keep_time(now_ns);
            match ready {
                Ok(0) => self.wait_on(now_ns),
                Ok(ready) => (0..ready).for_each(|place| self.serve(place)),
                Err(error) => self.fail_by_system("waiting for replies", &error),
            }
        }
        self.finish()
    }

    /// Frees all connections as the first second begins. Those that an earlier segment left lost, or with an
    /// outstanding answer, are opened again first.
    fn begin(&mut self) {
        self.began_late_ns = self.shared.grid.await_start();
        for index in 0..self.connections.len() as u32 {
            let now_ns = clock::monotonic_ns();
            let connection = &mut self.connections[index as usize];
            connection.free_since_ns = self.shared.grid.start_ns;
            connection.rest_ns = connection.user.initial_rest_ns();
            if connection.is_open() {
                self.offer(index, now_ns);
            } else {
                self.reconnect(index);
            }
        }
    }

    /// Wakes connections whose timers have expired, starts due events on those that are free, and returns the
    /// current time.
    fn start_due_events(&mut self) -> u64 {
        loop {
            let now_ns = clock::monotonic_ns();
            self.keep_time(now_ns);
            if let Some((index, _)) = self.timers.take(now_ns) {
                self.on_timer(index, now_ns);
            } else if let Some((index, due)) = self.pace.take_due(now_ns) {
                self.start_due_event(index, due, now_ns);
            } else {
                return now_ns;
            }
        }
    }

    /// Starts a due event on a free connection: a start after the due instant is this client's own lateness.
    fn start_due_event(&mut self, index: u32, due: Due, now_ns: u64) {
        let could_ns = due
            .at_ns
            .max(self.connections[index as usize].free_since_ns);
        if let Some(lateness) = &mut self.recorder.page.lateness {
            lateness.record(now_ns.saturating_sub(could_ns));
        }
        self.start_event(index, due, now_ns);
    }

    /// Returns how long to wait at most: to the next due instant or timer, the end of the second, or a nap.
    fn nap_ns(&self, now_ns: u64) -> u64 {
        let mut until_ns = self.recorder.boundary_ns.min(now_ns + NAP_NS);
        until_ns = until_ns.min(self.timers.next_ns());
        if let Some(due_ns) = self.pace.next_due_ns() {
            until_ns = until_ns.min(due_ns);
        }
        if let WorkerStage::Draining {
            until_ns: drained_ns,
        } = self.stage
        {
            until_ns = until_ns.min(drained_ns);
        }
        until_ns.saturating_sub(now_ns)
    }

    fn serve(&mut self, place: usize) {
        let ready = self.poller.ready(place);
        if ready.token == WAKEUP_TOKEN {
            return self.take_reconnected();
        }
        if ready.writable {
            self.write_on(ready.token);
        }
        if ready.readable {
            self.read(ready.token);
        }
    }

    /// Ends the interval when a second is over, and ends the run when it is time or requested.
    #[inline]
    fn keep_time(&mut self, now_ns: u64) {
        if now_ns >= self.recorder.boundary_ns {
            self.finish_seconds(now_ns);
        }
        let is_stopped = self.shared.stop.is_thrown();
        match self.stage {
            WorkerStage::Running if is_stopped || self.shared.failure.is_filled() => {
                self.stop_early(now_ns, self.shared.drain_ns.min(HASTY_DRAIN_NS));
            }
            // A stop during the drain shortens it as a stop before it does; later calls leave the earliest end.
            WorkerStage::Draining { until_ns } if is_stopped => {
                let until_ns = until_ns.min(now_ns.saturating_add(HASTY_DRAIN_NS));
                self.stage = WorkerStage::Draining { until_ns };
            }
            _ => {}
        }
    }

    #[cold]
    fn finish_seconds(&mut self, now_ns: u64) {
        // A client that was stopped itself has to read first what came meanwhile: the next second judges.
        let is_punctual = now_ns < self.recorder.boundary_ns + NAP_NS;
        while now_ns >= self.recorder.boundary_ns {
            let boundary_ns = self.recorder.boundary_ns;
            let gauges = self.gauges(boundary_ns);
            if self.recorder.turn(gauges, now_ns) {
                self.drain(boundary_ns, self.shared.drain_ns);
            }
        }
        self.look_at_silent(now_ns, is_punctual);
    }

    fn gauges(&mut self, at_ns: u64) -> Gauges {
        let (bytes_sent, bytes_received) = std::mem::take(&mut self.recorder.stray_bytes);
        let mut gauges = Gauges {
            connections_live: 0,
            backlog: self.pace.backlog(at_ns),
            bytes_sent,
            bytes_received,
        };
        for connection in &mut self.connections {
            let (sent, received) = connection.take_bytes();
            if received > 0 {
                connection.heard_ns = at_ns;
            }
            gauges.bytes_sent += sent;
            gauges.bytes_received += received;
            gauges.connections_live += u32::from(connection.lanes.is_some());
        }
        gauges
    }

    /// Gives up everything that has not ended.
    fn finish(mut self) -> WorkerEnd {
        self.look_at_paths(clock::monotonic_ns());
        let abandoned = self.in_flight - self.end_settling();
        self.connections
            .iter_mut()
            .for_each(WorkerConnection::abandon);
        WorkerEnd {
            worker: self.recorder.worker,
            connections: self.connections,
            totals: EventCounts {
                failed: self.recorder.totals.failed + abandoned,
                ..self.recorder.totals
            },
            began_late_ns: self.began_late_ns,
            unsent: self.unsent,
            in_flight_at_end: self.in_flight_at_end,
            abandoned,
            unended: self.unended,
            silences: self
                .recorder
                .silences
                .finish(self.ended_ns, self.asked_at_end_ns),
            outages: self.recorder.outages,
        }
    }
}
