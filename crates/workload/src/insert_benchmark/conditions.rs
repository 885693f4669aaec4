//! Lists the conditions that must hold in the tables.

use super::options::InsertBenchmarkOptions;
use super::schema::{keys, table};
use crate::{Condition, InvariantScope, counted};

/// Returns the conditions of every table; `rows_total` is what the filling puts into all of them.
pub(super) fn conditions(options: &InsertBenchmarkOptions, rows_total: u64) -> Vec<Condition> {
    let rows = rows_total / u64::from(options.tables());
    (0..options.tables())
        .flat_map(|number| of_table(options, &table(options, number), rows))
        .collect()
}

fn of_table(options: &InsertBenchmarkOptions, name: &str, rows: u64) -> Vec<Condition> {
    // Deletes keep the count only in a step that came to its end: one that was ended early leaves inserts and deletes
    // up to a full queue of statements apart, and the next one does not make up for that.
    let count_holds = InvariantScope::AfterLoad;
    let mut all = vec![
        condition(
            format!("{name}.count"),
            format!("{name} has the {} of the load", counted(rows, "row")),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckPhase;

    #[test]
    fn inserts_may_be_ahead_of_deletes_where_a_run_was_ended_early() {
        for delete_per_insert in [false, true] {
            let options = InsertBenchmarkOptions {
                delete_per_insert,
                ..InsertBenchmarkOptions::default()
            };
            let required = |moment| -> Vec<String> {
                let all = conditions(&options, 1_000_100).into_iter();
                let required = all.filter(|condition| condition.holds.is_required(moment));
                required.map(|condition| condition.name).collect()
            };
            assert_eq!(
                required(CheckPhase::AfterLoad)[..2],
                ["pi1.count", "pi1.span"]
            );
            assert_eq!(required(CheckPhase::AfterRun)[0], "pi1.span");
        }
    }
}
