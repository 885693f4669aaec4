//! Writes CREATE TABLE, secondary keys and foreign keys.

use super::columns::definitions;
use crate::tpcc::dialect::Dialect;
use crate::tpcc::options::{ForeignKeys, KeyOrder, TpccOptions};
use crate::tpcc::table::TpccTable;

/// Warehouses from which on HammerDB cuts order_line into partitions, and warehouses of one.
const PARTITIONS_FROM: u32 = 200;
const WAREHOUSES_A_PARTITION: u32 = 100;

/// Returns the statement that makes a table, with its primary key only.
pub(crate) fn create_table(table: TpccTable, options: &TpccOptions, set: u32) -> String {
    let mut lines = definitions(table, options.dialect);
    if table == TpccTable::History && options.force_pk {
        number_history(&mut lines, options.dialect);
    }
    if let Some(key) = primary_key(table, options.key_order) {
        lines.push(format!("PRIMARY KEY ({})", key.join(", ")));
    }
    let mut text = format!(
        "CREATE TABLE {} (\n  {}\n) ENGINE = {}",
        table.name(options, set),
        lines.join(",\n  "),
        options.mysql_storage_engine
    );
    if options.dialect == Dialect::Hammerdb {
        text += " DEFAULT CHARACTER SET latin1 COLLATE latin1_swedish_ci";
    }
    if !options.create_table_options.is_empty() {
        text += " ";
        text += &options.create_table_options;
    }
    if table == TpccTable::OrderLine && options.partition && options.warehouses >= PARTITIONS_FROM {
        let count = partitions(options.warehouses);
        text += &format!(" PARTITION BY HASH (ol_w_id) PARTITIONS {count}");
    }
    text
}

/// Rounds the number of partitions.
fn partitions(warehouses: u32) -> u32 {
    (warehouses + WAREHOUSES_A_PARTITION / 2) / WAREHOUSES_A_PARTITION
}

/// Adds a first column `id` as sysbench-tpcc has it; HammerDB's is the last, and hidden.
fn number_history(lines: &mut Vec<String>, dialect: Dialect) {
    if dialect == Dialect::Hammerdb {
        lines.push("id INT NOT NULL AUTO_INCREMENT INVISIBLE".to_owned());
    } else {
        lines.insert(0, "id INT NOT NULL AUTO_INCREMENT".to_owned());
    }
    lines.push("PRIMARY KEY (id)".to_owned());
}

fn primary_key(table: TpccTable, order: KeyOrder) -> Option<Vec<&'static str>> {
    let key: &[&str] = match table {
        TpccTable::OrderLine => &["ol_w_id", "ol_d_id", "ol_o_id", "ol_number"],
        TpccTable::NewOrders => &["no_w_id", "no_d_id", "no_o_id"],
        TpccTable::Orders => &["o_w_id", "o_d_id", "o_id"],
        TpccTable::Stock => &["s_w_id", "s_i_id"],
        TpccTable::Customer => &["c_w_id", "c_d_id", "c_id"],
        TpccTable::District => &["d_w_id", "d_id"],
        TpccTable::Warehouse => &["w_id"],
        TpccTable::Item => &["i_id"],
        TpccTable::History => return None,
    };
    Some(in_order(key, order))
}

/// Reverses the key: the order's or customer's number, the district, the warehouse. The number of a line stays last.
fn in_order(key: &[&'static str], order: KeyOrder) -> Vec<&'static str> {
    let mut key = key.to_vec();
    if order == KeyOrder::Reversed {
        let turned = key.len().min(3);
        key[..turned].reverse();
    }
    key
}

/// Returns the statement that adds the secondary keys, all in one pass over the table.
pub(crate) fn add_keys(table: TpccTable, options: &TpccOptions, set: u32) -> Option<String> {
    let has_percona_keys = options.dialect.has_percona_schema();
    let has_history_keys = options.dialect == Dialect::SysbenchTpcc;
    let keys: &[(&str, &str)] = match table {
        TpccTable::Customer => &[("idx_customer", "c_w_id, c_d_id, c_last, c_first")],
        TpccTable::Orders => &[("idx_orders", "o_w_id, o_d_id, o_c_id, o_id")],
        TpccTable::Stock if has_percona_keys => &[("fkey_stock_2", "s_i_id")],
        TpccTable::OrderLine if has_percona_keys => {
            &[("fkey_order_line_2", "ol_supply_w_id, ol_i_id")]
        }
        TpccTable::History if has_history_keys => &[
            ("fkey_history_1", "h_c_w_id, h_c_d_id, h_c_id"),
            ("fkey_history_2", "h_w_id, h_d_id"),
        ],
        _ => return None,
    };
    let added: Vec<String> = keys
        .iter()
        .map(|(name, columns)| format!("ADD KEY {name} ({columns})"))
        .collect();
    Some(format!(
        "ALTER TABLE {} {}",
        table.name(options, set),
        added.join(", ")
    ))
}

/// Child, its columns, parent, its columns.
type ForeignKey = (
    TpccTable,
    &'static [&'static str],
    TpccTable,
    &'static [&'static str],
);

/// Grouped by child.
const FOREIGN_KEYS: [ForeignKey; 10] = [
    (
        TpccTable::NewOrders,
        &["no_w_id", "no_d_id", "no_o_id"],
        TpccTable::Orders,
        &["o_w_id", "o_d_id", "o_id"],
    ),
    (
        TpccTable::OrderLine,
        &["ol_w_id", "ol_d_id", "ol_o_id"],
        TpccTable::Orders,
        &["o_w_id", "o_d_id", "o_id"],
    ),
    (
        TpccTable::OrderLine,
        &["ol_supply_w_id", "ol_i_id"],
        TpccTable::Stock,
        &["s_w_id", "s_i_id"],
    ),
    (
        TpccTable::Orders,
        &["o_w_id", "o_d_id", "o_c_id"],
        TpccTable::Customer,
        &["c_w_id", "c_d_id", "c_id"],
    ),
    (
        TpccTable::History,
        &["h_c_w_id", "h_c_d_id", "h_c_id"],
        TpccTable::Customer,
        &["c_w_id", "c_d_id", "c_id"],
    ),
    (
        TpccTable::History,
        &["h_w_id", "h_d_id"],
        TpccTable::District,
        &["d_w_id", "d_id"],
    ),
    (
        TpccTable::Stock,
        &["s_w_id"],
        TpccTable::Warehouse,
        &["w_id"],
    ),
    (TpccTable::Stock, &["s_i_id"], TpccTable::Item, &["i_id"]),
    (
        TpccTable::Customer,
        &["c_w_id", "c_d_id"],
        TpccTable::District,
        &["d_w_id", "d_id"],
    ),
    (
        TpccTable::District,
        &["d_w_id"],
        TpccTable::Warehouse,
        &["w_id"],
    ),
];

/// Returns the statements that add the foreign keys of a set.
///
/// The rows are known to obey them, so the session leaves them unchecked: servers then add a key without copying the
/// table. Whether a run's sessions heed them is the run's affair.
pub(crate) fn add_foreign_keys(options: &TpccOptions, set: u32) -> Vec<String> {
    if options.fk == ForeignKeys::None {
        return Vec::new();
    }
    let mut statements = vec!["SET SESSION foreign_key_checks = 0".to_owned()];
    for same_child in FOREIGN_KEYS.chunk_by(|one, next| one.0 == next.0) {
        let child = same_child[0].0;
        let added: Vec<String> = same_child
            .iter()
            .map(|key| add_foreign_key(key, options, set))
            .collect();
        statements.push(format!(
            "ALTER TABLE {} {}",
            child.name(options, set),
            added.join(", ")
        ));
    }
    statements
}

fn add_foreign_key(key: &ForeignKey, options: &TpccOptions, set: u32) -> String {
    let (child, columns, parent, parent_columns) = key;
    format!(
        "ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({})",
        constraint_name(*child, columns, options, set),
        in_order(columns, options.key_order).join(", "),
        parent.name(options, set),
        in_order(parent_columns, options.key_order).join(", "),
    )
}

/// Returns the name of a constraint: it is the schema's, not the table's.
fn constraint_name(child: TpccTable, columns: &[&str], options: &TpccOptions, set: u32) -> String {
    let last = columns.last().copied().unwrap_or_default();
    format!("fk_{}_{last}", child.name(options, set))
}

/// Returns the names of a set's foreign keys.
pub(crate) fn foreign_key_names(options: &TpccOptions, set: u32) -> Vec<String> {
    FOREIGN_KEYS
        .iter()
        .map(|(child, columns, ..)| constraint_name(*child, columns, options, set))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::options::Fidelity;
    use std::collections::HashSet;

    fn options(dialect: Dialect) -> TpccOptions {
        TpccOptions::new(dialect, Fidelity::Tool)
    }

    #[test]
    fn order_line_is_cut_into_partitions_of_a_hundred_warehouses() {
        let mut options = options(Dialect::Hammerdb);
        options.partition = true;
        for (warehouses, end) in [
            (200, "PARTITION BY HASH (ol_w_id) PARTITIONS 2"),
            (250, "PARTITION BY HASH (ol_w_id) PARTITIONS 3"),
            (199, "COLLATE latin1_swedish_ci"),
        ] {
            options.warehouses = warehouses;
            assert!(create_table(TpccTable::OrderLine, &options, 0).ends_with(end));
        }
        assert!(!create_table(TpccTable::Stock, &options, 0).contains("PARTITION"));
    }

    #[test]
    fn there_are_ten_foreign_keys_with_names_of_their_own_in_each_set() {
        let options = options(Dialect::SysbenchTpcc);
        let names = (0..2).flat_map(|set| foreign_key_names(&options, set));
        assert_eq!(names.collect::<HashSet<_>>().len(), 20);
        let added = add_foreign_keys(&options, 1).join("\n");
        assert_eq!(added.matches("ADD CONSTRAINT").count(), 10);
        assert!(added.contains(
            "ALTER TABLE district2 ADD CONSTRAINT fk_district2_d_w_id FOREIGN KEY (d_w_id) REFERENCES warehouse2 (w_id)"
        ));
    }

    #[test]
    fn a_table_comes_before_those_that_its_foreign_keys_point_at() {
        let place = |wanted| TpccTable::ALL.iter().position(|table| *table == wanted);
        for (child, _, parent, _) in FOREIGN_KEYS {
            assert!(place(child) < place(parent));
        }
    }

    #[test]
    fn reversed_keys_begin_with_the_number_and_foreign_keys_follow_them() {
        let mut options = options(Dialect::TpccMysql);
        options.key_order = KeyOrder::Reversed;
        let created = |table| create_table(table, &options, 0);
        assert!(created(TpccTable::Orders).contains("PRIMARY KEY (o_id, o_d_id, o_w_id)"));
        assert!(created(TpccTable::OrderLine).contains("(ol_o_id, ol_d_id, ol_w_id, ol_number)"));
        assert!(created(TpccTable::District).contains("PRIMARY KEY (d_id, d_w_id)"));
        let added = add_foreign_keys(&options, 0).join("\n");
        assert!(added.contains("(c_d_id, c_w_id) REFERENCES district (d_id, d_w_id)"));
    }

    #[test]
    fn history_has_a_numbered_key_where_that_was_asked_for() {
        for (dialect, line) in [
            (
                Dialect::SysbenchTpcc,
                "(\n  id INT NOT NULL AUTO_INCREMENT,",
            ),
            (
                Dialect::Hammerdb,
                "id INT NOT NULL AUTO_INCREMENT INVISIBLE,\n  PRIMARY KEY (id)\n",
            ),
        ] {
            let mut options = options(dialect);
            assert!(!create_table(TpccTable::History, &options, 0).contains("PRIMARY"));
            options.force_pk = true;
            assert!(create_table(TpccTable::History, &options, 0).contains(line));
        }
    }

    #[test]
    fn hammerdb_has_two_secondary_keys_and_percona_four_or_six() {
        let count = |dialect| {
            let options = options(dialect);
            let added = TpccTable::ALL
                .iter()
                .filter_map(|table| add_keys(*table, &options, 0));
            added
                .map(|text| text.matches("ADD KEY").count())
                .sum::<usize>()
        };
        assert_eq!(count(Dialect::Hammerdb), 2);
        assert_eq!(count(Dialect::TpccMysql), 4);
        assert_eq!(count(Dialect::SysbenchTpcc), 6);
    }
}
