//! Searches for the highest rate against a null server, with a client that is really stopped during probes.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use dbdyno_null_server::{FaultPlan, NullServer, Settings};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Two connections and 10 ms per statement: the server does 200 events per second.
const SERVER_PER_S: f64 = 200.0;

/// From the end of a probe into the window of the next, which begins after a second and lasts two.
const INTO_WINDOW: Duration = Duration::from_millis(1400);

/// Long compared with the bound of 200 ms, as is the backlog that it causes.
const STOPPED: Duration = Duration::from_millis(800);

/// Holds what a search printed and recorded.
struct Found {
    text: String,
    errors: String,
    records: Vec<Value>,
}

impl Found {
    fn of_kind(&self, kind: &str) -> Vec<&Value> {
        let records = self.records.iter();
        records.filter(|record| record["record"] == kind).collect()
    }

    fn probes(&self) -> Vec<(f64, bool, bool)> {
        let probe = |record: &&Value| {
            let rate_per_s = record["rate_per_s"].as_f64().unwrap();
            (
                rate_per_s,
                record["held"] == true,
                record["client_bound"] == true,
            )
        };
        self.of_kind("probe").iter().map(probe).collect()
    }

    fn answer(&self) -> &Value {
        &self.of_kind("end")[0]["search"]
    }

    fn repeats(&self) -> Vec<&str> {
        let messages = self.of_kind("message").into_iter();
        let texts = messages.map(|record| record["text"].as_str().unwrap());
        texts.filter(|text| text.contains("is repeated")).collect()
    }
}

/// Searches from 60 events a second on; the client is stopped in the probe after each of those named.
fn search(name: &str, stopped_after: &[usize]) -> Found {
    let folder = std::env::temp_dir().join(format!("dbdyno-{}-{name}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let (socket, records) = (folder.join("s"), folder.join("records.jsonl"));
    let settings = Settings {
        socket: Some(socket.clone()),
        faults: FaultPlan {
            delays: vec!["constant:10ms".parse().unwrap()],
            ..FaultPlan::default()
        },
        ..Settings::default()
    };
    let server = NullServer::start(settings).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
        .args([
            "search",
            "sysbench/oltp_point_select",
            "--threads",
            "2",
            "--user",
            "any",
        ])
        .args([
            "--slo",
            "p99<200ms",
            "--first-rate",
            "60",
            "--precision",
            "100%",
        ])
        .args(["--warm-up", "0s", "--settle", "1s", "--window", "2s"])
        .arg("--socket")
        .arg(&socket)
        .arg("--json-lines")
        .arg(&records)
        .env_remove("DBDYNO_PASSWORD_FILE")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut text = String::new();
    let mut probes = 0;
    while let Some(Ok(line)) = lines.next() {
        text += &format!("{line}\n");
        let number = line.split_whitespace().next().map(str::parse);
        if number == Some(Ok(probes + 1)) {
            probes += 1;
            if stopped_after.contains(&probes) {
                sleep(INTO_WINDOW);
                stop_for(&id, STOPPED);
            }
        }
    }
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert!(child.wait().unwrap().success(), "{text}{errors}");
    server.stop().unwrap();
    let records = std::fs::read_to_string(records).unwrap();
    let records = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let records = records.collect();
    std::fs::remove_dir_all(folder).unwrap();
    Found {
        text,
        errors,
        records,
    }
}

fn stop_for(id: &str, time: Duration) {
    let signal = |name| Command::new("kill").args(["-s", name, id]).status();
    assert!(signal("STOP").unwrap().success());
    sleep(time);
    assert!(signal("CONT").unwrap().success());
}

#[test]
fn a_probe_in_which_the_client_was_stopped_is_repeated_and_does_not_count() {
    let found = search("stopped-once", &[1]);
    let probes = found.probes();
    assert_eq!(probes[1], (120.0, false, true), "{}", found.text);
    assert_eq!(probes[2], (120.0, true, false), "{}", found.text);
    let repeats = found.repeats();
    assert_eq!(repeats.len(), 1, "{repeats:?}");
    assert!(
        repeats[0].starts_with(
            "probe 2 is repeated (1 of at most 2), because the load generator was the limit: p99 "
        ) && repeats[0].contains("; the client itself "),
        "{repeats:?}"
    );
    assert!(found.errors.contains(repeats[0]), "{}", found.errors);
    let answer = found.answer();
    assert_eq!(answer["highest_held_per_s"], json!(120.0), "{}", found.text);
    assert!(answer["lowest_broken_per_s"].as_f64().unwrap() > SERVER_PER_S);
    assert_eq!(
        (&answer["client_bound"], &answer["complete"]),
        (&json!(false), &json!(true))
    );
    assert!(!found.text.contains("load generator"), "{}", found.text);
}

#[test]
fn a_client_that_is_stopped_in_each_probe_at_a_rate_is_named_as_the_limit() {
    let found = search("stopped-always", &[1, 2, 3]);
    let probes = found.probes();
    assert_eq!(probes[1..4], [(120.0, false, true); 3], "{}", found.text);
    assert_eq!(found.repeats().len(), 2, "{:?}", found.repeats());
    let answer = found.answer();
    assert_eq!(
        (
            &answer["highest_held_per_s"],
            &answer["lowest_broken_per_s"],
            &answer["client_bound"]
        ),
        (&json!(60.0), &json!(120.0), &json!(true)),
        "{}",
        found.text
    );
    let words = "the load generator was the limit, not the server";
    assert!(found.text.contains(words), "{}", found.text);
}
