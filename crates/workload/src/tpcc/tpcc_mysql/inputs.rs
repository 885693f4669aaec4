//! Draws what tpcc-mysql draws for an event.

use crate::TransactionType;
use crate::tpcc::draws::{
    DISTRICTS, NurandConstants, draw_item, other_warehouse, percent, uniform,
};
use crate::tpcc::input::{OrderLineInput, TransactionInput, UNUSED_ITEM};
use crate::tpcc::options::TpccOptions;
use crate::tpcc::terminal::DrawInput;
use crate::tpcc::transaction::{NEW_ORDER, ORDER_STATUS, PAYMENT};
use dbdyno_chance::{RandomSource, Stream};

/// Holds what a connection draws from, the same for all.
#[derive(Debug, Clone)]
pub(super) struct TpccMysqlInputs {
    warehouses: u32,
    constants: NurandConstants,
    is_fixed: bool,
}

impl TpccMysqlInputs {
    pub(super) fn new(options: &TpccOptions, source: RandomSource) -> Self {
        Self {
            warehouses: options.warehouses,
            constants: NurandConstants::of_run(source, options.c_load),
            is_fixed: options.is_fixed(),
        }
    }
}

impl DrawInput for TpccMysqlInputs {
    /// Draws one value after the other as the tool does: sysbench-tpcc has the same five types and another order inside
    /// each of them.
    fn draw(
        &self,
        transaction: TransactionType,
        input: &mut TransactionInput,
        stream: &mut Stream,
    ) {
        *input = TransactionInput {
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

impl TpccMysqlInputs {
    fn draw_order(&self, input: &mut TransactionInput, stream: &mut Stream) {
        input.customer = self.constants.draw_customer(stream);
        input.line_count = uniform(stream, 5, 15) as usize;
        let rollback = uniform(stream, 1, 100);
        let mut before = rollback;
        let lines = &mut input.lines[..input.line_count];
        for line in &mut *lines {
            *line = self.draw_line(input.warehouse, before, stream);
            before = line.quantity;
        }
        if rollback == 1 {
            lines[lines.len() - 1].item = UNUSED_ITEM;
        }
        // The tool's sequence, in which two orders seldom deadlock.
        lines.sort_unstable_by_key(|line| (line.supply, line.item));
    }

    /// Draws a line. Q-TM-3: the constant for items is the one drawn last.
    fn draw_line(&self, home: u32, before: u32, stream: &mut Stream) -> OrderLineInput {
        let c = if self.is_fixed {
            self.constants.item
        } else {
            before
        };
        let item = draw_item(stream, c);
        OrderLineInput::draw(item, home, self.warehouses, stream)
    }

    fn draw_payment(&self, input: &mut TransactionInput, stream: &mut Stream) {
        input.amount = uniform(stream, 1, 5000);
        let is_at_home = percent(stream, 85);
        self.draw_buyer(input, stream);
        if !is_at_home {
            input.customer_warehouse = other_warehouse(stream, input.warehouse, self.warehouses);
            input.customer_district = uniform(stream, 1, DISTRICTS);
        }
    }

    fn draw_buyer(&self, input: &mut TransactionInput, stream: &mut Stream) {
        let constants = &self.constants;
        let customer = |stream: &mut Stream| constants.draw_customer(stream);
        input.draw_buyer(stream, customer, |stream| constants.draw_last_name(stream));
    }
}
