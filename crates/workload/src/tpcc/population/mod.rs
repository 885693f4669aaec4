//! Fills the nine tables, in every dialect.
//!
//! Each table, set and warehouse has its own stream of rows, so that they are the same for every writer, order and
//! server.

mod checks;
mod columns;
mod condition_scope;
mod conditions;
mod lua_random;
mod order_customers;
mod original_marks;
mod packed;
mod rows;
mod schema;
mod text;
mod values;

use super::dialect::Dialect;
use super::options::TpccOptions;
use super::table::TpccTable;
use super::{hammerdb, standard};
use crate::{Check, Condition, Population, RowForm, RowSource, WorkloadError};
use dbdyno_chance::RandomSource;
use lua_random::LuaRandom;
use order_customers::{OrderAssignment, unseeded_starts};
use packed::{PackedRows, RowGenerator};
use rows::{
    Customers, Districts, History, Items, NewOrders, OrderLines, Orders, PopulationContext, Stock,
    Warehouses,
};
use std::sync::{Arc, OnceLock};
use values::ValueRules;

/// Returns the dataset on which a dialect runs.
pub(crate) fn population(
    options: TpccOptions,
    source: RandomSource,
) -> Result<Arc<dyn Population>, WorkloadError> {
    Ok(Arc::new(TpccPopulation {
        options,
        source,
        unseeded: OnceLock::new(),
    }))
}

/// Tables are counted set by set, in the order of [`TpccTable::ALL`].
#[derive(Debug)]
struct TpccPopulation {
    options: TpccOptions,
    source: RandomSource,
    /// Where sysbench-tpcc's generator stands before each warehouse, as its loader walks them with one worker: all
    /// sets of a warehouse, then the next. (With n workers n warehouses begin at each of these places.)
    unseeded: OnceLock<Vec<LuaRandom>>,
}

impl TpccPopulation {
    fn packed<R: RowGenerator + 'static>(
        &self,
        table: TpccTable,
        set: u32,
        rows: R,
    ) -> Box<dyn RowSource> {
        Box::new(PackedRows::new(self.head(table, set), rows))
    }

    /// Returns what stands before the rows of a statement.
    fn head(&self, table: TpccTable, set: u32) -> String {
        let name = table.name(&self.options, set);
        format!("INSERT INTO {name} ({}) VALUES ", column_list(table))
    }

    fn assignment(&self, values: ValueRules, warehouse: u32, set: u32) -> OrderAssignment {
        if self.options.dialect != Dialect::SysbenchTpcc {
            return OrderAssignment::new(values, LuaRandom::unseeded());
        }
        let TpccOptions {
            warehouses, tables, ..
        } = self.options;
        let starts = self
            .unseeded
            .get_or_init(|| unseeded_starts(warehouses * tables));
        OrderAssignment::new(values, starts[((warehouse - 1) * tables + set) as usize])
    }

    fn all_tables(&self) -> Vec<String> {
        (0..self.tables())
            .map(|table| self.table_name(table))
            .collect()
    }
}

impl Population for TpccPopulation {
    fn tables(&self) -> u32 {
        self.options.tables * TpccTable::ALL.len() as u32
    }

    fn table_name(&self, table: u32) -> String {
        let (table, set) = TpccTable::at(table);
        table.name(&self.options, set)
    }

    /// Counts the rows; of order lines, what is expected.
    fn rows_total(&self) -> u64 {
        let of_set: u64 = TpccTable::ALL
            .iter()
            .map(|table| table.rows(self.options.warehouses))
            .sum();
        of_set * u64::from(self.options.tables)
    }

    fn before_rows(&self, table: u32) -> Vec<String> {
        let (table, set) = TpccTable::at(table);
        vec![schema::create_table(table, &self.options, set)]
    }

    fn parts(&self, table: u32) -> u32 {
        TpccTable::at(table).0.parts(self.options.warehouses)
    }

    fn rows(&self, table: u32, part: u32) -> Box<dyn RowSource> {
        let (table, set) = TpccTable::at(table);
        let (warehouse, warehouses) = (part + 1, self.options.warehouses);
        let values = ValueRules::new(&self.options);
        let from = &PopulationContext {
            values,
            source: self.source,
            set,
        };
        match table {
            TpccTable::OrderLine => self.packed(table, set, OrderLines::new(from, warehouse)),
            TpccTable::NewOrders => self.packed(table, set, NewOrders::new(warehouse)),
            TpccTable::Orders => {
                let assignment = self.assignment(values, warehouse, set);
                self.packed(table, set, Orders::new(from, warehouse, assignment))
            }
            TpccTable::History => self.packed(table, set, History::new(from, warehouse)),
            TpccTable::Stock => self.packed(table, set, Stock::new(from, warehouse)),
            TpccTable::Customer => self.packed(table, set, Customers::new(from, warehouse)),
            TpccTable::District => self.packed(table, set, Districts::new(from, warehouses)),
            TpccTable::Warehouse => self.packed(table, set, Warehouses::new(from, warehouses)),
            TpccTable::Item => self.packed(table, set, Items::new(from, part)),
        }
    }

    fn row_form(&self, table: u32) -> Option<RowForm> {
        let (name, (table, set)) = (self.table_name(table), TpccTable::at(table));
        let (columns, head) = (column_list(table), self.head(table, set));
        Some(RowForm::new((&name, &columns), &head, ",", "binary"))
    }

    fn part_condition(&self, table: u32, part: u32) -> Option<String> {
        Some(TpccTable::at(table).0.part_condition(part))
    }

    fn after_rows(&self, table: u32) -> Vec<String> {
        let (table, set) = TpccTable::at(table);
        schema::add_keys(table, &self.options, set)
            .into_iter()
            .collect()
    }

    /// Returns foreign keys, procedures, statistics.
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
        checks::checks(TpccTable::at(table).0)
    }

    fn conditions(&self) -> Vec<Condition> {
        let sets = 0..self.options.tables;
        sets.flat_map(|set| conditions::conditions(&self.options, set))
            .collect()
    }
}

fn column_list(table: TpccTable) -> String {
    let columns: Vec<&str> = columns::names(table).collect();
    columns.join(", ")
}

/// Returns statements that make what the dialect's calls need.
fn procedures(options: &TpccOptions) -> Vec<String> {
    match options.dialect {
        Dialect::Hammerdb => hammerdb::procedures(options),
        Dialect::Standard => standard::procedures(options),
        Dialect::SysbenchTpcc | Dialect::TpccMysql => Vec::new(),
    }
}

/// Returns statements that take away what another load with the same dialect may have left, needed or not.
fn drop_procedures(options: &TpccOptions) -> Vec<String> {
    match options.dialect {
        Dialect::Hammerdb => hammerdb::drop_procedures(),
        Dialect::Standard => standard::drop_procedures(),
        Dialect::SysbenchTpcc | Dialect::TpccMysql => Vec::new(),
    }
}
