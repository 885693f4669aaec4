//! Draws the inputs of one virtual user, and its home warehouse.

use super::super::draws::{
    CUSTOMERS, DISTRICTS, ITEMS, NurandConstants, draw_customer, draw_item, draw_last_name,
    once_in, percent, uniform,
};
use super::super::input::{OrderLineInput, TransactionInput, UNUSED_ITEM};
use super::super::rests::Pace;
use super::super::terminal_user::TerminalInput;
use super::super::transaction::{DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT};
use super::ITEM_C;
use crate::{RetryValues, TransactionType};
use dbdyno_chance::Stream;
use std::sync::Arc;

/// What all users of a run have in common.
#[derive(Debug)]
pub(super) struct HammerdbParameters {
    pub(super) warehouses: u32,
    pub(super) users: u32,
    pub(super) is_fixed: bool,
    pub(super) all_warehouses: bool,
    /// HammerDB draws last names of the run with the constant of the load.
    pub(super) last_name_c: u32,
    /// Of the repaired customers; HammerDB's have no skew (Q-HD-9).
    pub(super) constants: NurandConstants,
}

/// The server's generator counts up to here.
const SERVER_SEEDS: u32 = 0x3fff_ffff;

/// A virtual user's choices.
#[derive(Debug)]
pub(super) struct HammerdbTerminal {
    parameters: Arc<HammerdbParameters>,
    stream: Stream,
    pace: Pace,
    index: u32,
    home: u32,
    /// Of Stock-Level.
    home_district: u32,
    draws_lines: bool,
    pub(super) transaction: TransactionType,
    pub(super) input: TransactionInput,
    /// What the server's generator starts from in a new order whose lines the procedure draws.
    pub(super) server_seeds: [u32; 2],
}

impl TerminalInput for HammerdbTerminal {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
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
        self.pace.rest_ns(self.transaction, &mut self.stream)
    }
}

impl HammerdbTerminal {
    pub(super) fn new(
        parameters: Arc<HammerdbParameters>,
        mut stream: Stream,
        pace: Pace,
        index: u32,
        draws_lines: bool,
    ) -> Self {
        let home = uniform(&mut stream, 1, parameters.warehouses);
        let home_district = uniform(&mut stream, 1, DISTRICTS);
        Self {
            parameters,
            stream,
            pace,
            index,
            home,
            home_district,
            draws_lines,
            transaction: NEW_ORDER,
            input: TransactionInput::default(),
            server_seeds: [0; 2],
        }
    }

    /// Of all users together.
    pub(super) fn warehouses(&self) -> u32 {
        self.parameters.warehouses
    }

    pub(super) fn is_fixed(&self) -> bool {
        self.parameters.is_fixed
    }

    fn draw_inputs(&mut self) {
        self.input.warehouse = self.draw_warehouse();
        match self.transaction {
            NEW_ORDER => self.draw_order_inputs(),
            PAYMENT => self.draw_payment_inputs(),
            ORDER_STATUS => self.draw_customer_inputs(),
            DELIVERY => self.input.carrier = uniform(&mut self.stream, 1, 10),
            _ => {
                self.input.district = self.home_district;
                self.input.threshold = uniform(&mut self.stream, 10, 20);
            }
        }
    }

    /// Home, or one of those that were dealt to this user round robin. More users than warehouses share them.
    fn draw_warehouse(&mut self) -> u32 {
        let parameters = &self.parameters;
        if !parameters.all_warehouses {
            return self.home;
        }
        let first = self.index % parameters.warehouses + 1;
        let own = (parameters.warehouses - first) / parameters.users.max(1) + 1;
        if self.index >= parameters.warehouses {
            return first;
        }
        first + self.stream.below(own) * parameters.users.max(1)
    }

    /// District and customer, by name in six of ten cases. Both are drawn in any case: order status without
    /// procedures uses the number even when it looks for the name.
    fn draw_customer_inputs(&mut self) {
        let stream = &mut self.stream;
        self.input.district = uniform(stream, 1, DISTRICTS);
        self.input.customer = if self.parameters.is_fixed {
            draw_customer(stream, self.parameters.constants.customer)
        } else {
            uniform(stream, 1, CUSTOMERS)
        };
        self.input.last_name = draw_last_name(stream, self.parameters.last_name_c);
        self.input.is_by_name = percent(stream, 60);
    }

    fn draw_order_inputs(&mut self) {
        self.draw_customer_inputs();
        let stream = &mut self.stream;
        self.input.line_count = uniform(stream, 5, 15) as usize;
        if !self.draws_lines {
            self.server_seeds = [0; 2].map(|_| uniform(stream, 1, SERVER_SEEDS));
            return;
        }
        let is_missing = once_in(stream, 99);
        for line in &mut self.input.lines[..self.input.line_count] {
            let item = if self.parameters.is_fixed {
                draw_item(stream, ITEM_C)
            } else {
                uniform(stream, 1, ITEMS)
            };
            *line = OrderLineInput::draw(
                item,
                self.input.warehouse,
                self.parameters.warehouses,
                stream,
            );
        }
        if is_missing {
            self.input.lines[self.input.line_count - 1].item = UNUSED_ITEM;
        }
    }

    fn draw_payment_inputs(&mut self) {
        self.draw_customer_inputs();
        let stream = &mut self.stream;
        let input = &mut self.input;
        input.amount = uniform(stream, 1, 5000);
        input.draw_buyers_home(self.parameters.warehouses, stream);
    }
}
