//! Implements prepared statements, the server's and those that the client emulates.

use super::client_error::ClientError;
use super::connection::Connection;
use super::link::LinkError;
use super::{ErrorKind, database, emulation};
use crate::figures::Counter;
use dbdyno_wire::{PrepareReply, PreparedStatement};
use std::sync::Arc;

/// The server can't prepare this text: BEGIN, with MySQL.
const NOT_PREPARABLE: u16 = 1295;

/// A statement of one connection.
#[derive(Debug)]
pub struct Statement {
    pub(super) sql: Arc<[u8]>,
    pub(super) form: StatementForm,
}

/// Says who puts the values in.
#[derive(Debug)]
pub(super) enum StatementForm {
    /// The server.
    Server {
        statement: PreparedStatement,
        /// Which of the connection's log-ins it belongs to.
        generation: u32,
    },
    /// The client, at these places of the text.
    Text(Box<[u32]>),
    /// Nobody: nothing is sent in a dry run.
    Nobody,
    /// It was closed.
    Closed,
}

impl Statement {
    /// Makes a statement that is never prepared, only filled in.
    #[must_use]
    pub fn text(sql: Arc<[u8]>) -> Self {
        let places = emulation::places(&sql);
        Self {
            sql,
            form: StatementForm::Text(places),
        }
    }

    /// Returns whether values are printed into the text. sysbench then prints a string up to its first zero byte,
    /// regardless of its given length.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.form, StatementForm::Text(_))
    }

    /// Returns the text, with its question marks.
    #[must_use]
    pub fn sql(&self) -> &[u8] {
        &self.sql
    }
}

impl Connection {
    /// Makes the server parse a text. Where it can't, or isn't to, the client will fill it in. `None` if that failed.
    pub fn prepare(&mut self, sql: impl Into<Arc<[u8]>>) -> Option<Statement> {
        if !self.begin() {
            return None;
        }
        let sql = sql.into();
        if self.engine.settings.database.dry_run {
            let form = StatementForm::Nobody;
            return Some(Statement { sql, form });
        }
        if database::is_text_only(&self.engine) {
            return Some(Statement::text(sql));
        }
        let form = self.prepare_by_server(&sql)?;
        Some(Statement { sql, form })
    }

    /// Returns whether so many values may be bound to a statement; says so if not.
    pub fn may_bind(&mut self, statement: &Statement, count: usize) -> bool {
        let fits = match &statement.form {
            StatementForm::Server { statement, .. } => {
                usize::from(statement.parameter_count) == count
            }
            StatementForm::Text(_) | StatementForm::Nobody => true,
            StatementForm::Closed => false,
        };
        if !fits {
            let text = "Wrong number of parameters to mysql_stmt_bind_param";
            self.engine.log.fatal(text);
        }
        fits
    }

    /// Forgets a statement. The server hears of it with the next request. False if it was closed before.
    pub fn close_statement(&mut self, statement: &mut Statement) -> bool {
        match std::mem::replace(&mut statement.form, StatementForm::Closed) {
            StatementForm::Server {
                statement,
                generation,
            } if generation == self.generation => {
                if let Some(link) = &mut self.link {
                    link.forget(statement.id);
                }
                true
            }
            StatementForm::Closed => {
                let text = "attempt to close an already closed statement";
                self.engine.log.alert(text);
                false
            }
            _ => true,
        }
    }

    /// Prepares a statement of an earlier log-in again before it is executed.
    pub(super) fn renew(&mut self, statement: &mut Statement) -> bool {
        let sql = Arc::clone(&statement.sql);
        match self.prepare_by_server(&sql) {
            Some(form) => {
                statement.form = form;
                true
            }
            None => false,
        }
    }

    fn prepare_by_server(&mut self, sql: &[u8]) -> Option<StatementForm> {
        loop {
            let complaint = match self.ask_to_prepare(sql) {
                Ok(PrepareReply::Prepared(statement)) => {
                    return Some(StatementForm::Server {
                        statement,
                        generation: self.generation,
                    });
                }
                Ok(PrepareReply::Refused(error)) if error.code == NOT_PREPARABLE => {
                    return Some(StatementForm::Text(emulation::places(sql)));
                }
                Ok(PrepareReply::Refused(error)) if error.ends_connection() => {
                    self.let_go(&error);
                    self.farewell(&error)
                }
                Ok(PrepareReply::Refused(error)) => (&error).into(),
                Err(complaint) => complaint,
            };
            // Nothing of an event was done yet, so that a new connection is all it takes.
            if self.connects_again_after(complaint.code) && self.mend() {
                self.count(Counter::Reconnect);
                continue;
            }
            self.engine.figures.count_code(&self.actor, complaint.code);
            self.note_failure(complaint.code);
            self.engine.log.fatal("mysql_stmt_prepare() failed");
            let text = format!("MySQL error: {} \"{}\"", complaint.code, complaint.message);
            self.engine.log.fatal(&text);
            self.error.fail_without_words();
            return None;
        }
    }

    fn ask_to_prepare(&mut self, sql: &[u8]) -> Result<PrepareReply, ClientError> {
        if self.pending.is_some() {
            return Err(ClientError::out_of_sync());
        }
        match self.link.as_mut().map(|link| link.prepare(sql)) {
            Some(Ok(reply)) => Ok(reply),
            Some(Err(how)) => Err(self.broken(&how)),
            None => Err(self.broken(&LinkError::Sending)),
        }
    }

    /// Refuses a call on a closed statement, for which no result may be asked.
    pub(super) fn refuse_closed(&mut self) {
        self.engine
            .log
            .alert("attempt to use an already closed statement");
        self.error.kind = ErrorKind::Fatal;
    }
}
