//! Checks that the merged record of shares is the record of one client, or is refused.

use crate::hosts::{
    RecordFiles, SHARES, USERS, lines, merge, server, server_with, shared, start, start_at, told,
};
use dbdyno_meter::Histogram;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Output;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

const LOAD: [&str; 8] = [
    "sysbench/oltp_read_write",
    "--threads",
    "7",
    "--rate",
    "60",
    "--time",
    "3s",
    "--digest=5",
];

/// Returns the records of three shares that ran once for all tests.
pub(crate) fn run() -> &'static [Vec<Value>] {
    static RUN: OnceLock<Vec<Vec<Value>>> = OnceLock::new();
    RUN.get_or_init(|| shared(&server_with(&["1213:0.5%"]), &LOAD))
}

pub(crate) fn written(files: &RecordFiles, shares: &[Vec<Value>]) -> Vec<String> {
    let numbered = shares.iter().zip(1..);
    numbered
        .map(|(records, number)| files.write(&format!("{number}.jsonl"), records))
        .collect()
}

/// Returns the output of merging shares that `change` has altered.
pub(crate) fn changed(test: &str, change: impl Fn(&mut Vec<Vec<Value>>)) -> Output {
    let files = RecordFiles::new(test);
    let mut shares = run().to_vec();
    change(&mut shares);
    merge(&written(&files, &shares), &["--json-lines", "-"])
}

pub(crate) fn of_kind<'a>(records: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let records = records.iter();
    records.filter(|record| record["record"] == kind).collect()
}

/// Collects all numbers of a record by their paths, and all histograms.
fn flattened(path: &str, value: &Value, out: &mut BTreeMap<String, Flat>) {
    match value {
        Value::Number(number) => {
            out.insert(path.to_owned(), Flat::Count(number.as_u64().unwrap()));
        }
        Value::String(text) if text.starts_with("HISTFAAA") => {
            let histogram = Histogram::decode(text).unwrap();
            out.insert(path.to_owned(), Flat::Times(Box::new(histogram)));
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                flattened(&format!("{path}/{name}"), value, out);
            }
        }
        _ => {}
    }
}

enum Flat {
    Count(u64),
    Times(Box<Histogram>),
}

/// Sums up all shares, without the program's own reader.
fn summed(seconds: &[&Value]) -> BTreeMap<String, Flat> {
    let mut sums: BTreeMap<String, Flat> = BTreeMap::new();
    for second in seconds {
        let mut flat = BTreeMap::new();
        flattened("", second, &mut flat);
        for (path, value) in flat {
            match (sums.get_mut(&path), value) {
                (Some(Flat::Count(sum)), Flat::Count(count)) => *sum += count,
                (Some(Flat::Times(sum)), Flat::Times(times)) => sum.merge(&times),
                (_, value) => {
                    sums.insert(path, value);
                }
            }
        }
    }
    sums
}

#[test]
fn counts_errors_and_histograms_of_each_second_are_those_of_all_shares() {
    let output = changed("sum", |_| ());
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let merged = lines(&output.stdout);
    let merged_seconds = of_kind(&merged, "interval");
    assert_eq!(merged_seconds.len(), 3);
    let mut errors = 0;
    for (place, second) in merged_seconds.iter().enumerate() {
        let parts: Vec<_> = run()
            .iter()
            .map(|share| of_kind(share, "interval")[place])
            .collect();
        let mut found = BTreeMap::new();
        flattened("", second, &mut found);
        let sums = summed(&parts);
        for (path, expected) in &sums {
            let found = found
                .get(path)
                .unwrap_or_else(|| panic!("{path} is missing"));
            match (found, expected) {
                (Flat::Count(found), Flat::Count(sum)) => match path.as_str() {
                    "/second" => assert_eq!(*found, place as u64),
                    "/duration_ns" => assert_eq!(*found, 1_000_000_000),
                    "/monotonic_ns" | "/realtime_ns" => {
                        assert_eq!(json!(found), parts[0][&path[1..]], "{path}");
                    }
                    _ => assert_eq!(found, sum, "{path}"),
                },
                (Flat::Times(found), Flat::Times(sum)) => {
                    assert_eq!(found.encode(), sum.encode(), "{path}");
                }
                _ => panic!("{path} is of another kind"),
            }
            errors += u64::from(path.ends_with("/errors/1213"));
        }
        assert_eq!(found.len(), sums.len());
        assert_eq!(second["workers"].as_array().unwrap().len(), 4);
        assert_eq!(second["connections_live"], json!(USERS));
    }
    assert!(errors > 0, "the server was to fail some statements");
}

#[test]
fn the_start_and_the_end_are_those_of_one_client_with_its_hosts() {
    let output = changed("ends", |_| ());
    let merged = lines(&output.stdout);
    let (start, end) = (&merged[0], merged.last().unwrap());
    assert_eq!(
        (&start["record"], &end["record"]),
        (&json!("start"), &json!("end"))
    );
    assert!(start.get("share").is_none());
    assert_eq!(start["concurrency"], json!(USERS));
    assert_eq!(start["pacing"], run()[0][0]["pacing"]);
    assert_eq!(end["status"], json!("complete"));
    for field in [
        "scheduled",
        "completed",
        "failed",
        "unsent",
        "process_cpu_ns",
    ] {
        let ends = run().iter().map(|share| share.last().unwrap());
        let sum: u64 = ends.map(|end| end[field].as_u64().unwrap()).sum();
        assert_eq!(end[field], json!(sum), "{field}");
    }
    let users: Vec<_> = end["digests"].as_array().unwrap().iter().collect();
    let users: Vec<_> = users
        .iter()
        .map(|digest| digest["user"].as_u64().unwrap())
        .collect();
    assert_eq!(users, (1..=USERS).collect::<Vec<_>>());
    let hosts = end["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), SHARES as usize);
    for ((host, share), number) in hosts.iter().zip(run()).zip(1..) {
        assert_eq!(
            (&host["share"], &host["seconds"]),
            (&json!(number), &json!(3))
        );
        let began_ns = of_kind(share, "interval")[0]["realtime_ns"].as_i64();
        let asked_ns = share[0]["share"]["start_at_ns"].as_i64();
        let late_ns = share.last().unwrap()["began_late_ns"].as_i64();
        let skew_ns = began_ns.unwrap() - asked_ns.unwrap() + late_ns.unwrap();
        assert_eq!(host["start_skew_ns"], json!(skew_ns));
        assert!(host["busiest_worker_share"].as_f64().unwrap() <= 1.01);
        assert!(host["lateness_p99_ns"].is_u64() && host["process_cpu_ns"].is_u64());
    }
}

#[test]
fn each_host_has_its_own_path_to_the_server_and_its_own_segments() {
    let path = |number: usize| {
        json!({"connections": 2, "least_round_trip_ns": 100_000, "median_round_trip_ns": 200_000 * number,
               "mtu_bytes": 1_500, "congestion_control": "cubic"})
    };
    let traffic = |number: usize| json!({"segments_sent": 1_000, "segments_retransmitted": number, "segments_out_of_order": 0});
    let output = changed("network", |shares| {
        for (share, number) in shares.iter_mut().zip(1..) {
            share[0]["network"] = path(number);
            share.last_mut().unwrap()["network"] = traffic(number);
        }
        shares[1].last_mut().unwrap()["network"] = Value::Null;
    });
    let records = lines(&output.stdout);
    let end = records.last().unwrap();
    for (host, number) in end["hosts"].as_array().unwrap().iter().zip(1..) {
        assert_eq!(host["network"], path(number));
        let own = if number == 2 {
            Value::Null
        } else {
            traffic(number)
        };
        assert_eq!(host["traffic"], own);
    }
    assert_eq!(records[0]["network"]["median_round_trip_ns"], 600_000);
    assert_eq!(end["network"], Value::Null);
}

#[test]
fn a_silence_is_one_of_all_shares() {
    let longest = |silences: [Value; 3]| {
        let output = changed("silence", |shares| {
            for (share, silences) in shares.iter_mut().zip(&silences) {
                share.last_mut().unwrap()["silences"] = silences.clone();
            }
        });
        let end = lines(&output.stdout).pop().unwrap();
        end["longest_silence_ns"].as_u64().unwrap()
    };
    let whole = json!([[0, 900, 900]]); // it had nothing to ask for
    let two = json!([[0, 0, 100], [150, 180, 700]]);
    let late = json!([[50, 320, 320], [600, 650, 1_000]]);
    assert_eq!(longest([whole.clone(), two.clone(), late]), 140);
    assert_eq!(longest([whole.clone(), whole.clone(), whole.clone()]), 0);
    assert_eq!(longest([whole, two, json!([])]), 0);
    let told = run().iter().map(|share| share.last().unwrap());
    assert!(told.clone().all(|end| end["silences"].is_array()));
    let most = told.map(|end| end["longest_silence_ns"].as_u64().unwrap());
    let merged = lines(&changed("silent", |_| ()).stdout).pop().unwrap();
    // While one share asks for nothing, another may wait: no bound by the share that waited least.
    assert!(merged["longest_silence_ns"].as_u64() <= most.max());
}

#[test]
fn the_order_of_the_files_changes_nothing() {
    let forwards = changed("forwards", |_| ()).stdout;
    assert_eq!(
        changed("backwards", |shares| shares.reverse()).stdout,
        forwards
    );
}

#[test]
fn a_share_that_ended_early_fails_the_run_at_that_second() {
    let output = changed("early", |shares| {
        shares[1].retain(|record| record["second"] != 2 && record["record"] != "end");
    });
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    let merged = lines(&output.stdout);
    let end = merged.last().unwrap();
    assert_eq!(of_kind(&merged, "interval").len(), 2);
    assert_eq!(
        (&end["status"], &end["failure_kind"]),
        (&json!("failed"), &json!("client"))
    );
    let reason = end["reason"].as_str().unwrap();
    assert!(
        reason.contains("share 2 of 3") && reason.contains("second 3"),
        "{reason}"
    );
    let of = |field: &str| end[field].as_u64().unwrap();
    assert_eq!(
        of("scheduled"),
        of("completed") + of("failed") + of("unsent")
    );
    let seconds: Vec<_> = end["hosts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|h| &h["seconds"])
        .collect();
    assert_eq!(seconds, [&json!(3), &json!(2), &json!(3)]);
    assert!(end["hosts"][1]["process_cpu_ns"].is_null());
}

#[test]
fn a_failed_share_fails_the_run_and_interrupted_ones_interrupt_it() {
    let ending = |share: &mut Vec<Value>, status: &str| {
        let end = share.last_mut().unwrap();
        end["status"] = json!(status);
        end["reason"] = json!("because");
        end["failure_kind"] = json!((status == "failed").then_some("server"));
    };
    let output = changed("failed", |shares| ending(&mut shares[2], "failed"));
    assert_eq!(output.status.code(), Some(3));
    let end = lines(&output.stdout).pop().unwrap();
    assert_eq!(end["failure_kind"], json!("server"));
    assert!(end["reason"].as_str().unwrap().contains("because"), "{end}");
    let all =
        |shares: &mut Vec<Vec<Value>>| shares.iter_mut().for_each(|s| ending(s, "interrupted"));
    let output = changed("interrupted", all);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        lines(&output.stdout).pop().unwrap()["status"],
        json!("interrupted")
    );
}

/// A signal reaches the hosts one after the other, and a second may end in between.
#[test]
fn shares_that_a_signal_stopped_in_different_seconds_are_told_as_interrupted() {
    let stop_in = |share: &mut Vec<Value>, second: u64| {
        share.retain(|record| record["second"].as_u64().unwrap_or(0) <= second);
        for record in share.iter_mut() {
            if record["second"] == json!(second) {
                record["duration_ns"] = json!(300_000_000);
            }
        }
        let sum = |field: &str| -> u64 {
            let seconds = of_kind(share, "interval").into_iter();
            let counts = seconds.map(|second| &second["transactions"]["read_write"][field]);
            counts.map(|count| count.as_u64().unwrap()).sum()
        };
        let (started, completed, failed) = (sum("started"), sum("completed"), sum("failed"));
        let end = share.last_mut().unwrap();
        end["scheduled"] = json!(started + end["unsent"].as_u64().unwrap());
        end["completed"] = json!(started - failed);
        end["failed"] = json!(failed);
        end["in_flight_at_end"] = json!(started - completed - failed);
        end["status"] = json!("interrupted");
        end["reason"] = json!("stopped by a signal");
    };
    let output = changed("stopped", |shares| {
        for (share, second) in shares.iter_mut().zip([2, 1, 2]) {
            stop_in(share, second);
        }
    });
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    let merged = lines(&output.stdout);
    let end = merged.last().unwrap();
    assert_eq!(of_kind(&merged, "interval").len(), 1);
    assert_eq!(end["status"], json!("interrupted"));
    let ends = run().iter().map(|share| share.last().unwrap());
    let cpu_ns: u64 = ends
        .map(|end| end["process_cpu_ns"].as_u64().unwrap())
        .sum();
    assert_eq!(end["process_cpu_ns"], json!(cpu_ns));
    for (host, seconds) in end["hosts"].as_array().unwrap().iter().zip([2, 1, 2]) {
        assert_eq!(host["status"], json!("interrupted"));
        assert_eq!(host["reason"], json!("stopped by a signal"));
        assert_eq!(host["seconds"], json!(seconds));
    }
}

#[test]
fn a_share_that_is_killed_fails_the_run_at_its_second() {
    let (server, files, at) = (server(), RecordFiles::new("killed"), start_at());
    let paths: Vec<_> = (1..=2)
        .map(|number| files.path(&format!("{number}.jsonl")))
        .collect();
    let mut children: Vec<_> = (1..)
        .zip(&paths)
        .map(|(number, path)| {
            let share = format!("{number}/2");
            let own = ["--share", &share, "--start-at", &at, "--json-lines", path];
            let load = [
                "sysbench/oltp_point_select",
                "--threads=4",
                "--rate=50",
                "--time=5s",
            ];
            start(&server, &[&load[..], &own].concat())
        })
        .collect();
    sleep(Duration::from_millis(7_500));
    children[1].kill().unwrap();
    for child in &mut children {
        child.wait().unwrap();
    }
    let output = merge(&paths, &["--json-lines", "-"]);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    let merged = lines(&output.stdout);
    let seconds = of_kind(&merged, "interval").len();
    assert!((1..5).contains(&seconds), "{seconds}");
    assert!(told(&output).contains("share 2 of 2"), "{}", told(&output));
}

#[test]
fn people_read_a_table_of_the_hosts() {
    let files = RecordFiles::new("table");
    let output = merge(
        &written(&files, run()),
        &["--parquet", &files.path("run.parquet")],
    );
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text.lines()
            .filter(|line| line.ends_with("complete"))
            .count(),
        3,
        "{text}"
    );
    let table = std::fs::read(files.path("run.parquet")).unwrap();
    assert!(table.starts_with(b"PAR1") && table.ends_with(b"PAR1"));
}
