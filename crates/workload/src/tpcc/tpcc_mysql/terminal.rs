//! Runs the events of a connection of tpcc-mysql.

use super::draws::TpccMysqlParameters;
use crate::event_time::EventTime;
use crate::tpcc::input::TransactionInput;
use crate::tpcc::mix::TransactionMix;
use crate::tpcc::transaction;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{RetryValues, TransactionType};
use dbdyno_chance::Stream;
use std::sync::Arc;

/// What all terminals share.
#[derive(Debug)]
pub(super) struct TpccMysqlShared {
    pub(super) parameters: TpccMysqlParameters,
    pub(super) is_fixed: bool,
}

/// One connection.
pub(super) struct TpccMysqlTerminal {
    pub(super) shared: Arc<TpccMysqlShared>,
    stream: Stream,
    mix: TransactionMix,
    transaction: TransactionType,
    pub(super) input: TransactionInput,
    events: u64,
    /// The time of the event as the tool sends it.
    pub(super) now: Vec<u8>,
    /// Where c_data and h_data are made; kept for their memory.
    pub(super) data: Vec<u8>,
    pub(super) history: Vec<u8>,
    /// Items that a stock level looks up.
    pub(super) items: Vec<i64>,
}

impl TpccMysqlTerminal {
    pub(super) fn new(shared: Arc<TpccMysqlShared>, stream: Stream) -> Self {
        Self {
            shared,
            stream,
            mix: TransactionMix::deck(),
            transaction: transaction::NEW_ORDER,
            input: TransactionInput::default(),
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
        self.input = self
            .shared
            .parameters
            .draw(self.transaction, &mut self.stream);
    }
}

impl TransactionScript for TpccMysqlTerminal {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.events += 1;
        self.now.clear();
        EventTime::of_event(self.events).put(&mut self.now);
        self.transaction = wanted.unwrap_or_else(|| self.mix.draw(&mut self.stream));
        self.draw_input();
        self.transaction
    }

    fn replay(&mut self, draws: RetryValues) -> TransactionType {
        if draws == RetryValues::New {
            self.draw_input();
        }
        self.transaction
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        match self.transaction {
            transaction::NEW_ORDER => self.new_order(context).await,
            transaction::PAYMENT => self.payment(context).await,
            transaction::ORDER_STATUS => self.order_status(context).await,
            transaction::DELIVERY => self.delivery(context).await,
            _ => self.stock_level(context).await,
        }
    }
}
