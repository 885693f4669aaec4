//! Requests taken in, answers given out.

use super::answer::{Answer, Encoder};
use super::connection::{Connection, Held, Reply};
use super::deadlines::Deadlines;
use super::statement::{Kept, Library};
use crate::faults::{Faults, Outcome, ends_transaction};
use crate::protocol::{Bytes, Introduction, capability, command, renumber, status};
use crate::record::{OTHER_ROW, PREPARE_ROW, Recorder};
use crate::shared::Shared;
use crate::sql::{
    Count, Known, Recipe, SHAPES, Token, Understood, first_two, statements, understand, width,
};
use dbdyno_meter::clock::monotonic_ns;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const UNKNOWN_COMMAND: u16 = 1047;
const SYNTAX: u16 = 1064;
const UNKNOWN_STATEMENT: u16 = 1243;
const TOO_MANY_PREPARED: u16 = 1461;
const MALFORMED: u16 = 1835;

/// What a client must not be told any more: the connection ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Goodbye;

/// Everything of a worker but its connections.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) shared: Arc<Shared>,
    pub(crate) known: Known,
    pub(crate) max_prepared: Option<u32>,
    pub(crate) faults: Faults,
    pub(crate) recorder: Recorder,
    pub(crate) deadlines: Deadlines,
    encoder: Encoder,
    library: Library,
    tokens: Vec<Token>,
    /// What leaves next.
    pub(crate) out: Vec<u8>,
    /// Something in the plan or the log needs the time.
    pub(crate) is_timed: bool,
}

impl Desk {
    pub(crate) fn new(
        shared: Arc<Shared>,
        known: Known,
        max_prepared: Option<u32>,
        faults: Faults,
        recorder: Recorder,
        is_timed: bool,
    ) -> Self {
        Self {
            shared,
            known,
            max_prepared,
            faults,
            recorder,
            deadlines: Deadlines::default(),
            encoder: Encoder::default(),
            library: Library::default(),
            tokens: Vec::new(),
            out: Vec::new(),
            is_timed,
        }
    }

    /// Answers one request; `place` is the connection's among those of the worker.
    pub(crate) fn request(
        &mut self,
        client: &mut Connection,
        place: u32,
        payload: &[u8],
        sequence: u8,
        arrived_ns: u64,
    ) -> Result<(), Goodbye> {
        let mut visit = Visit {
            desk: self,
            client,
            place,
            arrived_ns,
        };
        if visit.client.is_in {
            visit.command(payload)
        } else {
            visit.welcome(payload, sequence)
        }
    }

    /// Says the first word.
    pub(crate) fn greeting(
        &mut self,
        client: &mut Connection,
        place: u32,
        greeting: Vec<u8>,
        arrived_ns: u64,
    ) -> Result<(), Goodbye> {
        let mut visit = Visit {
            desk: self,
            client,
            place,
            arrived_ns,
        };
        visit.tell(Answer::Bytes(greeting.into()))
    }

    /// Gives out the replies of a connection that are due.
    pub(crate) fn release(&mut self, client: &mut Connection, now_ns: u64) -> Result<(), Goodbye> {
        while client
            .held
            .front()
            .is_some_and(|held| held.due_ns <= now_ns)
        {
            let Some(held) = client.held.pop_front() else {
                break;
            };
            self.recorder.wait_no_more(1);
            self.encode(client, held.arrived_ns, &held.reply)?;
        }
        Ok(())
    }

    /// Writes a reply to what leaves next.
    fn encode(
        &mut self,
        client: &mut Connection,
        arrived_ns: u64,
        reply: &Reply,
    ) -> Result<(), Goodbye> {
        let code = match reply.answer {
            Answer::Error(code) => code,
            Answer::Drop => crate::DROPPED,
            _ => 0,
        };
        if let Some(row) = reply.row {
            self.recorder.answered(arrived_ns, client.number, row, code);
        }
        if code == crate::DROPPED {
            return Err(Goodbye);
        }
        let start = self.out.len();
        self.encoder.put(
            &mut self.out,
            &reply.answer,
            reply.status,
            client.deprecate_eof,
        );
        let has_more = reply.status & status::MORE_RESULTS != 0;
        if reply.continues || has_more {
            let first = if reply.continues {
                client.next_sequence
            } else {
                1
            };
            client.next_sequence = renumber(&mut self.out[start..], first);
        }
        Ok(())
    }

    /// Writes the replies given out to the client. An error says that it is gone.
    #[inline]
    pub(crate) fn send(&mut self, client: &mut Connection) -> Result<(), Goodbye> {
        let is_there = self.out.is_empty() || client.send(&self.out);
        self.recorder.sent(self.out.len());
        self.out.clear();
        if is_there { Ok(()) } else { Err(Goodbye) }
    }
}

/// Where in its request a statement stands.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    /// Others stand before it.
    continues: bool,
    /// Others stand behind it.
    has_more: bool,
}

/// How a statement came, and what only its values tell.
#[derive(Debug, Clone, Copy)]
struct Call {
    /// Rows to return or to have changed.
    count: u32,
    /// Prepared, so that rows are binary.
    binary: bool,
    part: Part,
}

/// One request at the desk.
struct Visit<'a> {
    desk: &'a mut Desk,
    client: &'a mut Connection,
    place: u32,
    arrived_ns: u64,
}

impl Visit<'_> {
    fn welcome(&mut self, payload: &[u8], sequence: u8) -> Result<(), Goodbye> {
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
    fn command(&mut self, payload: &[u8]) -> Result<(), Goodbye> {
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

    /// Answers a statement, or does with it what the plan says.
    fn statement(
        &mut self,
        understood: &Understood,
        text: &[u8],
        mut call: Call,
    ) -> Result<(), Goodbye> {
        let Understood { row, is_work, .. } = *understood;
        if is_work && self.desk.is_timed {
            self.desk.shared.begin_epoch(self.arrived_ns);
        }
        let outcome = match is_work {
            true => self.desk.faults.outcome(self.arrived_ns, row, text),
            false => Outcome::Answer,
        };
        let answer = match outcome {
            Outcome::Answer => self.do_it(understood, call),
            Outcome::Drop => Answer::Drop,
            Outcome::Error(code) => {
                self.client.in_transaction &= !ends_transaction(code);
                Answer::Error(code)
            }
        };
        call.part.has_more &= outcome == Outcome::Answer;
        self.reply(answer, Some(row), call.part)
    }

    fn do_it(&mut self, understood: &Understood, call: Call) -> Answer {
        let Call { count, binary, .. } = call;
        let client = &mut *self.client;
        if !client.autocommit && understood.is_work {
            client.in_transaction = true;
        }
        let ok = |affected_rows| Answer::Ok { affected_rows };
        match &understood.recipe {
            Recipe::Changes(_) => ok(count),
            Recipe::Rows(_) => Answer::Rows {
                row: understood.row,
                count,
                binary,
            },
            Recipe::Begins => {
                client.in_transaction = true;
                ok(0)
            }
            Recipe::Ends => {
                client.in_transaction = false;
                ok(0)
            }
            Recipe::Autocommit(on) => {
                client.autocommit = *on;
                client.in_transaction &= !on;
                ok(0)
            }
            Recipe::Made(table) => Answer::Made {
                table: Rc::clone(table),
                binary,
            },
        }
    }

    fn tell_ok(&mut self) -> Result<(), Goodbye> {
        self.tell(Answer::Ok { affected_rows: 0 })
    }

    /// Answers a statement that nobody could do.
    fn fail(&mut self, code: u16) -> Result<(), Goodbye> {
        self.reply(Answer::Error(code), Some(OTHER_ROW), Part::default())
    }

    /// Answers what is no statement of a load.
    fn tell(&mut self, answer: Answer) -> Result<(), Goodbye> {
        self.reply(answer, None, Part::default())
    }

    /// Gives a reply out, now or when it is due. Replies of a connection stay in order, and one that takes
    /// its time begins to when the one before it is done.
    fn reply(&mut self, answer: Answer, row: Option<u8>, part: Part) -> Result<(), Goodbye> {
        let more = if part.has_more {
            status::MORE_RESULTS
        } else {
            0
        };
        let reply = Reply {
            answer,
            status: self.client.status() | more,
            row,
            continues: part.continues,
        };
        let Self {
            desk,
            client,
            place,
            arrived_ns,
        } = self;
        if let (Some(_), Answer::Error(code)) = (row, &reply.answer) {
            desk.recorder.failed(*code);
        }
        if !desk.faults.can_hold {
            return desk.encode(client, *arrived_ns, &reply);
        }
        let from_ns = client.busy_until_ns.max(*arrived_ns);
        let due_ns = desk.faults.due(from_ns, row.is_some_and(is_work));
        client.busy_until_ns = due_ns;
        if due_ns <= *arrived_ns && client.held.is_empty() {
            return desk.encode(client, *arrived_ns, &reply);
        }
        desk.recorder.waits(*arrived_ns);
        desk.deadlines.add(due_ns, client.number, *place);
        client.held.push_back(Held {
            due_ns,
            arrived_ns: *arrived_ns,
            reply,
        });
        Ok(())
    }
}

/// Whether a row is about statements of a load.
fn is_work(row: u8) -> bool {
    SHAPES
        .get(usize::from(row))
        .is_some_and(|shape| shape.is_work)
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

/// The instant, if anybody wants to know.
pub(crate) fn now_if(is_timed: bool) -> u64 {
    if is_timed { monotonic_ns() } else { 0 }
}
