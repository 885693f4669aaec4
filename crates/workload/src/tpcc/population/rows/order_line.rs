//! Generates the order lines.

use super::super::packed::{OWN_SUMS, RowGenerator};
use super::super::text::{LOAD_TIME, RowText};
use super::super::values::ValueRules;
use super::{LineCounts, PopulationContext, Walk};
use crate::tpcc::dialect::Dialect;
use crate::tpcc::draws::{ITEMS, uniform};
use crate::tpcc::table::FIRST_WAITING;
use dbdyno_chance::Stream;

/// The lines of a warehouse's orders.
pub(crate) struct OrderLines {
    values: ValueRules,
    stream: Stream,
    counts: LineCounts,
    walk: Walk,
    line: u32,
    /// Lines of the order.
    lines: u32,
}

impl OrderLines {
    pub(crate) fn new(origin: &PopulationContext, warehouse: u32) -> Self {
        Self {
            values: origin.values,
            stream: origin.stream("tpcc/order_line", warehouse),
            counts: origin.line_counts(warehouse),
            walk: Walk::new(warehouse, 1),
            line: 0,
            lines: 0,
        }
    }

    /// Goes on by one line; false at the end.
    #[inline]
    fn step(&mut self) -> bool {
        if self.line < self.lines {
            self.line += 1;
            return true;
        }
        self.line = 1;
        self.lines = self.counts.next();
        self.walk.step()
    }

    /// Returns the amount in cents, as the table's column can hold it.
    fn amount(&mut self, is_delivered: bool) -> u32 {
        let stream = &mut self.stream;
        match self.values.dialect {
            // Q-HD-2: upside down. The column holds whole numbers.
            Dialect::Hammerdb if is_delivered != self.values.has_quirks => 0,
            Dialect::Hammerdb => (uniform(stream, 10, 10_000) + 50) / 100 * 100,
            _ if is_delivered => 0,
            Dialect::Standard => uniform(stream, 1, 999_999),
            Dialect::SysbenchTpcc => (9999.99 * 100.0 * stream.next_double()).round() as u32,
            Dialect::TpccMysql => uniform(stream, 10, 10_000),
        }
    }
}

impl RowGenerator for OrderLines {
    const LONGEST: usize = 140;
    const SUMS: usize = 1;

    fn write(&mut self, row: &mut RowText<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
        if !self.step() {
            return false;
        }
        let is_delivered = self.walk.number < FIRST_WAITING;
        row.number(self.walk.number);
        row.number(self.walk.district);
        row.number(self.walk.warehouse);
        row.number(self.line);
        row.number(uniform(&mut self.stream, 1, ITEMS));
        row.number(self.walk.warehouse); // supplied from home
        row.put(if is_delivered { LOAD_TIME } else { b"NULL" });
        row.put(b"5"); // quantity
        let cents = self.amount(is_delivered);
        if self.values.dialect == Dialect::Hammerdb {
            row.number(cents / 100);
        } else {
            row.cents(cents);
        }
        let (values, stream) = (self.values, &mut self.stream);
        row.text(|out| values.put_filler(stream, out, 24, 24));
        sums[0] += u64::from(cents);
        true
    }
}
