//! What a worker of sysbench-tpcc does, event by event.

use super::draws::Laws;
use super::statements::{Kind, statement};
use crate::story::{End, GivenUp, Story, Talk};
use crate::tpcc::input::Input;
use crate::tpcc::mix::Mix;
use crate::tpcc::saying::bare;
use crate::tpcc::transaction;
use crate::{Draws, StatementTemplate, TransactionType};
use dbdyno_chance::Stream;
use std::sync::Arc;

/// What all terminals share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) laws: Laws,
    pub(super) templates: Vec<StatementTemplate>,
    pub(super) is_fixed: bool,
}

/// One worker.
pub(super) struct Terminal {
    pub(super) shared: Arc<Shared>,
    pub(super) stream: Stream,
    pub(super) mix: Mix,
    pub(super) wanted: Option<TransactionType>,
    pub(super) transaction: TransactionType,
    pub(super) input: Input,
    /// Events begun so far.
    pub(super) events: u64,
    /// Where c_data and h_data are made; kept for their memory.
    pub(super) data: Vec<u8>,
    pub(super) history: Vec<u8>,
}

impl Terminal {
    pub(super) fn new(shared: Arc<Shared>, stream: Stream, mix: Mix) -> Self {
        Self {
            shared,
            stream,
            mix,
            wanted: None,
            transaction: transaction::NEW_ORDER,
            input: Input::default(),
            events: 0,
            data: Vec::new(),
            history: Vec::new(),
        }
    }

    /// The statement of a kind, for the event's table set.
    pub(super) fn of(&self, kind: Kind) -> u16 {
        statement(self.input.set, kind)
    }

    /// The text of a statement that is written here.
    pub(super) fn template(&self, kind: Kind) -> &str {
        &self.shared.templates[usize::from(self.of(kind))].text
    }

    fn draw(&mut self) -> TransactionType {
        self.transaction = self
            .wanted
            .unwrap_or_else(|| self.mix.draw(&mut self.stream));
        self.draw_input()
    }

    fn draw_input(&mut self) -> TransactionType {
        self.input = self.shared.laws.draw(self.transaction, &mut self.stream);
        self.transaction
    }

    /// Sends a statement without values.
    pub(super) async fn bare(&self, kind: Kind, talk: &mut Talk) -> Result<(), GivenUp> {
        bare(talk, self.of(kind)).await
    }
}

impl Story for Terminal {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.events += 1;
        self.wanted = wanted;
        self.draw()
    }

    /// The tool begins again with a new draw of the type, too (Q-ST-8).
    fn again(&mut self, draws: Draws) -> TransactionType {
        match draws {
            Draws::Same => self.transaction,
            Draws::New if self.shared.is_fixed => self.draw_input(),
            Draws::New => self.draw(),
        }
    }

    async fn tell(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        match self.transaction {
            transaction::NEW_ORDER => self.new_order(talk).await,
            transaction::PAYMENT => self.payment(talk).await,
            transaction::ORDER_STATUS => self.order_status(talk).await,
            transaction::DELIVERY => self.delivery(talk).await,
            transaction::STOCK_LEVEL => self.stock_level(talk).await,
            _ => self.purge(talk).await,
        }
    }
}
