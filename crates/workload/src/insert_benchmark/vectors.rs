//! Checks the facts of the reference (`contract/vectors`): recorded from the tool, or of an independent model.

use super::buckets::place;
use super::options::InsertBenchmarkOptions;
use super::roles::InsertEvent;
use super::rows::{CASH_REGISTERS, CUSTOMERS, PRICES, PRODUCTS};
use super::test_driver::{count, driven, given, made};
use serde_json::Value;
use std::path::Path;

/// Reads facts of the reference.
fn fact(name: &str) -> Value {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contract/vectors/insert_benchmark.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let all: Value = serde_json::from_str(&text).unwrap();
    assert!(!all[name].is_null(), "{name}");
    all[name].clone()
}

fn facts(name: &str) -> Vec<Value> {
    let facts = fact(name).as_array().cloned().unwrap_or_default();
    assert!(!facts.is_empty(), "no {name} in the vectors");
    facts
}

fn whole(fact: &Value) -> u64 {
    fact.as_u64().unwrap()
}

#[test]
fn every_step_has_the_rows_and_commits_of_the_tool() {
    for set in facts("steps") {
        for fact in set["plan"].as_array().unwrap() {
            let seconds = fact["seconds"].as_u64().unwrap_or(1).to_string();
            let (nr1, nr2) = (
                whole(&set["nr1"]).to_string(),
                whole(&set["nr2"]).to_string(),
            );
            let clients = whole(&set["clients"]).to_string();
            let one_table = if set["one_table"] == true {
                "on"
            } else {
                "off"
            };
            let options = InsertBenchmarkOptions::read(&given(&[
                ("step", fact["step"].as_str().unwrap()),
                ("nr1", &nr1),
                ("nr2", &nr2),
                ("clients", &clients),
                ("one_table", one_table),
                ("step_seconds", &seconds),
            ]))
            .unwrap();
            let plan = options.plan_of(options.step);
            let started = fact["clients_started"].as_u64();
            assert_eq!(u64::from(options.tables()), whole(&set["tables"]));
            assert_eq!(
                u64::from(plan.clients),
                started.unwrap_or_else(|| whole(&set["clients"]))
            );
            assert_eq!(plan.rows_total, whole(&fact["rows_total"]), "{fact}");
            assert_eq!(plan.rows_per_commit, whole(&fact["rows_per_commit"]));
            assert_eq!(plan.rounds, whole(&fact["commits_per_client"]), "{fact}");
            let inserted = plan.rows_per_client();
            assert_eq!(inserted, whole(&fact["rows_inserted_per_client"]), "{fact}");
            assert_eq!(
                inserted * u64::from(plan.clients),
                whole(&fact["rows_inserted_total"])
            );
            assert_eq!(plan.rounds_per_s(), fact["rounds_per_second"].as_u64());
        }
    }
}

#[test]
fn response_times_fall_into_the_tools_buckets() {
    for fact in facts("latency_bucket") {
        let ns = (fact["seconds"].as_f64().unwrap() * 1e9).round() as u64;
        assert_eq!(place(ns) as u64, whole(&fact["bucket"]), "{fact}");
    }
}

#[test]
fn columns_have_the_tools_ranges() {
    let ranges = fact("columns_random");
    for (column, values) in [
        ("cashregisterid", CASH_REGISTERS),
        ("productid", PRODUCTS),
        ("customerid", CUSTOMERS),
        ("price", PRICES),
    ] {
        assert_eq!(whole(&ranges[column][0]), 0, "{column}");
        assert_eq!(whole(&ranges[column][1]), u64::from(values) - 1, "{column}");
    }
}

#[test]
fn a_client_sends_as_many_statements_as_the_tools() {
    for fact in facts("statements_per_client") {
        // Of the rows of l.i1, four fifths of nr2, each is a separate round.
        let nr2 = (whole(&fact["rounds"]) * 5 / 4).to_string();
        let deletes = if fact["deletes_on"] == true {
            "on"
        } else {
            "off"
        };
        let made = made(&[
            ("step", "l.i1"),
            ("nr2", &nr2),
            ("rows_per_commit", "1"),
            ("delete_per_insert", deletes),
        ]);
        let metric = driven(&*made, 1_000);
        let counted = [
            InsertEvent::Insert,
            InsertEvent::Delete,
            InsertEvent::FindMin,
        ]
        .map(|event| count(&metric, event.name()) as u64);
        let expected = ["inserts", "deletes", "min_queries"].map(|name| whole(&fact[name]));
        assert_eq!(counted, expected, "{fact}");
    }
}

#[test]
fn bursts_come_in_the_seconds_in_which_the_tools_do() {
    for fact in facts("rate_schedule") {
        let rate = whole(&fact["inserts_per_second"]);
        let rows = whole(&fact["rounds"]) * whole(&fact["rows_per_commit"]);
        let (step, seconds) = (format!("qr{rate}"), (rows / rate).to_string());
        let made = made(&[
            ("step", &step),
            ("step_seconds", &seconds),
            ("query_threads", "0"),
        ]);
        let expected: Vec<u64> = fact["rounds_in_second"]
            .as_array()
            .unwrap()
            .iter()
            .map(whole)
            .collect();
        let mut counted = vec![0; expected.len()];
        for metric in driven(&*made, 1_000) {
            counted[(metric.at_ns / 1_000_000_000) as usize] += 1;
        }
        assert_eq!(counted, expected, "{fact}");
    }
}

#[test]
fn the_highest_key_is_asked_for_as_often_as_the_tools() {
    let pairs = fact("pk_query")["max_queries_for_queries"].clone();
    // The last pair of the reference has 36,768 queries; a step of so many milliseconds makes as many, and a few more.
    let made = made(&[("step", "qp0"), ("step_seconds", "38"), ("nr1", "1000")]);
    let metric = driven(&*made, 1_000_000);
    for pair in pairs.as_array().unwrap() {
        let (queries, expected) = (whole(&pair[0]), whole(&pair[1]));
        let (mut asked, mut queried) = (0, 0);
        for statement in &metric {
            let is_query = statement.kind == InsertEvent::PointQuery.name();
            if is_query && queried == queries {
                break;
            }
            queried += u64::from(is_query);
            asked += u64::from(!is_query);
        }
        assert_eq!((queried, asked), (queries, expected));
    }
}
