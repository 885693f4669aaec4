//! One request at the desk: what is done with it, and when its reply leaves.

use super::answer::Answer;
use super::connection::{Held, Reply};
use super::desk::Goodbye;
use super::visit::{Call, Part, Visit};
use crate::faults::{Outcome, ends_transaction};
use crate::protocol::status;
use crate::record::OTHER_ROW;
use crate::sql::{Recipe, SHAPES, Understood};
use std::rc::Rc;

impl Visit<'_> {
    /// Answers a statement, or does with it what the plan says.
    pub(super) fn statement(
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

    pub(super) fn tell_ok(&mut self) -> Result<(), Goodbye> {
        self.tell(Answer::Ok { affected_rows: 0 })
    }

    /// Answers a statement that nobody could do.
    pub(super) fn fail(&mut self, code: u16) -> Result<(), Goodbye> {
        self.reply(Answer::Error(code), Some(OTHER_ROW), Part::default())
    }

    /// Answers what is no statement of a load.
    pub(super) fn tell(&mut self, answer: Answer) -> Result<(), Goodbye> {
        self.reply(answer, None, Part::default())
    }

    /// Gives a reply out, now or when it is due. Replies of a connection stay in order, and one that takes
    /// its time begins to when the one before it is done.
    pub(super) fn reply(
        &mut self,
        answer: Answer,
        row: Option<u8>,
        part: Part,
    ) -> Result<(), Goodbye> {
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
