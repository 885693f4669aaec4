//! Checks the fate of a session: damaged frames, lost links, killed labs and agents, leases.

use crate::lab::{Lab, home, lives, until};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::Command;
use std::thread;
use std::time::Duration;

#[test]
fn what_is_no_frame_ends_the_connection_and_not_the_session() {
    for damage in [
        b"GET / HTTP/1.1\r\n\r\n".as_slice(),
        b"\0\0\0\x02\0\0\0\0{x",
        b"\0\0\0\x02\0\0\0\0{}",
    ] {
        let root = home();
        let mut lab = Lab::begin(&root);
        let process = lab.spawn(&["sleep", "60"], b"");
        lab.relay.stdin.as_mut().unwrap().write_all(damage).unwrap();
        let (header, _) = lab.receive().unwrap();
        assert_eq!(
            (&header["id"], &header["error"]["code"]),
            (&json!(0), &json!("damaged"))
        );
        assert!(lab.receive().is_none());
        let mut lab = lab.again();
        lab.done(&json!({"do": "ping"}), b"");
        assert!(lives(&process["pid"]));
        lab.end();
        assert!(!lives(&process["pid"]));
    }
}

#[test]
fn a_request_that_is_sent_again_after_a_lost_link_is_done_once() {
    let root = home();
    let mut lab = Lab::begin(&root);
    let mark = root.join("mark");
    let script = format!("echo x >>{}; sleep 60", mark.display());
    let request = json!({"do": "spawn", "argv": ["sh", "-c", script], "inherit": ["PATH"]});
    lab.send(1, &request, b"");
    assert!(until(10, || mark.exists()));
    let mut lab = lab.again(); // the reply was never read
    lab.send(1, &request, b"");
    let (header, _) = lab.receive().unwrap();
    assert_eq!(header["id"], 1);
    assert!(lives(&header["ok"]["pid"]));
    assert_eq!(fs::read_to_string(&mark).unwrap(), "x\n");
    lab.next = 2;
    lab.end();
}

#[test]
fn the_newest_connection_is_the_lab_s() {
    let root = home();
    let mut first = Lab::begin(&root);
    let mut second = Lab::with(&root, &["--resume"]);
    second.done(&json!({"do": "ping"}), b"");
    assert!(first.receive().is_none());
    first.relay.wait().unwrap();
    second.end();
}

#[test]
fn without_a_lab_nothing_is_left_after_the_lease() {
    let root = home();
    let mut lab = Lab::with(&root, &["--lease", "1s"]);
    let run = root.join("run/r1");
    lab.done(
        &json!({"do": "make", "path": run.join("s1"), "temporary": run}),
        b"",
    );
    fs::write(run.join("s1/ibdata1"), "x").unwrap();
    // A helper that leaves its group and its parent.
    let script = "setsid sh -c 'echo $$; exec sleep 60' & sleep 0.2";
    let leaver = lab.spawn(&["sh", "-c", script], b"");
    let request = json!({"do": "output", "process": leaver, "stream": "stdout", "offset": 0, "timeout_ms": 5000});
    let pid: Value = serde_json::from_slice(&lab.done(&request, b"").1).unwrap();
    let server = lab.spawn(&["sleep", "60"], b"");
    thread::sleep(Duration::from_millis(1500));
    assert!(
        !lives(&server["pid"]),
        "a lab that says nothing for the time of the lease is gone"
    );
    assert!(until(10, || !root.join("agents/test").exists()));
    assert!(!lives(&pid) && !run.exists());
    lab.relay.wait().unwrap();
    assert_eq!(fs::read_dir(root.join("run")).unwrap().count(), 0);
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_session_that_ends_starts_no_process_that_nobody_would_end() {
    let root = home();
    let mut lab = Lab::begin(&root);
    let slow = json!({"do": "at-end", "name": "slow", "argv": ["sleep", "3"]});
    lab.done(&slow, b"");
    let server = lab.spawn(&["sleep", "60"], b"");
    lab.done(&json!({"do": "end"}), b"");
    assert!(until(10, || !lives(&server["pid"])));
    let late = json!({"do": "spawn", "argv": ["sleep", "60"], "inherit": ["PATH"]});
    assert_eq!(lab.refused(&late)["code"], "ended");
    assert!(until(10, || !root.join("agents/test").exists()));
    lab.relay.wait().unwrap();
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn an_agent_wakes_for_nothing_but_requests_and_its_end() {
    let root = home();
    let mut lab = Lab::begin(&root);
    let pid = &lab.done(&json!({"do": "facts"}), b"").0["pid"];
    thread::sleep(Duration::from_millis(500)); // by then it has looked for leftovers
    let schedstat = format!("/proc/{pid}/schedstat"); // of its first thread, which keeps the lease
    let before = fs::read_to_string(&schedstat).unwrap();
    thread::sleep(Duration::from_secs(1));
    assert_eq!(fs::read_to_string(&schedstat).unwrap(), before);
    Command::new("kill").arg(pid.to_string()).status().unwrap();
    lab.relay.wait().unwrap();
    assert!(until(10, || !root.join("agents/test").exists()));
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_relay_sleeps_while_requests_and_replies_pass() {
    let root = home();
    let mut lab = Lab::begin(&root);
    lab.done(&json!({"do": "ping"}), b"");
    thread::sleep(Duration::from_millis(500)); // by then it sleeps
    let schedstat = format!("/proc/{}/schedstat", lab.relay.id());
    let before = fs::read_to_string(&schedstat).unwrap();
    for _ in 0..20 {
        lab.done(&json!({"do": "ping"}), b"");
    }
    assert_eq!(fs::read_to_string(&schedstat).unwrap(), before);
    lab.end();
}

#[test]
fn instants_at_which_the_host_stood_still_are_left_out() {
    let root = home();
    let mut lab = Lab::begin(&root);
    let pid = lab.done(&json!({"do": "facts"}), b"").0["pid"].to_string();
    let signal = |name: &str| Command::new("kill").args([name, &pid]).status().unwrap();
    let now = lab.done(&json!({"do": "clock"}), b"").0["monotonic_ns"]
        .as_u64()
        .unwrap();
    let (start_ns, interval_ns) = (now + 300_000_000, 300_000_000);
    let watch = json!({"do": "watch", "paths": ["/proc/stat"], "start_ns": start_ns, "interval_ns": interval_ns, "count": 6});
    let watch = lab.done(&watch, b"").0["watch"].clone();
    signal("-STOP");
    thread::sleep(Duration::from_millis(1000)); // the first two are due meanwhile
    signal("-CONT");
    let (mut from, mut seen) = (0, Vec::new());
    loop {
        let take = json!({"do": "watch-take", "watch": watch, "from": from, "timeout_ms": 5000});
        let value = lab.done(&take, b"").0;
        for look in value["looks"].as_array().unwrap() {
            let index = look["index"].as_u64().unwrap();
            let late_ns = look["asked_ns"].as_u64().unwrap() - start_ns - index * interval_ns;
            assert!(late_ns <= interval_ns, "look {index} is {late_ns} ns late");
            seen.push(index);
            from = index + 1;
        }
        if value["is_over"] == true {
            break;
        }
    }
    assert!(!seen.contains(&0) && seen.contains(&5), "{seen:?}");
    lab.end();
}

#[test]
fn a_lab_that_is_killed_leaves_a_session_that_can_be_resumed_or_expires() {
    let root = home();
    let mut lab = Lab::with(&root, &["--lease", "2s"]);
    let server = lab.spawn(&["sleep", "60"], b"");
    let mut lab = lab.again();
    lab.done(&json!({"do": "ping"}), b"");
    assert!(lives(&server["pid"]));
    lab.lose();
    assert!(until(10, || !root.join("agents/test").exists()));
    assert!(!lives(&server["pid"]));
    let resumed = Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
        .args(["agent", "--session", "test", "--resume", "--home"])
        .arg(&root)
        .output()
        .unwrap();
    assert_eq!(resumed.status.code(), Some(3));
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn an_agent_that_was_killed_is_cleaned_up_after_by_another() {
    let root = home();
    let mut lab = Lab::begin(&root);
    let pid = lab.done(&json!({"do": "facts"}), b"").0["pid"]
        .as_i64()
        .unwrap();
    let run = root.join("run");
    lab.done(&json!({"do": "make", "path": run, "temporary": run}), b"");
    let server = lab.spawn(&["sleep", "60"], b"");
    Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .unwrap();
    lab.relay.wait().unwrap();
    assert!(lives(&server["pid"]));
    let mut other = Lab::begin(&root);
    other.done(&json!({"do": "ping"}), b"");
    assert!(until(10, || !lives(&server["pid"])) && !run.exists());
    other.end();
}
