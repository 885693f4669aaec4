//! Opens connections in parallel: logs in and prepares the statements.

use crate::connection_pair::ConnectionPair;
use crate::error::{server, server_code};
use crate::session_read_back::{
    SessionReadBack, check_filling, global_variable, read_back, server_identity,
};
use crate::{DriveError, Load, PreparedFull, Protocol, StopSwitch};
use dbdyno_wire::{Channel, Session};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Marks a statement that is sent as text.
pub(crate) const AS_TEXT: u32 = u32::MAX;

/// Log-ins under way at the same time: a log-in mostly waits for the server.
const LOGIN_THREADS: u32 = 16;

const ER_CON_COUNT: u16 = 1040;
const ER_UNSUPPORTED_PS: u16 = 1295;
const ER_MAX_PREPARED_STMT_COUNT: u16 = 1461;

/// Numbers of the prepared statements in the workload's order. Connections that were given the same
/// numbers share one list.
pub(crate) type StatementIds = Arc<[u32]>;

/// Holds a connection ready for work.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) lanes: ConnectionPair,
    pub(crate) ids: StatementIds,
}

/// Opens connections of a load, before it begins and again after a loss.
#[derive(Debug)]
pub(crate) struct Opener {
    load: Load,
    /// The list of the connection opened last: a server numbers the statements of each connection in the
    /// same way, so nearly all share it.
    latest: Mutex<StatementIds>,
    connect_retries: AtomicU64,
    prepared: AtomicU64,
    as_text: AtomicU64,
}

/// Counts what opening the connections took so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoginTotals {
    /// Log-ins tried again because the server's listen queue was full.
    pub(crate) connect_retries: u64,
    /// Statements that the server prepared.
    pub(crate) prepared: u64,
    /// Statements that it refused to prepare because its limit was reached.
    pub(crate) as_text: u64,
}

impl Opener {
    pub(crate) fn new(load: Load) -> Self {
        Self {
            load,
            latest: Mutex::new(Arc::from([])),
            connect_retries: AtomicU64::new(0),
            prepared: AtomicU64::new(0),
            as_text: AtomicU64::new(0),
        }
    }

    pub(crate) fn tally(&self) -> LoginTotals {
        LoginTotals {
            connect_retries: self.connect_retries.load(Ordering::Relaxed),
            prepared: self.prepared.load(Ordering::Relaxed),
            as_text: self.as_text.load(Ordering::Relaxed),
        }
    }

    /// Opens and prepares the connections of one user.
    pub(crate) fn open(&self) -> Result<Opened, DriveError> {
        self.open_lanes(&mut 0)
    }

    /// Does so, and sets `lane` to the number of the connection that it opens.
    fn open_lanes(&self, lane: &mut u8) -> Result<Opened, DriveError> {
        let mut ids = vec![AS_TEXT; self.load.workload.spec().statements.len()];
        let first = self.open_lane(*lane, &mut ids)?;
        let second = match self.load.workload.spec().lanes() {
            0 | 1 => None,
            _ => {
                *lane = 1;
                Some(self.open_lane(1, &mut ids)?)
            }
        };
        Ok(Opened {
            lanes: ConnectionPair::new(first, second),
            ids: self.share(ids),
        })
    }

    fn open_lane(&self, lane: u8, ids: &mut [u32]) -> Result<Channel, DriveError> {
        let mut session = self.connect(lane)?;
        for statement in &self.load.workload.spec().session_statements[usize::from(lane)] {
            let doing = || format!("beginning a session with {statement}");
            session
                .query(statement)
                .map_err(|source| server(doing())(source))?;
        }
        self.prepare_all(&mut session, lane, ids)?;
        session
            .into_channel()
            .map_err(server("taking over a connection"))
    }

    /// Reads the session settings of this user, over a separate connection, so that the load's connections carry
    /// only the load's statements.
    pub(crate) fn ask_session(&self, lane: u8) -> Result<SessionReadBack, DriveError> {
        let mut session = self.connect(lane)?;
        let mut facts = read_back(&mut session)?;
        check_filling(&mut session)?;
        if self.load.is_share() {
            facts.server_identity = Some(server_identity(&mut session)?);
        }
        session.close();
        Ok(facts)
    }

    fn connect(&self, lane: u8) -> Result<Session, DriveError> {
        let endpoint = self.load.endpoint_of(lane);
        let opened = Session::open_with(endpoint, &self.load.session, self.load.login_timeout);
        let mut session = opened.map_err(|source| {
            let doing = if source.is_connection_lost() {
                "log-in".to_owned() // the error of a broken connection names its peer
            } else {
                format!("log-in at {}", endpoint.address)
            };
            server(doing)(source)
        })?;
        let retries = u64::from(session.info().connect_retries);
        self.connect_retries.fetch_add(retries, Ordering::Relaxed);
        let limited = session.set_timeout(self.load.answer_timeout);
        limited.map_err(server("limiting the time for answers"))?;
        let escaping = session.escape_by_backslash();
        escaping.map_err(server("making backslashes escapes"))?;
        Ok(session)
    }

    fn prepare_all(
        &self,
        session: &mut Session,
        lane: u8,
        ids: &mut [u32],
    ) -> Result<(), DriveError> {
        if self.load.protocol == Protocol::Text {
            return Ok(());
        }
        let statements = &self.load.workload.spec().statements;
        for (statement, id) in statements.iter().zip(ids) {
            if statement.lane == lane && statement.can_be_prepared() {
                *id = self.prepare(session, &statement.text)?;
            }
        }
        Ok(())
    }

    fn prepare(&self, session: &mut Session, text: &str) -> Result<u32, DriveError> {
        match session.prepare(text) {
            Ok(statement) => {
                self.prepared.fetch_add(1, Ordering::Relaxed);
                Ok(statement.id)
            }
            // MySQL doesn't prepare BEGIN; sysbench sends it as text then.
            Err(error) if server_code(&error) == Some(ER_UNSUPPORTED_PS) => Ok(AS_TEXT),
            Err(error) if server_code(&error) == Some(ER_MAX_PREPARED_STMT_COUNT) => {
                if self.load.prepared_full == PreparedFull::Text {
                    self.as_text.fetch_add(1, Ordering::Relaxed);
                    return Ok(AS_TEXT);
                }
                Err(DriveError::PreparedStatements {
                    limit: global_variable(session, "max_prepared_stmt_count"),
                    connections: self.load.concurrency,
                    statements: self.prepared_count(),
                })
            }
            Err(source) => Err(server(format!("preparing {text}"))(source)),
        }
    }

    fn prepared_count(&self) -> usize {
        let statements = &self.load.workload.spec().statements;
        statements
            .iter()
            .filter(|statement| statement.can_be_prepared())
            .count()
    }

    fn share(&self, ids: Vec<u32>) -> StatementIds {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if **latest != *ids {
            *latest = ids.into();
        }
        Arc::clone(&latest)
    }
}

/// Opens all connections of the load, in the order of their users.
pub(crate) fn open_all(opener: &Opener, stop: &StopSwitch) -> Result<Vec<Opened>, DriveError> {
    let count = opener.load.connections();
    let next = AtomicU32::new(0);
    let opened = Mutex::new(Vec::with_capacity(count as usize));
    let failed = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..LOGIN_THREADS.min(count) {
            scope.spawn(|| open_some(opener, stop, &next, &opened, &failed));
        }
    });
    if stop.is_thrown() {
        return Err(DriveError::Interrupted);
    }
    let mut opened: Vec<(u32, Opened)> =
        opened.into_inner().unwrap_or_else(PoisonError::into_inner);
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some((index, lane, error)) = failed {
        drop(opened); // makes room for the connection that asks
        return Err(refusal(opener, index, lane, error));
    }
    opened.sort_unstable_by_key(|&(index, _)| index);
    Ok(opened.into_iter().map(|(_, opened)| opened).collect())
}

fn open_some(
    opener: &Opener,
    stop: &StopSwitch,
    next: &AtomicU32,
    opened: &Mutex<Vec<(u32, Opened)>>,
    failed: &Mutex<Option<(u32, u8, DriveError)>>,
) {
    while !stop.is_thrown() {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= opener.load.connections() {
            return;
        }
        let mut lane = 0;
        match opener.open_lanes(&mut lane) {
            Ok(one) => opened
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((index, one)),
            Err(error) => {
                failed
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert((index, lane, error));
                next.store(opener.load.connections(), Ordering::Relaxed); // no other connection is opened
                return;
            }
        }
    }
}

/// Names the server's limit if it was reached.
fn refusal(opener: &Opener, index: u32, lane: u8, error: DriveError) -> DriveError {
    match &error {
        DriveError::Server { source, .. } if server_code(source) == Some(ER_CON_COUNT) => {
            let load = &opener.load;
            let server = &load.endpoint_of(lane).address;
            let each = (0..load.workload.spec().lanes())
                .filter(|&other| load.endpoint_of(other).address == *server)
                .count() as u32;
            DriveError::Connections {
                limit: ask_connection_limit(opener, lane),
                connections: load.concurrency.saturating_mul(each),
                reached: index * each + u32::from(lane).min(each - 1) + 1,
            }
        }
        _ => error,
    }
}

/// Reads the connection limit. The connections of this load were just closed; the server needs some time to notice.
fn ask_connection_limit(opener: &Opener, lane: u8) -> Option<String> {
    for _ in 0..20 {
        if let Ok(mut session) = opener.connect(lane) {
            let limit = global_variable(&mut session, "max_connections");
            session.close();
            return limit;
        }
        thread::sleep(Duration::from_millis(50));
    }
    None
}
