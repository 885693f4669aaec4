//! Builds the workload: one step, and who does what in it.

use super::benchmark_context::{BenchmarkContext, ClientSlot};
use super::deleter::Deleter;
use super::holder::TransactionHolder;
use super::inserter::Inserter;
use super::minimum::MinimumFinder;
use super::querier::Querier;
use super::roles::{Role, kinds};
use super::settler::Settler;
use super::step::BenchmarkStep;
use super::{NAME, canned_replies, quirks, statement};
use crate::transaction_script::ScriptUser;
use crate::{
    Call, Metadata, Metric, RateProfile, RetryAfter, RetryPolicy, RetryValues, User, Workload,
    WorkloadSpec,
};
use dbdyno_wire::{BufferedRows, Reply};
use std::sync::Arc;

/// Longer than any step: it ends when its rows are in.
const LONGEST_S: u32 = 30 * 86_400;

const LOCK_WAIT_TIMEOUT: u16 = 1205;
const DEADLOCK: u16 = 1213;
const RECORD_CHANGED: u16 = 1020;

/// One step with its options.
#[derive(Debug)]
pub(super) struct InsertBenchmark {
    benchmark_context: Arc<BenchmarkContext>,
    spec: WorkloadSpec,
}

impl InsertBenchmark {
    pub(super) fn new(benchmark_context: Arc<BenchmarkContext>) -> Self {
        let kinds = kinds(&benchmark_context.roles, &benchmark_context.options);
        let options = &benchmark_context.options;
        let spec = WorkloadSpec {
            name: NAME.to_owned(),
            statements: statement::templates(options, &kinds),
            statement_types: statement::names(&kinds),
            transaction_types: benchmark_context.events.names(),
            metadata: Metadata {
                imitates: "iibench.py e1ba3d9 (mdcallag/mytools)".to_owned(),
                options: options.list(),
                quirks: quirks::active(options),
            },
            retry: Some(retry_policy()),
            rate_profile: Some(RateProfile {
                phases: vec![("window".to_owned(), LONGEST_S)],
                streams: Vec::new(),
            }),
            users: Some(benchmark_context.plan.clients * benchmark_context.roles.len() as u32),
            ..WorkloadSpec::default()
        };
        Self {
            spec,
            benchmark_context,
        }
    }
}

/// Repeats without end and with the same rows: the tool means to count errors and loses its process (Q-IB-2).
fn retry_policy() -> RetryPolicy {
    RetryPolicy {
        after: RetryAfter::Codes(vec![DEADLOCK, LOCK_WAIT_TIMEOUT, RECORD_CHANGED]),
        rollback_first: false,
        limit: None,
        draws: RetryValues::Same,
    }
}

impl Workload for InsertBenchmark {
    fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }

    fn metrics(&self) -> Vec<Metric> {
        let context = &self.benchmark_context;
        let is_inserting = |client| context.rounds(client).is_inserting();
        match context.plan.step {
            BenchmarkStep::Settle => Vec::new(),
            _ => {
                // A client still waits for its insert: count the time up to now as without one.
                if (0..context.plan.clients).any(is_inserting) {
                    context.account.pass(None);
                }
                context.account.metrics()
            }
        }
    }

    fn canned_reply(&self, call: &Call, rows: &mut BufferedRows) -> Reply {
        let kind = statement::kind_at(call.statement, self.benchmark_context.options.tables());
        canned_replies::reply(&self.benchmark_context, kind, rows)
    }

    /// Makes a user; those of a client have numbers one after the other.
    fn user(&self, index: u32) -> Box<dyn User> {
        let roles = &self.benchmark_context.roles;
        let count = roles.len() as u32;
        let slot = ClientSlot {
            benchmark_context: Arc::clone(&self.benchmark_context),
            client: index / count % self.benchmark_context.plan.clients,
        };
        match roles[(index % count) as usize] {
            Role::Insert => ScriptUser::of(Inserter::new(slot)),
            Role::FindMin => ScriptUser::of(MinimumFinder { slot }),
            Role::Delete => ScriptUser::of(Deleter::new(slot)),
            Role::Hold => ScriptUser::of(TransactionHolder::new(slot)),
            Role::Settle => ScriptUser::of(Settler::new(slot)),
            Role::Query(reads, place) => {
                let number = slot.client * self.benchmark_context.options.query_threads + place;
                ScriptUser::of(Querier::new(slot, reads, number))
            }
        }
    }
}
