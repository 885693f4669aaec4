//! The nine tables and their rows, in every dialect.
//!
//! Rows are drawn from streams of their own by table, set and warehouse, so that they are the same whoever writes
//! them, in whatever order, to whichever server.

mod checks;
mod columns;
mod conditions;
mod holding;
mod lua_random;
mod order_customers;
mod original;
mod packed;
mod rows;
mod schema;
mod table;
mod text;
mod values;

use super::dialect::Dialect;
use super::options::Options;
use super::{hammerdb, standard};
use crate::{Check, Condition, Population, RowForm, RowSource, WorkloadError};
use dbdyno_chance::RandomSource;
use lua_random::LuaRandom;
use order_customers::{Deal, unseeded_starts};
use packed::{Packed, Rows};
use rows::{
    Customers, Districts, History, Items, NewOrders, OrderLines, Orders, Origin, Stock, Warehouses,
};
use std::sync::{Arc, OnceLock};
use table::Table;
use values::Values;

/// The dataset on which a dialect runs.
pub(crate) fn population(
    options: Options,
    source: RandomSource,
) -> Result<Arc<dyn Population>, WorkloadError> {
    Ok(Arc::new(TpccPopulation {
        options,
        source,
        unseeded: OnceLock::new(),
    }))
}

/// The names of the districts' tables, one a set.
pub(super) fn district_tables(options: &Options) -> impl Iterator<Item = String> {
    (0..options.tables).map(|set| Table::District.name(options, set))
}

/// The names of the warehouses' tables, one a set.
pub(super) fn warehouse_tables(options: &Options) -> impl Iterator<Item = String> {
    (0..options.tables).map(|set| Table::Warehouse.name(options, set))
}

/// Tables are counted set by set, in the order of [`Table::ALL`].
#[derive(Debug)]
struct TpccPopulation {
    options: Options,
    source: RandomSource,
    /// Where sysbench-tpcc's generator stands before each warehouse, as its loader walks them with one worker: all
    /// sets of a warehouse, then the next. (With n workers n warehouses begin at each of these places.)
    unseeded: OnceLock<Vec<LuaRandom>>,
}

impl TpccPopulation {
    fn packed<R: Rows + 'static>(&self, table: Table, set: u32, rows: R) -> Box<dyn RowSource> {
        Box::new(Packed::new(self.head(table, set), rows))
    }

    /// What stands before the rows of a statement.
    fn head(&self, table: Table, set: u32) -> String {
        let name = table.name(&self.options, set);
        format!("INSERT INTO {name} ({}) VALUES ", column_list(table))
    }

    fn deal(&self, values: Values, warehouse: u32, set: u32) -> Deal {
        if self.options.dialect != Dialect::SysbenchTpcc {
            return Deal::new(values, LuaRandom::unseeded());
        }
        let Options {
            warehouses, tables, ..
        } = self.options;
        let starts = self
            .unseeded
            .get_or_init(|| unseeded_starts(warehouses * tables));
        Deal::new(values, starts[((warehouse - 1) * tables + set) as usize])
    }

    fn all_tables(&self) -> Vec<String> {
        (0..self.tables())
            .map(|table| self.table_name(table))
            .collect()
    }
}

impl Population for TpccPopulation {
    fn tables(&self) -> u32 {
        self.options.tables * Table::ALL.len() as u32
    }

    fn table_name(&self, table: u32) -> String {
        let (table, set) = Table::at(table);
        table.name(&self.options, set)
    }

    /// Of order lines, what is expected.
    fn rows_total(&self) -> u64 {
        let of_set: u64 = Table::ALL
            .iter()
            .map(|table| table.rows(self.options.warehouses))
            .sum();
        of_set * u64::from(self.options.tables)
    }

    fn before_rows(&self, table: u32) -> Vec<String> {
        let (table, set) = Table::at(table);
        vec![schema::create_table(table, &self.options, set)]
    }

    fn parts(&self, table: u32) -> u32 {
        Table::at(table).0.parts(self.options.warehouses)
    }

    fn rows(&self, table: u32, part: u32) -> Box<dyn RowSource> {
        let (table, set) = Table::at(table);
        let (warehouse, warehouses) = (part + 1, self.options.warehouses);
        let values = Values::new(&self.options);
        let from = &Origin {
            values,
            source: self.source,
            set,
        };
        match table {
            Table::OrderLine => self.packed(table, set, OrderLines::new(from, warehouse)),
            Table::NewOrders => self.packed(table, set, NewOrders::new(warehouse)),
            Table::Orders => {
                let deal = self.deal(values, warehouse, set);
                self.packed(table, set, Orders::new(from, warehouse, deal))
            }
            Table::History => self.packed(table, set, History::new(from, warehouse)),
            Table::Stock => self.packed(table, set, Stock::new(from, warehouse)),
            Table::Customer => self.packed(table, set, Customers::new(from, warehouse)),
            Table::District => self.packed(table, set, Districts::new(from, warehouses)),
            Table::Warehouse => self.packed(table, set, Warehouses::new(from, warehouses)),
            Table::Item => self.packed(table, set, Items::new(from, part)),
        }
    }

    fn row_form(&self, table: u32) -> Option<RowForm> {
        let (name, (table, set)) = (self.table_name(table), Table::at(table));
        let (columns, head) = (column_list(table), self.head(table, set));
        Some(RowForm::new((&name, &columns), &head, ",", "binary"))
    }

    fn part_condition(&self, table: u32, part: u32) -> Option<String> {
        Some(Table::at(table).0.part_condition(part))
    }

    fn after_rows(&self, table: u32) -> Vec<String> {
        let (table, set) = Table::at(table);
        schema::add_keys(table, &self.options, set)
            .into_iter()
            .collect()
    }

    /// Foreign keys, procedures, statistics.
    fn at_end(&self) -> Vec<String> {
        let sets = 0..self.options.tables;
        let mut statements: Vec<String> = sets
            .flat_map(|set| schema::add_foreign_keys(&self.options, set))
            .collect();
        statements.extend(drop_procedures(&self.options));
        statements.extend(procedures(&self.options));
        statements.push(format!("ANALYZE TABLE {}", self.all_tables().join(", ")));
        statements
    }

    fn drop_table(&self, table: u32) -> Vec<String> {
        vec![format!("DROP TABLE IF EXISTS {}", self.table_name(table))]
    }

    fn drop_rest(&self) -> Vec<String> {
        drop_procedures(&self.options)
    }

    fn checks(&self, table: u32) -> &'static [Check] {
        checks::checks(Table::at(table).0)
    }

    fn conditions(&self) -> Vec<Condition> {
        let sets = 0..self.options.tables;
        sets.flat_map(|set| conditions::conditions(&self.options, set))
            .collect()
    }
}

fn column_list(table: Table) -> String {
    let columns: Vec<&str> = columns::names(table).collect();
    columns.join(", ")
}

/// Statements that make what the dialect's calls need.
fn procedures(options: &Options) -> Vec<String> {
    match options.dialect {
        Dialect::Hammerdb => hammerdb::procedures(options),
        Dialect::Standard => standard::procedures(options),
        Dialect::SysbenchTpcc | Dialect::TpccMysql => Vec::new(),
    }
}

/// Statements that take away what another load with the same dialect may have left, needed or not.
fn drop_procedures(options: &Options) -> Vec<String> {
    match options.dialect {
        Dialect::Hammerdb => hammerdb::drop_procedures(),
        Dialect::Standard => standard::drop_procedures(),
        Dialect::SysbenchTpcc | Dialect::TpccMysql => Vec::new(),
    }
}
