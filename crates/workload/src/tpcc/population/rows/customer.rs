//! Generates the customers.

use super::super::packed::{OWN_SUMS, RowGenerator};
use super::super::text::{LOAD_TIME, RowText, put_digits, put_letters};
use super::super::values::ValueRules;
use super::{PopulationContext, Walk};
use crate::tpcc::dialect::Dialect;
use crate::tpcc::draws::{percent, uniform};
use crate::tpcc::names::put_last_name;
use dbdyno_chance::Stream;

/// Cents that every customer owes after the first payment.
const OWED: u64 = 1000;

/// The customers of a warehouse.
pub(crate) struct Customers {
    values: ValueRules,
    stream: Stream,
    walk: Walk,
}

impl Customers {
    pub(crate) fn new(origin: &PopulationContext, warehouse: u32) -> Self {
        Self {
            values: origin.values,
            stream: origin.stream("tpcc/customer", warehouse),
            walk: Walk::new(warehouse, 1),
        }
    }

    fn put_address(&mut self, row: &mut RowText<'_>) {
        let (values, stream) = (self.values, &mut self.stream);
        for prefix in ["street1-", "street2-", "city-"] {
            row.text(|out| values.put_name(stream, out, prefix, (10, 20)));
        }
        row.text(|out| values.put_state(stream, out));
        row.text(|out| values.put_zip(stream, out));
        row.text(|out| put_digits(stream, out, 16));
    }
}

impl RowGenerator for Customers {
    const LONGEST: usize = 900;
    const SUMS: usize = 2;

    fn write(&mut self, row: &mut RowText<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
        if !self.walk.step() {
            return false;
        }
        row.number(self.walk.number);
        row.number(self.walk.district);
        row.number(self.walk.warehouse);
        let (values, stream) = (self.values, &mut self.stream);
        row.text(|out| put_first_name(values, stream, out));
        row.put(b"'OE'");
        let last = values.last_name(stream, self.walk.number);
        row.text(|out| put_last_name(last, out));
        self.put_address(row);
        row.put(LOAD_TIME);
        let (values, stream) = (self.values, &mut self.stream);
        let is_bad = percent(stream, values.bad_credit_percent());
        row.put(if is_bad { b"'BC'" } else { b"'GC'" });
        row.put(values.credit_limit());
        row.share(values.discount(stream), values.share_places());
        row.put(b"-10.00,10.00,1,0"); // balance, payments, counts of payments and deliveries
        row.text(|out| values.put_filler(stream, out, 300, 500));
        sums[0] += OWED;
        sums[1] += OWED;
        true
    }
}

fn put_first_name(values: ValueRules, stream: &mut Stream, out: &mut Vec<u8>) {
    if values.dialect == Dialect::SysbenchTpcc {
        out.extend_from_slice(b"first-");
        let letters = uniform(stream, 2, 10);
        return put_letters(stream, out, letters);
    }
    values.put_name(stream, out, "", (8, 16));
}
