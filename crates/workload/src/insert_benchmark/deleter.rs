//! Deletes as many rows as are inserted, at the low end of the key.

use super::benchmark_context::ClientSlot;
use super::roles::InsertEvent;
use super::rounds::RoundParticipant;
use super::statement::BenchmarkStatement;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{Readiness, RetryValues, TransactionType};

/// Deletes behind one inserter.
pub(super) struct Deleter {
    slot: ClientSlot,
    round: u64,
    is_set_up: bool,
    sets_up: bool,
    began_ns: u64,
    /// Rows that the delete under way took away, once it is answered.
    deleted_rows: Option<u64>,
}

impl Deleter {
    pub(super) fn new(slot: ClientSlot) -> Self {
        Self {
            is_set_up: !slot.benchmark_context.options.leaves_checks_out(),
            slot,
            round: 0,
            sets_up: false,
            began_ns: 0,
            deleted_rows: None,
        }
    }
}

impl TransactionScript for Deleter {
    const IS_SELF_PACED: bool = true;

    fn poll_ready(&mut self, now_ns: u64) -> Readiness {
        if let Some(rows) = self.deleted_rows.take() {
            let ns = now_ns.saturating_sub(self.began_ns);
            self.slot.benchmark_context.account.add_delete(rows, ns);
        }
        self.began_ns = now_ns;
        let mut rounds = self.slot.rounds();
        rounds.end(RoundParticipant::Deleter);
        rounds.poll_ready(RoundParticipant::Deleter, now_ns)
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.sets_up = !std::mem::replace(&mut self.is_set_up, true);
        if !self.sets_up {
            self.round = self.slot.rounds().begin(RoundParticipant::Deleter);
        }
        self.replay(RetryValues::Same)
    }

    fn replay(&mut self, _draws: RetryValues) -> TransactionType {
        self.slot.number(match self.sets_up {
            true => InsertEvent::SetUp,
            false => InsertEvent::Delete,
        })
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        if self.sets_up {
            context.bind(self.slot.place(BenchmarkStatement::NoUniqueChecks));
        } else {
            let from = self.slot.rounds().delete_from(self.round);
            let values = context.bind(self.slot.place(BenchmarkStatement::Delete));
            values.push_int(from as i64);
            values.push_int(self.slot.benchmark_context.plan.rows_per_commit as i64);
        }
        context.execute().await?;
        self.deleted_rows = (!self.sets_up).then_some(context.affected);
        Ok(EventEnd::Done)
    }
}
