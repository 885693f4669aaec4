//! Keeps a transaction open, so that the server can't forget what was changed since.

use super::SECOND_NS;
use super::benchmark_context::ClientSlot;
use super::roles::InsertEvent;
use super::statement::BenchmarkStatement;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{Readiness, RetryValues, TransactionType};

/// Reads a row, waits, commits, and so on as long as its client inserts.
pub(super) struct TransactionHolder {
    slot: ClientSlot,
    is_set_up: bool,
    /// Since when a transaction is open.
    open_since_ns: Option<u64>,
    has_read: bool,
    commits: bool,
}

impl TransactionHolder {
    pub(super) fn new(slot: ClientSlot) -> Self {
        Self {
            slot,
            is_set_up: false,
            open_since_ns: None,
            has_read: false,
            commits: false,
        }
    }
}

impl TransactionScript for TransactionHolder {
    const IS_SELF_PACED: bool = true;

    fn poll_ready(&mut self, now_ns: u64) -> Readiness {
        let is_over = self.slot.rounds().is_over();
        if !self.has_read {
            return if is_over {
                Readiness::Retired
            } else {
                Readiness::Ready
            };
        }
        let options = &self.slot.benchmark_context.options;
        let since_ns = *self.open_since_ns.get_or_insert(now_ns);
        let until_ns = since_ns + u64::from(options.htap_transaction_seconds) * SECOND_NS;
        match is_over || now_ns >= until_ns {
            true => Readiness::Ready,
            // A step that ends meanwhile is noticed within a second.
            false => Readiness::RestUntil(until_ns.min(now_ns + SECOND_NS)),
        }
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.commits = self.has_read;
        self.replay(RetryValues::Same)
    }

    fn replay(&mut self, _draws: RetryValues) -> TransactionType {
        self.slot.number(match self.commits {
            true => InsertEvent::Release,
            false => InsertEvent::Hold,
        })
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        if self.commits {
            context.bind(self.slot.place(BenchmarkStatement::Commit));
            context.execute().await?;
            self.has_read = false;
            self.open_since_ns = None;
            return Ok(EventEnd::Done);
        }
        if !self.is_set_up {
            context.bind(self.slot.place(BenchmarkStatement::NoAutocommit));
            context.execute().await?;
            self.is_set_up = true;
        }
        context.bind(self.slot.place(BenchmarkStatement::ReadRow));
        context.execute().await?;
        self.has_read = true;
        Ok(EventEnd::Done)
    }
}
