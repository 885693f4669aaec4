//! One request at the desk: what it asks for.

use super::answer::Answer;
use super::connection::Connection;
use super::desk::{Desk, Goodbye};
use super::statement::Kept;
use crate::protocol::{Bytes, Introduction, capability, command};
use crate::record::PREPARE_ROW;
use crate::sql::{Count, Recipe, first_two, statements, understand, width};
use std::rc::Rc;
use std::sync::atomic::Ordering;

const UNKNOWN_COMMAND: u16 = 1047;
const SYNTAX: u16 = 1064;
const UNKNOWN_STATEMENT: u16 = 1243;
const TOO_MANY_PREPARED: u16 = 1461;
const MALFORMED: u16 = 1835;

/// Where in its request a statement stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part {
    /// Others stand before it.
    pub(super) continues: bool,
    /// Others stand behind it.
    pub(super) has_more: bool,
}

/// How a statement came, and what only its values tell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    /// Rows to return or to have changed.
    pub(super) count: u32,
    /// Prepared, so that rows are binary.
    pub(super) binary: bool,
    pub(super) part: Part,
}

/// One request at the desk.
pub(super) struct Visit<'a> {
    pub(super) desk: &'a mut Desk,
    pub(super) client: &'a mut Connection,
    pub(super) place: u32,
    pub(super) arrived_ns: u64,
}

impl Visit<'_> {
    pub(super) fn welcome(&mut self, payload: &[u8], sequence: u8) -> Result<(), Goodbye> {
        let introduction = Introduction::parse(payload).map_err(|_| Goodbye)?;
        let has = |bit: u32| introduction.capabilities & bit != 0;
        if has(capability::SSL) {
            return Err(Goodbye); // TLS was not offered
        }
        self.client.deprecate_eof = has(capability::DEPRECATE_EOF) && self.desk.known.deprecate_eof;
        self.client.multi_statements = has(capability::MULTI_STATEMENTS);
        self.client.is_in = true;
        let mut out = Vec::new();
        introduction.put_welcome(&mut out, sequence.wrapping_add(1));
        self.tell(Answer::Bytes(out.into()))
    }

    #[inline]
    pub(super) fn command(&mut self, payload: &[u8]) -> Result<(), Goodbye> {
        let (&code, body) = payload.split_first().ok_or(Goodbye)?;
        match code {
            command::EXECUTE => self.execute(body),
            command::QUERY => self.query(body),
            command::PREPARE => self.prepare(body),
            command::CLOSE_STATEMENT => self.close_statement(body),
            command::SEND_LONG_DATA => Ok(()), // has no reply
            command::QUIT => Err(Goodbye),
            command::PING | command::INIT_DB | command::RESET_STATEMENT => self.tell_ok(),
            command::RESET_CONNECTION | command::CHANGE_USER => {
                self.forget();
                self.tell_ok()
            }
            command::SET_OPTION => {
                self.client.multi_statements = body.first() == Some(&0);
                self.tell(Answer::Eof)
            }
            command::STATISTICS => self.tell(Answer::Text("Uptime: 1  Threads: 1  Questions: 1")),
            _ => self.tell(Answer::Error(UNKNOWN_COMMAND)),
        }
    }

    /// Lets go of what the connection kept.
    fn forget(&mut self) {
        let count = self.client.prepared.clear();
        self.desk
            .shared
            .prepared
            .fetch_sub(count, Ordering::Relaxed);
        self.client.in_transaction = false;
        self.client.autocommit = true;
    }

    fn query(&mut self, sql: &[u8]) -> Result<(), Goodbye> {
        if !sql.contains(&b';') {
            return self.text_statement(sql, Part::default());
        }
        let parts = statements(sql);
        if parts.len() > 1 && !self.client.multi_statements {
            return self.fail(SYNTAX);
        }
        for (index, part) in parts.iter().enumerate() {
            let place = Part {
                continues: index > 0,
                has_more: index + 1 < parts.len(),
            };
            let errors = self.desk.recorder.errors();
            self.text_statement(part, place)?;
            if self.desk.recorder.errors() > errors {
                break; // the statements behind one that failed are not done
            }
        }
        Ok(())
    }

    fn text_statement(&mut self, sql: &[u8], part: Part) -> Result<(), Goodbye> {
        let Desk { tokens, known, .. } = &mut *self.desk;
        let understood = understand(sql, tokens, known);
        let call = Call {
            count: understood.count,
            binary: false,
            part,
        };
        self.statement(&understood, sql, call)
    }

    fn prepare(&mut self, sql: &[u8]) -> Result<(), Goodbye> {
        let Desk {
            library,
            tokens,
            known,
            shared,
            max_prepared,
            ..
        } = &mut *self.desk;
        let before = shared.prepared.fetch_add(1, Ordering::Relaxed);
        if max_prepared.is_some_and(|most| before >= most) {
            shared.prepared.fetch_sub(1, Ordering::Relaxed);
            let answer = Answer::Error(TOO_MANY_PREPARED);
            return self.reply(answer, Some(PREPARE_ROW), Part::default());
        }
        let statement = library.find(sql, || understand(sql, tokens, known));
        let number = self.client.prepared.keep(Rc::clone(&statement));
        let bytes = statement.reply(number, self.client.deprecate_eof);
        self.reply(Answer::Bytes(bytes), Some(PREPARE_ROW), Part::default())
    }

    fn close_statement(&mut self, body: &[u8]) -> Result<(), Goodbye> {
        let number = Bytes(body).u32().map_err(|_| Goodbye)?;
        if self.client.prepared.close(number) {
            self.desk.shared.prepared.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn execute(&mut self, body: &[u8]) -> Result<(), Goodbye> {
        let mut bytes = Bytes(body);
        let number = bytes.u32().map_err(|_| Goodbye)?;
        let Some(kept) = self.client.prepared.find(number) else {
            return self.fail(UNKNOWN_STATEMENT);
        };
        let has_values = bytes.take(1 + 4).is_ok(); // cursor, iteration count
        let Some(count) = rows(kept, bytes.0).filter(|_| has_values) else {
            return self.fail(MALFORMED);
        };
        let statement = Rc::clone(&kept.statement);
        let call = Call {
            count,
            binary: true,
            part: Part::default(),
        };
        self.statement(&statement.understood, &statement.text, call)
    }
}

/// Rows of an execution; `None` if it can't be read.
#[inline]
fn rows(kept: &mut Kept, values: &[u8]) -> Option<u32> {
    let statement = &kept.statement;
    if !matches!(statement.understood.recipe, Recipe::Rows(Count::Width)) {
        return Some(statement.understood.count);
    }
    if statement.parameter_count == 0 {
        return Some(statement.understood.count); // both ends stand in the text
    }
    let values = first_two(values, statement.parameter_count, &mut kept.types).ok()?;
    Some(values.map_or(0, width))
}
