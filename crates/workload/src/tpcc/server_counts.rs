//! Computes NOPM and TPM as HammerDB does: from the server's counters, not from the client's.

use super::dialect::Dialect;
use super::mix::DECK;
use super::options::{DeliveryMode, MixMethod, TpccOptions};
use super::table::district_tables;
use super::{transaction, transaction_types};
use crate::{ServerCount, ServerCounts, StatementType, TransactionType};

/// New orders a minute and warehouse at most, with the standard's waits (clause 4.2).
const MOST_A_WAREHOUSE: f64 = 12.86;

/// Transactions in a purge, and in a delivery of tpcc-mysql that finds an order in each district.
const COMMITS: u32 = 10;

/// Returns the counts of a dialect with these statement types.
pub(super) fn server_counts(
    options: &TpccOptions,
    statement_types: &[&'static str],
) -> ServerCounts {
    let ends = ending_statements(statement_types);
    let next_orders: Vec<String> = district_tables(options)
        .map(|table| format!("SELECT SUM(d_next_o_id) FROM {table}"))
        .collect();
    let standard_waits = options.dialect == Dialect::Standard && options.keyandthink;
    let warehouses = f64::from(options.warehouses * options.tables);
    ServerCounts {
        counts: vec![
            ServerCount {
                name: "sum_d_next_o_id",
                title: "NOPM",
                sql: next_orders.join(" UNION ALL "),
                grows_by: vec![transaction::NEW_ORDER],
                grows_by_statements: Vec::new(),
                grows_by_rollbacks: false,
                most_per_minute: standard_waits.then_some(MOST_A_WAREHOUSE * warehouses),
            },
            ServerCount {
                name: "com_commit_and_rollback",
                title: "TPM",
                sql: "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_commit', 'Com_rollback')"
                    .to_owned(),
                grows_by: match &ends[..] {
                    [] => ended_by_server(options),
                    _ => Vec::new(),
                },
                grows_by_statements: ends,
                grows_by_rollbacks: true,
                most_per_minute: None,
            },
        ],
        ratio: Some(1.0 / orders_share(options)),
    }
}

/// Returns the types of COMMIT and ROLLBACK; none where procedures end the transactions.
fn ending_statements(statement_types: &[&'static str]) -> Vec<StatementType> {
    (0..)
        .zip(statement_types)
        .filter(|(_, name)| ["commit", "rollback"].contains(name))
        .map(|(number, _)| number)
        .collect()
}

/// Returns the types that end in a COMMIT or a ROLLBACK: all, but a delivery that is only queued.
fn ended_by_server(options: &TpccOptions) -> Vec<TransactionType> {
    let is_queued = options.delivery == DeliveryMode::Queue;
    (0..)
        .take(transaction_types(options).len())
        .filter(|number| !(is_queued && *number == transaction::DELIVERY))
        .collect()
}

/// Returns the share of new orders that are not rolled back, among all that the server commits and rolls back.
fn orders_share(options: &TpccOptions) -> f64 {
    let weights = match options.mix {
        MixMethod::Weights if options.dialect == Dialect::Standard => options.weights,
        _ => DECK,
    };
    let mut all = weights.iter().sum::<u32>() + COMMITS * u32::from(options.enable_purge);
    if options.dialect == Dialect::TpccMysql {
        all += (COMMITS - 1) * weights[usize::from(transaction::DELIVERY)];
    }
    let rolled_back = match options.dialect {
        Dialect::Hammerdb => 1.0 / 99.0,
        _ => 0.01,
    };
    f64::from(weights[usize::from(transaction::NEW_ORDER)]) / f64::from(all) * (1.0 - rolled_back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::rehearsal::make_workload;
    use crate::tpcc::vectors::vectors;

    fn counts_of(name: &str, given: &[(&str, &str)]) -> ServerCounts {
        let made = make_workload(name, given, 1);
        made.spec().server_counts.as_ref().unwrap().clone()
    }

    fn types_of(name: &str, given: &[(&str, &str)]) -> Vec<&'static str> {
        make_workload(name, given, 1).spec().statement_types.clone()
    }

    #[test]
    fn the_ratio_of_hammerdb_is_the_one_of_the_vectors() {
        let file = vectors("tpcc.json");
        let expected = file["tpm_over_nopm_hammerdb_expected"].as_f64().unwrap();
        let ratio = counts_of("tpcc/hammerdb", &[]).ratio.unwrap();
        assert!((ratio - expected).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn orders_of_every_table_set_are_counted() {
        let counts = counts_of("tpcc/sysbench-tpcc", &[("tables", "2")]);
        assert_eq!(
            counts.counts[0].sql,
            "SELECT SUM(d_next_o_id) FROM district1 UNION ALL SELECT SUM(d_next_o_id) FROM district2"
        );
    }

    #[test]
    fn commits_and_rollbacks_are_counted_as_statements_unless_procedures_end_transactions() {
        for (name, given) in [
            ("tpcc/tpcc-mysql", &[][..]),
            ("tpcc/sysbench-tpcc", &[("enable_purge", "on")]),
            ("tpcc/standard", &[]),
            ("tpcc/hammerdb", &[("no_stored_procs", "on")]),
        ] {
            let (types, ends) = (types_of(name, given), &counts_of(name, given).counts[1]);
            let names = ends.grows_by_statements.iter();
            let mut names: Vec<_> = names.map(|number| types[usize::from(*number)]).collect();
            names.sort_unstable();
            assert_eq!(names, ["commit", "rollback"], "{name}");
            assert!(ends.grows_by.is_empty(), "{name}");
        }
        let calls = &counts_of("tpcc/hammerdb", &[]).counts[1];
        assert_eq!(calls.grows_by, [0, 1, 2, 3, 4]);
        assert!(calls.grows_by_statements.is_empty());
    }

    #[test]
    fn the_ratio_counts_every_commit_of_a_delivery_and_of_a_purge() {
        let ratio = |name, given: &[_]| counts_of(name, given).ratio.unwrap();
        for (given, expected) in [
            (ratio("tpcc/tpcc-mysql", &[]), 32.0 / 9.9),
            (ratio("tpcc/sysbench-tpcc", &[]), 23.0 / 9.9),
            (
                ratio("tpcc/sysbench-tpcc", &[("enable_purge", "on")]),
                33.0 / 9.9,
            ),
        ] {
            assert!((given - expected).abs() < 1e-9, "{given} {expected}");
        }
    }

    #[test]
    fn waits_bound_the_orders_and_queued_deliveries_end_no_transaction() {
        let given = [
            ("warehouses", "10"),
            ("keyandthink", "on"),
            ("delivery", "queue"),
            ("calls", "procedures"),
        ];
        let counts = counts_of("tpcc/standard", &given);
        assert_eq!(counts.counts[0].most_per_minute, Some(128.6));
        assert_eq!(counts.counts[1].grows_by, [0, 1, 2, 4, 5]);
        let hurried = counts_of("tpcc/standard", &[("keyandthink", "off")]);
        assert_eq!(hurried.counts[0].most_per_minute, None);
    }
}
