//! Generates warehouses and districts: few rows, all of a set in one part.

use super::super::packed::{OWN_SUMS, RowGenerator};
use super::super::text::RowText;
use super::super::values::ValueRules;
use super::PopulationContext;
use crate::tpcc::draws::{CUSTOMERS, DISTRICTS};
use dbdyno_chance::Stream;

/// Cents that a district has taken in from its customers; a warehouse from its districts.
const DISTRICT_YTD: u32 = CUSTOMERS * 1000;
const WAREHOUSE_YTD: u32 = DISTRICTS * DISTRICT_YTD;
const NEXT_ORDER: u32 = CUSTOMERS + 1;

/// Appends name, address and tax.
fn put_place(values: ValueRules, stream: &mut Stream, row: &mut RowText<'_>) {
    row.text(|out| values.put_name(stream, out, "name-", (6, 10)));
    for prefix in ["street1-", "street2-", "city-"] {
        row.text(|out| values.put_name(stream, out, prefix, (10, 20)));
    }
    row.text(|out| values.put_state(stream, out));
    row.text(|out| values.put_zip(stream, out));
    row.share(values.tax(stream), values.share_places());
}

/// The warehouses of a set.
pub(crate) struct Warehouses {
    origin: PopulationContext,
    next: u32,
    last: u32,
}

impl Warehouses {
    pub(crate) fn new(origin: &PopulationContext, warehouses: u32) -> Self {
        Self {
            origin: *origin,
            next: 1,
            last: warehouses,
        }
    }
}

impl RowGenerator for Warehouses {
    const LONGEST: usize = 160;
    const SUMS: usize = 1;

    fn write(&mut self, row: &mut RowText<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
        if self.next > self.last {
            return false;
        }
        let mut stream = self.origin.stream("tpcc/warehouse", self.next);
        row.number(self.next);
        put_place(self.origin.values, &mut stream, row);
        row.cents(WAREHOUSE_YTD);
        self.next += 1;
        sums[0] += u64::from(WAREHOUSE_YTD);
        true
    }
}

/// The districts of a set.
pub(crate) struct Districts {
    origin: PopulationContext,
    stream: Stream,
    warehouse: u32,
    district: u32,
    last: u32,
}

impl Districts {
    pub(crate) fn new(origin: &PopulationContext, warehouses: u32) -> Self {
        Self {
            origin: *origin,
            stream: origin.stream("tpcc/district", 1),
            warehouse: 1,
            district: 0,
            last: warehouses,
        }
    }

    fn step(&mut self) -> bool {
        self.district += 1;
        if self.district > DISTRICTS {
            self.district = 1;
            self.warehouse += 1;
            self.stream = self.origin.stream("tpcc/district", self.warehouse);
        }
        self.warehouse <= self.last
    }
}

impl RowGenerator for Districts {
    const LONGEST: usize = 180;
    const SUMS: usize = 2;

    fn write(&mut self, row: &mut RowText<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
        if !self.step() {
            return false;
        }
        row.number(self.district);
        row.number(self.warehouse);
        put_place(self.origin.values, &mut self.stream, row);
        row.cents(DISTRICT_YTD);
        row.number(NEXT_ORDER);
        sums[0] += u64::from(DISTRICT_YTD);
        sums[1] += u64::from(NEXT_ORDER);
        true
    }
}
