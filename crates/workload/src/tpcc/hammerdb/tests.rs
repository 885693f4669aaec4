//! Checks what HammerDB's virtual users send against the published counts.

use crate::tpcc::rehearsal::{
    RehearsedStatement, assert_share, count, first, make_workload, play, play_one,
};
use crate::tpcc::transaction::{DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT, STOCK_LEVEL};
use crate::tpcc::vectors::vectors;
use crate::{NextAction, TransactionType, User, Workload};
use dbdyno_wire::Parameter;
use std::sync::Arc;

const DIRECT: (&str, &str) = ("no_stored_procs", "on");

fn direct() -> (Arc<dyn Workload>, Box<dyn User>) {
    let made = make_workload("tpcc/hammerdb", &[DIRECT, ("warehouses", "10")], 4);
    let user = made.user(0);
    (made, user)
}

fn begin(wanted: TransactionType) -> impl FnOnce(&mut dyn User) {
    move |user| {
        user.start_event(Some(wanted));
    }
}

#[test]
fn new_orders_without_procedures_have_the_statements_of_the_vectors() {
    let file = vectors("tpcc_statements.json");
    let (made, mut user) = direct();
    let mut seen = 0;
    for _ in 0..4000 {
        let (said, step) = play_one(&*made, &mut *user, NEW_ORDER);
        let lines = count(&said, "new_order.select_item");
        let rows = file["new_order"].as_array().unwrap();
        let Some(row) = rows.iter().find(|row| row["lines"] == lines) else {
            continue;
        };
        let column = match step {
            NextAction::RolledBack => "hammerdb_no_procedures_rollback",
            _ => "hammerdb_no_procedures",
        };
        assert_eq!(row[column], said.len(), "{lines} lines, {step:?}");
        seen |= 1 << (lines / 5 - 1) << if step == NextAction::RolledBack { 3 } else { 0 };
    }
    assert_eq!(seen, 0b111_111, "every row of the vectors was met");
}

#[test]
fn payments_without_procedures_have_the_statements_of_the_vectors() {
    let file = vectors("tpcc_statements.json");
    let (made, mut user) = direct();
    for row in file["payment"].as_array().unwrap() {
        let is_bad = row["bad_credit"] == 1;
        let credit = |said: &RehearsedStatement| {
            let is_payer = said.name.starts_with("payment.select_customer");
            let credit = Parameter::Text(if is_bad { b"BC" } else { b"GC" });
            is_payer.then(|| vec![Parameter::Int(1), credit, Parameter::Text(b"-10.00")])
        };
        let said = loop {
            let (said, _) = play(&*made, &mut *user, begin(PAYMENT), credit);
            let by_name = count(&said, "payment.count_customers");
            if row["by_name"] == by_name {
                break said;
            }
        };
        assert_eq!(row["hammerdb_no_procedures"], said.len(), "{row}");
    }
}

#[test]
fn order_status_and_stock_level_without_procedures_have_the_statements_of_the_vectors() {
    let file = vectors("tpcc_statements.json");
    let (made, mut user) = direct();
    let mut seen = [0; 2];
    for _ in 0..50 {
        let (said, _) = play_one(&*made, &mut *user, ORDER_STATUS);
        let by_name = count(&said, "order_status.count_customers");
        seen[by_name] += 1;
        let row = &file["order_status"][by_name];
        assert_eq!(row["hammerdb_no_procedures"], said.len());
    }
    assert!(seen.iter().all(|times| *times > 0));
    let (said, _) = play_one(&*made, &mut *user, STOCK_LEVEL);
    assert_eq!(file["stock_level"]["hammerdb_no_procedures"], said.len());
}

#[test]
fn a_delivery_without_procedures_ends_at_the_first_empty_district_unless_that_is_repaired() {
    let file = vectors("tpcc_statements.json");
    for fidelity in ["tool", "fixed"] {
        let made = make_workload("tpcc/hammerdb", &[DIRECT, ("fidelity", fidelity)], 1);
        let mut user = made.user(0);
        for row in file["delivery"].as_array().unwrap() {
            let full = row["districts_with_order"].as_u64().unwrap() as u32;
            let orders = |said: &RehearsedStatement| {
                let is_search = said.name == "delivery.select_new_order";
                let is_empty = is_search && said.int(1) > full;
                is_empty.then(Vec::new)
            };
            let (said, _) = play(&*made, &mut *user, begin(DELIVERY), orders);
            match fidelity {
                "tool" => assert_eq!(row["hammerdb_no_procedures"], said.len(), "{row}"),
                _ => assert_eq!(said.len() as u32, 12 + 6 * full),
            }
        }
    }
}

#[test]
fn calls_have_the_statements_of_the_vectors() {
    let file = vectors("tpcc_statements.json");
    let plain = |kind: &str| match kind {
        "stock_level" => file[kind]["hammerdb_procedure"].clone(),
        other => file[other][0]["hammerdb_procedure"].clone(),
    };
    for prepared in ["off", "on"] {
        let made = make_workload("tpcc/hammerdb", &[("prepared", prepared)], 1);
        let mut user = made.user(0);
        for (wanted, kind) in (0..).zip(&made.spec().transaction_types) {
            let (said, step) = play_one(&*made, &mut *user, wanted);
            assert_eq!(step, NextAction::Done);
            let expected = match prepared {
                "on" => file["hammerdb_prepared_true"][kind].clone(),
                _ => plain(kind),
            };
            assert_eq!(expected, said.len(), "{kind}, prepared {prepared}");
        }
    }
}

#[test]
fn a_new_order_that_got_no_number_was_rolled_back() {
    let made = make_workload("tpcc/hammerdb", &[], 1);
    let mut user = made.user(0);
    let nothing = |said: &RehearsedStatement| {
        let is_look = said.name == "new_order.select_outs";
        is_look.then(|| vec![Parameter::Int(0); 6])
    };
    let (_, step) = play(&*made, &mut *user, begin(NEW_ORDER), nothing);
    assert_eq!(step, NextAction::RolledBack);
}

#[test]
fn no_text_of_either_fidelity_has_a_place_left_open() {
    for fidelity in ["tool", "fixed"] {
        for form in [("prepared", "off"), ("prepared", "on"), DIRECT] {
            let made = make_workload("tpcc/hammerdb", &[form, ("fidelity", fidelity)], 1);
            for statement in &made.spec().statements {
                assert!(!statement.text.contains(['{', '}']), "{}", statement.text);
                assert!(statement.text_only);
            }
        }
    }
}

#[test]
fn procedures_differ_where_quirks_are_repaired_and_only_there() {
    let texts = |fixed: bool| {
        let dialect = crate::tpcc::dialect::Dialect::Hammerdb;
        let fidelity = if fixed {
            crate::tpcc::options::Fidelity::Fixed
        } else {
            crate::tpcc::options::Fidelity::Tool
        };
        super::procedures(&crate::tpcc::options::TpccOptions::new(dialect, fidelity))
    };
    let (tool, fixed) = (texts(false), texts(true));
    assert_eq!(tool.len(), 5);
    for (tool, fixed) in tool.iter().zip(&fixed) {
        assert!(!tool.contains(['{', '}']) && !fixed.contains(['{', '}']));
        assert_eq!(tool == fixed, tool.contains(" SLEV "), "{tool}");
    }
}

#[test]
fn a_user_says_the_same_whatever_the_number_of_users() {
    let texts = |users: u32| {
        let made = make_workload("tpcc/hammerdb", &[DIRECT, ("warehouses", "50")], users);
        let mut user = made.user(3);
        let any = |user: &mut dyn User| {
            user.start_event(None);
        };
        let events = (0..60).flat_map(|_| play(&*made, &mut *user, any, |_| None).0);
        events.collect::<Vec<_>>()
    };
    assert_eq!(texts(4), texts(400));
}

#[test]
fn warehouses_are_dealt_to_the_users_round_robin_when_all_are_used() {
    let options = [("allwarehouse", "on"), ("warehouses", "10")];
    for (users, index, expected) in [
        (4, 1, vec![2, 6, 10]),
        (4, 3, vec![4, 8]),
        (16, 12, vec![3]),
    ] {
        let made = make_workload("tpcc/hammerdb", &options, users);
        let mut user = made.user(index);
        let mut seen: Vec<u32> = (0..200)
            .map(|_| play_one(&*made, &mut *user, DELIVERY).0[0].int(0))
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, expected, "user {index} of {users}");
    }
}

#[test]
fn a_user_stays_at_home_and_shares_are_those_of_the_tool() {
    let (made, mut user) = direct();
    let (mut remote, mut other_district, mut by_name, mut homes) = (0, 0, 0, Vec::new());
    const PAYMENTS: usize = 20_000;
    for _ in 0..PAYMENTS {
        let (said, _) = play_one(&*made, &mut *user, PAYMENT);
        let history = first(&said, "payment.insert_history").unwrap();
        let [c_district, c_home, district, home] = [0, 1, 3, 4].map(|place| history.int(place));
        homes.push(home);
        remote += usize::from(c_home != home);
        other_district += usize::from(c_district != district);
        by_name += count(&said, "payment.count_customers");
        assert!((1..=5000).contains(&history.int(5)));
    }
    assert!(homes.iter().all(|home| *home == homes[0]));
    assert_share(remote, PAYMENTS, 0.15, "remote payments");
    assert_share(
        other_district,
        PAYMENTS,
        0.135,
        "payments of another district",
    );
    assert_share(by_name, PAYMENTS, 0.6, "payments by name");
    let orders: Vec<_> = (0..8000)
        .map(|_| play_one(&*made, &mut *user, NEW_ORDER))
        .collect();
    let back = orders
        .iter()
        .filter(|(_, step)| *step == NextAction::RolledBack);
    assert_share(back.count(), orders.len(), 1.0 / 99.0, "rolled back");
    let stocks = || {
        orders
            .iter()
            .flat_map(|(said, _)| said)
            .filter(|said| said.name == "new_order.select_stock")
    };
    let remote = stocks().filter(|said| said.int(1) != homes[0]).count();
    assert_share(remote, stocks().count(), 0.01, "remote lines");
}

#[test]
fn a_bad_customers_data_shrinks_unless_that_is_repaired() {
    for (fidelity, longest) in [("tool", false), ("fixed", true)] {
        let made = make_workload("tpcc/hammerdb", &[DIRECT, ("fidelity", fidelity)], 1);
        let mut user = made.user(0);
        const OLD: [u8; 500] = [b'x'; 500];
        let bad = |said: &RehearsedStatement| match said.name {
            "payment.select_customer" | "payment.select_customers" => Some(vec![
                Parameter::Int(17),
                Parameter::Text(b"BC"),
                Parameter::Text(b"-10.00"),
            ]),
            "payment.select_data" => Some(vec![Parameter::Text(&OLD)]),
            _ => None,
        };
        let (said, _) = play(&*made, &mut *user, begin(PAYMENT), bad);
        let update = first(&said, "payment.update_bad_customer").unwrap();
        let (data, rest) = (&update.values[1], &update.values[2]);
        if longest {
            assert_eq!(data.len() + "2026-11-30 00:00:00".len() + rest.len(), 500);
            assert!(data.starts_with("17 ") && data.ends_with(".00"), "{data}");
        } else {
            assert_tool_data(data, rest);
        }
        let paid = first(&said, "payment.insert_history").unwrap().int(5);
        let sign = if longest { -1.0 } else { 1.0 };
        let balance: f64 = update.values[0].parse().unwrap();
        assert!((balance - (-10.0 + sign * f64::from(paid))).abs() < 1e-9);
    }
}

/// The tool's script: `string range [concat $new $old] 1 [expr 500 - [string length $new]]`.
fn assert_tool_data(data: &str, rest: &str) {
    assert!(data.starts_with("_c_id 17 p_c_d_id "), "{data}");
    assert!(data.ends_with(".00 h_date "), "{data}");
    let names: Vec<_> = data.split(' ').step_by(2).collect();
    let expected = "_c_id p_c_d_id p_c_w_id p_d_id p_w_id p_h_amount h_date";
    assert_eq!(names.join(" "), expected);
    let (history, old) = rest.split_once(" x").unwrap();
    assert!(history.starts_with(" h_data "), "{rest}");
    let new_length = 1 + data.len() + "20261130000000".len() + history.len();
    let kept_length = 1 + old.len();
    assert_eq!(new_length - 1 + 1 + kept_length, 500 - new_length);
}

#[test]
fn only_one_warehouse_has_orders_that_are_called_remote_and_are_not() {
    for (fidelity, warehouses, share) in [
        ("tool", "1", Some(0.096)),
        ("fixed", "1", None),
        ("tool", "5", None),
    ] {
        let options = [DIRECT, ("fidelity", fidelity), ("warehouses", warehouses)];
        let made = make_workload("tpcc/hammerdb", &options, 1);
        let mut user = made.user(0);
        let orders: Vec<_> = (0..4000)
            .map(|_| play_one(&*made, &mut *user, NEW_ORDER).0)
            .filter(|said| count(said, "new_order.insert_order") == 1)
            .collect();
        let is_odd = |said: &&Vec<RehearsedStatement>| {
            let order = first(said, "new_order.insert_order").unwrap();
            let is_local = said
                .iter()
                .filter(|said| said.name == "new_order.select_stock")
                .all(|stock| stock.int(1) == order.int(2));
            u32::from(is_local) != order.int(5)
        };
        let odd = orders.iter().filter(is_odd).count();
        match share {
            Some(share) => assert_share(odd, orders.len(), share, "orders called remote"),
            None => assert_eq!(odd, 0, "{fidelity}, {warehouses}"),
        }
    }
}

#[test]
fn only_the_repaired_tool_rolls_back_what_an_error_has_left_open() {
    for (fidelity, rolls_back) in [("tool", false), ("fixed", true)] {
        let made = make_workload("tpcc/hammerdb", &[("fidelity", fidelity)], 1);
        let parameters = made.spec().retry.clone().unwrap();
        assert_eq!(
            (parameters.rollback_first, parameters.limit),
            (rolls_back, Some(0))
        );
        let quirks = &made.spec().metadata.quirks;
        assert_eq!(quirks.iter().any(|quirk| quirk == "Q-HD-11"), !rolls_back);
    }
}

#[test]
fn the_customer_of_a_name_is_in_the_row_of_the_vectors() {
    let file = vectors("tpcc.json");
    for row in file["customer_by_last_name_row"].as_array().unwrap() {
        let count = row["rows"].as_u64().unwrap() as usize;
        let place = |is_fixed| (super::rules(is_fixed).payer_row)(count) + 1;
        assert_eq!(row["hammerdb_no_procedures_payment"], place(false), "{row}");
        assert_eq!(row["standard"], place(true), "{row}");
    }
}
