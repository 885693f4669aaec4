//! Draws the inputs of one virtual user, and its home warehouse.

use super::super::draws::{
    CUSTOMERS, DISTRICTS, ITEMS, NurandConstants, draw_customer, draw_item, draw_last_name,
    once_in, other_warehouse, percent, uniform,
};
use super::super::input::{OrderLineInput, TransactionInput, UNUSED_ITEM};
use super::super::terminal::DrawInput;
use super::super::transaction::{DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT};
use super::ITEM_C;
use crate::TransactionType;
use dbdyno_chance::Stream;

/// Holds what a virtual user draws from.
#[derive(Debug, Clone)]
pub(super) struct HammerdbInputs {
    pub(super) warehouses: u32,
    pub(super) users: u32,
    pub(super) is_fixed: bool,
    pub(super) all_warehouses: bool,
    /// The user draws an order's lines, not a procedure.
    pub(super) draws_lines: bool,
    /// HammerDB draws last names of the run with the constant of the load.
    pub(super) last_name_c: u32,
    /// Of the repaired customers; HammerDB's have no skew (Q-HD-9).
    pub(super) constants: NurandConstants,
    pub(super) index: u32,
    pub(super) home: u32,
    /// Of Stock-Level.
    pub(super) home_district: u32,
}

/// The server's generator counts up to here.
const SERVER_SEEDS: u32 = 0x3fff_ffff;

impl DrawInput for HammerdbInputs {
    fn draw(
        &self,
        transaction: TransactionType,
        input: &mut TransactionInput,
        stream: &mut Stream,
    ) {
        input.warehouse = self.draw_warehouse(stream);
        match transaction {
            NEW_ORDER => self.draw_order(input, stream),
            PAYMENT => self.draw_payment(input, stream),
            ORDER_STATUS => self.draw_customer(input, stream),
            DELIVERY => input.carrier = uniform(stream, 1, 10),
            _ => {
                input.district = self.home_district;
                input.threshold = uniform(stream, 10, 20);
            }
        }
    }
}

impl HammerdbInputs {
    /// Copies it with another user's number and home.
    pub(super) fn of_user(&self, index: u32, stream: &mut Stream) -> Self {
        Self {
            index,
            home: uniform(stream, 1, self.warehouses),
            home_district: uniform(stream, 1, DISTRICTS),
            ..self.clone()
        }
    }

    /// Draws home, or one of those that were dealt to this user round robin. More users than warehouses share them.
    fn draw_warehouse(&self, stream: &mut Stream) -> u32 {
        if !self.all_warehouses {
            return self.home;
        }
        let first = self.index % self.warehouses + 1;
        let own = (self.warehouses - first) / self.users.max(1) + 1;
        if self.index >= self.warehouses {
            return first;
        }
        first + stream.below(own) * self.users.max(1)
    }

    /// Draws district and customer, by name in six of ten cases. Both are drawn in any case: order status without
    /// procedures uses the number even when it looks for the name.
    fn draw_customer(&self, input: &mut TransactionInput, stream: &mut Stream) {
        input.district = uniform(stream, 1, DISTRICTS);
        input.customer = if self.is_fixed {
            draw_customer(stream, self.constants.customer)
        } else {
            uniform(stream, 1, CUSTOMERS)
        };
        input.last_name = draw_last_name(stream, self.last_name_c);
        input.is_by_name = percent(stream, 60);
    }

    fn draw_order(&self, input: &mut TransactionInput, stream: &mut Stream) {
        self.draw_customer(input, stream);
        input.line_count = uniform(stream, 5, 15) as usize;
        if !self.draws_lines {
            input.server_seeds = [0; 2].map(|_| uniform(stream, 1, SERVER_SEEDS));
            return;
        }
        let is_missing = once_in(stream, 99);
        input.is_called_remote = false;
        for line in &mut input.lines[..input.line_count] {
            let item = if self.is_fixed {
                draw_item(stream, ITEM_C)
            } else {
                uniform(stream, 1, ITEMS)
            };
            let is_remote = once_in(stream, 100);
            *line = OrderLineInput {
                item,
                supply: match is_remote {
                    true => other_warehouse(stream, input.warehouse, self.warehouses),
                    false => input.warehouse,
                },
                quantity: uniform(stream, 1, 10),
            };
            input.is_called_remote |= is_remote && !self.is_fixed; // Q-HD-12
        }
        if is_missing {
            input.lines[input.line_count - 1].item = UNUSED_ITEM;
        }
    }

    fn draw_payment(&self, input: &mut TransactionInput, stream: &mut Stream) {
        self.draw_customer(input, stream);
        input.amount = uniform(stream, 1, 5000);
        input.draw_buyers_home(self.warehouses, stream);
    }
}
