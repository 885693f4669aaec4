//! Executes one statement and decides when its reply leaves.

use super::connection::{DelayedReply, Reply};
use super::handler::CloseConnection;
use super::request_context::{Execution, RequestContext, StatementPosition};
use super::response::Response;
use crate::faults::{FaultDecision, ends_transaction};
use crate::protocol::status;
use crate::record::OTHER_ROW;
use crate::sql::{ParsedStatement, ResponsePlan, SHAPES};
use std::rc::Rc;

impl RequestContext<'_> {
    /// Answers a statement, or does with it what the plan says.
    pub(super) fn statement(
        &mut self,
        parsed: &ParsedStatement,
        text: &[u8],
        mut call: Execution,
    ) -> Result<(), CloseConnection> {
        let ParsedStatement { row, is_work, .. } = *parsed;
        if is_work && self.handler.is_timed {
            self.handler.shared.begin_epoch(self.arrived_ns);
        }
        let outcome = match is_work {
            true => self.handler.faults.outcome(self.arrived_ns, row, text),
            false => FaultDecision::Proceed,
        };
        let response = match outcome {
            FaultDecision::Proceed => self.execute_statement(parsed, call),
            FaultDecision::Drop => Response::Drop,
            FaultDecision::Error(code) => {
                self.client.in_transaction &= !ends_transaction(code);
                Response::Error(code)
            }
        };
        call.part.has_more &= outcome == FaultDecision::Proceed;
        self.reply(response, Some(row), call.part)
    }

    fn execute_statement(&mut self, parsed: &ParsedStatement, call: Execution) -> Response {
        let Execution { count, binary, .. } = call;
        let client = &mut *self.client;
        if !client.autocommit && parsed.is_work {
            client.in_transaction = true;
        }
        let ok = |affected_rows| Response::Ok { affected_rows };
        match &parsed.plan {
            ResponsePlan::Changes(_) => ok(count),
            ResponsePlan::Rows(_) => Response::Rows {
                row: parsed.row,
                count,
                binary,
            },
            ResponsePlan::Begins => {
                client.in_transaction = true;
                ok(0)
            }
            ResponsePlan::Ends => {
                client.in_transaction = false;
                ok(0)
            }
            ResponsePlan::Autocommit(on) => {
                client.autocommit = *on;
                client.in_transaction &= !on;
                ok(0)
            }
            ResponsePlan::Generated(table) => Response::Generated {
                table: Rc::clone(table),
                binary,
            },
        }
    }

    pub(super) fn reply_ok(&mut self) -> Result<(), CloseConnection> {
        self.reply_now(Response::Ok { affected_rows: 0 })
    }

    /// Answers a statement that nobody could do.
    pub(super) fn fail(&mut self, code: u16) -> Result<(), CloseConnection> {
        self.reply(
            Response::Error(code),
            Some(OTHER_ROW),
            StatementPosition::default(),
        )
    }

    /// Answers what is no statement of a load.
    pub(super) fn reply_now(&mut self, response: Response) -> Result<(), CloseConnection> {
        self.reply(response, None, StatementPosition::default())
    }

    /// Gives a reply out, now or when it is due. Replies of a connection stay in order, and one that takes
    /// its time begins to when the one before it is done.
    pub(super) fn reply(
        &mut self,
        response: Response,
        row: Option<u8>,
        part: StatementPosition,
    ) -> Result<(), CloseConnection> {
        let more = if part.has_more {
            status::MORE_RESULTS
        } else {
            0
        };
        let reply = Reply {
            response,
            status: self.client.status() | more,
            row,
            continues: part.continues,
        };
        let Self {
            handler,
            client,
            place,
            arrived_ns,
        } = self;
        if let (Some(_), Response::Error(code)) = (row, &reply.response) {
            handler.recorder.failed(*code);
        }
        if !handler.faults.can_hold {
            return handler.encode(client, *arrived_ns, &reply);
        }
        let from_ns = client.busy_until_ns.max(*arrived_ns);
        let due_ns = handler.faults.due(from_ns, row.is_some_and(is_work));
        client.busy_until_ns = due_ns;
        if due_ns <= *arrived_ns && client.held.is_empty() {
            return handler.encode(client, *arrived_ns, &reply);
        }
        handler.recorder.waits(*arrived_ns);
        handler.deadlines.add(due_ns, client.number, *place);
        client.held.push_back(DelayedReply {
            due_ns,
            arrived_ns: *arrived_ns,
            reply,
        });
        Ok(())
    }
}

/// Returns whether a row is about statements of a load.
fn is_work(row: u8) -> bool {
    SHAPES
        .get(usize::from(row))
        .is_some_and(|shape| shape.is_work)
}
