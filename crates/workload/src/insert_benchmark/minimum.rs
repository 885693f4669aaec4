//! Reads the lowest key, from which rows are deleted. While it waits for the answer, no round is made.

use super::benchmark_context::ClientSlot;
use super::roles::InsertEvent;
use super::statement::BenchmarkStatement;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{Readiness, RetryValues, TransactionType};

/// Asks now and then.
pub(super) struct MinimumFinder {
    pub(super) slot: ClientSlot,
}

impl TransactionScript for MinimumFinder {
    const IS_SELF_PACED: bool = true;

    fn poll_ready(&mut self, now_ns: u64) -> Readiness {
        self.slot.rounds().stand_by_to_ask(now_ns)
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.slot.number(InsertEvent::FindMin)
    }

    fn replay(&mut self, _draws: RetryValues) -> TransactionType {
        self.slot.number(InsertEvent::FindMin)
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        context.bind(self.slot.place(BenchmarkStatement::FindMin));
        context.execute().await?;
        let key = context.rows.int(0, 0).unwrap_or_default(); // NULL of an empty table
        self.slot.rounds().learn_lowest(key as u64);
        Ok(EventEnd::Done)
    }
}
