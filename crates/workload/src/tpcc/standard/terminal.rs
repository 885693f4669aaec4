//! Draws the inputs of one terminal, and its home.

use super::super::draws::{DISTRICTS, NurandConstants, once_in, percent, uniform};
use super::super::input::{OrderLineInput, TransactionInput, UNUSED_ITEM};
use super::super::options::Home;
use super::super::rests::Pace;
use super::super::terminal_user::TerminalInput;
use super::super::transaction::{DEFERRED_DELIVERY, DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT};
use crate::{RetryValues, TransactionType};
use dbdyno_chance::Stream;
use std::sync::Arc;

/// What all terminals of a run have in common.
#[derive(Debug)]
pub(super) struct StandardParameters {
    pub(super) warehouses: u32,
    pub(super) home: Home,
    pub(super) is_deferred: bool,
    pub(super) constants: NurandConstants,
}

/// A terminal's choices.
#[derive(Debug)]
pub(super) struct StandardTerminal {
    parameters: Arc<StandardParameters>,
    stream: Stream,
    pace: Pace,
    home: u32,
    /// Of Stock-Level.
    home_district: u32,
    pub(super) transaction: TransactionType,
    /// A delivery was replied to and waits to be done.
    is_due: bool,
    pub(super) input: TransactionInput,
}

impl TerminalInput for StandardTerminal {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        if std::mem::take(&mut self.is_due) && wanted.is_none() {
            self.transaction = DEFERRED_DELIVERY;
            return self.transaction;
        }
        self.transaction = self.pace.choose(wanted, &mut self.stream);
        self.draw_inputs();
        self.transaction
    }

    fn replay(&mut self, draws: RetryValues) -> TransactionType {
        if draws == RetryValues::New {
            self.draw_inputs();
        }
        self.transaction
    }

    fn first_rest_ns(&mut self) -> u64 {
        self.pace.first_rest_ns(&mut self.stream)
    }

    fn rest_ns(&mut self) -> u64 {
        match self.transaction {
            _ if self.is_due => 0,
            DEFERRED_DELIVERY => self.pace.rest_ns(DELIVERY, &mut self.stream),
            other => self.pace.rest_ns(other, &mut self.stream),
        }
    }
}

impl StandardTerminal {
    /// Terminals are dealt out to the warehouses round robin, and to the districts of each.
    pub(super) fn new(
        parameters: Arc<StandardParameters>,
        stream: Stream,
        pace: Pace,
        index: u32,
    ) -> Self {
        Self {
            home: index % parameters.warehouses + 1,
            home_district: index / parameters.warehouses % DISTRICTS + 1,
            parameters,
            stream,
            pace,
            transaction: NEW_ORDER,
            is_due: false,
            input: TransactionInput::default(),
        }
    }

    /// Whether the transaction is a delivery that is only replied to.
    pub(super) fn defers(&mut self) -> bool {
        self.is_due = self.parameters.is_deferred && self.transaction == DELIVERY;
        self.is_due
    }

    fn draw_inputs(&mut self) {
        let stream = &mut self.stream;
        self.input.warehouse = match self.parameters.home {
            Home::Fixed => self.home,
            Home::Any => uniform(stream, 1, self.parameters.warehouses),
        };
        match self.transaction {
            NEW_ORDER => self.draw_order_inputs(),
            PAYMENT => self.draw_payment_inputs(),
            ORDER_STATUS => self.draw_customer_inputs(),
            DELIVERY | DEFERRED_DELIVERY => self.input.carrier = uniform(stream, 1, 10),
            _ => {
                self.input.district = self.home_district;
                self.input.threshold = uniform(stream, 10, 20);
            }
        }
    }

    /// District, and a customer of it, by name in six of ten cases.
    fn draw_customer_inputs(&mut self) {
        let stream = &mut self.stream;
        self.input.district = uniform(stream, 1, DISTRICTS);
        self.input.is_by_name = percent(stream, 60);
        if self.input.is_by_name {
            self.input.last_name = self.parameters.constants.draw_last_name(stream);
        } else {
            self.input.customer = self.parameters.constants.draw_customer(stream);
        }
    }

    fn draw_order_inputs(&mut self) {
        let stream = &mut self.stream;
        let constants = &self.parameters.constants;
        let input = &mut self.input;
        input.district = uniform(stream, 1, DISTRICTS);
        input.customer = constants.draw_customer(stream);
        input.line_count = uniform(stream, 5, 15) as usize;
        let is_missing = once_in(stream, 100);
        for line in &mut input.lines[..input.line_count] {
            let item = constants.draw_item(stream);
            *line = OrderLineInput::draw(item, input.warehouse, self.parameters.warehouses, stream);
        }
        // Orders that take the rows of stock in one order don't wait for each other in a circle.
        let whole = input.line_count - usize::from(is_missing);
        input.lines[..whole].sort_unstable_by_key(|line| (line.supply, line.item, line.quantity));
        if is_missing {
            input.lines[whole].item = UNUSED_ITEM;
        }
    }

    fn draw_payment_inputs(&mut self) {
        self.draw_customer_inputs();
        let stream = &mut self.stream;
        let input = &mut self.input;
        input.amount = uniform(stream, 100, 500_000);
        input.draw_buyers_home(self.parameters.warehouses, stream);
    }
}
