//! What must hold of the tables.

use super::options::Options;
use super::schema::{keys, table};
use crate::{Condition, Holds};

/// The conditions of every table; `rows_total` is what the filling puts into all of them.
pub(super) fn conditions(options: &Options, rows_total: u64) -> Vec<Condition> {
    let rows = rows_total / u64::from(options.tables());
    (0..options.tables())
        .flat_map(|number| of_table(options, &table(options, number), rows))
        .collect()
}

fn of_table(options: &Options, name: &str, rows: u64) -> Vec<Condition> {
    // Where rows are deleted as fast as they are inserted, their count stays.
    let count_holds = match options.delete_per_insert {
        true => Holds::Always,
        false => Holds::AfterLoad,
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
            Holds::Always,
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
            Holds::Always,
        ));
        all.push(condition(
            format!("{key}.entries"),
            format!("{key} has an entry for each row"),
            format!(
                "SELECT t.n, k.n FROM (SELECT COUNT(*) AS n FROM {name} FORCE INDEX (PRIMARY)) t \
                 JOIN (SELECT COUNT(*) AS n FROM {name} FORCE INDEX ({key})) k ON t.n <> k.n"
            ),
            Holds::Always,
        ));
    }
    all
}

fn condition(name: String, meaning: String, sql: String, holds: Holds) -> Condition {
    Condition {
        name,
        meaning,
        sql,
        holds,
    }
}
