//! Drives events without a server, for the tests of the dialects.

use crate::{Call, NextAction, Response, TransactionType, Workload};
use dbdyno_wire::{BufferedRows, Parameter, Reply};

/// A statement as it was sent.
pub(super) struct RecordedStatement {
    pub(super) name: &'static str,
    pub(super) ints: Vec<i64>,
    pub(super) sql: String,
}

/// An event from its first statement to its last.
pub(super) struct RecordedEvent {
    pub(super) statements: Vec<RecordedStatement>,
    pub(super) end: NextAction,
}

impl RecordedEvent {
    pub(super) fn count(&self, name: &str) -> usize {
        self.statements
            .iter()
            .filter(|sent| sent.name == name)
            .count()
    }

    pub(super) fn first(&self, name: &str) -> Option<&RecordedStatement> {
        self.statements.iter().find(|sent| sent.name == name)
    }
}

/// Returns the first events of a type, of the first user. `change` may put other rows in the place of the stand-in's.
pub(super) fn events(
    workload: &dyn Workload,
    wanted: Option<TransactionType>,
    count: usize,
    mut change: impl FnMut(&RecordedStatement, &mut BufferedRows),
) -> Vec<RecordedEvent> {
    let mut user = workload.user(0);
    let mut call = Call::default();
    let mut rows = BufferedRows::default();
    let mut events = Vec::new();
    for _ in 0..count {
        user.start_event(wanted);
        let mut statements = Vec::new();
        let mut reply: Option<Reply> = None;
        let end = loop {
            let answer = reply.as_ref().map(|reply| Response {
                reply,
                rows: &mut rows,
            });
            let step = user.next(answer, &mut call);
            if step != NextAction::Send {
                break step;
            }
            let sent = sent(workload, &call);
            rows.expect(false);
            reply = Some(workload.canned_reply(&call, &mut rows));
            change(&sent, &mut rows);
            statements.push(sent);
        };
        user.finish_event();
        events.push(RecordedEvent { statements, end });
    }
    events
}

fn sent(workload: &dyn Workload, call: &Call) -> RecordedStatement {
    let template = &workload.spec().statements[usize::from(call.statement)];
    let ints = call.parameters.iter().filter_map(|value| match value {
        Parameter::Int(value) => Some(value),
        _ => None,
    });
    let mut text = Vec::new();
    if template.is_written {
        text.extend_from_slice(&call.text);
    } else {
        dbdyno_wire::StatementText::new(&template.text).write_with(&call.parameters, &mut text);
    }
    RecordedStatement {
        name: workload.spec().statement_types[usize::from(template.statement_type)],
        ints: ints.collect(),
        sql: String::from_utf8(text).unwrap(),
    }
}
