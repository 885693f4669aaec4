//! Checks the statements of sysbench-tpcc against those recorded.

use crate::tpcc::recorded_events::{RecordedEvent, events};
use crate::tpcc::transaction::{DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT, STOCK_LEVEL};
use crate::tpcc::vectors::vectors;
use crate::{NextAction, RandomKind, RandomSource, Workload, workload};
use serde_json::Value;
use std::sync::Arc;

fn made(more: &[(&str, &str)]) -> Arc<dyn Workload> {
    let mut options = vec![("scale".to_owned(), "3".to_owned())];
    options.extend(more.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())));
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 1,
    };
    workload("tpcc/sysbench-tpcc", &options, source, 1).unwrap()
}

fn record_events(wanted: u8, count: usize) -> Vec<RecordedEvent> {
    events(&*made(&[]), Some(wanted), count, |_, _| {})
}

/// Returns the vector of a transaction for which all of these hold.
fn expected(
    file: &Value,
    transaction: &str,
    keys: &[(&str, usize)],
    column: &str,
) -> Option<usize> {
    let fits = |vector: &&Value| keys.iter().all(|(key, value)| vector[*key] == *value);
    let found = file[transaction].as_array().unwrap().iter().find(fits)?;
    Some(found[column].as_u64().unwrap() as usize)
}

#[test]
fn transactions_have_the_recorded_counts_of_statements() {
    let file = vectors("tpcc_statements.json");
    for event in record_events(NEW_ORDER, 1000) {
        let lines = event.first("new_order.insert_order").unwrap().ints[4] as usize;
        let is_rolled_back = event.count("rollback") == 1;
        assert_eq!(event.end == NextAction::RolledBack, is_rolled_back);
        let column = if is_rolled_back {
            "sysbench_tpcc_rollback"
        } else {
            "sysbench_tpcc"
        };
        if let Some(count) = expected(&file, "new_order", &[("lines", lines)], column) {
            assert_eq!(event.statements.len(), count);
        }
        let formula = if is_rolled_back {
            4 * lines
        } else {
            7 + 4 * lines
        };
        assert_eq!(event.statements.len(), formula);
    }
    for event in record_events(PAYMENT, 500) {
        let keys = [
            ("by_name", event.count("payment.select_namesakes")),
            ("bad_credit", event.count("payment.update_customer_data")),
        ];
        let count = expected(&file, "payment", &keys, "sysbench_tpcc");
        assert_eq!(Some(event.statements.len()), count);
    }
    for event in record_events(ORDER_STATUS, 200) {
        let keys = [("by_name", event.count("order_status.count_namesakes"))];
        let count = expected(&file, "order_status", &keys, "sysbench_tpcc");
        assert_eq!(Some(event.statements.len()), count);
    }
    for found in [0, 5, 10] {
        let with = |sent: &crate::tpcc::recorded_events::RecordedStatement,
                    rows: &mut dbdyno_wire::BufferedRows| {
            if sent.name == "delivery.select_new_order" && sent.ints[0] > found {
                rows.expect(false);
            }
        };
        let event = &events(&*made(&[]), Some(DELIVERY), 1, with)[0];
        let keys = [("districts_with_order", found as usize)];
        let count = expected(&file, "delivery", &keys, "sysbench_tpcc");
        assert_eq!(Some(event.statements.len()), count);
    }
    for event in record_events(STOCK_LEVEL, 10) {
        assert_eq!(file["stock_level"]["sysbench_tpcc"], event.statements.len());
    }
}

#[test]
fn one_order_in_a_hundred_rolls_back_at_its_last_line_but_one_and_none_has_remote_lines() {
    let orders = record_events(NEW_ORDER, 4000);
    let rolled_back = orders
        .iter()
        .filter(|event| event.end == NextAction::RolledBack);
    let rolled_back = rolled_back.count();
    assert!((9..=71).contains(&rolled_back), "{rolled_back}");
    let flagged = orders.iter().filter(|event| {
        let order = event.first("new_order.insert_order").unwrap();
        order.ints[5] == 0
    });
    let flagged = flagged.count(); // 9.5 % expected
    assert!((288..=472).contains(&flagged), "{flagged}");
    for event in &orders {
        let home = event.first("new_order.insert_order").unwrap().ints[2];
        let mut stocks = event
            .statements
            .iter()
            .filter(|sent| sent.name == "new_order.select_stock");
        assert!(stocks.all(|sent| sent.ints[1] == home));
    }
}

#[test]
fn payments_stay_in_the_warehouse_and_change_the_district_as_the_vectors_say() {
    let payments = record_events(PAYMENT, 4000);
    let elsewhere = payments.iter().filter(|event| {
        let row = &event.first("payment.insert_history").unwrap().ints;
        assert_eq!(row[1], row[4]);
        row[0] != row[3]
    });
    let elsewhere = elsewhere.count(); // 13.5 % expected
    assert!((432..=648).contains(&elsewhere), "{elsewhere}");
}

#[test]
fn texts_are_those_of_the_recording() {
    let event = &record_events(PAYMENT, 1)[0];
    let history = event.first("payment.insert_history").unwrap();
    assert!(
        history.sql.ends_with(",'      name       name   ')"),
        "{}",
        history.sql
    );
    let bad = record_events(PAYMENT, 200);
    let bad = bad
        .iter()
        .find_map(|event| event.first("payment.update_customer_data"));
    let text = &bad.unwrap().sql;
    assert!(text.contains("c_data='| "), "{text}");
    assert!(text.contains(".00   17040672"), "{text}");
    let order = &record_events(NEW_ORDER, 1)[0];
    let line = &order.first("new_order.insert_line").unwrap().sql;
    let amount = line.rsplit(',').nth(1).unwrap();
    assert!(amount.parse::<u32>().is_ok(), "{line}");
}

#[test]
fn repaired_it_works_remotely_rolls_back_at_the_last_line_and_reads_the_right_order() {
    let fixed = made(&[("fidelity", "fixed")]);
    let orders = events(&*fixed, Some(NEW_ORDER), 2000, |_, _| {});
    let mut remote = 0;
    for event in &orders {
        let order = &event.first("new_order.insert_order").unwrap().ints;
        let lines = order[4] as usize;
        if event.end == NextAction::RolledBack {
            assert_eq!(event.statements.len(), 4 + 4 * lines);
        }
        remote += event
            .statements
            .iter()
            .filter(|sent| sent.name == "new_order.select_stock" && sent.ints[1] != order[2])
            .count();
    }
    assert!((130..=270).contains(&remote), "{remote}"); // 1 % of 20,000
    let status = &events(&*fixed, Some(ORDER_STATUS), 1, |_, _| {})[0];
    let lines = status.first("order_status.select_lines").unwrap();
    assert_eq!(lines.ints[2], 3000);
    assert!(fixed.spec().metadata.quirks.is_empty());
    let quirks = made(&[]).spec().metadata.quirks.clone();
    assert_eq!(quirks.len(), 8);
    assert_eq!(quirks[3], "Q-ST-4");
}

#[test]
fn table_sets_have_statements_of_their_own_and_events_take_them_in_turn() {
    let two = made(&[("tables", "2")]);
    let orders = events(&*two, Some(NEW_ORDER), 50, |_, _| {});
    for number in ["orders1 ", "orders2 "] {
        let text =
            |event: &RecordedEvent| event.first("new_order.insert_order").unwrap().sql.clone();
        assert!(orders.iter().any(|event| text(event).contains(number)));
    }
    let all = |name: &str| {
        two.spec()
            .statements
            .iter()
            .filter(|t| t.text.contains(name))
            .count()
    };
    assert_eq!(all("customer1"), all("customer2"));
}

#[test]
fn a_repeat_draws_the_type_anew_unless_that_is_repaired() {
    let types = |workload: &dyn Workload| {
        let mut user = workload.user(0);
        let first = user.start_event(None);
        let repeats = (0..100).map(|_| user.repeat_event(crate::RetryValues::New));
        repeats.filter(|again| *again != first).count()
    };
    assert!(types(&*made(&[])) > 20);
    assert_eq!(types(&*made(&[("fidelity", "fixed")])), 0);
}

#[test]
fn the_purge_is_a_type_of_its_own_and_splittable_names_what_only_reads() {
    let purging = made(&[("enable_purge", "yes"), ("splittable", "yes")]);
    assert_eq!(purging.spec().transaction_types.len(), 6);
    let event = &events(&*purging, Some(5), 1, |sent, rows| {
        if sent.name == "purge.select_old_order" {
            rows.push(&[dbdyno_wire::Parameter::Int(2100)]);
        }
    })[0];
    assert_eq!(event.statements.len(), 70);
    assert_eq!(event.statements[0].sql, "START TRANSACTION READ WRITE");
    let status = &events(&*purging, Some(ORDER_STATUS), 1, |_, _| {})[0];
    assert_eq!(status.statements[0].sql, "START TRANSACTION READ ONLY");
}

#[test]
fn of_namesakes_the_row_of_the_vectors_is_taken() {
    let file = vectors("tpcc.json");
    for vector in file["customer_by_last_name_row"].as_array().unwrap() {
        let rows = vector["rows"].as_u64().unwrap() as usize;
        assert_eq!(super::tool_row(rows) as u64 + 1, vector["sysbench_tpcc"]);
    }
}
