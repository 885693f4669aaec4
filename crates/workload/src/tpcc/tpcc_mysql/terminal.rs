//! What a connection of tpcc-mysql does, event by event.

use super::draws::Laws;
use crate::moment::Moment;
use crate::story::{End, GivenUp, Story, Talk};
use crate::tpcc::input::Input;
use crate::tpcc::mix::Mix;
use crate::tpcc::transaction;
use crate::{Draws, TransactionType};
use dbdyno_chance::Stream;
use std::sync::Arc;

/// What all terminals share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) laws: Laws,
    pub(super) is_fixed: bool,
}

/// One connection.
pub(super) struct Terminal {
    pub(super) shared: Arc<Shared>,
    stream: Stream,
    mix: Mix,
    transaction: TransactionType,
    pub(super) input: Input,
    events: u64,
    /// The time of the event as the tool sends it.
    pub(super) now: Vec<u8>,
    /// Where c_data and h_data are made; kept for their memory.
    pub(super) data: Vec<u8>,
    pub(super) history: Vec<u8>,
    /// Items that a stock level looks up.
    pub(super) items: Vec<i64>,
}

impl Terminal {
    pub(super) fn new(shared: Arc<Shared>, stream: Stream) -> Self {
        Self {
            shared,
            stream,
            mix: Mix::deck(),
            transaction: transaction::NEW_ORDER,
            input: Input::default(),
            events: 0,
            now: Vec::new(),
            data: Vec::new(),
            history: Vec::new(),
            items: Vec::new(),
        }
    }

    /// A sum of money as the tool binds it: a float of 32 bits (Q-TM-8).
    pub(super) fn money(&self, amount: f64) -> f64 {
        if self.shared.is_fixed {
            amount
        } else {
            f64::from(amount as f32)
        }
    }

    fn draw_input(&mut self) {
        self.input = self.shared.laws.draw(self.transaction, &mut self.stream);
    }
}

impl Story for Terminal {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.events += 1;
        self.now.clear();
        Moment::of_event(self.events).put(&mut self.now);
        self.transaction = wanted.unwrap_or_else(|| self.mix.draw(&mut self.stream));
        self.draw_input();
        self.transaction
    }

    fn again(&mut self, draws: Draws) -> TransactionType {
        if draws == Draws::New {
            self.draw_input();
        }
        self.transaction
    }

    async fn tell(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        match self.transaction {
            transaction::NEW_ORDER => self.new_order(talk).await,
            transaction::PAYMENT => self.payment(talk).await,
            transaction::ORDER_STATUS => self.order_status(talk).await,
            transaction::DELIVERY => self.delivery(talk).await,
            _ => self.stock_level(talk).await,
        }
    }
}
