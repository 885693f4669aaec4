//! Keeps connections open over several segments of a run.
//!
//! Opening a pool logs its connections in, prepares their statements and reports the start to the observer. Segments
//! then have their own pacing and phases; users, prepared statements and the count of the seconds continue.

use crate::client_share::{LEAD_NS, await_start};
use crate::collect::realtime_of;
use crate::grid::Grid;
use crate::login::{Opened, Opener, open_all};
use crate::network_path::{NetworkPath, NetworkTraffic};
use crate::observe::{Level, Observer, RunOutcome, Start, Status};
use crate::segment::{Segment, run_segment};
use crate::stop::FailureSlot;
use crate::worker::{StatementMeta, WorkerConnection, WorkerShared};
use crate::{DriveError, Load, StopSwitch, counted, limits};
use dbdyno_meter::{SECOND_NS, clock};
use dbdyno_wire::StatementText;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Holds open connections, and the outcome of the events on them so far.
pub(crate) struct ConnectionPool<'a> {
    load: &'a Load,
    stop: &'a StopSwitch,
    opener: Arc<Opener>,
    /// Connections by worker.
    shares: Vec<Vec<WorkerConnection>>,
    /// When second 0 begins.
    start_ns: u64,
    /// The first second that no segment has used; `None` before the first segment.
    next_second: Option<u32>,
    account: RunOutcome,
}

impl<'a> ConnectionPool<'a> {
    /// Logs all connections in, prepares their statements, and reports the start.
    pub(crate) fn open(
        load: &'a Load,
        stop: &'a StopSwitch,
        observer: &mut dyn Observer,
    ) -> Result<Self, DriveError> {
        let lanes = u32::from(load.workload.spec().lanes());
        limits::allow_open_files(load.connections().saturating_mul(lanes))?;
        if !load.cpus.is_empty() {
            limits::pin(&load.cpus)?;
        }
        let began_ns = clock::monotonic_ns();
        let opener = Arc::new(Opener::new(load.clone()));
        let session = opener.ask_session(0)?;
        let role_session = load.role_endpoint.as_ref().map(|_| opener.ask_session(1));
        let role_session = role_session.transpose()?;
        let connections = with_users(load, open_all(&opener, stop)?);
        let connect_ns = clock::monotonic_ns() - began_ns;
        let start_ns = await_start(&load.start, stop)?;
        let start = Start {
            monotonic_ns: start_ns,
            realtime_ns: realtime_of(start_ns),
            session,
            role_session,
            connect_ns,
            connect_retries: opener.tally().connect_retries,
            prepared_statements: opener.tally().prepared,
            statements_as_text: opener.tally().as_text,
            network: NetworkPath::of(connections.iter()),
        };
        tell(load, &start, observer).map_err(DriveError::system("writing the start of the run"))?;
        Ok(Self {
            load,
            stop,
            opener,
            shares: deal(connections, load.workers as usize),
            start_ns: start.monotonic_ns,
            next_second: None,
            account: RunOutcome::nothing(Status::Complete),
        })
    }

    /// Drives one segment. Returns its first second, and its outcome.
    pub(crate) fn run(
        &mut self,
        segment: &Segment,
        observer: &mut dyn Observer,
    ) -> (u32, RunOutcome) {
        let first_second = self
            .next_second
            .map_or(0, |second| self.second_after(second));
        let grid = Arc::new(Grid::new(self.start_ns, first_second, &segment.phases));
        self.next_second = Some(grid.end_second());
        let shared = Arc::new(self.share(grid));
        let shares = std::mem::take(&mut self.shares);
        let (shares, outcome) = run_segment(self.load, segment, &shared, shares, observer);
        self.shares = shares;
        self.account.add(&outcome);
        (first_second, outcome)
    }

    /// Returns whether all segments so far ended as requested.
    pub(crate) fn is_well(&self) -> bool {
        self.account.status == Status::Complete
    }

    /// Ends the run with an error that happened between two segments.
    pub(crate) fn fail(&mut self, error: &DriveError) {
        self.account.status = Status::Failed(error.as_failure());
    }

    /// Closes all connections. Returns the outcome of all segments.
    pub(crate) fn close(mut self) -> RunOutcome {
        self.account.network = NetworkTraffic::of(self.shares.iter().flatten());
        let statements = &self.load.workload.spec().statements;
        for connection in self.shares.iter_mut().flatten() {
            connection.say_good_bye(statements);
        }
        self.account.peak_rss_bytes = limits::peak_rss_bytes();
        if self.is_well() && self.stop.is_thrown() {
            self.account.status = Status::Interrupted;
        }
        self.account
    }

    /// Returns the first second from `second` on that has not begun.
    fn second_after(&self, second: u32) -> u32 {
        let since_ns = (clock::monotonic_ns() + LEAD_NS).saturating_sub(self.start_ns);
        second.max(u32::try_from(since_ns.div_ceil(SECOND_NS)).unwrap_or(u32::MAX))
    }

    fn share(&self, grid: Arc<Grid>) -> WorkerShared {
        let load = self.load;
        let statements = &load.workload.spec().statements;
        WorkerShared {
            statement_meta: statements.iter().map(StatementMeta::of).collect(),
            texts: statements
                .iter()
                .map(|statement| StatementText::new(&statement.text))
                .collect(),
            workload: Arc::clone(&load.workload),
            policy: load.errors.clone(),
            seed: load.seed,
            grid,
            drain_ns: u64::try_from(load.drain.as_nanos()).unwrap_or(u64::MAX / 2),
            answer_timeout: load.answer_timeout,
            peer: load.endpoint.address.to_string(),
            opener: Arc::clone(&self.opener),
            stop: self.stop.clone(),
            failure: Arc::new(FailureSlot::default()),
            quota: load.events_limit.map(AtomicU64::new),
        }
    }
}

fn tell(load: &Load, start: &Start, observer: &mut dyn Observer) -> std::io::Result<()> {
    observer.started(start)?;
    let texts = not_as_asked(load, start);
    texts
        .iter()
        .try_for_each(|text| observer.message(Level::Warning, text))
}

/// Describes the settings that the server did not grant.
fn not_as_asked(load: &Load, start: &Start) -> Vec<String> {
    let mut texts = Vec::new();
    if start.statements_as_text > 0 {
        texts.push(format!(
            "max_prepared_stmt_count of the server was reached: of {}, {} are prepared and the others sent as text, \
             which costs client and server another price",
            counted(start.prepared_statements + start.statements_as_text, "statement"),
            start.prepared_statements,
        ));
    }
    if start.session.compression != load.session.compression {
        texts.push("the server does not compress its connections as requested".to_owned());
    }
    texts
}

fn with_users(load: &Load, opened: Vec<Opened>) -> Vec<WorkerConnection> {
    let users = (0..).map(|place| load.workload.user(load.share.number_of(place)));
    opened
        .into_iter()
        .zip(users)
        .map(|(opened, user)| WorkerConnection::new(opened, user))
        .collect()
}

/// Assigns connections to the workers in turn, like the arrivals of an open loop.
fn deal(connections: Vec<WorkerConnection>, workers: usize) -> Vec<Vec<WorkerConnection>> {
    let mut shares: Vec<Vec<WorkerConnection>> =
        std::iter::repeat_with(Vec::new).take(workers).collect();
    for (index, connection) in connections.into_iter().enumerate() {
        shares[index % workers].push(connection);
    }
    shares
}
