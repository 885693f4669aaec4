//! Generates the items.

use super::super::original_marks::{OriginalKind, OriginalMarks};
use super::super::packed::{OWN_SUMS, RowGenerator};
use super::super::text::{RowText, put_letters};
use super::super::values::ValueRules;
use super::PopulationContext;
use crate::decimal::put_number;
use crate::tpcc::dialect::Dialect;
use crate::tpcc::draws::uniform;
use crate::tpcc::table::ITEM_CHUNK;
use dbdyno_chance::Stream;

/// A range of items.
pub(crate) struct Items {
    values: ValueRules,
    stream: Stream,
    originals: OriginalMarks,
    next: u32,
    last: u32,
    /// A name before it is cut.
    name: Vec<u8>,
}

impl Items {
    /// Creates the range of a number, from 0.
    pub(crate) fn new(origin: &PopulationContext, chunk: u32) -> Self {
        let first = chunk * ITEM_CHUNK + 1;
        Self {
            values: origin.values,
            stream: origin.stream("tpcc/item", chunk),
            originals: OriginalMarks::new(
                origin.values,
                OriginalKind::Items,
                origin.source,
                origin.key(0),
            ),
            next: first,
            last: first + ITEM_CHUNK - 1,
            name: Vec::with_capacity(32),
        }
    }

    /// Appends name, price and data as sysbench-tpcc makes them; returns the price in cents.
    fn put_sysbench(&mut self, row: &mut RowText<'_>, im_id: u32) -> u32 {
        let (stream, name) = (&mut self.stream, &mut self.name);
        let millionths = 1_000_000 + stream.below(100_000_001);
        let cents = (millionths + 5_000) / 10_000;
        name.clear();
        name.extend_from_slice(b"item-");
        put_number(name, im_id);
        name.push(b'-');
        put_millionths(name, millionths);
        name.push(b'-');
        put_letters(stream, name, 5);
        row.text(|out| out.extend_from_slice(&name[..24.min(name.len())]));
        row.cents(cents);
        row.text(|out| {
            out.extend_from_slice(b"data-");
            out.extend_from_slice(name);
            out.push(b'-');
            put_letters(stream, out, 5);
        });
        cents
    }

    fn put_standard(&mut self, row: &mut RowText<'_>, number: u32) -> u32 {
        let (values, stream) = (self.values, &mut self.stream);
        row.text(|out| values.put_name(stream, out, "", (14, 24)));
        let cents = uniform(stream, 100, 10_000);
        row.cents(cents);
        row.text(|out| self.originals.put_data(values, stream, number, out));
        cents
    }
}

/// Appends a number with six places, as `%f` has it.
fn put_millionths(out: &mut Vec<u8>, millionths: u32) {
    put_number(out, millionths / 1_000_000);
    let start = out.len();
    put_number(out, 1_000_000 + millionths % 1_000_000);
    out[start] = b'.'; // in the place of the leading 1
}

impl RowGenerator for Items {
    const LONGEST: usize = 120;
    const SUMS: usize = 1;

    fn write(&mut self, row: &mut RowText<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
        if self.next > self.last {
            return false;
        }
        let number = self.next;
        self.next += 1;
        row.number(number);
        let im_id = uniform(&mut self.stream, 1, 10_000);
        row.number(im_id);
        let cents = if self.values.dialect == Dialect::SysbenchTpcc {
            self.put_sysbench(row, im_id)
        } else {
            self.put_standard(row, number)
        };
        sums[0] += u64::from(cents);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::put_millionths;

    #[test]
    fn a_price_in_a_name_has_six_places() {
        let mut out = Vec::new();
        put_millionths(&mut out, 96_063_205);
        assert_eq!(out, b"96.063205");
    }
}
