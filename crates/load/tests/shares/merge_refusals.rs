//! Checks what merging refuses: shares that are not all of one run, damaged records, its own output.

use crate::hosts::{RecordFiles, code, merge, told};
use crate::merge::{changed, of_kind, run, written};
use serde_json::{Value, json};

/// Holds that the changed records are refused with a code, and with a name or number in the text.
fn refused(test: &str, (expected, reason): (&str, &str), change: impl Fn(&mut Vec<Vec<Value>>)) {
    let output = changed(test, change);
    assert_eq!(output.status.code(), Some(2), "{test}: {}", told(&output));
    assert_eq!(code(&output), expected, "{test}: {}", told(&output));
    assert!(told(&output).contains(reason), "{test}: {}", told(&output));
    assert!(output.stdout.is_empty(), "{test}");
}

#[test]
fn what_is_not_all_of_one_run_is_refused() {
    refused("seed", ("not-one-run", "1 and 2"), |shares| {
        shares[1][0]["seed"] = json!(2)
    });
    refused(
        "workload",
        ("not-one-run", "table_size \"10000\" and \"9\""),
        |shares| {
            shares[2][0]["workload"]["options"]["table_size"] = json!("9");
        },
    );
    refused("pacing", ("not-one-run", "rate_per_s"), |shares| {
        shares[1][0]["pacing"]["rate_per_s"] = json!(61.0)
    });
    refused("server", ("not-one-run", "db1 3306"), |shares| {
        shares[1][0]["share"]["server"] = json!("db1 3306")
    });
    refused("version", ("not-one-run", "server_version"), |shares| {
        shares[1][0]["session"]["server_version"] = json!("5.5");
    });
    refused("choices", ("not-one-run", "phases"), |shares| {
        shares[1][0]["share"]["common_sha256"] = json!("0")
    });
    refused("count", ("not-one-run", "3 and 4"), |shares| {
        shares[1][0]["share"]["count"] = json!(4)
    });
    refused("twice", ("share-twice", "1 of 3"), |shares| {
        shares[1] = shares[0].clone()
    });
    refused("missing", ("shares-missing", "2 of 3"), |shares| {
        drop(shares.remove(1))
    });
    refused("alone", ("not-a-share", "--share"), |shares| {
        shares[0][0].as_object_mut().unwrap().remove("share");
    });
    refused("apart", ("not-begun-together", "60"), |shares| {
        let began_ns = of_kind(&shares[0], "interval")[0]["realtime_ns"].as_u64();
        let began_ns = began_ns.unwrap();
        for record in &mut shares[1] {
            if record["record"] == "interval" {
                record["realtime_ns"] = json!(began_ns + 60_000_000);
            }
        }
    });
    refused("begun", ("share-never-began", "2.jsonl"), |shares| {
        let end = shares[1].pop();
        shares[1] = end.into_iter().collect();
    });
    refused("empty", ("record-empty", "2.jsonl"), |shares| {
        shares[1].clear();
    });
    refused("text", ("not-a-record", "2.jsonl"), |shares| {
        shares[1] = vec![json!("hello")]
    });
}

#[test]
fn a_damaged_record_is_told_with_its_line() {
    let damage = |shares: &mut Vec<Vec<Value>>| {
        let place = shares[1]
            .iter()
            .position(|record| record["second"] == 1)
            .unwrap();
        shares[1][place]["transactions"]["read_write"]["response"] = json!("HISTFAAAAAA=");
    };
    let output = changed("damaged", damage);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "not-a-record");
    assert!(told(&output).contains("line "), "{}", told(&output));
    let gap = |shares: &mut Vec<Vec<Value>>| shares[1].retain(|record| record["second"] != 1);
    let output = changed("gap", gap);
    assert_eq!(code(&output), "not-a-record");
    assert!(told(&output).contains("second 1 "), "{}", told(&output));
}

#[test]
fn a_record_is_not_written_over_by_what_is_made_of_it() {
    let files = RecordFiles::new("over");
    let paths = written(&files, run());
    let output = merge(&paths, &["--json-lines", &paths[0]]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "file-read-and-written");
    assert!(std::fs::metadata(&paths[0]).unwrap().len() > 1_000);
}

#[test]
fn a_file_without_lines_is_not_read_to_its_end() {
    let files = RecordFiles::new("endless");
    let mut paths = written(&files, run());
    paths[0] = files.path("hole"); // of zeros, and as long as may be read
    let hole = std::fs::File::create(&paths[0]).unwrap();
    hole.set_len(200 << 20).unwrap();
    let output = merge(&paths, &[]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("64 MiB"), "{}", told(&output));
    paths[0] = "/dev/zero".to_owned();
    let output = merge(&paths, &[]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert_eq!(code(&output), "file-unreadable", "{}", told(&output));
}

#[test]
fn one_file_for_both_outputs_is_refused() {
    let files = RecordFiles::new("both");
    let shares = written(&files, run());
    let both = files.path("both");
    let output = merge(&shares, &["--json-lines", &both, "--parquet", &both]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert_eq!(code(&output), "file-of-two-outputs");
    assert!(told(&output).contains(&both), "{}", told(&output));
}

/// A count that was raised, far or by one, is found by the counts that it belongs to.
#[test]
fn a_count_that_others_contradict_is_refused_with_its_file_and_second() {
    let raised = |pointer: &'static str, by: i64| {
        move |shares: &mut Vec<Vec<Value>>| {
            let second = shares[1].iter_mut().find(|record| record["second"] == 1);
            let count = second.unwrap().pointer_mut(pointer).unwrap();
            *count = json!(count.as_i64().unwrap() + by);
        }
    };
    for (pointer, by, reason) in [
        (
            "/transactions/read_write/completed",
            1,
            "second 1: response times of read_write",
        ),
        (
            "/transactions/read_write/completed",
            -1,
            "second 1: response times of read_write",
        ),
        ("/transactions/read_write/started", 1_000, "second 1: "),
        ("/transactions/read_write/started", 1, "events begun"),
        ("/transactions/read_write/failed", 1, "events "),
        (
            "/statements/point_select/completed",
            -1,
            "second 1: times of the statement point_select",
        ),
        ("/reads", -1, "second 1: reads, writes and others"),
        ("/writes", 100_000, "second 1: reads, writes and others"),
    ] {
        let output = changed("counts", raised(pointer, by));
        let found = told(&output);
        assert_eq!(output.status.code(), Some(2), "{pointer}: {found}");
        assert!(found.contains(reason), "{pointer}: {found}");
        assert_eq!(code(&output), "counts-contradict", "{found}");
        assert!(found.contains("2.jsonl"), "{found}");
        assert!(found.contains("line "), "{found}");
    }
    refused_at_end("completed", "events completed");
    refused_at_end("scheduled", "events begun in all seconds");
}

fn refused_at_end(field: &str, reason: &str) {
    let output = changed("totals", |shares| {
        let end = shares[1].last_mut().unwrap();
        end[field] = json!(end[field].as_u64().unwrap() + 20);
    });
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains(reason), "{}", told(&output));
}
