//! Lists the conditions that must hold in the tables.

use super::options::InsertBenchmarkOptions;
use super::schema::{keys, table};
use crate::{Condition, InvariantScope};

/// Returns the conditions of every table; `rows_total` is what the filling puts into all of them.
pub(super) fn conditions(options: &InsertBenchmarkOptions, rows_total: u64) -> Vec<Condition> {
    let rows = rows_total / u64::from(options.tables());
    (0..options.tables())
        .flat_map(|number| of_table(options, &table(options, number), rows))
        .collect()
}

fn of_table(options: &InsertBenchmarkOptions, name: &str, rows: u64) -> Vec<Condition> {
    // If rows are deleted as fast as they are inserted, their count stays.
    let count_holds = match options.delete_per_insert {
        true => InvariantScope::Always,
        false => InvariantScope::AfterLoad,
    };
    let mut all = vec![
        condition(
            format!("{name}.count"),
            format!("{name} has the {rows} rows of the load"),
            format!("SELECT COUNT(*) FROM {name} HAVING COUNT(*) <> {rows}"),
            count_holds,
        ),
        condition(
            format!("{name}.span"),
            format!("{name} has no more rows than its keys have room for"),
            format!(
                "SELECT COUNT(*), MIN(transactionid), MAX(transactionid) FROM {name} \
                 HAVING MAX(transactionid) - MIN(transactionid) + 1 < COUNT(*)"
            ),
            InvariantScope::Always,
        ),
    ];
    for (key, _) in keys(options) {
        let key = format!("{name}_{key}");
        all.push(condition(
            format!("{key}.there"),
            format!("{name} has the key {key}"),
            format!(
                "SELECT wanted FROM (SELECT '{key}' AS wanted) w WHERE NOT EXISTS \
                 (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() \
                 AND table_name = '{name}' AND index_name = '{key}')"
            ),
            InvariantScope::Always,
        ));
        all.push(condition(
            format!("{key}.entries"),
            format!("{key} has an entry for each row"),
            format!(
                "SELECT t.n, k.n FROM (SELECT COUNT(*) AS n FROM {name} FORCE INDEX (PRIMARY)) t \
                 JOIN (SELECT COUNT(*) AS n FROM {name} FORCE INDEX ({key})) k ON t.n <> k.n"
            ),
            InvariantScope::Always,
        ));
    }
    all
}

fn condition(name: String, meaning: String, sql: String, holds: InvariantScope) -> Condition {
    Condition {
        name,
        meaning,
        sql,
        holds,
    }
}
