//! Names the nine tables, and counts their rows and parts.

use crate::tpcc::draws::{CUSTOMERS, DISTRICTS, ITEMS};
use crate::tpcc::options::TpccOptions;

/// A table of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TpccTable {
    OrderLine,
    NewOrders,
    Orders,
    History,
    Stock,
    Customer,
    District,
    Warehouse,
    Item,
}

/// Orders of a district that are not yet delivered after the filling.
const WAITING_ORDERS: u32 = 900;

/// The first order that is not yet delivered after the filling.
pub(crate) const FIRST_WAITING: u32 = CUSTOMERS - WAITING_ORDERS + 1;

/// Items of a part.
pub(crate) const ITEM_CHUNK: u32 = 10_000;

impl TpccTable {
    /// Children before the tables that their foreign keys point at, so that they can be dropped in this order; it
    /// happens to begin with the largest, so that connections end at about the same time.
    pub(crate) const ALL: [Self; 9] = [
        Self::OrderLine,
        Self::NewOrders,
        Self::Orders,
        Self::History,
        Self::Stock,
        Self::Customer,
        Self::District,
        Self::Warehouse,
        Self::Item,
    ];

    /// Returns which table, and of which set from 0, has a place among all tables.
    pub(crate) fn at(place: u32) -> (Self, u32) {
        let count = Self::ALL.len() as u32;
        (Self::ALL[(place % count) as usize], place / count)
    }

    /// Returns the name in a set, from 0.
    pub(crate) fn name(self, options: &TpccOptions, set: u32) -> String {
        let name = match self {
            Self::OrderLine => "order_line",
            Self::NewOrders if !options.dialect.has_percona_schema() => "new_order",
            Self::NewOrders => "new_orders",
            Self::Orders => "orders",
            Self::History => "history",
            Self::Stock => "stock",
            Self::Customer => "customer",
            Self::District => "district",
            Self::Warehouse => "warehouse",
            Self::Item => "item",
        };
        format!("{name}{}", options.table_suffix(set))
    }

    /// Counts rows of a warehouse; of order_line, what is expected.
    fn rows_a_warehouse(self) -> u32 {
        match self {
            Self::OrderLine => DISTRICTS * CUSTOMERS * 10,
            Self::NewOrders => DISTRICTS * WAITING_ORDERS,
            Self::Orders | Self::History | Self::Customer => DISTRICTS * CUSTOMERS,
            Self::Stock => ITEMS,
            Self::District => DISTRICTS,
            Self::Warehouse => 1,
            Self::Item => 0,
        }
    }

    /// Counts rows after the filling; of order_line, what is expected.
    pub(crate) fn rows(self, warehouses: u32) -> u64 {
        match self {
            Self::Item => u64::from(ITEMS),
            other => u64::from(other.rows_a_warehouse()) * u64::from(warehouses),
        }
    }

    /// Parts that can be filled side by side: warehouses, or ranges of items. Tables of few rows are one part.
    pub(crate) fn parts(self, warehouses: u32) -> u32 {
        match self {
            Self::Item => ITEMS / ITEM_CHUNK,
            Self::District | Self::Warehouse => 1,
            _ => warehouses,
        }
    }

    /// Returns under which condition a row belongs to a part.
    pub(crate) fn part_condition(self, part: u32) -> String {
        let column = match self {
            Self::OrderLine => "ol_w_id",
            Self::NewOrders => "no_w_id",
            Self::Orders => "o_w_id",
            Self::History => "h_w_id",
            Self::Stock => "s_w_id",
            Self::Customer => "c_w_id",
            Self::District | Self::Warehouse => return "TRUE".to_owned(),
            Self::Item => {
                let before = part * ITEM_CHUNK;
                return format!("i_id BETWEEN {} AND {}", before + 1, before + ITEM_CHUNK);
            }
        };
        format!("{column} = {}", part + 1)
    }
}

/// Returns the names of the districts' tables, one a set.
pub(crate) fn district_tables(options: &TpccOptions) -> impl Iterator<Item = String> {
    (0..options.tables).map(|set| TpccTable::District.name(options, set))
}

/// Returns the names of the warehouses' tables, one a set.
pub(crate) fn warehouse_tables(options: &TpccOptions) -> impl Iterator<Item = String> {
    (0..options.tables).map(|set| TpccTable::Warehouse.name(options, set))
}

#[cfg(test)]
mod tests {
    use super::TpccTable;
    use crate::tpcc::dialect::Dialect;
    use crate::tpcc::options::{Fidelity, TpccOptions};

    #[test]
    fn sets_follow_each_other_and_only_sysbench_tpcc_numbers_them() {
        let name = |dialect, place| {
            let (table, set) = TpccTable::at(place);
            table.name(&TpccOptions::new(dialect, Fidelity::Tool), set)
        };
        assert_eq!(name(Dialect::SysbenchTpcc, 1), "new_orders1");
        assert_eq!(name(Dialect::SysbenchTpcc, 10), "new_orders2");
        assert_eq!(name(Dialect::TpccMysql, 1), "new_orders");
        assert_eq!(name(Dialect::Hammerdb, 1), "new_order");
    }
}
