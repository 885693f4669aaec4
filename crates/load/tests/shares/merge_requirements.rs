//! Checks requirements on a merged run (`merge --require`).

use crate::hosts::{RecordFiles, merge, told};
use crate::merge::{run, written};
use dbdyno_meter::Histogram;
use serde_json::{Value, json};

fn judged(paths: &[String], required: &[&str], words: &[&str]) -> (Option<i32>, String, String) {
    let mut all: Vec<_> = required.iter().flat_map(|one| ["--require", one]).collect();
    all.extend(words);
    let output = merge(paths, &all);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (output.status.code(), text, told(&output))
}

#[test]
fn requirements_are_judged_on_all_shares_together() {
    let files = RecordFiles::new("require");
    let paths = written(&files, run());
    // Each share does about 20 a second.
    let (code, text, _) = judged(&paths, &["tps>=40", "p99<10s", "reconnects<=0"], &[]);
    assert_eq!(code, Some(0), "{text}");
    let passed = |of: &str| of.lines().filter(|line| line.starts_with("PASS ")).count();
    assert_eq!(passed(&text), 3, "{text}");
    let (code, text, _) = judged(&paths, &["tps>=40", "p50<1us"], &[]);
    assert_eq!((code, passed(&text)), (Some(1), 1), "{text}");
    assert!(text.contains("\nFAIL p50<1us: "), "{text}");
    // Records on standard output are not mixed with verdicts.
    let (code, text, found) = judged(&paths, &["tps>=4000"], &["--json-lines", "-"]);
    assert_eq!(code, Some(1), "{found}");
    assert!(found.starts_with("FAIL tps>=4000: "), "{found}");
    assert!(text.lines().all(|line| line.starts_with('{')));
    assert_eq!(judged(&paths, &["tps"], &[]).0, Some(2));
}

#[test]
fn events_that_had_not_ended_and_lost_shares_meet_no_requirement() {
    let judged_after = |test: &str, change: &dyn Fn(&mut Vec<Value>)| {
        let files = RecordFiles::new(test);
        let mut shares = run().to_vec();
        change(&mut shares[1]);
        judged(&written(&files, &shares), &["max<30s"], &[])
    };
    assert_eq!(judged_after("ended", &|_| ()).0, Some(0));
    let (code, text, _) = judged_after("unended", &|share| {
        let mut times = Histogram::new();
        times.record(60_000_000_000);
        share.last_mut().unwrap()["unended"] = json!(times.encode());
    });
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("events that had not ended included"),
        "{text}"
    );
    let (code, text, _) = judged_after("unknown", &|share| {
        let end = share.last_mut().unwrap();
        end.as_object_mut().unwrap().remove("unended");
        end["unsent"] = json!(end["unsent"].as_u64().unwrap() + 1);
        end["scheduled"] = json!(end["scheduled"].as_u64().unwrap() + 1);
    });
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("2.jsonl has no times of events"), "{text}");
    let (code, text, _) = judged_after("lost", &|share| drop(share.pop()));
    assert_eq!(code, Some(3), "{text}");
}
