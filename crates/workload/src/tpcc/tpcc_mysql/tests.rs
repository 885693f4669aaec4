//! Checks the statements of tpcc-mysql against those recorded.

use crate::tpcc::input::{TransactionInput, UNUSED_ITEM};
use crate::tpcc::rehearsal::{assert_share, count, first, make_workload, play, play_one};
use crate::tpcc::terminal::DrawInput;
use crate::tpcc::transaction::{DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT, STOCK_LEVEL};
use crate::tpcc::vectors::vectors;
use crate::{NextAction, RetryValues, User, Workload};
use dbdyno_wire::Parameter;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

const NAME: &str = "tpcc/tpcc-mysql";

fn plain() -> Arc<dyn Workload> {
    make_workload(NAME, &[("warehouses", "2")], 1)
}

fn column(file: &Value, transaction: &str, keys: &[(&str, usize)], name: &str) -> Option<usize> {
    let fits = |vector: &&Value| keys.iter().all(|(key, value)| vector[*key] == *value);
    let found = file[transaction].as_array().unwrap().iter().find(fits)?;
    Some(found[name].as_u64().unwrap() as usize)
}

#[test]
fn thirty_five_statements_are_prepared_and_two_are_text() {
    let workload = plain();
    let prepared = workload
        .spec()
        .statements
        .iter()
        .filter(|t| t.can_be_prepared());
    assert_eq!(prepared.count(), 35);
    assert_eq!(workload.spec().session_statements[0], ["SET autocommit=0"]);
}

#[test]
fn transactions_have_the_recorded_counts_of_statements() {
    let file = vectors("tpcc_statements.json");
    let workload = make_workload(NAME, &[], 1);
    let mut user = workload.user(0);
    for _ in 0..1000 {
        let (said, step) = play_one(&*workload, &mut *user, NEW_ORDER);
        let lines = first(&said, "new_order.insert_order").unwrap().int(5) as usize;
        let (name, formula) = match step {
            NextAction::RolledBack => ("tpcc_mysql_rollback", 3 + 4 * lines),
            _ => ("tpcc_mysql", 6 + 4 * lines),
        };
        assert_eq!(said.len(), formula);
        if let Some(vector) = column(&file, "new_order", &[("lines", lines)], name) {
            assert_eq!(said.len(), vector);
        }
    }
    for _ in 0..300 {
        let (said, _) = play_one(&*workload, &mut *user, PAYMENT);
        let keys = [
            ("by_name", count(&said, "payment.select_namesakes")),
            ("bad_credit", count(&said, "payment.update_customer_data")),
        ];
        assert_eq!(
            Some(said.len()),
            column(&file, "payment", &keys, "tpcc_mysql")
        );
        let (said, _) = play_one(&*workload, &mut *user, ORDER_STATUS);
        let keys = [("by_name", count(&said, "order_status.count_namesakes"))];
        assert_eq!(
            Some(said.len()),
            column(&file, "order_status", &keys, "tpcc_mysql")
        );
    }
    for found in [0, 5, 10] {
        let begin = |user: &mut dyn User| {
            user.start_event(Some(DELIVERY));
        };
        let (said, _) = play(&*workload, &mut *user, begin, |said| {
            let is_empty = said.name == "delivery.select_new_order" && said.int(0) > found;
            is_empty.then(|| vec![Parameter::Int(0)])
        });
        let keys = [("districts_with_order", found as usize)];
        assert_eq!(
            Some(said.len()),
            column(&file, "delivery", &keys, "tpcc_mysql")
        );
    }
    let (said, _) = play_one(&*workload, &mut *user, STOCK_LEVEL);
    assert_eq!(file["stock_level"]["tpcc_mysql"], "3+m");
    assert_eq!(said.len(), 3 + count(&said, "stock_level.count_low"));
    assert_eq!(said.len(), 203);
}

#[test]
fn lines_are_sorted_and_one_in_a_hundred_is_remote() {
    let workload = plain();
    let mut user = workload.user(0);
    let (mut remote, mut draws) = (0, 0);
    for _ in 0..2000 {
        let (said, _) = play_one(&*workload, &mut *user, NEW_ORDER);
        let home = first(&said, "new_order.insert_order").unwrap().int(2);
        let stocks = said
            .iter()
            .filter(|said| said.name == "new_order.select_stock");
        let keys: Vec<_> = stocks.map(|said| (said.int(1), said.int(0))).collect();
        assert!(keys.is_sorted());
        draws += keys.len();
        remote += keys.iter().filter(|(supply, _)| *supply != home).count();
    }
    assert_share(remote, draws, 0.01, "remote lines");
}

#[test]
fn payments_are_remote_as_often_as_the_standard_says() {
    let workload = plain();
    let mut user = workload.user(0);
    let (mut remote, mut elsewhere) = (0, 0);
    for _ in 0..4000 {
        let (said, _) = play_one(&*workload, &mut *user, PAYMENT);
        let row = first(&said, "payment.insert_history").unwrap();
        remote += usize::from(row.int(1) != row.int(4));
        elsewhere += usize::from(row.int(0) != row.int(3));
    }
    assert_share(remote, 4000, 0.15, "remote payments");
    assert_share(elsewhere, 4000, 0.135, "payments in another district");
}

#[test]
fn items_have_the_smeared_skew_of_the_vectors() {
    let file = vectors("tpcc.json");
    let vector = &file["tpcc_mysql_items"];
    let parameters = super::inputs::TpccMysqlInputs::new(
        &crate::tpcc::options::TpccOptions::read(
            Some(crate::tpcc::dialect::Dialect::TpccMysql),
            &[],
        )
        .unwrap(),
        source(),
    );
    let mut stream = source().keyed("items", 0);
    let mut counts: HashMap<u32, usize> = HashMap::new();
    let mut draws = 0;
    let mut input = TransactionInput::default();
    while draws < 1_000_000 {
        parameters.draw(NEW_ORDER, &mut input, &mut stream);
        let lines = input.order_lines().iter();
        for line in lines.filter(|line| line.item != UNUSED_ITEM) {
            *counts.entry(line.item).or_default() += 1;
            draws += 1;
        }
    }
    let largest = counts.values().max().copied().unwrap();
    // 11 items share the largest probability, and the greatest of their counts lies above it.
    let p_max = vector["p_max"].as_f64().unwrap();
    let error = (p_max * draws as f64).sqrt();
    let above = largest as f64 - p_max * draws as f64;
    assert!((-error..=5.0 * error).contains(&above), "{above}");
    for (item, share) in vector["p_of"].as_object().unwrap() {
        let hits = counts
            .get(&item.parse().unwrap())
            .copied()
            .unwrap_or_default();
        let expected = share.as_f64().unwrap() * draws as f64;
        assert!((hits as f64 - expected).abs() <= 5.0 * expected.sqrt().max(1.0));
    }
}

fn source() -> dbdyno_chance::RandomSource {
    dbdyno_chance::RandomSource {
        kind: dbdyno_chance::RandomKind::Dbdyno,
        seed: 1,
    }
}

#[test]
fn a_repeat_has_the_values_of_the_first_attempt() {
    let workload = plain();
    let mut user = workload.user(0);
    for _ in 0..20 {
        let mut wanted = 0;
        let begin = |user: &mut dyn User| wanted = user.start_event(None);
        let (one, _) = play(&*workload, &mut *user, begin, |_| None);
        let begin = |user: &mut dyn User| {
            assert_eq!(user.repeat_event(RetryValues::Same), wanted);
        };
        let (other, _) = play(&*workload, &mut *user, begin, |_| None);
        assert_eq!(one, other);
    }
}

#[test]
fn money_is_bound_as_floats_of_32_bits_unless_that_is_repaired() {
    let sent = |fidelity: &str| {
        let workload = make_workload(NAME, &[("fidelity", fidelity)], 1);
        let mut user = workload.user(0);
        let (said, _) = play_one(&*workload, &mut *user, DELIVERY);
        first(&said, "delivery.update_customer").unwrap().values[0].clone()
    };
    assert_eq!(sent("tool"), "12345.669921875");
    assert_eq!(sent("fixed"), "12345.67");
}

#[test]
fn names_follow_each_other_in_the_history_and_blanks_follow_only_the_longest() {
    let workload = plain();
    let mut user = workload.user(0);
    let mut noted = |warehouse: &'static [u8], district: &'static [u8]| {
        let named = |name: &'static [u8]| {
            let mut row = vec![Parameter::Text(b"text"); 6];
            row[5] = Parameter::Text(name);
            row
        };
        let begin = |user: &mut dyn User| {
            user.start_event(Some(PAYMENT));
        };
        let (said, _) = play(&*workload, &mut *user, begin, |said| match said.name {
            "payment.select_warehouse" => Some(named(warehouse)),
            "payment.select_address" => Some(named(district)),
            _ => None,
        });
        first(&said, "payment.insert_history").unwrap().values[7].clone()
    };
    assert_eq!(noted(b"warehs", b"distric"), "warehsdistric");
    assert_eq!(noted(b"warehouse1", b"district2"), "warehouse1district2");
    assert_eq!(
        noted(b"warehouse1", b"district10"),
        "warehouse1district10    "
    );
}

#[test]
fn the_found_customer_and_the_paid_sum_count_only_where_quirks_are_repaired() {
    for (fidelity, is_fixed) in [("tool", false), ("fixed", true)] {
        let workload = make_workload(NAME, &[("fidelity", fidelity)], 1);
        let mut user = workload.user(0);
        let by_name = (0..50).find_map(|_| {
            let (said, _) = play_one(&*workload, &mut *user, ORDER_STATUS);
            (count(&said, "order_status.count_namesakes") == 1).then_some(said)
        });
        let customer = first(&by_name.unwrap(), "order_status.select_order")
            .unwrap()
            .int(2);
        assert_eq!(customer == 2, is_fixed); // the stand-in's second of three namesakes
        let (said, _) = play_one(&*workload, &mut *user, PAYMENT);
        let places = said
            .iter()
            .find(|s| s.name.starts_with("payment.update_customer"));
        let is_bad = count(&said, "payment.update_customer_data");
        assert_eq!(
            places.unwrap().values.len(),
            4 + is_bad + usize::from(is_fixed)
        );
    }
}
