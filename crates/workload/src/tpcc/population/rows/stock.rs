//! Stock.

use super::super::original::{Of, Originals};
use super::super::packed::{OWN_SUMS, Rows};
use super::super::text::Row;
use super::super::values::Values;
use super::Origin;
use crate::tpcc::draws::{ITEMS, uniform};
use dbdyno_chance::Stream;

/// The stock of a warehouse.
pub(crate) struct Stock {
    values: Values,
    stream: Stream,
    originals: Originals,
    warehouse: u32,
    item: u32,
}

impl Stock {
    pub(crate) fn new(origin: &Origin, warehouse: u32) -> Self {
        let key = origin.key(warehouse);
        Self {
            values: origin.values,
            stream: origin.stream("tpcc/stock", warehouse),
            originals: Originals::new(origin.values, Of::Stock, origin.source, key),
            warehouse,
            item: 0,
        }
    }
}

impl Rows for Stock {
    const LONGEST: usize = 400;
    const SUMS: usize = 1;

    fn write(&mut self, row: &mut Row<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
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
