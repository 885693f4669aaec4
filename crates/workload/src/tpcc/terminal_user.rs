//! Joins a terminal, which chooses what is done and when, to the executor that sends it to the server.

use crate::transaction_script::{Aborted, EventEnd, ScriptContext, ScriptUser, TransactionScript};
use crate::{RetryValues, TransactionType, User};

/// Where transactions are chosen and typed in.
pub(crate) trait TerminalInput: Send + 'static {
    /// Chooses and types in a transaction, of the type `wanted` where the pacing fixes it.
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType;

    /// The transaction under way is to be told again.
    fn replay(&mut self, draws: RetryValues) -> TransactionType;

    /// Nanoseconds before the very first transaction.
    fn first_rest_ns(&mut self) -> u64;

    /// Nanoseconds after the transaction that has just completed.
    fn rest_ns(&mut self) -> u64;
}

/// How the transactions of a terminal `K` reach the server.
pub(crate) trait TransactionExecutor<K>: Send + 'static {
    fn run(
        &mut self,
        terminal: &mut K,
        context: &mut ScriptContext,
    ) -> impl Future<Output = Result<EventEnd, Aborted>> + Send;
}

pub(crate) fn user<K: TerminalInput>(
    terminal: K,
    executor: impl TransactionExecutor<K>,
) -> Box<dyn User> {
    ScriptUser::of(TerminalUser { terminal, executor })
}

struct TerminalUser<K, T> {
    terminal: K,
    executor: T,
}

impl<K: TerminalInput, T: TransactionExecutor<K>> TransactionScript for TerminalUser<K, T> {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.terminal.start(wanted)
    }

    fn replay(&mut self, draws: RetryValues) -> TransactionType {
        self.terminal.replay(draws)
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        self.executor.run(&mut self.terminal, context).await
    }

    fn initial_rest_ns(&mut self) -> u64 {
        self.terminal.first_rest_ns()
    }

    fn rest_ns(&mut self) -> u64 {
        self.terminal.rest_ns()
    }
}
