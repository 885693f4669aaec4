//! Says what a workload's waits and mix make of the server's counts, where the pacing leaves both to the workload.

use dbdyno_drive::{Load, Pacing};
use dbdyno_workload::{ServerCount, ServerCounts};

/// Returns the largest growth that the workload's own waits allow: users wait in closed loops only.
pub(crate) fn most_per_minute(count: &ServerCount, load: &Load) -> Option<f64> {
    let most = count.most_per_minute;
    most.filter(|_| !load.pacing.has_due_instants())
}

/// Returns the ratio of the first two counts; `None` where the pacing fixes types of transactions.
pub(crate) fn ratio_by_mix(counts: &ServerCounts, load: &Load) -> Option<f64> {
    let has_types = match &load.pacing {
        Pacing::VariedRate { streams, .. } => {
            streams.iter().any(|stream| stream.transaction.is_some())
        }
        _ => false,
    };
    counts.ratio.filter(|_| !has_types)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::LoadOrder;
    use serde_json::{Value, json};

    fn expected(pacing: Value) -> (bool, bool) {
        let order = include_str!("../../../contract/samples/load-order-fixed-rate.json");
        let mut order: Value = serde_json::from_str(order).unwrap();
        order["workload"] = json!({"name": "tpcc/standard", "options": {"warehouses": "10"}});
        order["pacing"] = pacing;
        let order: LoadOrder = serde_json::from_value(order).unwrap();
        let load = order.load().unwrap();
        let counts = load.workload.spec().server_counts.as_ref().unwrap();
        (
            most_per_minute(&counts.counts[0], &load).is_some(),
            ratio_by_mix(counts, &load).is_some(),
        )
    }

    #[test]
    fn waits_bound_new_orders_in_closed_loops_and_the_mix_is_the_workloads_where_no_type_is_fixed()
    {
        let varied = |transaction: Value| {
            let profile =
                json!([{"from_per_s": 5.0, "to_per_s": 5.0, "duration_ns": 1_000_000_000}]);
            json!({
                "kind": "varied-rate",
                "arrivals": "constant",
                "streams": [{"transaction": transaction, "profile": profile}],
            })
        };
        let rate = json!({"kind": "fixed-rate", "rate_per_s": 50.0, "arrivals": "constant"});
        assert_eq!(expected(json!({"kind": "closed"})), (true, true));
        assert_eq!(expected(rate), (false, true));
        assert_eq!(expected(varied(Value::Null)), (false, true));
        assert_eq!(expected(varied(json!("new_order"))), (false, false));
    }
}
