//! Tests the conditions that filled tables keep.

use super::*;
use crate::tpcc::dialect::Dialect;
use crate::tpcc::options::Fidelity;

fn options(dialect: Dialect, warehouses: u32) -> TpccOptions {
    TpccOptions {
        warehouses,
        ..TpccOptions::new(dialect, Fidelity::Tool)
    }
}

#[test]
fn every_condition_that_can_hold_is_asked() {
    let names = |dialect| {
        let all = conditions(&options(dialect, 2), 0);
        all.into_iter().map(|one| one.name).collect::<Vec<_>>()
    };
    let standard = names(Dialect::Standard);
    assert_eq!(standard.len(), 9 + 12);
    let hammerdb = names(Dialect::Hammerdb);
    assert!(!hammerdb.contains(&"3.3.2.10".to_owned()));
    assert!(names(Dialect::SysbenchTpcc).contains(&"foreign_keys".to_owned()));
}

#[test]
fn many_warehouses_are_asked_by_a_sample_that_is_told() {
    assert_eq!(
        sample(1000),
        [1, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]
    );
    for condition in conditions(&options(Dialect::Standard, 1000), 0) {
        let is_of_warehouses = !condition.name.ends_with("item");
        assert_eq!(condition.sql.contains("IN (1, 100, 200,"), is_of_warehouses);
        assert!(
            condition.meaning.contains("of 1000"),
            "{}",
            condition.meaning
        );
    }
    let all = conditions(&options(Dialect::Standard, 100), 0);
    assert!(all.iter().all(|condition| !condition.sql.contains(" IN (")));
}

#[test]
fn several_sets_are_told_apart() {
    let mut options = options(Dialect::SysbenchTpcc, 2);
    options.tables = 3;
    let second = conditions(&options, 1);
    assert!(
        second
            .iter()
            .all(|condition| condition.name.ends_with(" of set 2"))
    );
    assert!(
        second
            .iter()
            .any(|condition| condition.sql.contains("order_line2"))
    );
    assert!(
        second
            .iter()
            .any(|condition| condition.name.starts_with("rows_stock "))
    );
}
