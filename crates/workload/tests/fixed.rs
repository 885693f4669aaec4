//! Checks the first statements of sysbench 1.0.20, written down here so that they bite without the
//! recordings.
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]

use dbdyno_workload::transcript::{Protocol, write_prepare, write_run};
use dbdyno_workload::{RandomKind, RandomSource, population, workload};
use sha2::{Digest, Sha256};

const SOURCE: RandomSource = RandomSource {
    kind: RandomKind::Sysbench,
    seed: 1,
};

fn options(given: &[(&str, &str)]) -> Vec<(String, String)> {
    given
        .iter()
        .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
        .collect()
}

fn run(
    name: &str,
    given: &[(&str, &str)],
    source: RandomSource,
    events: u64,
    protocol: Protocol,
) -> String {
    let made = workload(name, &options(given), source, 1).unwrap();
    let mut bytes = Vec::new();
    write_run(&*made, 0, events, protocol, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

const TWO_TABLES: &[(&str, &str)] = &[("tables", "2"), ("table_size", "1000")];

#[test]
fn the_second_event_begins_where_sysbench_begins_it() {
    // The draw for the histogram's slot lies between the two events.
    let text = run("oltp_read_write", TWO_TABLES, SOURCE, 2, Protocol::Text);
    let second: Vec<&str> = text.lines().skip(20).take(4).collect();
    let expected = [
        "Q\tBEGIN",
        "Q\tSELECT c FROM sbtest2 WHERE id=502",
        "Q\tSELECT c FROM sbtest2 WHERE id=505",
        "Q\tSELECT c FROM sbtest2 WHERE id=502",
    ];
    assert_eq!(second, expected);
}

#[test]
fn twenty_events_have_the_digest_of_sysbench() {
    let text = run(
        "sysbench/oltp_read_write",
        TWO_TABLES,
        SOURCE,
        20,
        Protocol::Prepared,
    );
    let expected = "0d32685f7c36c29dceabacb62d032a062c8ff093bd4bc5d6288112a47f03e721";
    assert_eq!(digest(text.as_bytes()), expected);
}

#[test]
fn the_rows_of_two_tables_have_the_digest_of_sysbench() {
    let rows = population("oltp_read_write", &options(TWO_TABLES), SOURCE).unwrap();
    let mut bytes = Vec::new();
    write_prepare(&*rows, &mut bytes).unwrap();
    let expected = "a901120654bb6264f9c0853164ba6a26ba522ff5a70e54f5837c0210d7b33f3a";
    assert_eq!(digest(&bytes), expected);
}

#[test]
fn a_thousand_events_of_the_own_generator_stay_what_they_are() {
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 1,
    };
    let text = run(
        "oltp_read_write",
        TWO_TABLES,
        source,
        1000,
        Protocol::Prepared,
    );
    let expected = "b6ee5d1c1aec5f189417f14fb5b8f5547fc50d8126d50c7f664e68f9ac481688";
    assert_eq!(digest(text.as_bytes()), expected);
}
