//! Defines the transactions as stored procedures: the statements of `calls=statements` in the same order,
//! with what the client drew passed in, so that both ways leave the same rows behind.

use super::super::options::{Calls, TpccOptions};

const TEXTS: [(&str, &str); 5] = [
    ("tpcc_new_order", include_str!("sql/new_order.sql")),
    ("tpcc_payment", include_str!("sql/payment.sql")),
    ("tpcc_order_status", include_str!("sql/order_status.sql")),
    ("tpcc_delivery", include_str!("sql/delivery.sql")),
    ("tpcc_stock_level", include_str!("sql/stock_level.sql")),
];

/// Returns statements that create them; none where the load does without.
pub(crate) fn procedures(options: &TpccOptions) -> Vec<String> {
    let needed = options.calls == Calls::Procedures;
    let texts = TEXTS.iter().filter(|_| needed);
    texts.map(|(_, text)| text.trim_end().to_owned()).collect()
}

/// Returns statements that take them away, whether they're there or not.
pub(crate) fn drop_procedures() -> Vec<String> {
    let text = |(name, _): &(&str, &str)| format!("DROP PROCEDURE IF EXISTS {name}");
    TEXTS.iter().map(text).collect()
}
