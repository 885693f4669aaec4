//! Creates the tables and their keys.

use super::options::InsertBenchmarkOptions;
use crate::Check;

/// Returns the name of a table, by its number from 0.
pub(super) fn table(options: &InsertBenchmarkOptions, number: u32) -> String {
    format!("{}{}", options.table_name, number + 1)
}

/// Secondary keys in the order in which they are made: what follows the table's name in theirs, and their columns.
pub(super) const KEYS: [(&str, &str); 3] = [
    ("marketsegment", "productid, customerid, price"),
    ("registersegment", "cashregisterid, customerid, price"),
    ("pdc", "price, dateandtime, customerid"),
];

/// Returns those that there are.
pub(super) fn keys(options: &InsertBenchmarkOptions) -> &'static [(&'static str, &'static str)] {
    &KEYS[..options.num_secondary_indexes as usize]
}

/// The rows, and a sum over all their values but the key, which tables that several clients fill get in any order.
pub(super) const CHECKS: [Check; 2] = [
    Check {
        name: "rows",
        sql: "COUNT(*)",
    },
    Check {
        name: "sum_crc32_row",
        sql: "COALESCE(SUM(CRC32(CONCAT_WS(',', dateandtime, cashregisterid, customerid, productid, price, data))), 0)",
    },
];

pub(super) fn drop_table(options: &InsertBenchmarkOptions, number: u32) -> String {
    format!("drop table if exists {}", table(options, number))
}

pub(super) fn create_table(options: &InsertBenchmarkOptions, number: u32) -> String {
    format!(
        "create table {} (\
         transactionid bigint not null auto_increment, \
         dateandtime datetime, \
         cashregisterid int not null, \
         customerid int not null, \
         productid int not null, \
         price int not null, \
         data varchar(4000), \
         primary key (transactionid)) engine={}{}",
        table(options, number),
        options.mysql_storage_engine,
        partitions(options)
    )
}

fn partitions(options: &InsertBenchmarkOptions) -> String {
    let last = options.num_partitions.saturating_sub(1);
    if options.num_partitions == 0 {
        return String::new();
    }
    let range = |number: u32| {
        let end = u64::from(number + 1) * options.rows_per_partition;
        format!("partition p{number} values less than ({end}), ")
    };
    let ranges: String = (0..last).map(range).collect();
    format!(
        " partition by range (transactionid) ({ranges}partition p{last} values less than (MAXVALUE))"
    )
}

/// Returns statements that make the secondary keys: one for all, for MyRocks one each.
pub(super) fn add_keys(options: &InsertBenchmarkOptions, number: u32) -> Vec<String> {
    let name = table(options, number);
    let add = |(key, columns): &(&str, &str)| format!("add index {name}_{key} ({columns})");
    let all: Vec<String> = keys(options).iter().map(add).collect();
    match (all.is_empty(), options.is_rocksdb()) {
        (true, _) => Vec::new(),
        (false, true) => all
            .iter()
            .map(|add| format!("alter table {name} {add}"))
            .collect(),
        (false, false) => vec![format!("alter table {name} {}", all.join(", "))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_are_made_at_once_but_for_myrocks() {
        let mut options = InsertBenchmarkOptions::default();
        let [all] = &add_keys(&options, 3)[..] else {
            panic!("more than one statement")
        };
        assert_eq!(
            all,
            "alter table pi4 add index pi4_marketsegment (productid, customerid, price), \
             add index pi4_registersegment (cashregisterid, customerid, price), \
             add index pi4_pdc (price, dateandtime, customerid)"
        );
        options.mysql_storage_engine = "RocksDB".to_owned();
        assert_eq!(add_keys(&options, 0).len(), 3);
        options.num_secondary_indexes = 0;
        assert!(add_keys(&options, 0).is_empty());
    }

    #[test]
    fn the_last_partition_takes_the_rest() {
        let options = InsertBenchmarkOptions {
            num_partitions: 3,
            rows_per_partition: 10,
            ..InsertBenchmarkOptions::default()
        };
        let made = create_table(&options, 0);
        let expected = "(partition p0 values less than (10), partition p1 values less than (20), \
             partition p2 values less than (MAXVALUE))";
        assert!(made.ends_with(expected), "{made}");
    }
}
