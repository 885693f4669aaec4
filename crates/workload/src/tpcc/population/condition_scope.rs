//! Says which consistency conditions can hold, by dialect.

use crate::InvariantScope;
use crate::tpcc::dialect::Dialect;
use crate::tpcc::options::TpccOptions;

/// Returns when condition 3.3.2.`number` holds; `None`: not even after the filling.
pub(crate) fn holds(number: u32, options: &TpccOptions) -> Option<InvariantScope> {
    if number == 11 {
        return Some(InvariantScope::AfterLoad);
    }
    if options.enable_purge && [6, 8, 9, 10, 12].contains(&number) {
        return Some(InvariantScope::AfterLoad); // deleted lines and payments are missing from the sums
    }
    if options.is_fixed() {
        return Some(InvariantScope::Always);
    }
    match options.dialect {
        Dialect::Standard | Dialect::SysbenchTpcc => Some(InvariantScope::Always),
        Dialect::TpccMysql => Some(holds_for_tpcc_mysql(number)),
        Dialect::Hammerdb => holds_for_hammerdb(number, undoes_whole_transactions(options)),
    }
}

/// Returns whether the conflicts that users meet all the time undo the whole transaction. InnoDB does so; MyRocks
/// undoes the statement.
fn undoes_whole_transactions(options: &TpccOptions) -> bool {
    options.mysql_storage_engine.eq_ignore_ascii_case("innodb")
}

fn holds_for_tpcc_mysql(number: u32) -> InvariantScope {
    match number {
        5 | 7 => InvariantScope::UnlessQuirk("Q-TM-6"),
        10 => InvariantScope::UnlessQuirk("Q-TM-6, Q-TM-8"),
        12 => InvariantScope::AfterLoad, // Q-TM-7
        _ => InvariantScope::Always,
    }
}

/// Returns the scope for HammerDB. Q-HD-11: no ROLLBACK follows an error, and the next START TRANSACTION commits what
/// the server has not undone.
fn holds_for_hammerdb(number: u32, undoes_whole: bool) -> Option<InvariantScope> {
    match number {
        10 | 12 => None, // Q-HD-2
        3 | 5 | 7 if undoes_whole => Some(InvariantScope::UnlessQuirk("Q-HD-5")),
        3 | 5 | 7 => Some(InvariantScope::UnlessQuirk("Q-HD-5, Q-HD-11")),
        _ if !undoes_whole => Some(InvariantScope::UnlessQuirk("Q-HD-11")),
        _ => Some(InvariantScope::Always),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::options::Fidelity;

    /// Writes the table of the specification: a letter a condition, x always, L after load, r unless a quirk, - never.
    fn letters(options: &TpccOptions) -> String {
        let letter = |number| match holds(number, options) {
            Some(InvariantScope::Always) => 'x',
            Some(InvariantScope::AfterLoad) => 'L',
            Some(InvariantScope::UnlessQuirk(_)) => 'r',
            None => '-',
        };
        (1..=12).map(letter).collect()
    }

    #[test]
    fn conditions_hold_as_the_specification_tables_them() {
        for (dialect, expected) in [
            (Dialect::Standard, "xxxxxxxxxxLx"),
            (Dialect::SysbenchTpcc, "xxxxxxxxxxLx"),
            (Dialect::TpccMysql, "xxxxrxrxxrLL"),
            (Dialect::Hammerdb, "xxrxrxrxx-L-"),
        ] {
            assert_eq!(
                letters(&TpccOptions::new(dialect, Fidelity::Tool)),
                expected
            );
            let fixed = TpccOptions::new(dialect, Fidelity::Fixed);
            assert_eq!(letters(&fixed), "xxxxxxxxxxLx");
        }
    }

    #[test]
    fn hammerdb_commits_halves_where_an_error_undoes_only_its_statement() {
        let mut options = TpccOptions::new(Dialect::Hammerdb, Fidelity::Tool);
        options.mysql_storage_engine = "rocksdb".to_owned();
        assert_eq!(letters(&options), "rrrrrrrrr-L-");
        options = TpccOptions::new(Dialect::Hammerdb, Fidelity::Fixed);
        options.mysql_storage_engine = "rocksdb".to_owned();
        assert_eq!(letters(&options), "xxxxxxxxxxLx");
    }

    #[test]
    fn purging_takes_the_sums_away() {
        let mut options = TpccOptions::new(Dialect::SysbenchTpcc, Fidelity::Tool);
        options.enable_purge = true;
        assert_eq!(letters(&options), "xxxxxLxLLLLL");
    }
}
