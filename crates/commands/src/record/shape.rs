//! Checks that records have the shape of the contract's samples: the same keys in the same order of meaning,
//! the same kinds of value. A text or null of a sample may be either.

use super::{
    ConditionAsked, ConditionLine, CountersLine, FingerprintRecord, IntervalLine, Message, PROGRAM,
    PackedSecond, PopulateEnd, PopulateProgress, PopulateStart, ProbeLine, SpaceLine, Start,
    TableRecord, TableSpace, TypeNames, VerifyEnd,
};
use crate::order::LoadOrder;
use crate::record::End;
use dbdyno_drive::{
    Cause, Failure, Fault, IntervalRecord, Level, Load, Outage, Probe, RunOutcome, SearchResult,
    SessionReadBack, Status,
};
use dbdyno_meter::{HistogramEncoder, Interval, IntervalShape};
use dbdyno_workload::{Condition, InvariantScope, Metric, UserDigest};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

const ORDER: &str = include_str!("../../../../contract/samples/load-order-fixed-rate.json");
const LOAD: &str = include_str!("../../../../contract/samples/load-records.jsonl");
const SHARE_ORDER: &str = include_str!("../../../../contract/samples/load-order-share.json");
const SHARE: &str = include_str!("../../../../contract/samples/load-records-share.jsonl");
const POPULATE: &str = include_str!("../../../../contract/samples/populate-records.jsonl");
const FINGERPRINT: &str = include_str!("../../../../contract/samples/fingerprint-records.jsonl");
const VERIFY: &str = include_str!("../../../../contract/samples/verify-records.jsonl");

/// Objects whose names are those of a workload, an option or an error.
const FREE_NAMES: [&str; 6] = [
    "options",
    "transactions",
    "statements",
    "retries",
    "errors",
    "values",
];

fn sample(samples: &str, kind: &str) -> Value {
    let mut records = samples
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    records
        .find(|record: &Value| record["record"] == kind)
        .unwrap()
}

fn written(record: &impl Serialize) -> Value {
    serde_json::to_value(record).unwrap()
}

/// Panics with the path of the first difference in shape.
fn compare(path: &str, ours: &Value, theirs: &Value) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let is_free = FREE_NAMES.iter().any(|name| path.ends_with(name));
            for (name, value) in ours {
                let other = if is_free {
                    theirs.values().next()
                } else {
                    theirs.get(name)
                };
                let other = other.unwrap_or_else(|| panic!("{path}.{name} is not in the sample"));
                let below = if is_free {
                    format!("{path}.*")
                } else {
                    format!("{path}.{name}")
                };
                compare(&below, value, other);
            }
            let missing = theirs
                .keys()
                .find(|name| !is_free && !ours.contains_key(*name));
            assert!(missing.is_none(), "{path}.{missing:?} is missing");
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            for value in ours {
                compare(&format!("{path}[]"), value, theirs.first().unwrap());
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        _ => {
            let same = std::mem::discriminant(ours) == std::mem::discriminant(theirs);
            assert!(same, "{path}: {ours} is of another kind than {theirs}");
        }
    }
}

fn load() -> (LoadOrder, Load) {
    let order: LoadOrder = serde_json::from_str(ORDER).unwrap();
    let load = order.load().unwrap();
    (order, load)
}

fn started() -> dbdyno_drive::Start {
    dbdyno_drive::Start {
        monotonic_ns: 1,
        realtime_ns: 2,
        session: SessionReadBack {
            snapshot_isolation: Some(true),
            ..SessionReadBack::default()
        },
        role_session: None,
        connect_ns: 3,
        connect_retries: 0,
        prepared_statements: 4,
        statements_as_text: 0,
        network: None,
    }
}

#[test]
fn the_start_has_the_shape_of_the_sample() {
    let (order, load) = load();
    let mut ours = written(&Start::of(&order, &load, &started()));
    let theirs = sample(LOAD, "start");
    // The sample is of a closed loop.
    ours["pacing"] = theirs["pacing"].clone();
    compare("start", &ours, &theirs);
}

#[test]
fn the_start_of_a_share_has_the_shape_of_the_sample() {
    let order: LoadOrder = serde_json::from_str(SHARE_ORDER).unwrap();
    let load = order.load().unwrap();
    let ours = written(&Start::of(&order, &load, &started()));
    let theirs = sample(SHARE, "start");
    compare("start.share", &ours["share"], &theirs["share"]);
    assert_eq!(ours["concurrency"], theirs["concurrency"]);
}

#[test]
fn the_servers_own_counts_have_the_shape_of_the_sample() {
    let mut order: LoadOrder = serde_json::from_str(ORDER).unwrap();
    order.workload = serde_json::from_str(r#"{"name": "tpcc/hammerdb", "options": {}}"#).unwrap();
    let load = order.load().unwrap();
    let start = written(&Start::of(&order, &load, &started()));
    compare(
        "start.server_counts",
        &start["server_counts"],
        &sample(LOAD, "start")["server_counts"],
    );
    assert_eq!(
        start["server_counts"]["counts"][0]["transactions"][0],
        "new_order"
    );
    let counts = load.workload.spec().server_counts.as_ref().unwrap();
    let names = counts.counts.iter().map(|count| count.name);
    let line = written(&CountersLine::of(30, 5, names, &[600_200, 8_123]));
    compare("counters", &line, &sample(LOAD, "counters"));
    assert_eq!(line["values"]["com_commit_and_rollback"], 8_123);
}

#[test]
fn an_interval_has_the_shape_of_the_sample() {
    let (_, load) = load();
    let mut interval = Interval::new(IntervalShape {
        transaction_types: load.workload.spec().transaction_types.len(),
        statement_types: load.workload.spec().statement_types.len(),
        open_loop: true,
    });
    interval.transactions[0].response.record(5);
    interval.transactions[0].retries.add(1213);
    interval.statements[0].errors.add(1213);
    let record = IntervalRecord {
        phase: "window",
        realtime_ns: 1,
        interval: &interval,
    };
    let ours = written(&IntervalLine::of(
        &record,
        TypeNames::of(&*load.workload),
        &PackedSecond::of(&interval, &mut HistogramEncoder::default()),
    ));
    compare("interval", &ours, &sample(LOAD, "interval"));
    let response = ours["transactions"]["point_select"]["response"]
        .as_str()
        .unwrap();
    assert!(response.starts_with("HISTFAAA"), "{response}");
}

#[test]
fn remarks_and_the_end_have_the_shape_of_the_sample() {
    compare(
        "message",
        &written(&Message::of(Level::Warning, "x")),
        &sample(LOAD, "message"),
    );
    let failure = Failure {
        code: Some(1146),
        statement: Some("commit".to_owned()),
        message: "gone".to_owned(),
        fault: Fault::World,
        cause: Cause::Server,
    };
    let outage = Outage {
        start_ns: 1,
        first_success_ns: Some(2),
        restored_ns: None,
        connections_lost: 3,
        cause: Cause::Network,
        all_lost: true,
        former_tps: Some(4.5),
        regained_ns: Some(5),
    };
    let answer = SearchResult {
        highest_held_per_s: Some(1.0),
        lowest_broken_per_s: Some(2.0),
        reason: "p99 21 ms".to_owned(),
        client_bound: true,
        complete: true,
        probes: 3,
    };
    for status in [
        Status::Complete,
        Status::Interrupted,
        Status::Failed(failure),
    ] {
        let outcome = RunOutcome {
            outages: vec![outage.clone()],
            search: Some(answer.clone()),
            ..RunOutcome::nothing(status)
        };
        let figure = Metric {
            name: "rows_per_query".to_owned(),
            meaning: "rows fetched by a query".to_owned(),
            value: Some(10.0),
            held: None,
        };
        let digest = UserDigest {
            user: 0,
            events: 9,
            sha256: [7; 32],
        };
        let end = written(&End::of(&outcome, false, &[figure], &[digest]));
        compare("end", &end, &sample(LOAD, "end"));
    }
}

#[test]
fn a_probe_has_the_shape_of_the_sample() {
    let probe = Probe {
        number: 1,
        first_second: 5,
        seconds: 10,
        rate_per_s: 1_000.0,
        completed_per_s: 999.2,
        quantile_ns: Some(3),
        backlog_first: 0,
        backlog_last: 2,
        client_busy: 0.5,
        client_late_ns: 1,
        client_bound: false,
        held: true,
        reason: String::new(),
    };
    compare(
        "probe",
        &written(&ProbeLine::of(&probe)),
        &sample(LOAD, "probe"),
    );
}

#[test]
fn records_of_filling_have_the_shape_of_the_sample() {
    let start = PopulateStart::new(200_000, 4);
    compare(
        "populate-start",
        &written(&start),
        &sample(POPULATE, "populate-start"),
    );
    let progress = PopulateProgress::new("load", 1, 2, 3);
    compare(
        "populate-progress",
        &written(&progress),
        &sample(POPULATE, "populate-progress"),
    );
    let table = TableRecord {
        name: "sbtest1".to_owned(),
        sums: vec![
            ("rows", 1),
            ("sum_k", 2),
            ("sum_crc32_c", 3),
            ("sum_crc32_pad", 4),
        ],
    };
    let end = PopulateEnd {
        record: "populate-end",
        status: "complete",
        reason: String::new(),
        failure_kind: None,
        elapsed_ns: 1,
        load_ns: 1,
        index_ns: 1,
        process_cpu_ns: 1,
        load_by: "infile",
        accelerated: false,
        repeats: 0,
        rows_before: 0,
        tables: vec![table],
        content_sha256: String::new(),
    };
    compare(
        "populate-end",
        &written(&end),
        &sample(POPULATE, "populate-end"),
    );
}

#[test]
fn records_of_verifying_have_the_shape_of_the_sample() {
    let line = ConditionLine {
        record: "condition",
        name: "3.3.2.3".to_owned(),
        meaning: "numbers of new orders have no gaps".to_owned(),
        status: "broken",
        required: true,
        quirks: "",
        rows: 1,
        has_more_rows: false,
        first_rows: Vec::new(),
        elapsed_ns: 1,
        sql: "SELECT 1".to_owned(),
    };
    compare("condition", &written(&line), &sample(VERIFY, "condition"));
    let condition = Condition {
        name: "3.3.2.1".to_owned(),
        meaning: "w_ytd is the sum of d_ytd".to_owned(),
        sql: "SELECT 1".to_owned(),
        holds: InvariantScope::Always,
    };
    let asked = ConditionAsked::of(&condition, Duration::from_secs(600));
    let expected = sample(VERIFY, "condition-asked");
    compare("condition-asked", &written(&asked), &expected);
    let space = SpaceLine {
        record: "space",
        tables: vec![TableSpace {
            file_bytes: Some(1),
            allocated_bytes: Some(1),
            page_bytes: Some(1),
            ..TableSpace::default()
        }],
    };
    compare("space", &written(&space), &sample(VERIFY, "space"));
    let end = VerifyEnd {
        record: "verify-end",
        schema_version: 1,
        program: PROGRAM,
        status: "inconsistent",
        holds: 0,
        broken: 1,
        told: 0,
        undecided: 0,
        failure_kind: None,
        elapsed_ns: 1,
    };
    compare("verify-end", &written(&end), &sample(VERIFY, "verify-end"));
}

#[test]
fn a_fingerprint_has_the_shape_of_the_sample() {
    let sums = vec![("rows", 10), ("sum_crc32", 1), ("sum_next_o_id", -1)];
    let record = FingerprintRecord {
        record: "fingerprint",
        schema_version: 1,
        program: PROGRAM,
        events: 1,
        failed: 0,
        statements_sha256: Some(String::new()),
        content_sha256: String::new(),
        tables: vec![TableRecord {
            name: "district".to_owned(),
            sums,
        }],
        elapsed_ns: 1,
    };
    compare(
        "fingerprint",
        &written(&record),
        &sample(FINGERPRINT, "fingerprint"),
    );
}
