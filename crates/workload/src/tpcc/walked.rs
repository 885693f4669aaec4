//! Events driven without a server, for the tests of the dialects.

use crate::{Answer, Call, Step, TransactionType, Workload};
use dbdyno_wire::{KeptRows, Parameter, Reply};

/// A statement as it was sent.
pub(super) struct Sent {
    pub(super) name: &'static str,
    pub(super) ints: Vec<i64>,
    pub(super) sql: String,
}

/// An event from its first statement to its last.
pub(super) struct Event {
    pub(super) statements: Vec<Sent>,
    pub(super) end: Step,
}

impl Event {
    pub(super) fn count(&self, name: &str) -> usize {
        self.statements
            .iter()
            .filter(|sent| sent.name == name)
            .count()
    }

    pub(super) fn first(&self, name: &str) -> Option<&Sent> {
        self.statements.iter().find(|sent| sent.name == name)
    }
}

/// The first events of a type, of the first user. `change` may put other rows in the place of the stand-in's.
pub(super) fn events(
    workload: &dyn Workload,
    wanted: Option<TransactionType>,
    count: usize,
    mut change: impl FnMut(&Sent, &mut KeptRows),
) -> Vec<Event> {
    let mut user = workload.user(0);
    let mut call = Call::default();
    let mut rows = KeptRows::default();
    let mut told = Vec::new();
    for _ in 0..count {
        user.start_event(wanted);
        let mut statements = Vec::new();
        let mut reply: Option<Reply> = None;
        let end = loop {
            let answer = reply.as_ref().map(|reply| Answer {
                reply,
                rows: &mut rows,
            });
            let step = user.next(answer, &mut call);
            if step != Step::Send {
                break step;
            }
            let sent = sent(workload, &call);
            rows.expect(false);
            reply = Some(workload.stand_in(&call, &mut rows));
            change(&sent, &mut rows);
            statements.push(sent);
        };
        user.finish_event();
        told.push(Event { statements, end });
    }
    told
}

fn sent(workload: &dyn Workload, call: &Call) -> Sent {
    let template = &workload.statements()[usize::from(call.statement)];
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
    Sent {
        name: workload.statement_types()[usize::from(template.statement_type)],
        ints: ints.collect(),
        sql: String::from_utf8(text).unwrap(),
    }
}
