//! Reads one request and finds out what it asks for.

use super::connection::ClientConnection;
use super::handler::{CloseConnection, ConnectionHandler};
use super::response::Response;
use super::statement_cache::PreparedStatement;
use crate::protocol::{Bytes, HandshakeResponse, capability, command};
use crate::record::PREPARE_ROW;
use crate::sql::{Count, ResponsePlan, first_two, parse_statement, statements, width};
use std::rc::Rc;
use std::sync::atomic::Ordering;

const UNKNOWN_COMMAND: u16 = 1047;
const SYNTAX: u16 = 1064;
const UNKNOWN_STATEMENT: u16 = 1243;
const TOO_MANY_PREPARED: u16 = 1461;
const MALFORMED: u16 = 1835;

/// Describes where in its request a statement stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StatementPosition {
    /// Others stand before it.
    pub(super) continues: bool,
    /// Others stand behind it.
    pub(super) has_more: bool,
}

/// Describes how a statement came, and what only its values decide.
#[derive(Debug, Clone, Copy)]
pub(super) struct Execution {
    /// Rows to return or to have changed.
    pub(super) count: u32,
    /// Prepared, so that rows are binary.
    pub(super) binary: bool,
    pub(super) part: StatementPosition,
}

/// One request at the handler.
pub(super) struct RequestContext<'a> {
    pub(super) handler: &'a mut ConnectionHandler,
    pub(super) client: &'a mut ClientConnection,
    pub(super) place: u32,
    pub(super) arrived_ns: u64,
}

impl RequestContext<'_> {
    pub(super) fn welcome(&mut self, payload: &[u8], sequence: u8) -> Result<(), CloseConnection> {
        let handshake_response = HandshakeResponse::parse(payload).map_err(|_| CloseConnection)?;
        let has = |bit: u32| handshake_response.capabilities & bit != 0;
        if has(capability::SSL) {
            return Err(CloseConnection); // TLS was not offered
        }
        self.client.deprecate_eof =
            has(capability::DEPRECATE_EOF) && self.handler.server_info.deprecate_eof;
        self.client.multi_statements = has(capability::MULTI_STATEMENTS);
        self.client.is_authenticated = true;
        let mut out = Vec::new();
        handshake_response.put_ok_packet(&mut out, sequence.wrapping_add(1));
        self.reply_now(Response::Bytes(out.into()))
    }

    #[inline]
    pub(super) fn command(&mut self, payload: &[u8]) -> Result<(), CloseConnection> {
        let (&code, body) = payload.split_first().ok_or(CloseConnection)?;
        match code {
            command::EXECUTE => self.execute(body),
            command::QUERY => self.query(body),
            command::PREPARE => self.prepare(body),
            command::CLOSE_STATEMENT => self.close_statement(body),
            command::SEND_LONG_DATA => Ok(()), // has no reply
            command::QUIT => Err(CloseConnection),
            command::PING | command::INIT_DB | command::RESET_STATEMENT => self.reply_ok(),
            command::RESET_CONNECTION | command::CHANGE_USER => {
                self.forget();
                self.reply_ok()
            }
            command::SET_OPTION => {
                self.client.multi_statements = body.first() == Some(&0);
                self.reply_now(Response::Eof)
            }
            command::STATISTICS => {
                self.reply_now(Response::Text("Uptime: 1  Threads: 1  Questions: 1"))
            }
            _ => self.reply_now(Response::Error(UNKNOWN_COMMAND)),
        }
    }

    /// Lets go of what the connection kept.
    fn forget(&mut self) {
        let count = self.client.prepared.clear();
        self.handler
            .shared
            .prepared
            .fetch_sub(count, Ordering::Relaxed);
        self.client.in_transaction = false;
        self.client.autocommit = true;
    }

    fn query(&mut self, sql: &[u8]) -> Result<(), CloseConnection> {
        if !sql.contains(&b';') {
            return self.text_statement(sql, StatementPosition::default());
        }
        let parts = statements(sql);
        if parts.len() > 1 && !self.client.multi_statements {
            return self.fail(SYNTAX);
        }
        for (index, part) in parts.iter().enumerate() {
            let place = StatementPosition {
                continues: index > 0,
                has_more: index + 1 < parts.len(),
            };
            let errors = self.handler.recorder.errors();
            self.text_statement(part, place)?;
            if self.handler.recorder.errors() > errors {
                break; // the statements behind one that failed are not done
            }
        }
        Ok(())
    }

    fn text_statement(
        &mut self,
        sql: &[u8],
        part: StatementPosition,
    ) -> Result<(), CloseConnection> {
        let ConnectionHandler {
            tokens,
            server_info,
            ..
        } = &mut *self.handler;
        let parsed = parse_statement(sql, tokens, server_info);
        let call = Execution {
            count: parsed.count,
            binary: false,
            part,
        };
        self.statement(&parsed, sql, call)
    }

    fn prepare(&mut self, sql: &[u8]) -> Result<(), CloseConnection> {
        let ConnectionHandler {
            cache,
            tokens,
            server_info,
            shared,
            max_prepared,
            ..
        } = &mut *self.handler;
        let before = shared.prepared.fetch_add(1, Ordering::Relaxed);
        if max_prepared.is_some_and(|most| before >= most) {
            shared.prepared.fetch_sub(1, Ordering::Relaxed);
            let response = Response::Error(TOO_MANY_PREPARED);
            return self.reply(response, Some(PREPARE_ROW), StatementPosition::default());
        }
        let statement = cache.find(sql, || parse_statement(sql, tokens, server_info));
        let number = self.client.prepared.keep(Rc::clone(&statement));
        let bytes = statement.reply(number, self.client.deprecate_eof);
        self.reply(
            Response::Bytes(bytes),
            Some(PREPARE_ROW),
            StatementPosition::default(),
        )
    }

    fn close_statement(&mut self, body: &[u8]) -> Result<(), CloseConnection> {
        let number = Bytes(body).u32().map_err(|_| CloseConnection)?;
        if self.client.prepared.close(number) {
            self.handler.shared.prepared.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn execute(&mut self, body: &[u8]) -> Result<(), CloseConnection> {
        let mut bytes = Bytes(body);
        let number = bytes.u32().map_err(|_| CloseConnection)?;
        let Some(prepared_statement) = self.client.prepared.find(number) else {
            return self.fail(UNKNOWN_STATEMENT);
        };
        let has_values = bytes.take(1 + 4).is_ok(); // cursor, iteration count
        let Some(count) = rows(prepared_statement, bytes.0).filter(|_| has_values) else {
            return self.fail(MALFORMED);
        };
        let statement = Rc::clone(&prepared_statement.statement);
        let call = Execution {
            count,
            binary: true,
            part: StatementPosition::default(),
        };
        self.statement(&statement.parsed, &statement.text, call)
    }
}

/// Counts rows of an execution; `None` if it can't be read.
#[inline]
fn rows(prepared_statement: &mut PreparedStatement, values: &[u8]) -> Option<u32> {
    let statement = &prepared_statement.statement;
    if !matches!(statement.parsed.plan, ResponsePlan::Rows(Count::Width)) {
        return Some(statement.parsed.count);
    }
    if statement.parameter_count == 0 {
        return Some(statement.parsed.count); // both ends stand in the text
    }
    let values = first_two(
        values,
        statement.parameter_count,
        &mut prepared_statement.types,
    )
    .ok()?;
    Some(values.map_or(0, width))
}
