//! Runs the events of a worker of sysbench-tpcc.

use super::draws::SysbenchTpccParameters;
use super::statements::{StatementKind, statement};
use crate::tpcc::client::bare;
use crate::tpcc::input::TransactionInput;
use crate::tpcc::mix::TransactionMix;
use crate::tpcc::transaction;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{RetryValues, StatementTemplate, TransactionType};
use dbdyno_chance::Stream;
use std::sync::Arc;

/// What all terminals share.
#[derive(Debug)]
pub(super) struct SysbenchTpccShared {
    pub(super) parameters: SysbenchTpccParameters,
    pub(super) templates: Vec<StatementTemplate>,
    pub(super) is_fixed: bool,
}

/// One worker.
pub(super) struct SysbenchTpccTerminal {
    pub(super) shared: Arc<SysbenchTpccShared>,
    pub(super) stream: Stream,
    pub(super) mix: TransactionMix,
    pub(super) wanted: Option<TransactionType>,
    pub(super) transaction: TransactionType,
    pub(super) input: TransactionInput,
    /// Events begun so far.
    pub(super) events: u64,
    /// Where c_data and h_data are made; kept for their memory.
    pub(super) data: Vec<u8>,
    pub(super) history: Vec<u8>,
}

impl SysbenchTpccTerminal {
    pub(super) fn new(
        shared: Arc<SysbenchTpccShared>,
        stream: Stream,
        mix: TransactionMix,
    ) -> Self {
        Self {
            shared,
            stream,
            mix,
            wanted: None,
            transaction: transaction::NEW_ORDER,
            input: TransactionInput::default(),
            events: 0,
            data: Vec::new(),
            history: Vec::new(),
        }
    }

    /// The statement of a kind, for the event's table set.
    pub(super) fn of(&self, kind: StatementKind) -> u16 {
        statement(self.input.set, kind)
    }

    /// The text of a statement that is written here.
    pub(super) fn template(&self, kind: StatementKind) -> &str {
        &self.shared.templates[usize::from(self.of(kind))].text
    }

    fn draw(&mut self) -> TransactionType {
        self.transaction = self
            .wanted
            .unwrap_or_else(|| self.mix.draw(&mut self.stream));
        self.draw_input()
    }

    fn draw_input(&mut self) -> TransactionType {
        self.input = self
            .shared
            .parameters
            .draw(self.transaction, &mut self.stream);
        self.transaction
    }

    /// Sends a statement without values.
    pub(super) async fn bare(
        &self,
        kind: StatementKind,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        bare(context, self.of(kind)).await
    }
}

impl TransactionScript for SysbenchTpccTerminal {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.events += 1;
        self.wanted = wanted;
        self.draw()
    }

    /// The tool begins again with a new draw of the type, too (Q-ST-8).
    fn replay(&mut self, draws: RetryValues) -> TransactionType {
        match draws {
            RetryValues::Same => self.transaction,
            RetryValues::New if self.shared.is_fixed => self.draw_input(),
            RetryValues::New => self.draw(),
        }
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        match self.transaction {
            transaction::NEW_ORDER => self.new_order(context).await,
            transaction::PAYMENT => self.payment(context).await,
            transaction::ORDER_STATUS => self.order_status(context).await,
            transaction::DELIVERY => self.delivery(context).await,
            transaction::STOCK_LEVEL => self.stock_level(context).await,
            _ => self.purge(context).await,
        }
    }
}
