//! Generates the payment that every customer has made.

use super::super::packed::{OWN_SUMS, RowGenerator};
use super::super::text::{LOAD_TIME, RowText};
use super::super::values::ValueRules;
use super::{PopulationContext, Walk};
use dbdyno_chance::Stream;

/// The history of a warehouse.
pub(crate) struct History {
    values: ValueRules,
    stream: Stream,
    walk: Walk,
}

impl History {
    pub(crate) fn new(origin: &PopulationContext, warehouse: u32) -> Self {
        Self {
            values: origin.values,
            stream: origin.stream("tpcc/history", warehouse),
            walk: Walk::new(warehouse, 1),
        }
    }
}

impl RowGenerator for History {
    const LONGEST: usize = 110;
    const SUMS: usize = 1;

    fn write(&mut self, row: &mut RowText<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
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
