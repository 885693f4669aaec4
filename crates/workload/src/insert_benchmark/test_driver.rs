//! Drives whole steps for tests, without a server, by a clock that moves on request: every statement takes the same
//! time.

use super::roles::InsertEvent;
use crate::{Call, NextAction, RandomKind, RandomSource, Readiness, Response, Workload, workload};
use dbdyno_wire::BufferedRows;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) const SOURCE: RandomSource = RandomSource {
    kind: RandomKind::Dbdyno,
    seed: 1,
};

/// A statement that was sent.
pub(super) struct SentStatement {
    pub(super) at_ns: u64,
    pub(super) user: u32,
    /// Its event.
    pub(super) kind: &'static str,
    pub(super) sql: String,
}

pub(super) fn given(options: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    options.iter().map(owned).collect()
}

pub(super) fn made(options: &[(&str, &str)]) -> Arc<dyn Workload> {
    workload("insert-benchmark", &given(options), SOURCE, 1).unwrap()
}

/// Returns everything that is sent until all users have retired, each statement taking so long.
pub(super) fn driven(made: &dyn Workload, statement_ns: u64) -> Vec<SentStatement> {
    let count = made.spec().users.unwrap();
    let mut users: Vec<_> = (0..count).map(|index| made.user(index)).collect();
    // When each user runs next, and the order at the same instant: at the beginning the last one first, so that
    // a user that waits for another must wait.
    let mut agenda: BTreeMap<(u64, u64), u32> = BTreeMap::new();
    for index in 0..count {
        agenda.insert((0, u64::from(count - index)), index);
    }
    let (mut metric, mut turn, mut call) = (Vec::new(), u64::from(count), Call::default());
    while let Some(((now_ns, _), index)) = agenda.pop_first() {
        let user = &mut users[index as usize];
        let next_ns = match user.poll_ready(now_ns) {
            Readiness::Retired => continue,
            Readiness::RestUntil(until_ns) => until_ns.max(now_ns + 1),
            Readiness::Ready => {
                let number = user.start_event(None);
                let kind = made.spec().transaction_types[usize::from(number)];
                let (mut at_ns, mut rows, mut reply) = (now_ns, BufferedRows::default(), None);
                loop {
                    let answer = reply.as_ref().map(|reply| Response {
                        reply,
                        rows: &mut rows,
                    });
                    if user.next(answer, &mut call) != NextAction::Send {
                        break;
                    }
                    let template = &made.spec().statements[usize::from(call.statement)];
                    metric.push(SentStatement {
                        at_ns,
                        user: index,
                        kind,
                        sql: sql(template, &call),
                    });
                    rows.expect(false);
                    reply = Some(made.canned_reply(&call, &mut rows));
                    at_ns += statement_ns;
                }
                user.finish_event();
                at_ns.max(now_ns + 1)
            }
        };
        turn += 1;
        agenda.insert((next_ns, turn), index);
        assert!(metric.len() < 1_000_000, "the step doesn't end");
    }
    metric
}

fn sql(template: &crate::StatementTemplate, call: &Call) -> String {
    if template.is_written {
        return String::from_utf8(call.text.clone()).unwrap();
    }
    let mut text = Vec::new();
    dbdyno_wire::StatementText::new(&template.text).write_with(&call.parameters, &mut text);
    String::from_utf8(text).unwrap()
}

pub(super) fn count(metric: &[SentStatement], kind: &str) -> usize {
    metric.iter().filter(|metric| metric.kind == kind).count()
}

pub(super) fn figure(made: &dyn Workload, name: &str) -> (Option<f64>, Option<bool>) {
    let figures = made.metrics();
    let found = figures.iter().find(|figure| figure.name == name);
    found.map_or((None, None), |figure| (figure.value, figure.held))
}

/// Returns the rows of all statements that insert.
pub(super) fn rows_of(metric: &[SentStatement]) -> Vec<String> {
    let inserts = metric
        .iter()
        .filter(|metric| metric.kind == InsertEvent::Insert.name());
    inserts
        .flat_map(|metric| {
            let (_, rows) = metric.sql.split_once(" values ").unwrap();
            rows.split(",\n").map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}
