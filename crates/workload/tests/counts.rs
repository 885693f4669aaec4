//! Counts how many statements of which class an event holds, for sets of options.
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]

use dbdyno_workload::transcript::walk;
use dbdyno_workload::{RandomKind, RandomSource, workload};
use serde_json::{Value, json};
use std::convert::Infallible;

const EVENTS: u64 = 100;

/// Counts reads, writes and others of an event, provided every write finds its row.
fn counts(script: &str, options: &[(String, String)]) -> Value {
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 1,
    };
    let made = workload(script, options, source, 1).unwrap();
    let (mut reads, mut writes, mut others) = (0, 0, 0);
    walk(&*made, 0, EVENTS, |sent| {
        let text = sent.template.text.trim_start();
        match text.split(' ').next().unwrap() {
            "SELECT" => reads += 1,
            "UPDATE" | "DELETE" | "INSERT" => writes += 1,
            _ => others += 1,
        }
        Ok::<(), Infallible>(())
    })
    .unwrap();
    let an_event = |count: u64| {
        assert_eq!(count % EVENTS, 0);
        count / EVENTS
    };
    json!({
        "read": an_event(reads), "write": an_event(writes), "other": an_event(others),
        "total": an_event(reads + writes + others),
    })
}

fn pairs(given: &[(&str, &str)]) -> Vec<(String, String)> {
    given
        .iter()
        .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
        .collect()
}

/// Returns the options of the vectors under their full names.
fn full_options(short: &Value) -> Vec<(String, String)> {
    short
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| {
            let full = match name.as_str() {
                "skip" => "skip_trx",
                "ranges" => "range_selects",
                "ps" => "point_selects",
                "sr" => "simple_ranges",
                "su" => "sum_ranges",
                "so" => "order_ranges",
                "di" => "distinct_ranges",
                "iu" => "index_updates",
                "nu" => "non_index_updates",
                "dl" => "delete_inserts",
                other => panic!("unknown short name {other}"),
            };
            (full.to_owned(), value.to_string())
        })
        .collect()
}

#[test]
fn the_scripts_have_their_default_counts() {
    let expect = |script, read, write, other| {
        let expected =
            json!({"read": read, "write": write, "other": other, "total": read + write + other});
        assert_eq!(counts(script, &[]), expected, "{script}");
    };
    expect("oltp_read_write", 14, 4, 2);
    expect("oltp_read_only", 14, 0, 2);
    expect("oltp_write_only", 0, 4, 2);
    expect("oltp_point_select", 1, 0, 0);
    expect("oltp_update_index", 0, 1, 0);
    expect("oltp_update_non_index", 0, 1, 0);
    expect("oltp_delete", 0, 1, 0);
    expect("oltp_insert", 0, 1, 0);
    expect("select_random_points", 1, 0, 0);
    expect("select_random_ranges", 1, 0, 0);
}

#[test]
fn a_point_select_stays_one_and_a_delete_stays_one() {
    let given = pairs(&[("point_selects", "10"), ("delete_inserts", "5")]);
    assert_eq!(counts("oltp_point_select", &given)["total"], 1);
    assert_eq!(counts("oltp_delete", &given)["total"], 1);
    assert_eq!(
        counts("oltp_update_index", &pairs(&[("index_updates", "3")]))["total"],
        3
    );
}

#[test]
fn an_event_may_have_nothing_to_send() {
    assert_eq!(
        counts("oltp_update_index", &pairs(&[("index_updates", "0")]))["total"],
        0
    );
}

#[test]
fn every_recorded_set_of_options_has_its_counts() {
    let text = include_str!("../../../contract/vectors/sysbench_workload.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    for variant in vectors["variants"].as_array().unwrap() {
        let options = full_options(&variant["options"]);
        for (script, expected) in variant["per_event"].as_object().unwrap() {
            assert_eq!(
                &counts(&format!("oltp_{script}"), &options),
                expected,
                "{script} {options:?}"
            );
        }
    }
}
