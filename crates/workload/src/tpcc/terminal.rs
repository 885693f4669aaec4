//! Runs a terminal: it chooses a transaction, draws its input, and hands both to the executor that sends it.

use super::input::TransactionInput;
use super::rests::Pace;
use super::transaction::{DEFERRED_DELIVERY, DELIVERY, NEW_ORDER};
use crate::event_time::EventTime;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, ScriptUser, TransactionScript};
use crate::{RetryValues, TransactionType, User};
use dbdyno_chance::Stream;

/// Draws the input of a transaction, as a dialect does.
pub(crate) trait DrawInput: Send + 'static {
    fn draw(&self, transaction: TransactionType, input: &mut TransactionInput, stream: &mut Stream);
}

/// A transaction to be sent.
pub(crate) struct Event<'a> {
    pub(crate) transaction: TransactionType,
    pub(crate) input: &'a TransactionInput,
    pub(crate) time: EventTime,
    /// For what is drawn on the way.
    pub(crate) stream: &'a mut Stream,
}

/// Defines how transactions reach the server.
pub(crate) trait TransactionExecutor: Send + 'static {
    fn run(
        &mut self,
        event: Event<'_>,
        context: &mut ScriptContext,
    ) -> impl Future<Output = Result<EventEnd, Aborted>> + Send;
}

/// The choices of a terminal.
pub(crate) struct Terminal<D> {
    pub(crate) inputs: D,
    pub(crate) stream: Stream,
    pub(crate) pace: Pace,
    /// Deliveries are replied to first, and done in a separate event. Where the pacing fixes the types, nobody waits for
    /// a reply and no event is left for the work: each delivery is the work alone.
    pub(crate) defers_deliveries: bool,
    /// A repeat draws the transaction type anew, too.
    pub(crate) redraws_type: bool,
}

impl<D: DrawInput> Terminal<D> {
    pub(crate) fn user(self, executor: impl TransactionExecutor) -> Box<dyn User> {
        ScriptUser::of(TerminalUser {
            terminal: self,
            executor,
            wanted: None,
            transaction: NEW_ORDER,
            is_due: false,
            events: 0,
            input: TransactionInput::default(),
        })
    }
}

struct TerminalUser<D, E> {
    terminal: Terminal<D>,
    executor: E,
    wanted: Option<TransactionType>,
    transaction: TransactionType,
    /// A delivery was replied to and waits to be done.
    is_due: bool,
    /// Events begun so far.
    events: u64,
    input: TransactionInput,
}

impl<D: DrawInput, E> TerminalUser<D, E> {
    fn choose(&mut self) {
        let Terminal { pace, stream, .. } = &mut self.terminal;
        self.transaction = pace.choose(self.wanted, stream);
    }

    /// Returns whether the event is only the reply to a delivery.
    fn defers_this(&self) -> bool {
        self.terminal.defers_deliveries && self.transaction == DELIVERY
    }

    fn draw_input(&mut self) {
        let Terminal { inputs, stream, .. } = &mut self.terminal;
        inputs.draw(self.transaction, &mut self.input, stream);
    }
}

impl<D: DrawInput, E: TransactionExecutor> TransactionScript for TerminalUser<D, E> {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.events += 1;
        self.wanted = wanted;
        if wanted.is_none() && std::mem::take(&mut self.is_due) {
            let is_input_drawn = self.transaction == DELIVERY;
            self.transaction = DEFERRED_DELIVERY;
            if !is_input_drawn {
                self.draw_input();
            }
            return self.transaction;
        }
        self.choose();
        if wanted.is_some() && self.defers_this() {
            self.transaction = DEFERRED_DELIVERY;
        }
        self.draw_input();
        self.transaction
    }

    fn replay(&mut self, draws: RetryValues) -> TransactionType {
        if draws == RetryValues::New {
            if self.terminal.redraws_type {
                self.choose();
            }
            self.draw_input();
        }
        self.transaction
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        if self.defers_this() {
            self.is_due = true;
            return Ok(EventEnd::Done);
        }
        let event = Event {
            transaction: self.transaction,
            input: &self.input,
            time: EventTime::of_event(self.events),
            stream: &mut self.terminal.stream,
        };
        self.executor.run(event, context).await
    }

    fn initial_rest_ns(&mut self) -> u64 {
        let Terminal { pace, stream, .. } = &mut self.terminal;
        pace.first_rest_ns(stream)
    }

    fn rest_ns(&mut self) -> u64 {
        if self.defers_this() {
            return 0;
        }
        let Terminal { pace, stream, .. } = &mut self.terminal;
        match self.transaction {
            DEFERRED_DELIVERY => pace.rest_ns(DELIVERY, stream),
            other => pace.rest_ns(other, stream),
        }
    }
}
