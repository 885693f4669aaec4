//! Says how the statements of a load travel, which the order alone doesn't tell: some are never prepared.

use dbdyno_drive::{Load, Protocol};
use dbdyno_workload::StatementTemplate;

/// Returns the word of the contract.
pub(crate) fn protocol_word(load: &Load) -> &'static str {
    let statements = &load.workload.spec().statements;
    let others = statements.iter().filter(|statement| !is_call(statement));
    let (prepared, text): (Vec<_>, Vec<_>) = others.partition(|other| other.can_be_prepared());
    if prepared.is_empty() && statements.iter().any(is_call) {
        return "procedures";
    }
    match load.protocol {
        Protocol::Prepared if text.is_empty() => "prepared",
        Protocol::Prepared if !prepared.is_empty() => "prepared-and-text",
        _ => "text",
    }
}

fn is_call(statement: &StatementTemplate) -> bool {
    let word = statement.text.split_whitespace().next().unwrap_or_default();
    word.eq_ignore_ascii_case("CALL") || word.eq_ignore_ascii_case("EXECUTE")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::LoadOrder;
    use serde_json::{Value, json};

    fn word(name: &str, options: Value, protocol: &str) -> &'static str {
        let order = include_str!("../../../contract/samples/load-order-fixed-rate.json");
        let mut order: Value = serde_json::from_str(order).unwrap();
        order["workload"] = json!({"name": name, "options": options});
        order["protocol"] = json!(protocol);
        order["pacing"] = json!({"kind": "closed"});
        order["concurrency"] = json!(1);
        let order: LoadOrder = serde_json::from_value(order).unwrap();
        protocol_word(&order.load().unwrap())
    }

    #[test]
    fn statements_that_are_never_prepared_are_text_whatever_was_asked_for() {
        for (name, expected) in [
            ("sysbench/oltp_read_write", "prepared"),
            ("sysbench/oltp_insert", "text"),
            ("sysbench/bulk_insert", "text"),
            ("linkbench", "text"),
            ("insert-benchmark", "text"),
            ("tpcc/sysbench-tpcc", "text"),
            ("tpcc/tpcc-mysql", "prepared-and-text"),
            ("tpcc/hammerdb", "procedures"),
        ] {
            assert_eq!(word(name, json!({}), "prepared"), expected, "{name}");
        }
        let warehouses = json!({"warehouses": "100"});
        assert_eq!(word("tpcc/standard", warehouses, "prepared"), "prepared");
        let calls = json!({"warehouses": "100", "calls": "procedures"});
        assert_eq!(word("tpcc/standard", calls, "prepared"), "procedures");
        assert_eq!(word("sysbench/oltp_read_write", json!({}), "text"), "text");
    }
}
