//! A user at a terminal: the terminal chooses what is done and when, a teller brings it to the server.

use crate::story::{End, GivenUp, Story, StoryUser, Talk};
use crate::{Draws, TransactionType, User};

/// Where transactions are chosen and typed in.
pub(crate) trait Keys: Send + 'static {
    /// Chooses and types in a transaction, of the type `wanted` where the pacing fixes it.
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType;

    /// The transaction under way is to be told again.
    fn again(&mut self, draws: Draws) -> TransactionType;

    /// Nanoseconds before the very first transaction.
    fn first_rest_ns(&mut self) -> u64;

    /// Nanoseconds after the transaction that has just completed.
    fn rest_ns(&mut self) -> u64;
}

/// How the transactions of a terminal `K` reach the server.
pub(crate) trait Teller<K>: Send + 'static {
    fn tell(
        &mut self,
        terminal: &mut K,
        talk: &mut Talk,
    ) -> impl Future<Output = Result<End, GivenUp>> + Send;
}

pub(crate) fn user<K: Keys>(terminal: K, teller: impl Teller<K>) -> Box<dyn User> {
    StoryUser::of(Seat { terminal, teller })
}

struct Seat<K, T> {
    terminal: K,
    teller: T,
}

impl<K: Keys, T: Teller<K>> Story for Seat<K, T> {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.terminal.start(wanted)
    }

    fn again(&mut self, draws: Draws) -> TransactionType {
        self.terminal.again(draws)
    }

    async fn tell(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        self.teller.tell(&mut self.terminal, talk).await
    }

    fn initial_rest_ns(&mut self) -> u64 {
        self.terminal.first_rest_ns()
    }

    fn rest_ns(&mut self) -> u64 {
        self.terminal.rest_ns()
    }
}
