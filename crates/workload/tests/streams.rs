//! Compares statement streams with those recorded from sysbench 1.0.20: every script, both protocols.
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]

use dbdyno_workload::transcript::{Protocol, write_cleanup, write_prepare, write_run};
use dbdyno_workload::{RandomKind, RandomSource, population, workload};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Reads the recorded entries.
fn entries() -> Vec<Value> {
    let text = include_str!("../../../contract/vectors/sysbench_streams.json");
    let recorded: Value = serde_json::from_str(text).unwrap();
    let entries = recorded["entries"].as_array().unwrap();
    assert!(entries.len() >= 52, "only {} entries", entries.len());
    entries.clone()
}

/// Returns name, option pairs and source of an entry.
fn order(entry: &Value) -> (String, Vec<(String, String)>, RandomSource) {
    let name = format!("sysbench/{}", entry["script"].as_str().unwrap());
    let options = entry["options"].as_array().unwrap().iter().map(|option| {
        let text = option.as_str().unwrap().trim_start_matches("--");
        let (name, value) = text.split_once('=').unwrap();
        (name.to_owned(), value.to_owned())
    });
    let source = RandomSource {
        kind: RandomKind::Sysbench,
        seed: entry["seed"].as_u64().unwrap(),
    };
    // bulk_insert has no options: it makes a table for each thread, and was recorded with one.
    let is_heeded = |_: &(String, String)| entry["script"] != "bulk_insert";
    (name, options.filter(is_heeded).collect(), source)
}

/// Compares the first lines one by one, for a readable failure, then everything by digest.
fn assert_recorded(bytes: &[u8], recorded: &Value, what: &str) {
    if let Some(first) = recorded["first"].as_array() {
        let expected = first
            .iter()
            .map_while(Value::as_str)
            .collect::<Vec<_>>()
            .join("\n");
        let text = String::from_utf8_lossy(bytes);
        let shown: String = text.chars().take(expected.chars().count()).collect();
        assert_eq!(shown, expected, "{what}");
    }
    let digest: String = Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    assert_eq!(recorded["sha256"].as_str().unwrap(), digest, "{what}");
}

#[test]
fn every_run_is_that_of_sysbench() {
    for entry in entries() {
        let (name, options, source) = order(&entry);
        let protocol = match entry["db_ps_mode"].as_str().unwrap() {
            "auto" => Protocol::Prepared,
            _ => Protocol::Text,
        };
        let made = workload(&name, &options, source, 1).unwrap();
        let mut bytes = Vec::new();
        write_run(
            &*made,
            0,
            entry["events"].as_u64().unwrap(),
            protocol,
            &mut bytes,
        )
        .unwrap();
        let what = format!("{name} {options:?} {protocol:?} seed {}", source.seed);
        assert_recorded(&bytes, &entry["commands"]["run"], &what);
    }
}

#[test]
fn every_prepare_and_cleanup_is_that_of_sysbench() {
    for entry in entries() {
        let (name, options, source) = order(&entry);
        let rows = population(&name, &options, source).unwrap();
        let what = format!("{name} {options:?}");
        let mut bytes = Vec::new();
        write_prepare(&*rows, &mut bytes).unwrap();
        assert_recorded(&bytes, &entry["commands"]["prepare"], &what);
        bytes.clear();
        write_cleanup(&*rows, &mut bytes).unwrap();
        assert_recorded(&bytes, &entry["commands"]["cleanup"], &what);
    }
}
