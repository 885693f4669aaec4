//! Draws the inputs of a terminal, where the dialects agree on them.

use super::draws::{DISTRICTS, ITEMS, once_in, other_warehouse, percent, uniform};
use dbdyno_chance::Stream;

/// Holds what was typed in for one transaction; each type uses a part of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TransactionInput {
    /// Table set, from 0.
    pub(crate) set: u32,
    pub(crate) warehouse: u32,
    pub(crate) district: u32,
    pub(crate) customer_warehouse: u32,
    pub(crate) customer_district: u32,
    pub(crate) customer: u32,
    pub(crate) is_by_name: bool,
    pub(crate) last_name: u32,
    /// Of a payment: HammerDB's are whole, the standard's in hundredths.
    pub(crate) amount: u32,
    pub(crate) carrier: u32,
    pub(crate) threshold: u32,
    pub(crate) line_count: usize,
    pub(crate) lines: [OrderLineInput; 15],
    /// What HammerDB's procedures let the server's generator start from.
    pub(crate) server_seeds: [u32; 2],
    /// The tool says of an order that it has remote lines: sysbench-tpcc, and HammerDB with one warehouse, though it has
    /// none.
    pub(crate) is_called_remote: bool,
}

/// One line of a new order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OrderLineInput {
    pub(crate) item: u32,
    pub(crate) supply: u32,
    pub(crate) quantity: u32,
}

/// An item number that no item has.
pub(crate) const UNUSED_ITEM: u32 = ITEMS + 1;

impl OrderLineInput {
    /// Draws the line of an item that was drawn before: one in a hundred is supplied by another of so many warehouses.
    pub(crate) fn draw(item: u32, home: u32, warehouses: u32, stream: &mut Stream) -> Self {
        let supply = if once_in(stream, 100) {
            other_warehouse(stream, home, warehouses)
        } else {
            home
        };
        Self {
            item,
            supply,
            quantity: uniform(stream, 1, 10),
        }
    }
}

impl TransactionInput {
    /// Draws a customer of the terminal's district, by name in six of ten cases; number and name are drawn in any case.
    pub(crate) fn draw_buyer(
        &mut self,
        stream: &mut Stream,
        customer: impl FnOnce(&mut Stream) -> u32,
        last_name: impl FnOnce(&mut Stream) -> u32,
    ) {
        self.customer_warehouse = self.warehouse;
        self.customer_district = self.district;
        self.customer = customer(stream);
        self.is_by_name = percent(stream, 60);
        self.last_name = last_name(stream);
    }

    /// Draws where the customer of a payment lives: 85 % in the terminal's district, the rest with another warehouse.
    pub(crate) fn draw_buyers_home(&mut self, warehouses: u32, stream: &mut Stream) {
        if percent(stream, 85) {
            self.customer_warehouse = self.warehouse;
            self.customer_district = self.district;
        } else {
            self.customer_warehouse = other_warehouse(stream, self.warehouse, warehouses);
            self.customer_district = uniform(stream, 1, DISTRICTS);
        }
    }

    /// Draws what deliveries and stock levels are asked for.
    pub(crate) fn draw_request(&mut self, stream: &mut Stream) {
        self.carrier = uniform(stream, 1, 10);
        self.threshold = uniform(stream, 10, 20);
    }

    pub(crate) fn order_lines(&self) -> &[OrderLineInput] {
        &self.lines[..self.line_count]
    }

    /// Returns whether every line is supplied by the order's own warehouse.
    pub(crate) fn is_all_local(&self) -> bool {
        let mut lines = self.order_lines().iter();
        lines.all(|line| line.supply == self.warehouse)
    }

    /// Returns whether the order is one of those that are rolled back.
    pub(crate) fn has_unused_item(&self) -> bool {
        let last = self.order_lines().last();
        last.is_some_and(|line| line.item == UNUSED_ITEM)
    }
}
