//! Generates the rows of each table.

mod customer;
mod history;
mod item;
mod order_line;
mod orders;
mod places;
mod stock;

pub(crate) use customer::Customers;
pub(crate) use history::History;
pub(crate) use item::Items;
pub(crate) use order_line::OrderLines;
pub(crate) use orders::{NewOrders, Orders};
pub(crate) use places::{Districts, Warehouses};
pub(crate) use stock::Stock;

use super::values::ValueRules;
use crate::tpcc::draws::{CUSTOMERS, DISTRICTS, uniform};
use dbdyno_chance::{RandomSource, Stream};

/// Holds what all parts of a dataset share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PopulationContext {
    pub(crate) values: ValueRules,
    pub(crate) source: RandomSource,
    /// The table set, from 0.
    pub(crate) set: u32,
}

impl PopulationContext {
    /// Makes a stream: what is drawn for a table and a number in it (a warehouse, a range of items) depends on nothing
    /// else.
    pub(crate) fn stream(&self, purpose: &str, number: u32) -> Stream {
        self.source.keyed(purpose, self.key(number))
    }

    pub(crate) fn key(&self, number: u32) -> u64 {
        u64::from(self.set) << 32 | u64::from(number)
    }

    /// Returns counts of lines of a warehouse's orders, which orders and order_line must agree on.
    fn line_counts(&self, warehouse: u32) -> LineCounts {
        LineCounts(self.stream("tpcc/line counts", warehouse))
    }
}

/// Counts of lines, order by order.
struct LineCounts(Stream);

impl LineCounts {
    fn next(&mut self) -> u32 {
        uniform(&mut self.0, 5, 15)
    }
}

/// Walks the districts of a warehouse, and in each one numbers from `first` to 3000: customers or orders.
#[derive(Debug, Clone, Copy)]
struct Walk {
    warehouse: u32,
    district: u32,
    number: u32,
    first: u32,
}

impl Walk {
    fn new(warehouse: u32, first: u32) -> Self {
        Self {
            warehouse,
            district: 1,
            number: first - 1,
            first,
        }
    }

    /// Goes on by one; false at the end.
    #[inline]
    fn step(&mut self) -> bool {
        self.number += 1;
        if self.number > CUSTOMERS {
            self.number = self.first;
            self.district += 1;
        }
        self.district <= DISTRICTS
    }

    fn begins_district(&self) -> bool {
        self.number == self.first
    }
}
