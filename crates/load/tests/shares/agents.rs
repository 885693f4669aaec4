//! Checks that hosts that are reached by a command in place of ssh are one client, and end together.

use crate::hosts::{RecordFiles, lines, server, told};
use dbdyno_null_server::NullServer;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

/// Runs what ssh would run on the host; some hosts fail in their own ways.
const SSH: &str = r#"#!/bin/sh
while [ "$1" != "--" ]; do shift; done

[ "$2" = gone ] && echo "no route to host" >&2 && exit 255
echo "Welcome to $2"
if [ "$2" = dies ]; then timeout -s KILL 3 sh -c "$3"; exit; fi
exec sh -c "$3"
"#;

fn run(server: &NullServer, files: &RecordFiles, hosts: &str, words: &[&str]) -> Output {
    let (ssh, port) = (files.path("ssh"), server.address().tcp.unwrap().port());
    fs::write(&ssh, SSH).unwrap();
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    let program = env!("CARGO_BIN_EXE_dbdyno-load");
    Command::new(program)
        .args(["run", "sysbench/oltp_point_select", "--no-password"])
        .args(["--host", "127.0.0.1", "--port", &port.to_string()])
        .args(["--warm-up", "1s", "--agent-program", program])
        .arg(format!("--agents={hosts}"))
        .args(words)
        .env("DBDYNO_SSH", &ssh)
        .env_remove("DBDYNO_PASSWORD_FILE")
        .output()
        .unwrap()
}

fn end(output: &Output) -> Value {
    let end = lines(&output.stdout).pop().unwrap();
    assert_eq!(end["record"], json!("end"));
    end
}

#[test]
fn hosts_begin_together_and_are_one_client() {
    let (server, files) = (server(), RecordFiles::new("agents"));
    let words = ["--threads", "7", "--time", "2s", "--json-lines", "-"];
    let output = run(&server, &files, "c1,c2,c3", &words);
    assert!(output.status.success(), "{}", told(&output));
    let records = lines(&output.stdout);
    assert_eq!(records[0]["concurrency"], json!(7));
    let seconds = records
        .iter()
        .filter(|record| record["record"] == json!("interval"));
    let live: Vec<_> = seconds
        .map(|second| second["connections_live"].clone())
        .collect();
    assert_eq!(live, [7, 7, 7]);
    let end = end(&output);
    assert_eq!(end["status"], json!("complete"));
    let hosts = end["hosts"].as_array().unwrap();
    let names: Vec<_> = hosts
        .iter()
        .map(|host| host["host"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["c1", "c2", "c3"]);
    let skews = hosts
        .iter()
        .map(|host| host["start_skew_ns"].as_i64().unwrap());
    let skews: Vec<_> = skews.collect();
    let apart_ns = skews.iter().max().unwrap() - skews.iter().min().unwrap();
    assert!(apart_ns < 100_000_000, "{skews:?}");
}

#[test]
fn one_host_alone_may_drive_all() {
    let (server, files) = (server(), RecordFiles::new("agent"));
    let output = run(&server, &files, "c1", &["--threads", "3", "--time", "1s"]);
    assert!(output.status.success(), "{}", told(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("3 connections on 1 hosts"), "{text}");
}

#[test]
fn a_share_that_dies_ends_all_at_its_second() {
    let (server, files) = (server(), RecordFiles::new("dies"));
    let words = ["--threads", "4", "--time", "60s", "--json-lines", "-"];
    let output = run(&server, &files, "c1,dies", &words);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    let end = end(&output);
    let reason = end["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("share 2 of 2 on dies ended in second"),
        "{reason}"
    );
    assert_eq!(end["hosts"][0]["status"], json!("interrupted"));
    assert!(end["hosts"][0]["seconds"].as_u64().unwrap() < 20);
}

#[test]
fn a_host_that_cannot_be_reached_is_named_and_nothing_is_driven() {
    let (server, files) = (server(), RecordFiles::new("gone"));
    let words = ["--threads", "4", "--time", "60s", "--json-lines", "-"];
    let output = run(&server, &files, "c1,gone", &words);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    let end = end(&output);
    assert_eq!(
        (&end["failure_kind"], &end["scheduled"]),
        (&json!("network"), &json!(0))
    );
    assert!(
        end["reason"]
            .as_str()
            .unwrap()
            .contains("gone: the connection to it failed: no route")
    );
}

#[test]
fn what_hosts_cannot_share_is_refused_before_any_is_reached() {
    let (server, files) = (server(), RecordFiles::new("refused"));
    for (hosts, words, why) in [
        (
            "gone,c1",
            &["--threads", "1", "--time", "1s"][..],
            "can't be dealt",
        ),
        ("gone,c1", &["--threads", "4", "--events", "9"], "events"),
        ("-oProxyCommand=x", &["--time", "1s"], "as ssh takes them"),
        (
            "c1",
            &["--share", "1/2", "--time", "1s"],
            "cannot be used with",
        ),
    ] {
        let output = run(&server, &files, hosts, words);
        assert_eq!(output.status.code(), Some(2), "{why}: {}", told(&output));
        assert!(told(&output).contains(why), "{}", told(&output));
    }
}
