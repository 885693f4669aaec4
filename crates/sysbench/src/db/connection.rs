//! Runs queries over one connection, as long as all goes well.

use super::call_result::{CallResult, Pending, ResultSet};
use super::client_error::ClientError;
use super::link::Loss;
use super::link::{Link, LinkError};
use super::placement::ServerAddress;
use super::rows::{RowDetector, StoredRows};
use super::statement::{Statement, StatementForm};
use super::{ErrorKind, LastError, emulation, login};
use crate::figures::Counter;
use crate::{Actor, Dialect, Engine};
use dbdyno_wire::{Parameters, Reply};
use dbdyno_workload::GrowingInsert;
use std::rc::Rc;
use std::sync::Arc;

/// A connection of one user. It belongs to the fiber or thread that made it.
pub struct Connection {
    pub(super) engine: Arc<Engine>,
    pub(super) actor: Rc<Actor>,
    pub(super) place: ServerAddress,
    /// `None` in a dry run, and once the connection is lost or closed.
    pub(super) link: Option<Link>,
    /// Which log-in this is, so that statements of an earlier one are known.
    pub(super) generation: u32,
    pub(super) pending: Option<Pending>,
    pub(super) in_transaction: bool,
    pub(super) error: LastError,
    /// How the link was lost, where answers are watched.
    pub(super) lost_by: Option<Loss>,
    /// The last link was lost, and there has been no other.
    pub(super) is_lost: bool,
    pub(super) bulk: Option<Box<GrowingInsert>>,
    pub(super) result: Option<ResultSet>,
    pub(super) rows: StoredRows,
    /// A statement that the client fills in, kept for its memory.
    filled_in: Vec<u8>,
    is_closed: bool,
}

impl Connection {
    pub(super) fn open(engine: Arc<Engine>, actor: Rc<Actor>) -> Option<Self> {
        let place = engine.database.placement.next();
        let mut connection = Self {
            engine,
            actor,
            place,
            link: None,
            generation: 0,
            pending: None,
            in_transaction: false,
            error: LastError::default(),
            lost_by: None,
            is_lost: false,
            bulk: None,
            result: None,
            rows: StoredRows::default(),
            filled_in: Vec::new(),
            is_closed: false,
        };
        connection.connect().then_some(connection)
    }

    /// Returns what a script can ask about the last call.
    #[must_use]
    pub fn last_error(&self) -> &LastError {
        &self.error
    }

    /// Ignores the last error after all, by decision of the script's hook.
    pub fn forgive(&mut self) {
        self.error.kind = ErrorKind::Ignorable;
    }

    /// Returns the result set of the last call, if it returned one that was not freed.
    #[must_use]
    pub fn result(&self) -> Option<ResultSet> {
        self.result
    }

    /// Sends a text and keeps its rows.
    pub fn query(&mut self, sql: &[u8]) -> CallResult {
        if !self.begin() {
            return CallResult::Failed;
        }
        self.send_text(sql)
    }

    /// Executes a statement with as many values as it has places. Rows of what the server prepared are counted and passed
    /// over.
    pub fn execute(&mut self, statement: &mut Statement, parameters: &Parameters) -> CallResult {
        if !self.begin() {
            return CallResult::Failed;
        }
        loop {
            return match &statement.form {
                StatementForm::Server {
                    statement: prepared,
                    generation,
                } if *generation == self.generation => {
                    if parameters.len() != usize::from(prepared.parameter_count) {
                        let complaint = ClientError::no_parameters(self.dialect());
                        return self.fail("mysql_stmt_execute", Some(&statement.sql), &complaint);
                    }
                    let id = prepared.id;
                    self.send_execute(id, &statement.sql, parameters)
                }
                StatementForm::Server { .. } => match self.renew(statement) {
                    true => continue,
                    false => CallResult::Failed,
                },
                StatementForm::Text(places) => {
                    let mut sql = std::mem::take(&mut self.filled_in);
                    sql.clear();
                    emulation::write(&statement.sql, places, parameters, &mut sql);
                    let answer = self.send_text(&sql);
                    self.filled_in = sql;
                    answer
                }
                StatementForm::Nobody => self.do_nothing(),
                StatementForm::Closed => {
                    self.refuse_closed();
                    CallResult::Failed
                }
            };
        }
    }

    /// Undoes what a transaction left open, before its event is repeated: sysbench leaves that to the
    /// repeated BEGIN, which commits it. Does nothing unless the user wants the fix.
    pub fn roll_back(&mut self) {
        let is_idle = self.in_transaction && self.pending.is_none();
        if !self.engine.settings.fixes.rollback || !is_idle {
            return;
        }
        let Some(link) = &mut self.link else {
            return;
        };
        match link.query(b"ROLLBACK", &mut RowDetector::default()) {
            Ok(Reply::Error(_)) => self.count(Counter::Error),
            Ok(_) => {
                self.in_transaction = false;
                self.count(Counter::Other);
            }
            // The event's first statement finds no connection and reports how it was lost.
            Err(how) => {
                self.broken(&how);
            }
        }
    }

    /// Closes the connection and makes it anew, at the same server. During a run a server that lets nobody in is asked
    /// again until it does, as by sysbench: it may just not have noticed that the old connection is closed. Statements
    /// are prepared again when they are next executed. False if that failed, which was logged.
    pub fn reconnect(&mut self) -> bool {
        if !self.begin() {
            return false;
        }
        if self.engine.settings.database.dry_run {
            return true;
        }
        let control = &self.engine.control;
        let is_running = control.began_ns().is_some() && control.ended_ns().is_none();
        let connected = if is_running {
            self.open_again(self.is_lost)
        } else {
            self.unplug();
            self.connect() // nothing would end a longer wait
        };
        if connected {
            self.count(Counter::Reconnect);
        } else {
            self.count(Counter::Error);
            self.error.fail_without_words();
        }
        connected
    }

    /// Closes the connection.
    pub fn disconnect(&mut self) {
        if self.is_closed {
            let text = "attempt to close an already closed connection";
            self.engine.log.alert(text);
            return;
        }
        self.unplug();
        self.result = None;
        self.rows.clear();
        self.is_closed = true;
    }

    /// Begins a call and forgets what the last one left. False on a closed connection.
    #[inline]
    pub(super) fn begin(&mut self) -> bool {
        if self.is_closed {
            self.engine
                .log
                .alert("attempt to use an already closed connection");
            self.error.kind = ErrorKind::Fatal;
            return false;
        }
        self.error.clear();
        self.result = None;
        true
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.engine.settings.dialect
    }

    #[inline]
    pub(super) fn count(&self, counter: Counter) {
        self.engine.figures.count(&self.actor, counter);
    }

    fn connect(&mut self) -> bool {
        if self.engine.settings.database.dry_run {
            return true;
        }
        match login::log_in(&self.engine, &self.place, self.is_lost) {
            Ok(link) => {
                self.plug(link);
                true
            }
            Err(complaint) => {
                self.tell_unconnected(&complaint);
                false
            }
        }
    }

    fn do_nothing(&mut self) -> CallResult {
        self.count(Counter::Other);
        CallResult::NoRows
    }

    fn send_text(&mut self, sql: &[u8]) -> CallResult {
        const SENDING: &str = "mysql_drv_query";
        if self.engine.settings.database.dry_run {
            return self.do_nothing();
        }
        self.rows.clear();
        if self.pending.is_some() {
            return self.fail(SENDING, Some(sql), &ClientError::out_of_sync());
        }
        let Some(link) = &mut self.link else {
            return self.lost(SENDING, Some(sql), &LinkError::Sending);
        };
        let reply = link.query(sql, &mut self.rows);
        let (doing, sql) = match self.rows.began {
            true => ("mysql_store_result", None),
            false => (SENDING, Some(sql)),
        };
        match reply {
            Ok(Reply::Error(error)) => self.refused(doing, sql, &error),
            Ok(reply) => self.take(&reply, Pending::Query),
            Err(how) => self.lost(doing, sql, &how),
        }
    }

    fn send_execute(&mut self, id: u32, sql: &[u8], parameters: &Parameters) -> CallResult {
        const SENDING: &str = "mysql_stmt_execute";
        self.rows.began = false;
        if self.pending.is_some() && !self.drain(id) {
            return self.fail(SENDING, Some(sql), &ClientError::out_of_sync());
        }
        let Some(link) = &mut self.link else {
            return self.lost(SENDING, Some(sql), &LinkError::Sending);
        };
        let mut rows = RowDetector::default();
        let reply = link.execute(id, parameters, &mut rows);
        let (doing, sql) = match rows.began {
            true => ("mysql_stmt_store_result", None),
            false => (SENDING, Some(sql)),
        };
        match reply {
            Ok(Reply::Error(error)) => self.refused(doing, sql, &error),
            Ok(reply) => self.take(&reply, Pending::Statement(id)),
            Err(how) => self.lost(doing, sql, &how),
        }
    }

    /// Takes the results that the same statement left, as client libraries do. False if others wait.
    #[cold]
    fn drain(&mut self, id: u32) -> bool {
        while self.pending == Some(Pending::Statement(id)) {
            let Some(link) = &mut self.link else {
                self.pending = None;
                break;
            };
            match link.next_result(&mut RowDetector::default()) {
                Ok(reply) if reply.has_more() => {}
                Ok(_) => self.pending = None,
                Err(how) => {
                    self.broken(&how);
                }
            }
        }
        self.pending.is_none()
    }

    /// Counts a result: a result set is a read, otherwise changed rows are a write, otherwise it is other.
    #[inline]
    pub(super) fn take(&mut self, reply: &Reply, whose: Pending) -> CallResult {
        self.in_transaction = reply.in_transaction().unwrap_or(self.in_transaction);
        self.pending = reply.has_more().then_some(whose);
        match reply {
            Reply::Rows(rows) => {
                let shows_columns = whose == Pending::Query || self.dialect() == Dialect::V1_1;
                self.result = Some(ResultSet {
                    row_count: rows.rows,
                    column_count: if shows_columns { rows.columns } else { 0 },
                });
                self.count(Counter::Read);
                return CallResult::Rows;
            }
            Reply::Ok(ok) if ok.affected_rows > 0 => self.count(Counter::Write),
            _ => self.count(Counter::Other),
        }
        CallResult::NoRows
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(link) = self.link.take() {
            link.quit();
        }
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("place", &self.place)
            .field("is_closed", &self.is_closed)
            .finish_non_exhaustive()
    }
}
