//! Computes NOPM and TPM as HammerDB does: from the server's counters, not from the client's.

use super::dialect::Dialect;
use super::mix::DECK;
use super::options::{DeliveryMode, MixMethod, TpccOptions};
use super::table::district_tables;
use super::{transaction, transaction_types};
use crate::{ServerCount, ServerCounts, TransactionType};

/// New orders a minute and warehouse at most, with the standard's waits (clause 4.2).
const MOST_A_WAREHOUSE: f64 = 12.86;

/// Returns the counts of a dialect.
pub(super) fn server_counts(options: &TpccOptions) -> ServerCounts {
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
                grows_by_rollbacks: false,
                most_per_minute: standard_waits.then_some(MOST_A_WAREHOUSE * warehouses),
            },
            ServerCount {
                name: "com_commit_and_rollback",
                title: "TPM",
                sql: "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_commit', 'Com_rollback')"
                    .to_owned(),
                grows_by: ended_by_server(options),
                grows_by_rollbacks: true,
                most_per_minute: None,
            },
        ],
        ratio: Some(1.0 / orders_share(options)),
    }
}

/// Returns the types that end in a COMMIT or a ROLLBACK: all, but a delivery that is only queued.
fn ended_by_server(options: &TpccOptions) -> Vec<TransactionType> {
    let is_queued = options.delivery == DeliveryMode::Queue;
    (0..)
        .take(transaction_types(options).len())
        .filter(|number| !(is_queued && *number == transaction::DELIVERY))
        .collect()
}

/// Returns the share of new orders that are not rolled back, among all transactions.
fn orders_share(options: &TpccOptions) -> f64 {
    let weights = match options.mix {
        MixMethod::Weights if options.dialect == Dialect::Standard => options.weights,
        _ => DECK,
    };
    let all = weights.iter().sum::<u32>() + u32::from(options.enable_purge);
    let rolled_back = match options.dialect {
        Dialect::Hammerdb => 1.0 / 99.0,
        _ => 0.01,
    };
    f64::from(weights[usize::from(transaction::NEW_ORDER)]) / f64::from(all) * (1.0 - rolled_back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::vectors::vectors;
    use crate::{RandomKind, RandomSource, workload};

    fn counts_of(name: &str, given: &[(&str, &str)]) -> ServerCounts {
        let given: Vec<_> = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed: 1,
        };
        let made = workload(name, &given, source, 1).unwrap();
        made.spec().server_counts.as_ref().unwrap().clone()
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
        assert_eq!(counts.counts[1].grows_by, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn waits_bound_the_orders_and_queued_deliveries_end_no_transaction() {
        let given = [
            ("warehouses", "10"),
            ("keyandthink", "on"),
            ("delivery", "queue"),
        ];
        let counts = counts_of("tpcc/standard", &given);
        assert_eq!(counts.counts[0].most_per_minute, Some(128.6));
        assert_eq!(counts.counts[1].grows_by, [0, 1, 2, 4, 5]);
        let hurried = counts_of("tpcc/standard", &[("keyandthink", "off")]);
        assert_eq!(hurried.counts[0].most_per_minute, None);
    }
}
