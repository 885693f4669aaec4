//! Draws what sysbench-tpcc draws for an event.

use crate::TransactionType;
use crate::tpcc::draws::{
    CUSTOMER_A, DISTRICTS, ITEM_A, LAST_NAME_A, NurandConstants, draw_customer, draw_item,
    draw_last_name, once_in, other_warehouse, percent, uniform,
};
use crate::tpcc::input::{OrderLineInput, TransactionInput, UNUSED_ITEM};
use crate::tpcc::options::TpccOptions;
use crate::tpcc::terminal::DrawInput;
use crate::tpcc::transaction::{NEW_ORDER, ORDER_STATUS, PAYMENT};
use dbdyno_chance::{RandomSource, Stream};

/// Holds what a terminal draws from, the same for all.
#[derive(Debug, Clone)]
pub(super) struct SysbenchTpccInputs {
    sets: u32,
    warehouses: u32,
    /// None: a fresh constant at every draw (Q-ST-2).
    constants: Option<NurandConstants>,
    is_fixed: bool,
}

impl SysbenchTpccInputs {
    pub(super) fn new(options: &TpccOptions, source: RandomSource) -> Self {
        let is_fixed = options.is_fixed();
        Self {
            sets: options.tables,
            warehouses: options.warehouses,
            constants: is_fixed.then(|| NurandConstants::of_run(source, options.c_load)),
            is_fixed,
        }
    }
}

impl DrawInput for SysbenchTpccInputs {
    fn draw(
        &self,
        transaction: TransactionType,
        input: &mut TransactionInput,
        stream: &mut Stream,
    ) {
        *input = TransactionInput {
            set: uniform(stream, 1, self.sets) - 1,
            warehouse: uniform(stream, 1, self.warehouses),
            district: uniform(stream, 1, DISTRICTS),
            ..TransactionInput::default()
        };
        match transaction {
            NEW_ORDER => self.draw_order(input, stream),
            PAYMENT => self.draw_payment(input, stream),
            ORDER_STATUS => self.draw_buyer(input, stream),
            _ => input.draw_request(stream),
        }
    }
}

impl SysbenchTpccInputs {
    fn draw_order(&self, input: &mut TransactionInput, stream: &mut Stream) {
        let count = uniform(stream, 5, 15) as usize;
        let rolls_back = once_in(stream, 100);
        input.customer = self.customer(stream);
        input.line_count = count;
        for line in &mut input.lines[..count] {
            let is_remote = once_in(stream, 100);
            *line = OrderLineInput {
                item: self.item(stream),
                supply: self.supplier(input.warehouse, is_remote, stream),
                quantity: uniform(stream, 1, 10),
            };
            input.is_called_remote |= is_remote && !self.is_fixed;
        }
        if rolls_back {
            // Q-ST-5: not the last line, but the one before
            let missing = if self.is_fixed { count - 1 } else { count - 2 };
            input.lines[missing].item = UNUSED_ITEM;
        }
    }

    /// Draws the supplier. Q-ST-1: the tool's search for another warehouse ends at the home one.
    fn supplier(&self, home: u32, is_remote: bool, stream: &mut Stream) -> u32 {
        if is_remote && self.is_fixed {
            other_warehouse(stream, home, self.warehouses)
        } else {
            home
        }
    }

    /// Draws a payment. 15 % pay for a customer elsewhere: for the tool in another district of the same warehouse
    /// (Q-ST-1).
    fn draw_payment(&self, input: &mut TransactionInput, stream: &mut Stream) {
        input.amount = uniform(stream, 1, 5000);
        let is_elsewhere = percent(stream, 15);
        self.draw_buyer(input, stream);
        if is_elsewhere {
            input.customer_warehouse = self.supplier(input.warehouse, true, stream);
            input.customer_district = uniform(stream, 1, DISTRICTS);
        }
    }

    fn draw_buyer(&self, input: &mut TransactionInput, stream: &mut Stream) {
        let customer = |stream: &mut Stream| self.customer(stream);
        input.draw_buyer(stream, customer, |stream| self.last_name(stream));
    }

    fn customer(&self, stream: &mut Stream) -> u32 {
        let c = self.constant(stream, |constants| constants.customer, CUSTOMER_A);
        draw_customer(stream, c)
    }

    fn item(&self, stream: &mut Stream) -> u32 {
        let c = self.constant(stream, |constants| constants.item, ITEM_A);
        draw_item(stream, c)
    }

    fn last_name(&self, stream: &mut Stream) -> u32 {
        let c = self.constant(stream, |constants| constants.last_name, LAST_NAME_A);
        draw_last_name(stream, c)
    }

    fn constant(&self, stream: &mut Stream, of: fn(&NurandConstants) -> u32, a: u32) -> u32 {
        match &self.constants {
            Some(constants) => of(constants),
            None => uniform(stream, 0, a),
        }
    }
}
