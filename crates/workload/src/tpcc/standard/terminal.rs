//! One terminal: where it stands and what is typed in there.

use super::super::draws::{Constants, DISTRICTS, once_in, percent, uniform};
use super::super::input::{Input, Line, UNUSED_ITEM};
use super::super::options::Home;
use super::super::pace::Pace;
use super::super::seat::Keys;
use super::super::transaction::{DEFERRED_DELIVERY, DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT};
use crate::{Draws, TransactionType};
use dbdyno_chance::Stream;
use std::sync::Arc;

/// What all terminals of a run have in common.
#[derive(Debug)]
pub(super) struct Law {
    pub(super) warehouses: u32,
    pub(super) home: Home,
    pub(super) is_deferred: bool,
    pub(super) constants: Constants,
}

/// A terminal's choices.
#[derive(Debug)]
pub(super) struct Terminal {
    law: Arc<Law>,
    stream: Stream,
    pace: Pace,
    home: u32,
    /// Of Stock-Level.
    home_district: u32,
    pub(super) transaction: TransactionType,
    /// A delivery was replied to and waits to be done.
    is_due: bool,
    pub(super) input: Input,
}

impl Keys for Terminal {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        if std::mem::take(&mut self.is_due) && wanted.is_none() {
            self.transaction = DEFERRED_DELIVERY;
            return self.transaction;
        }
        self.transaction = self.pace.choose(wanted, &mut self.stream);
        self.type_in();
        self.transaction
    }

    fn again(&mut self, draws: Draws) -> TransactionType {
        if draws == Draws::New {
            self.type_in();
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

impl Terminal {
    /// Terminals are dealt out to the warehouses round robin, and to the districts of each.
    pub(super) fn new(law: Arc<Law>, stream: Stream, pace: Pace, index: u32) -> Self {
        Self {
            home: index % law.warehouses + 1,
            home_district: index / law.warehouses % DISTRICTS + 1,
            law,
            stream,
            pace,
            transaction: NEW_ORDER,
            is_due: false,
            input: Input::default(),
        }
    }

    /// Whether the transaction is a delivery that is only replied to.
    pub(super) fn defers(&mut self) -> bool {
        self.is_due = self.law.is_deferred && self.transaction == DELIVERY;
        self.is_due
    }

    fn type_in(&mut self) {
        let stream = &mut self.stream;
        self.input.warehouse = match self.law.home {
            Home::Fixed => self.home,
            Home::Any => uniform(stream, 1, self.law.warehouses),
        };
        match self.transaction {
            NEW_ORDER => self.type_in_order(),
            PAYMENT => self.type_in_payment(),
            ORDER_STATUS => self.type_in_customer(),
            DELIVERY | DEFERRED_DELIVERY => self.input.carrier = uniform(stream, 1, 10),
            _ => {
                self.input.district = self.home_district;
                self.input.threshold = uniform(stream, 10, 20);
            }
        }
    }

    /// District, and a customer of it, by name in six of ten cases.
    fn type_in_customer(&mut self) {
        let stream = &mut self.stream;
        self.input.district = uniform(stream, 1, DISTRICTS);
        self.input.is_by_name = percent(stream, 60);
        if self.input.is_by_name {
            self.input.last_name = self.law.constants.draw_last_name(stream);
        } else {
            self.input.customer = self.law.constants.draw_customer(stream);
        }
    }

    fn type_in_order(&mut self) {
        let stream = &mut self.stream;
        let constants = &self.law.constants;
        let input = &mut self.input;
        input.district = uniform(stream, 1, DISTRICTS);
        input.customer = constants.draw_customer(stream);
        input.line_count = uniform(stream, 5, 15) as usize;
        let is_missing = once_in(stream, 100);
        for line in &mut input.lines[..input.line_count] {
            let item = constants.draw_item(stream);
            *line = Line::draw(item, input.warehouse, self.law.warehouses, stream);
        }
        // Orders that take the rows of stock in one order don't wait for each other in a circle.
        let whole = input.line_count - usize::from(is_missing);
        input.lines[..whole].sort_unstable_by_key(|line| (line.supply, line.item, line.quantity));
        if is_missing {
            input.lines[whole].item = UNUSED_ITEM;
        }
    }

    fn type_in_payment(&mut self) {
        self.type_in_customer();
        let stream = &mut self.stream;
        let input = &mut self.input;
        input.amount = uniform(stream, 100, 500_000);
        input.draw_buyers_home(self.law.warehouses, stream);
    }
}
