//! Says what storage engines can't do, as far as their names show: before a table is made, not after hours of filling.
//! An engine that isn't named here is tried.

/// Without foreign keys. MyRocks refuses to add them when all rows are in; the others take them and keep none.
const WITHOUT_FOREIGN_KEYS: [&str; 9] = [
    "rocksdb", "myisam", "aria", "memory", "heap", "csv", "archive", "tokudb", "merge",
];

/// Returns whether it is known to have no foreign keys.
pub(crate) fn lacks_foreign_keys(engine: &str) -> bool {
    WITHOUT_FOREIGN_KEYS
        .iter()
        .any(|name| name.eq_ignore_ascii_case(engine))
}

/// Returns whether a table's compression by rows or by pages is its own: both are InnoDB's. Others take the words of
/// the first and don't heed them.
pub(crate) fn compresses_as_innodb(engine: &str) -> bool {
    engine.eq_ignore_ascii_case("innodb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_in_any_case_and_unknown_ones_are_tried() {
        assert!(lacks_foreign_keys("RocksDB") && lacks_foreign_keys("aria"));
        assert!(!lacks_foreign_keys("InnoDB") && !lacks_foreign_keys("of_next_year"));
        assert!(compresses_as_innodb("InnoDB") && !compresses_as_innodb("rocksdb"));
    }
}
