//! Draws the inputs of one terminal, and its home.

use super::super::draws::{DISTRICTS, NurandConstants, once_in, percent, uniform};
use super::super::input::{OrderLineInput, TransactionInput, UNUSED_ITEM};
use super::super::options::Home;
use super::super::terminal::DrawInput;
use super::super::transaction::{DEFERRED_DELIVERY, DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT};
use crate::TransactionType;
use dbdyno_chance::Stream;

/// Holds what a terminal draws from.
#[derive(Debug)]
pub(super) struct StandardInputs {
    warehouses: u32,
    /// Its own warehouse; `None`: any.
    home: Option<u32>,
    /// Of Stock-Level.
    home_district: u32,
    constants: NurandConstants,
}

impl DrawInput for StandardInputs {
    fn draw(
        &self,
        transaction: TransactionType,
        input: &mut TransactionInput,
        stream: &mut Stream,
    ) {
        input.warehouse = match self.home {
            Some(home) => home,
            None => uniform(stream, 1, self.warehouses),
        };
        match transaction {
            NEW_ORDER => self.draw_order(input, stream),
            PAYMENT => self.draw_payment(input, stream),
            ORDER_STATUS => self.draw_customer(input, stream),
            DELIVERY | DEFERRED_DELIVERY => input.carrier = uniform(stream, 1, 10),
            _ => {
                input.district = self.home_district;
                input.threshold = uniform(stream, 10, 20);
            }
        }
    }
}

impl StandardInputs {
    /// Terminals are dealt out to the warehouses round robin, and to the districts of each.
    pub(super) fn new(warehouses: u32, home: Home, constants: NurandConstants, index: u32) -> Self {
        Self {
            warehouses,
            home: match home {
                Home::Fixed => Some(index % warehouses + 1),
                Home::Any => None,
            },
            home_district: index / warehouses % DISTRICTS + 1,
            constants,
        }
    }

    /// Draws district, and a customer of it, by name in six of ten cases.
    fn draw_customer(&self, input: &mut TransactionInput, stream: &mut Stream) {
        input.district = uniform(stream, 1, DISTRICTS);
        input.is_by_name = percent(stream, 60);
        if input.is_by_name {
            input.last_name = self.constants.draw_last_name(stream);
        } else {
            input.customer = self.constants.draw_customer(stream);
        }
    }

    fn draw_order(&self, input: &mut TransactionInput, stream: &mut Stream) {
        input.district = uniform(stream, 1, DISTRICTS);
        input.customer = self.constants.draw_customer(stream);
        input.line_count = uniform(stream, 5, 15) as usize;
        let is_missing = once_in(stream, 100);
        for line in &mut input.lines[..input.line_count] {
            let item = self.constants.draw_item(stream);
            *line = OrderLineInput::draw(item, input.warehouse, self.warehouses, stream);
        }
        // Orders that lock the rows of stock in the same sequence can't deadlock.
        let whole = input.line_count - usize::from(is_missing);
        input.lines[..whole].sort_unstable_by_key(|line| (line.supply, line.item, line.quantity));
        if is_missing {
            input.lines[whole].item = UNUSED_ITEM;
        }
    }

    fn draw_payment(&self, input: &mut TransactionInput, stream: &mut Stream) {
        self.draw_customer(input, stream);
        input.amount = uniform(stream, 100, 500_000);
        input.draw_buyers_home(self.warehouses, stream);
    }
}
