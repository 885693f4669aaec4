//! The payment that every customer has made.

use super::super::packed::{OWN_SUMS, Rows};
use super::super::text::{LOAD_TIME, Row};
use super::super::values::Values;
use super::{Origin, Walk};
use dbdyno_chance::Stream;

/// The history of a warehouse.
pub(crate) struct History {
    values: Values,
    stream: Stream,
    walk: Walk,
}

impl History {
    pub(crate) fn new(origin: &Origin, warehouse: u32) -> Self {
        Self {
            values: origin.values,
            stream: origin.stream("tpcc/history", warehouse),
            walk: Walk::new(warehouse, 1),
        }
    }
}

impl Rows for History {
    const LONGEST: usize = 110;
    const SUMS: usize = 1;

    fn write(&mut self, row: &mut Row<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
        if !self.walk.step() {
            return false;
        }
        let Walk {
            warehouse,
            district,
            number,
            ..
        } = self.walk;
        for id in [number, district, warehouse, district, warehouse] {
            row.number(id);
        }
        row.put(LOAD_TIME);
        row.put(b"10.00");
        let (values, stream) = (self.values, &mut self.stream);
        row.text(|out| values.put_filler(stream, out, 12, 24));
        sums[0] += 1000;
        true
    }
}
