//! Defines a workload of two transaction types.

use dbdyno_workload::{
    Call, Class, NextAction, Response, RetryValues, StatementTemplate, TransactionType, User,
    Workload, WorkloadSpec,
};

/// A workload of two transaction types: one statement, and the same statement twice.
#[derive(Debug)]
pub(crate) struct OneOrTwo(WorkloadSpec);

impl OneOrTwo {
    pub(crate) fn new() -> Self {
        let statement = StatementTemplate::new("SELECT c FROM sbtest1 WHERE id=?", 0, Class::Work);
        Self(WorkloadSpec {
            name: "test/one_or_two".to_owned(),
            statements: vec![statement],
            statement_types: vec!["select"],
            transaction_types: vec!["one", "two"],
            ..WorkloadSpec::default()
        })
    }
}

impl Workload for OneOrTwo {
    fn spec(&self) -> &WorkloadSpec {
        &self.0
    }

    fn user(&self, _index: u32) -> Box<dyn User> {
        Box::new(Client { kind: 0, left: 0 })
    }
}

/// By itself it runs the short event.
struct Client {
    kind: TransactionType,
    left: u8,
}

impl User for Client {
    fn start_event(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.kind = wanted.unwrap_or(0);
        self.left = self.kind + 1;
        self.kind
    }

    fn repeat_event(&mut self, _draws: RetryValues) -> TransactionType {
        self.left = self.kind + 1;
        self.kind
    }

    fn next(&mut self, _answer: Option<Response<'_>>, call: &mut Call) -> NextAction {
        if self.left == 0 {
            return NextAction::Done;
        }
        self.left -= 1;
        call.start(0);
        call.parameters.push_int(1);
        NextAction::Send
    }

    fn finish_event(&mut self) -> u64 {
        0
    }
}
