//! Plays events without a server, for tests that look at single statements.

use crate::{Call, NextAction, Response, TransactionType, User, Workload, workload};
use dbdyno_chance::{RandomKind, RandomSource};
use dbdyno_wire::{BufferedRows, Parameter, Reply, RowsReply};
use std::sync::Arc;

/// Makes a workload of the family with seed 1.
pub(crate) fn make_workload(name: &str, given: &[(&str, &str)], users: u32) -> Arc<dyn Workload> {
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 1,
    };
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let given: Vec<_> = given.iter().map(pair).collect();
    workload(name, &given, source, users).unwrap()
}

/// One statement: the name of its type, and its values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RehearsedStatement {
    pub(crate) name: &'static str,
    pub(crate) values: Vec<String>,
}

impl RehearsedStatement {
    pub(crate) fn int(&self, place: usize) -> u32 {
        self.values[place].parse().unwrap()
    }
}

/// Plays one event, begun as `begin` says. `answer` gives the only row of a query, an empty one for no row at all, or
/// `None` for what the workload's stand-in says.
pub(crate) fn play(
    workload: &dyn Workload,
    user: &mut dyn User,
    begin: impl FnOnce(&mut dyn User),
    mut answer: impl FnMut(&RehearsedStatement) -> Option<Vec<Parameter<'static>>>,
) -> (Vec<RehearsedStatement>, NextAction) {
    begin(user);
    let (mut said, mut call, mut rows) = (Vec::new(), Call::default(), BufferedRows::default());
    let mut reply: Option<Reply> = None;
    loop {
        let heard = reply.as_ref().map(|reply| Response {
            reply,
            rows: &mut rows,
        });
        let step = user.next(heard, &mut call);
        if step != NextAction::Send {
            return (said, step);
        }
        let template = &workload.spec().statements[usize::from(call.statement)];
        said.push(RehearsedStatement {
            name: workload.spec().statement_types[usize::from(template.statement_type)],
            values: call.parameters.iter().map(words).collect(),
        });
        rows.expect(false);
        reply = Some(match answer(&said[said.len() - 1]) {
            None => workload.canned_reply(&call, &mut rows),
            Some(row) => {
                if !row.is_empty() {
                    rows.push(&row);
                }
                Reply::Rows(RowsReply::default())
            }
        });
    }
}

/// Plays one event of a type, with the workload's own answers.
pub(crate) fn play_one(
    workload: &dyn Workload,
    user: &mut dyn User,
    wanted: TransactionType,
) -> (Vec<RehearsedStatement>, NextAction) {
    let begin = |user: &mut dyn User| {
        user.start_event(Some(wanted));
    };
    play(workload, user, begin, |_| None)
}

fn words(value: Parameter<'_>) -> String {
    match value {
        Parameter::Int(number) => number.to_string(),
        Parameter::Double(number) => number.to_string(),
        Parameter::Text(text) => String::from_utf8_lossy(text).into_owned(),
        Parameter::Null => "NULL".to_owned(),
    }
}

/// Counts the statements of that name.
pub(crate) fn count(said: &[RehearsedStatement], name: &str) -> usize {
    said.iter().filter(|said| said.name == name).count()
}

/// Returns the statement of that name.
pub(crate) fn first<'a>(
    said: &'a [RehearsedStatement],
    name: &str,
) -> Option<&'a RehearsedStatement> {
    said.iter().find(|said| said.name == name)
}

/// Refuses a share that is further than five standard errors from what it should be.
pub(crate) fn assert_share(hits: usize, draws: usize, share: f64, what: &str) {
    let expected = share * draws as f64;
    let error = (expected * (1.0 - share)).sqrt();
    let away = (hits as f64 - expected).abs();
    assert!(
        away < 5.0 * error,
        "{what}: {hits} of {draws}, expected {expected}"
    );
}
