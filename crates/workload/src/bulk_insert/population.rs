//! Creates the tables of the users. They begin without rows; rows are what the load makes.

use super::options::Options;
use super::table_name;
use crate::{Check, Condition, InvariantScope, Population, RowSource};

const CHECKS: &[Check] = &[
    Check {
        name: "rows",
        sql: "COUNT(*)",
    },
    Check {
        name: "sum_id",
        sql: "COALESCE(SUM(id), 0)",
    },
    Check {
        name: "sum_k",
        sql: "COALESCE(SUM(k), 0)",
    },
];

#[derive(Debug)]
pub(super) struct BulkPopulation {
    options: Options,
}

impl BulkPopulation {
    pub(super) fn new(options: Options) -> Self {
        Self { options }
    }
}

impl Population for BulkPopulation {
    fn tables(&self) -> u32 {
        self.options.tables
    }

    fn table_name(&self, table: u32) -> String {
        table_name(table)
    }

    fn rows_total(&self) -> u64 {
        0
    }

    /// Returns them exactly as sysbench's script writes them.
    fn before_rows(&self, table: u32) -> Vec<String> {
        let (name, engine) = (table_name(table), self.options.engine_clause());
        vec![format!(
            "        CREATE TABLE IF NOT EXISTS {name} (\n          id INTEGER NOT NULL,\n          \
             k INTEGER DEFAULT '0' NOT NULL,\n          PRIMARY KEY (id)){engine}"
        )]
    }

    fn rows(&self, _table: u32, _part: u32) -> Box<dyn RowSource> {
        Box::new(NoRows)
    }

    fn after_rows(&self, _table: u32) -> Vec<String> {
        Vec::new()
    }

    fn drop_table(&self, table: u32) -> Vec<String> {
        vec![format!("DROP TABLE IF EXISTS {}", table_name(table))]
    }

    fn checks(&self, _table: u32) -> &'static [Check] {
        CHECKS
    }

    fn conditions(&self) -> Vec<Condition> {
        let complete = |table| {
            let name = table_name(table);
            Condition {
                name: format!("{name}.complete"),
                meaning: format!("{name} has the rows 1, 2, 3 and on, without a gap"),
                sql: format!(
                    "SELECT COUNT(*), MIN(id), MAX(id), SUM(k) FROM {name} HAVING COUNT(*) > 0 \
                     AND (MIN(id) <> 1 OR MAX(id) <> COUNT(*) OR SUM(k) <> SUM(id))"
                ),
                holds: InvariantScope::Always,
            }
        };
        (0..self.options.tables).map(complete).collect()
    }
}

struct NoRows;

impl RowSource for NoRows {
    fn next_statement(&mut self, _statement: &mut Vec<u8>) -> u64 {
        0
    }

    fn sums(&self) -> Vec<u64> {
        vec![0; CHECKS.len()]
    }
}
