//! Generates the orders, and marks which of them are new.

use super::super::order_customers::OrderAssignment;
use super::super::packed::{OWN_SUMS, RowGenerator};
use super::super::text::{LOAD_TIME, RowText};
use super::{LineCounts, PopulationContext, Walk};
use crate::tpcc::draws::{CUSTOMERS, uniform};
use crate::tpcc::table::FIRST_WAITING;
use dbdyno_chance::Stream;

/// The orders of a warehouse.
pub(crate) struct Orders {
    stream: Stream,
    lines: LineCounts,
    walk: Walk,
    assignment: OrderAssignment,
    /// The customer of each order of the district.
    customers: Vec<u16>,
}

impl Orders {
    pub(crate) fn new(
        origin: &PopulationContext,
        warehouse: u32,
        assignment: OrderAssignment,
    ) -> Self {
        Self {
            stream: origin.stream("tpcc/orders", warehouse),
            lines: origin.line_counts(warehouse),
            walk: Walk::new(warehouse, 1),
            assignment,
            customers: vec![0; CUSTOMERS as usize],
        }
    }
}

impl RowGenerator for Orders {
    const LONGEST: usize = 80;
    const SUMS: usize = 1;

    fn write(&mut self, row: &mut RowText<'_>, sums: &mut [u64; OWN_SUMS]) -> bool {
        if !self.walk.step() {
            return false;
        }
        if self.walk.begins_district() {
            self.assignment
                .assignment(&mut self.stream, &mut self.customers);
        }
        let number = self.walk.number;
        row.number(number);
        row.number(self.walk.district);
        row.number(self.walk.warehouse);
        row.number(u32::from(self.customers[number as usize - 1]));
        row.put(LOAD_TIME);
        if number < FIRST_WAITING {
            row.number(uniform(&mut self.stream, 1, 10));
        } else {
            row.put(b"NULL");
        }
        let lines = self.lines.next();
        row.number(lines);
        row.put(b"1"); // all local
        sums[0] += u64::from(lines);
        true
    }
}

/// The orders of a warehouse that wait for their delivery.
pub(crate) struct NewOrders(Walk);

impl NewOrders {
    pub(crate) fn new(warehouse: u32) -> Self {
        Self(Walk::new(warehouse, FIRST_WAITING))
    }
}

impl RowGenerator for NewOrders {
    const LONGEST: usize = 40;
    const SUMS: usize = 0;

    fn write(&mut self, row: &mut RowText<'_>, _sums: &mut [u64; OWN_SUMS]) -> bool {
        if !self.0.step() {
            return false;
        }
        row.number(self.0.number);
        row.number(self.0.district);
        row.number(self.0.warehouse);
        true
    }
}
