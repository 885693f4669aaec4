//! Generates the stock.

use super::super::original_marks::{OriginalKind, OriginalMarks};
use super::super::packed::{OWN_SUMS, RowGenerator};
use super::super::text::RowText;
use super::super::values::ValueRules;
use super::PopulationContext;
use crate::tpcc::draws::{ITEMS, uniform};
use dbdyno_chance::Stream;

/// The stock of a warehouse.
pub(crate) struct Stock {
    values: ValueRules,
    stream: Stream,
    originals: OriginalMarks,
    warehouse: u32,
    item: u32,
}

impl Stock {
    pub(crate) fn new(origin: &PopulationContext, warehouse: u32) -> Self {
        let key = origin.key(warehouse);
        Self {
            values: origin.values,
            stream: origin.stream("tpcc/stock", warehouse),
            originals: OriginalMarks::new(origin.values, OriginalKind::Stock, origin.source, key),
            warehouse,
            item: 0,
        }
    }
}

impl RowGenerator for Stock {
    const LONGEST: usize = 400;
    const SUMS: usize = 1;

    fn write(&mut self, row: &mut RowText<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
        if self.item == ITEMS {
            return false;
        }
        self.item += 1;
        let (values, stream) = (self.values, &mut self.stream);
        let quantity = uniform(stream, 10, 100);
        row.number(self.item);
        row.number(self.warehouse);
        row.number(quantity);
        for _ in 0..10 {
            row.text(|out| values.put_filler(stream, out, 24, 24));
        }
        row.put(b"0,0,0"); // year to date, orders, remote orders
        row.text(|out| self.originals.put_data(values, stream, self.item, out));
        sums[0] += u64::from(quantity);
        true
    }
}
