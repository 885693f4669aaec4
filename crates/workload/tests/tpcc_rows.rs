//! Checks the rows of TPC-C in every dialect: their counts and sums, what orders and lines agree on, and that
//! nothing but the seed decides.
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]

use dbdyno_workload::{Population, RandomKind, RandomSource, population};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

const DIALECTS: [&str; 4] = ["standard", "sysbench-tpcc", "tpcc-mysql", "hammerdb"];

/// Bytes that no statement passes.
const LONGEST_STATEMENT: usize = 524_288;

fn made(dialect: &str, given: &[(&str, &str)], seed: u64) -> Arc<dyn Population> {
    let kind = RandomKind::Dbdyno;
    let given: Vec<_> = given
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    population(
        &format!("tpcc/{dialect}"),
        &given,
        RandomSource { kind, seed },
    )
    .unwrap()
}

fn table(made: &dyn Population, wanted: &str) -> u32 {
    let name = |table| made.table_name(table);
    let found =
        (0..made.tables()).find(|at| name(*at).trim_end_matches(char::is_numeric) == wanted);
    found.unwrap()
}

/// Gives every statement of a table's parts to `each`; returns the sums by name.
fn walk(
    made: &dyn Population,
    table: u32,
    mut each: impl FnMut(&str),
) -> HashMap<&'static str, u64> {
    let names: Vec<_> = made.checks(table).iter().map(|check| check.name).collect();
    let mut sums: HashMap<_, u64> = names.iter().map(|name| (*name, 0)).collect();
    let mut statement = Vec::new();
    for part in 0..made.parts(table) {
        let mut rows = made.rows(table, part);
        while rows.next_statement(&mut statement) > 0 {
            assert!(statement.len() < LONGEST_STATEMENT);
            each(std::str::from_utf8(&statement).unwrap());
        }
        for (name, sum) in names.iter().zip(rows.sums()) {
            *sums.get_mut(name).unwrap() += sum;
        }
    }
    sums
}

/// Returns the values of a row, without their quotes. No text of TPC-C holds a comma or a bracket.
fn rows(statement: &str) -> impl Iterator<Item = Vec<&str>> {
    let (_, list) = statement.split_once(" VALUES (").unwrap();
    list.trim_end_matches(')').split("),(").map(|row| {
        row.split(',')
            .map(|value| value.trim_matches('\''))
            .collect()
    })
}

#[test]
fn counts_and_sums_are_those_of_the_vectors() {
    let text = include_str!("../../../contract/vectors/tpcc.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    let facts = &vectors["cardinality"][1];
    assert_eq!(facts["warehouses"], 2);
    for dialect in DIALECTS {
        let made = made(dialect, &[("warehouses", "2")], 1);
        for (name, rows) in facts["rows"].as_object().unwrap() {
            let name = match dialect {
                "hammerdb" => name,
                _ if name == "new_order" => "new_orders",
                _ => name,
            };
            let sums = walk(&*made, table(&*made, name), |_| ());
            assert_eq!(sums["rows"], rows.as_u64().unwrap(), "{dialect} {name}");
        }
        let lines = walk(&*made, table(&*made, "order_line"), |_| ())["rows"];
        let [low, high] = [0, 1].map(|at| facts["order_line_5sigma"][at].as_u64().unwrap());
        assert!((low..=high).contains(&lines), "{dialect}: {lines} lines");
        let sums = |name: &str| walk(&*made, table(&*made, name), |_| ());
        let cents = |name: &str| {
            let money: f64 = facts["sums"][name].as_str().unwrap().parse().unwrap();
            (money.abs() * 100.0).round() as u64
        };
        assert_eq!(sums("warehouse")["sum_ytd_cents"], cents("w_ytd"));
        assert_eq!(sums("district")["sum_ytd_cents"], cents("d_ytd"));
        assert_eq!(
            facts["sums"]["d_next_o_id"],
            sums("district")["sum_next_o_id"]
        );
        let customers = sums("customer");
        assert_eq!(customers["sum_owed_cents"], cents("c_balance"));
        assert_eq!(customers["sum_ytd_payment_cents"], cents("c_ytd_payment"));
        assert_eq!(sums("history")["sum_amount_cents"], cents("h_amount"));
    }
}

#[test]
fn orders_and_their_lines_agree() {
    for dialect in DIALECTS {
        let made = made(dialect, &[("warehouses", "1")], 3);
        let mut counts = HashMap::new();
        walk(&*made, table(&*made, "order_line"), |statement| {
            for row in rows(statement) {
                *counts
                    .entry((row[1].to_owned(), row[0].to_owned()))
                    .or_insert(0_u32) += 1;
                let is_waiting = row[0].parse::<u32>().unwrap() > 2100;
                assert_eq!(row[6] == "NULL", is_waiting, "{dialect}");
            }
        });
        let mut orders = 0;
        walk(&*made, table(&*made, "orders"), |statement| {
            for row in rows(statement) {
                let lines = counts[&(row[1].to_owned(), row[0].to_owned())];
                assert_eq!(row[6].parse(), Ok(lines), "{dialect}");
                assert!((5..=15).contains(&lines));
                assert_eq!(row[5] == "NULL", row[0].parse::<u32>().unwrap() > 2100);
                orders += 1;
            }
        });
        assert_eq!((orders, counts.len()), (30_000, 30_000));
    }
}

#[test]
fn the_sums_are_those_of_the_rows_in_the_statements() {
    for dialect in DIALECTS {
        let made = made(dialect, &[("warehouses", "1")], 1);
        for table in 0..made.tables() {
            let (mut count, mut crc32) = (0, 0);
            let sums = walk(&*made, table, |statement| {
                let (_, list) = statement.split_once(" VALUES (").unwrap();
                for row in list.strip_suffix(')').unwrap().split("),(") {
                    count += 1;
                    crc32 += u64::from(crc32fast::hash(row.as_bytes()));
                }
            });
            assert_eq!((sums["rows"], sums["sum_crc32"]), (count, crc32));
        }
    }
}

#[test]
fn rows_depend_on_the_seed_the_set_and_the_warehouse_and_on_nothing_else() {
    let crc32 = |made: &dyn Population, table, part| {
        let (mut rows, mut statement) = (made.rows(table, part), Vec::new());
        while rows.next_statement(&mut statement) > 0 {}
        rows.sums()[1]
    };
    let two = made("sysbench-tpcc", &[("warehouses", "2"), ("tables", "2")], 1);
    let many = made("sysbench-tpcc", &[("warehouses", "5"), ("tables", "2")], 1);
    let other = made("sysbench-tpcc", &[("warehouses", "2"), ("tables", "2")], 2);
    let customer = table(&*two, "customer");
    let first = crc32(&*two, customer, 0);
    assert_eq!(first, crc32(&*many, customer, 0));
    assert_ne!(first, crc32(&*two, customer, 1));
    assert_ne!(first, crc32(&*other, customer, 0));
    assert_ne!(first, crc32(&*two, customer + two.tables() / 2, 0));
}

#[test]
fn the_word_original_is_as_frequent_as_in_the_dialect() {
    for (dialect, of_items, of_stock) in [
        ("standard", 10.0, 10.0),
        ("sysbench-tpcc", 0.0, 0.0),
        ("tpcc-mysql", 10.0, 19.0),
        ("hammerdb", 9.516, 9.516),
    ] {
        let made = made(dialect, &[("warehouses", "1")], 1);
        let word = if dialect == "standard" {
            "ORIGINAL"
        } else {
            "original"
        };
        for (name, column, expected) in [("item", 4, of_items), ("stock", 16, of_stock)] {
            let mut found = 0;
            walk(&*made, table(&*made, name), |statement| {
                for row in rows(statement) {
                    found += u32::from(row[column].contains(word));
                    let shortest = if dialect == "hammerdb" { 25 } else { 26 };
                    assert!((shortest..=50).contains(&row[column].len()) || expected == 0.0);
                }
            });
            let percent = f64::from(found) / 1000.0;
            assert!(
                (percent - expected).abs() < 0.7,
                "{dialect} {name}: {percent}"
            );
        }
    }
}

#[test]
fn texts_fit_their_columns() {
    for dialect in DIALECTS {
        let made = made(dialect, &[("warehouses", "1")], 1);
        for table in 0..made.tables() {
            let created = made.before_rows(table).concat();
            let mut widths = HashMap::new();
            for line in created.lines() {
                let mut words = line.trim().split(' ');
                let (name, kind) = (words.next().unwrap(), words.next().unwrap_or_default());
                let width = kind
                    .split_once("CHAR(")
                    .and_then(|(_, rest)| rest.split_once(')'));
                if let Some((width, _)) = width {
                    widths.insert(name.to_owned(), width.parse::<usize>().unwrap());
                }
            }
            walk(&*made, table, |statement| {
                let (head, _) = statement.split_once(") VALUES").unwrap();
                let names: Vec<&str> = head.split_once('(').unwrap().1.split(", ").collect();
                for row in rows(statement).step_by(7) {
                    assert_eq!(row.len(), names.len());
                    for (name, value) in names.iter().zip(row) {
                        let width = widths.get(*name).copied().unwrap_or(usize::MAX);
                        assert!(value.len() <= width, "{dialect} {name}: {value}");
                    }
                }
            });
        }
    }
}

#[test]
fn order_lines_end_with_the_last_order_and_stay_ended() {
    let made = made("hammerdb", &[("warehouses", "1")], 1);
    let mut rows = made.rows(table(&*made, "order_line"), 0);
    let mut statement = Vec::new();
    // Each statement holds thousands of rows: a user that has not ended by then never ends.
    let counts: Vec<u64> = (0..500)
        .map(|_| rows.next_statement(&mut statement))
        .collect();
    let total: u64 = counts.iter().sum();
    assert!((270_000..330_000).contains(&total), "{total}");
    assert_eq!(counts.last(), Some(&0));
}
