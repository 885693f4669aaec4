//! Checks that processes with shares of a load together match one process.

use crate::hosts::{EVENTS, SHARES, USERS, records, server, shared, start, told, unix_now};
use dbdyno_null_server::NullServer;
use serde_json::{Value, json};

fn alone(server: &NullServer, words: &[&str]) -> Vec<Value> {
    records(start(server, &[words, &["--json-lines=-"]].concat()))
}

fn end(records: &[Value]) -> &Value {
    let end = records.last().unwrap();
    assert_eq!(end["record"], json!("end"));
    end
}

fn digests(records: &[Value]) -> Vec<Value> {
    end(records)["digests"].as_array().unwrap().clone()
}

#[test]
fn the_users_of_all_shares_send_what_those_of_one_process_send() {
    let server = server();
    let (users, events) = (USERS.to_string(), EVENTS.to_string());
    for workload in [
        &["sysbench/oltp_read_write", "--tables", "2"][..],
        &["sysbench/oltp_insert", "--rows", "1000"],
        &["sysbench/oltp_write_only", "--rng", "dbdyno"],
        &["tpcc/hammerdb", "--warehouses", "5"],
        &["tpcc/sysbench-tpcc", "--warehouses", "5", "--tables", "2"],
        &["linkbench", "--maxid1", "1000"],
    ] {
        let load = ["--threads", &users, "--time", "2s", "--digest", &events];
        let words = [workload, &load[..]].concat();
        let expected = digests(&alone(&server, &words));
        assert_eq!(expected.len() as u64, USERS);
        assert!(expected.iter().all(|user| user["events"] == json!(EVENTS)));
        let mut union: Vec<_> = shared(&server, &words)
            .iter()
            .flat_map(|records| digests(records))
            .collect();
        union.sort_by_key(|digest| digest["user"].as_u64());
        assert_eq!(union, expected, "{workload:?}");
    }
}

#[test]
fn the_shares_of_a_schedule_have_each_of_its_events_once() {
    let server = server();
    let load = [
        "sysbench/oltp_point_select",
        "--threads",
        "7",
        "--time",
        "2s",
    ];
    for rate in [
        &["--rate", "300", "--arrivals", "poisson"][..],
        &["--rate", "301", "--arrivals", "constant"],
        &["--rate", "100..500:1s,50"],
    ] {
        let words = [&load[..], rate].concat();
        let scheduled = |records: &[Value]| end(records)["scheduled"].as_u64().unwrap();
        let expected = scheduled(&alone(&server, &words));
        let shares = shared(&server, &words);
        let dealt: Vec<_> = shares.iter().map(|records| scheduled(records)).collect();
        assert_eq!(dealt.iter().sum::<u64>(), expected, "{rate:?} {dealt:?}");
        assert!(dealt.iter().all(|&count| count > expected / 6), "{dealt:?}");
    }
}

#[test]
fn shares_begin_at_the_second_asked_for_and_say_so() {
    let server = server();
    let words = [
        "sysbench/oltp_point_select",
        "--threads",
        "7",
        "--time",
        "1s",
    ];
    let shares = shared(&server, &words);
    let mut connections = 0;
    for (records, number) in shares.iter().zip(1..) {
        let (begin, second) = (&records[0], &records[1]);
        let share = &begin["share"];
        assert_eq!(
            (&share["number"], &share["count"]),
            (&json!(number), &json!(SHARES))
        );
        assert_eq!(share["connections"], json!(USERS));
        assert!(!share["host"].as_str().unwrap().is_empty());
        assert_eq!(share["start_at_ns"], shares[0][0]["share"]["start_at_ns"]);
        assert_eq!(
            share["common_sha256"],
            shares[0][0]["share"]["common_sha256"]
        );
        let asked_ns = share["start_at_ns"].as_u64().unwrap();
        let skew_ns = second["realtime_ns"].as_u64().unwrap().abs_diff(asked_ns);
        assert!(skew_ns < 5_000_000, "{skew_ns} ns");
        assert_eq!(begin["concurrency"], second["connections_live"]);
        connections += begin["concurrency"].as_u64().unwrap();
    }
    assert_eq!(connections, USERS);
}

#[test]
fn a_start_that_cannot_be_kept_is_told_and_nothing_is_driven() {
    let server = server();
    let past = unix_now().as_secs().to_string();
    let words = [
        "sysbench/oltp_point_select",
        "--start-at",
        &past,
        "--json-lines=-",
    ];
    let output = start(&server, &words).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    assert!(told(&output).contains("--start-at"), "{}", told(&output));
    let lines = String::from_utf8(output.stdout).unwrap();
    let end: Value = serde_json::from_str(lines.trim()).unwrap();
    assert_eq!(
        (&end["record"], &end["scheduled"]),
        (&json!("end"), &json!(0))
    );
}

#[test]
fn a_requirement_on_the_whole_load_is_not_judged_by_one_share() {
    let server = server();
    let words = ["sysbench/oltp_point_select", "--time=1s", "--share=1/3"];
    let output = start(&server, &[&words[..], &["--require=tps>=500"]].concat());
    let output = output.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("--require"), "{}", told(&output));
}

#[test]
fn a_run_without_shares_has_the_record_it_always_had() {
    let server = server();
    let records = alone(&server, &["sysbench/oltp_point_select", "--time", "1s"]);
    assert!(records[0].get("share").is_none());
}
