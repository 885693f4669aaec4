//! Checks what the standard's terminals send.

use crate::tpcc::rehearsal::{
    RehearsedStatement, assert_share, count, first, make_workload, play, play_one,
};
use crate::tpcc::transaction::{
    DEFERRED_DELIVERY, DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT, STOCK_LEVEL,
};
use crate::{NextAction, RetryValues, TransactionType, User, WorkloadError, workload};
use dbdyno_chance::{RandomKind, RandomSource};
use dbdyno_wire::Parameter;

const NO_REST: (&str, &str) = ("keyandthink", "off");

#[test]
fn every_transaction_has_its_statements() {
    let made = make_workload("tpcc/standard", &[NO_REST, ("warehouses", "3")], 3);
    let mut user = made.user(1);
    for _ in 0..400 {
        let (said, step) = play_one(&*made, &mut *user, NEW_ORDER);
        let lines = count(&said, "new_order.select_item");
        let expected = match step {
            NextAction::RolledBack => 4 + 4 * lines,
            _ => 7 + 4 * lines,
        };
        assert_eq!(said.len(), expected);
        let (said, _) = play_one(&*made, &mut *user, PAYMENT);
        assert_eq!(said.len(), 9 + count(&said, "payment.select_customers"));
        let (said, _) = play_one(&*made, &mut *user, ORDER_STATUS);
        assert_eq!(said.len(), 5);
    }
    for full in [0, 4, 10] {
        let begin = |user: &mut dyn User| {
            user.start_event(Some(DELIVERY));
        };
        let orders = |said: &RehearsedStatement| {
            let is_search = said.name == "delivery.select_new_order";
            (is_search && said.int(1) > full).then(Vec::new)
        };
        let (said, _) = play(&*made, &mut *user, begin, orders);
        assert_eq!(said.len() as u32, 12 + 6 * full);
    }
    let (said, _) = play_one(&*made, &mut *user, STOCK_LEVEL);
    assert_eq!(said.len(), 4);
}

#[test]
fn calls_and_statements_are_made_of_the_same_draws() {
    let options = [NO_REST, ("warehouses", "5")];
    let statements = make_workload("tpcc/standard", &options, 2);
    let calls = make_workload(
        "tpcc/standard",
        &[options[0], options[1], ("calls", "procedures")],
        2,
    );
    let (mut executor, mut caller) = (statements.user(1), calls.user(1));
    for _ in 0..300 {
        let kind = executor.start_event(None);
        assert_eq!(caller.start_event(None), kind);
        let (said, end) = play(&*statements, &mut *executor, |_| {}, |_| None);
        let (call, call_end) = play(&*calls, &mut *caller, |_| {}, |_| None);
        assert_eq!((call.len(), call_end), (1, end));
        match kind {
            NEW_ORDER => assert_same_order(&said, &call[0]),
            PAYMENT => {
                let history = first(&said, "payment.insert_history").unwrap();
                assert_eq!(history.values[5], call[0].values[7], "amount");
                assert_eq!(
                    [3, 4].map(|place| history.int(place)),
                    [1, 0].map(|place| call[0].int(place))
                );
            }
            DELIVERY => {
                let update = first(&said, "delivery.update_order").unwrap();
                assert_eq!(update.values[0], call[0].values[1], "carrier");
            }
            _ => assert_eq!(said[1].values[..2], call[0].values[..2]),
        }
    }
}

fn assert_same_order(said: &[RehearsedStatement], call: &RehearsedStatement) {
    let order = first(said, "new_order.insert_order").unwrap();
    assert_eq!(
        order.values[3..],
        call.values[2..5],
        "customer, lines, all local"
    );
    let lines = said
        .iter()
        .filter(|said| said.name == "new_order.select_item");
    for (number, line) in lines.enumerate() {
        let packed = &call.values[5][16 * number..];
        assert_eq!(packed[..6].parse::<u32>().unwrap(), line.int(0));
    }
    let stocks = said
        .iter()
        .filter(|said| said.name == "new_order.select_stock");
    for (number, stock) in stocks.enumerate() {
        let packed = &call.values[5][16 * number..];
        assert_eq!(packed[6..14].parse::<u32>().unwrap(), stock.int(1));
    }
}

#[test]
fn a_delivery_is_replied_to_at_once_and_done_right_after_it() {
    let made = make_workload("tpcc/standard", &[], 10);
    let mut user = made.user(0);
    let (mut deferred, mut replied) = (0, false);
    for _ in 0..400 {
        let mut kind: TransactionType = 0;
        let begin = |user: &mut dyn User| kind = user.start_event(None);
        let (said, step) = play(&*made, &mut *user, begin, |_| None);
        let rest_ns = user.finish_event();
        if replied {
            assert_eq!(
                (kind, said.len(), step),
                (DEFERRED_DELIVERY, 72, NextAction::Done)
            );
            deferred += 1;
        } else {
            assert_ne!(kind, DEFERRED_DELIVERY);
        }
        replied = kind == DELIVERY;
        assert_eq!(said.is_empty(), replied);
        assert_eq!(rest_ns == 0, replied, "keying takes two seconds at least");
    }
    assert!(deferred > 5);
    let names = &made.spec().transaction_types;
    assert_eq!(names[usize::from(DEFERRED_DELIVERY)], "deferred_delivery");
}

#[test]
fn a_delivery_at_a_given_rate_is_done_in_its_event() {
    let made = make_workload("tpcc/standard", &[], 10);
    let mut user = made.user(0);
    for _ in 0..3 {
        let mut kind: TransactionType = 0;
        let begin = |user: &mut dyn User| kind = user.start_event(Some(DELIVERY));
        let (said, step) = play(&*made, &mut *user, begin, |_| None);
        assert_eq!(
            (kind, said.len(), step),
            (DEFERRED_DELIVERY, 72, NextAction::Done)
        );
    }
}

#[test]
fn a_delivery_that_was_replied_to_waits_for_the_next_event_without_a_given_type() {
    let made = make_workload("tpcc/standard", &[], 10);
    let mut user = made.user(0);
    let mut start = |wanted| {
        let mut kind: TransactionType = 0;
        let begin = |user: &mut dyn User| kind = user.start_event(wanted);
        let (said, _) = play(&*made, &mut *user, begin, |_| None);
        (kind, said)
    };
    while start(None).0 != DELIVERY {}
    let (kind, _) = start(Some(PAYMENT));
    assert_eq!(kind, PAYMENT);
    let (kind, said) = start(None);
    assert_eq!((kind, said.len()), (DEFERRED_DELIVERY, 72));
    assert_eq!(count(&said, "delivery.update_order"), 10);
    assert_ne!(start(None).0, DEFERRED_DELIVERY);
}

#[test]
fn more_terminals_than_ten_a_warehouse_are_refused_where_they_key_and_think() {
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 1,
    };
    let error = workload("tpcc/standard", &[], source, 11).unwrap_err();
    assert!(matches!(error, WorkloadError::InvalidValue { .. }));
    assert!(
        error.to_string().contains("at least 2 for 11 terminals"),
        "{error}"
    );
    make_workload("tpcc/standard", &[NO_REST], 11);
}

#[test]
fn a_terminal_says_the_same_whatever_the_number_of_terminals_and_again_after_an_error() {
    let texts = |users: u32, is_repeated: bool| {
        let made = make_workload("tpcc/standard", &[NO_REST, ("warehouses", "50")], users);
        let mut user = made.user(3);
        let mut all = Vec::new();
        for _ in 0..60 {
            let begin = |user: &mut dyn User| {
                user.start_event(None);
                if is_repeated {
                    user.repeat_event(RetryValues::Same);
                }
            };
            all.extend(play(&*made, &mut *user, begin, |_| None).0);
        }
        all
    };
    assert_eq!(texts(4, false), texts(400, false));
    assert_eq!(texts(4, false), texts(4, true));
}

#[test]
fn terminals_are_dealt_out_to_warehouses_and_districts() {
    let made = make_workload("tpcc/standard", &[("warehouses", "4")], 40);
    let mut places: Vec<(u32, u32)> = (0..40)
        .map(|index| {
            let (said, _) = play_one(&*made, &mut *made.user(index), STOCK_LEVEL);
            (said[1].int(0), said[1].int(1))
        })
        .collect();
    places.sort_unstable();
    let all = (1..=4).flat_map(|warehouse| (1..=10).map(move |district| (warehouse, district)));
    assert!(places.into_iter().eq(all));
}

#[test]
fn shares_are_those_of_the_standard_and_lines_are_in_the_order_of_their_locks() {
    let made = make_workload(
        "tpcc/standard",
        &[NO_REST, ("warehouses", "10"), ("home", "any")],
        1,
    );
    let mut user = made.user(0);
    const ORDERS: usize = 8000;
    let (mut back, mut lines, mut remote) = (0, 0, 0);
    for _ in 0..ORDERS {
        let (said, step) = play_one(&*made, &mut *user, NEW_ORDER);
        back += usize::from(step == NextAction::RolledBack);
        let home = first(&said, "new_order.select_customer").unwrap().int(0);
        let stocks = said
            .iter()
            .filter(|said| said.name == "new_order.select_stock");
        let places: Vec<_> = stocks.map(|stock| (stock.int(1), stock.int(2))).collect();
        assert!(places.is_sorted());
        lines += places.len();
        remote += places.iter().filter(|(supply, _)| *supply != home).count();
    }
    assert_share(back, ORDERS, 0.01, "rolled back");
    assert_share(remote, lines, 0.01, "remote lines");
    const PAYMENTS: usize = 8000;
    let mut remote = 0;
    for _ in 0..PAYMENTS {
        let (said, _) = play_one(&*made, &mut *user, PAYMENT);
        let history = first(&said, "payment.insert_history").unwrap();
        remote += usize::from(history.int(1) != history.int(4));
        let amount: f64 = history.values[5].parse().unwrap();
        assert!((1.0..=5000.0).contains(&amount));
    }
    assert_share(remote, PAYMENTS, 0.15, "remote payments");
}

#[test]
fn what_is_known_of_a_bad_customer_begins_with_the_payment_and_is_cut_at_500() {
    const OLD: [u8; 500] = [b'x'; 500];
    let made = make_workload("tpcc/standard", &[NO_REST], 1);
    let mut user = made.user(0);
    let bad = |said: &RehearsedStatement| match said.name {
        "payment.select_customer" => Some(vec![Parameter::Text(b"BC")]),
        "payment.select_data" => Some(vec![Parameter::Text(&OLD)]),
        _ => None,
    };
    let begin = |user: &mut dyn User| {
        user.start_event(Some(PAYMENT));
    };
    let (said, _) = play(&*made, &mut *user, begin, bad);
    let update = first(&said, "payment.update_bad_customer").unwrap();
    let history = first(&said, "payment.insert_history").unwrap();
    let values = |places: &[usize]| {
        places
            .iter()
            .map(|place| history.values[*place].as_str())
            .collect::<Vec<_>>()
    };
    let expected = format!("{} ", values(&[2, 0, 1, 3, 4]).join(" "));
    assert_eq!(update.values[2].len(), 500);
    assert!(update.values[2].starts_with(&expected), "{expected}");
    assert_eq!(count(&said, "payment.update_customer"), 0);
}
