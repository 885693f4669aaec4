//! What is typed in at a terminal, where the dialects agree on it.

use super::draws::ITEMS;

/// What was typed in for one transaction; each type uses a part of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Input {
    /// Table set, from 0.
    pub(crate) set: u32,
    pub(crate) warehouse: u32,
    pub(crate) district: u32,
    pub(crate) customer_warehouse: u32,
    pub(crate) customer_district: u32,
    pub(crate) customer: u32,
    pub(crate) is_by_name: bool,
    pub(crate) last_name: u32,
    /// Of a payment: HammerDB's are whole, the standard's in hundredths.
    pub(crate) amount: u32,
    pub(crate) carrier: u32,
    pub(crate) threshold: u32,
    pub(crate) line_count: usize,
    pub(crate) lines: [Line; 15],
    /// sysbench-tpcc says of an order that it has remote lines though it has none.
    pub(crate) is_called_remote: bool,
}

/// One line of a new order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Line {
    pub(crate) item: u32,
    pub(crate) supply: u32,
    pub(crate) quantity: u32,
}

/// An item number that no item has.
pub(crate) const UNUSED_ITEM: u32 = ITEMS + 1;

impl Input {
    pub(crate) fn order_lines(&self) -> &[Line] {
        &self.lines[..self.line_count]
    }

    /// Whether every line is supplied by the order's own warehouse.
    pub(crate) fn is_all_local(&self) -> bool {
        let mut lines = self.order_lines().iter();
        lines.all(|line| line.supply == self.warehouse)
    }

    /// Whether the order is one of those that are rolled back.
    pub(crate) fn has_unused_item(&self) -> bool {
        let last = self.order_lines().last();
        last.is_some_and(|line| line.item == UNUSED_ITEM)
    }
}
