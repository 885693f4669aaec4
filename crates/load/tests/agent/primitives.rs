//! Checks each primitive: its answer and its refusal.

use crate::lab::{Lab, home};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::thread;

#[test]
fn processes_are_started_fed_read_signalled_and_waited_for() {
    let mut lab = Lab::begin(&home());
    let script = "cat; printf %s \"$GIVEN\" >&2; exit 7";
    let process = lab.spawn(&["sh", "-c", script], b"input");
    assert_eq!(lab.output(&process, "stdout"), "input");
    assert_eq!(lab.output(&process, "stderr"), "yes");
    assert_eq!(lab.wait(&process), 7);
    assert_eq!(lab.wait(&process), 7, "an exit code is kept");

    let sleeper = lab.spawn(&["sh", "-c", "sleep 60 & wait"], b"");
    let (value, _) = lab.done(
        &json!({"do": "wait", "process": sleeper, "timeout_ms": 20}),
        b"",
    );
    assert_eq!(value["has_ended"], false);
    let mut other = sleeper.clone();
    other["start_ticks"] = json!(sleeper["start_ticks"].as_u64().unwrap() + 1);
    let refusal = lab.refused(&json!({"do": "signal", "process": other, "signal": 9}));
    assert_eq!(refusal["code"], "no-process");
    lab.done(
        &json!({"do": "signal", "process": sleeper, "signal": 15, "to_group": true}),
        b"",
    );
    assert_eq!(lab.wait(&sleeper), -15);

    let refusal = lab.refused(&json!({"do": "spawn", "argv": ["/nowhere/mysqld"]}));
    assert_eq!(
        (refusal["code"].as_str(), refusal["errno"].as_i64()),
        (Some("not-found"), Some(2))
    );
    assert_eq!(refusal["path"], "/nowhere/mysqld");
    assert_eq!(
        lab.refused(&json!({"do": "dance"}))["code"],
        "unknown-request"
    );
    lab.end();
}

#[test]
fn much_output_waits_for_its_reader_and_comes_whole() {
    let mut lab = Lab::begin(&home());
    let process = lab.spawn(
        &["sh", "-c", "head -c 40000000 /dev/zero | tr '\\0' x"],
        b"",
    );
    let text = lab.output(&process, "stdout");
    assert_eq!((text.len(), text.trim_matches('x')), (40_000_000, ""));
    lab.end();
}

#[test]
fn files_are_made_written_read_listed_described_copied_and_removed() {
    let root = home();
    let mut lab = Lab::begin(&root);
    let at = |name: &str| root.join(name).display().to_string();
    lab.done(
        &json!({"do": "make", "path": at("data/sub"), "mode": 0o750}),
        b"",
    );
    lab.done(
        &json!({"do": "write", "path": at("data/f"), "how": "replace", "mode": 0o600}),
        b"text",
    );
    symlink("f", root.join("data/link")).unwrap();
    let (value, body) = lab.done(
        &json!({"do": "read", "paths": [at("data/f"), "/proc/uptime"]}),
        b"",
    );
    assert!(body.starts_with(b"text") && value["files"][1]["bytes"].as_u64().unwrap() > 5);
    let (_, listed) = lab.done(
        &json!({"do": "list", "path": at("data"), "recursive": true}),
        b"",
    );
    let listed: Vec<Value> = serde_json::from_slice(&listed).unwrap();
    let kinds: Vec<_> = listed
        .iter()
        .map(|entry| (&entry["path"], &entry["kind"]))
        .collect();
    assert_eq!(
        json!(kinds),
        json!([["f", "file"], ["link", "link"], ["sub", "directory"]])
    );
    let (value, _) = lab.done(
        &json!({"do": "stat", "paths": [at("data/link"), at("none")]}),
        b"",
    );
    assert_eq!(value["files"][0]["target"], "f");
    assert_eq!(value["files"][1]["error"]["code"], "not-found");
    lab.done(
        &json!({"do": "copy-tree", "from": at("data"), "to": at("copy")}),
        b"",
    );
    lab.done(&json!({"do": "write-back", "path": at("copy")}), b"");
    lab.done(
        &json!({"do": "move", "from": at("copy"), "to": at("moved")}),
        b"",
    );
    assert_eq!(
        fs::metadata(root.join("moved/f"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o600
    );
    assert_eq!(
        lab.refused(&json!({"do": "remove", "path": at("moved")}))["code"],
        "not-empty"
    );
    lab.done(
        &json!({"do": "remove", "path": at("moved"), "recursive": true}),
        b"",
    );
    let (space, _) = lab.done(&json!({"do": "space", "path": at("not/there/yet")}), b"");
    assert!(space["free_bytes"].as_u64() <= space["size_bytes"].as_u64());
    let again = json!({"do": "make", "path": at("data"), "is_new": true, "temporary": at("data")});
    assert_eq!(lab.refused(&again)["code"], "exists");
    let (real, _) = lab.done(&json!({"do": "resolve", "path": at("data/link")}), b"");
    assert_eq!(real["path"], at("data/f"));
    let (digest, _) = lab.done(&json!({"do": "digest", "path": at("data/f")}), b"");
    assert!(
        digest["sha256"]
            .as_str()
            .unwrap()
            .starts_with("982d9e3eb996f559")
    );
    lab.end();
}

#[test]
fn a_lock_keeps_others_out_until_it_is_let_go() {
    let root = home();
    let mut lab = Lab::begin(&root);
    let lock = json!({"do": "lock", "path": root.join("lock"), "timeout_ms": 100});
    let held = lab.done(&lock, b"").0["lock"].clone();
    assert_eq!(lab.refused(&lock)["code"], "timeout");
    lab.done(&json!({"do": "unlock", "lock": held}), b"");
    lab.done(&lock, b"");
    lab.end();
}

#[test]
fn sockets_of_the_host_are_reached_through_the_agent() {
    let root = home();
    let listener = UnixListener::bind(root.join("server")).unwrap();
    let server = thread::spawn(move || {
        drop(listener.accept().unwrap()); // the owner check sends no data
        let (mut socket, _) = listener.accept().unwrap();
        let mut question = [0; 3];
        socket.read_exact(&mut question).unwrap();
        socket.write_all(&question.repeat(100_000)).unwrap();
    });
    let mut lab = Lab::begin(&root);
    let listener = json!({"do": "listener", "path": root.join("server")});
    assert_eq!(lab.done(&listener, b"").0["pid"], std::process::id());
    let connect = json!({"do": "connect", "unix": root.join("server")});
    let stream = lab.done(&connect, b"").0["stream"].clone();
    let read = json!({"do": "stream-read", "stream": stream, "timeout_ms": 50});
    let (value, body) = lab.done(&read, b"");
    assert_eq!((value["is_end"].as_bool(), body.len()), (Some(false), 0));
    lab.done(&json!({"do": "stream-write", "stream": stream}), b"abc");
    let mut count = 0;
    loop {
        let (value, body) = lab.done(&read, b"");
        count += body.len();
        if value["is_end"] == true {
            break;
        }
    }
    assert_eq!(count, 300_000);
    lab.done(&json!({"do": "stream-close", "stream": stream}), b"");
    assert_eq!(lab.refused(&read)["code"], "no-handle");
    server.join().unwrap();
    let nobody = json!({"do": "connect", "unix": root.join("server")});
    assert_eq!(lab.refused(&nobody)["code"], "refused");
    assert_eq!(
        lab.done(&json!({"do": "listener", "path": root.join("server")}), b"")
            .0["pid"],
        Value::Null
    );
    assert!(
        lab.done(&json!({"do": "free-port"}), b"").0["port"]
            .as_u64()
            .unwrap()
            > 0
    );
    lab.end();
}

#[test]
fn clocks_watches_pushes_and_facts_answer() {
    let root = home();
    let mut lab = Lab::begin(&root);
    let (first, second) = (
        lab.done(&json!({"do": "clock"}), b"").0,
        lab.done(&json!({"do": "clock"}), b"").0,
    );
    assert!(first["monotonic_ns"].as_u64() < second["monotonic_ns"].as_u64());
    let start_ns = second["monotonic_ns"].as_u64().unwrap() + 50_000_000;
    let watch = json!({"do": "watch", "paths": ["/proc/stat"], "start_ns": start_ns, "interval_ns": 20_000_000, "count": 2});
    let watch = lab.done(&watch, b"").0["watch"].clone();
    let take =
        |from: u64| json!({"do": "watch-take", "watch": watch, "from": from, "timeout_ms": 5000});
    let (value, body) = lab.done(&take(0), b"");
    assert!(
        value["looks"][0]["asked_ns"].as_u64().unwrap() >= start_ns && body.starts_with(b"cpu")
    );
    let sha256 = "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"; // abcd
    let path = root.join("engines/e/file");
    lab.done(
        &json!({"do": "push-begin", "sha256": sha256, "path": path}),
        b"",
    );
    lab.done(
        &json!({"do": "push-chunk", "sha256": sha256, "offset": 0}),
        b"abcd",
    );
    lab.done(
        &json!({"do": "push-finish", "sha256": sha256, "path": path, "mode": 0o755}),
        b"",
    );
    assert_eq!(fs::read(path).unwrap(), b"abcd");
    let facts = lab.done(&json!({"do": "facts"}), b"").0;
    assert_eq!(facts["architecture"], std::env::consts::ARCH);
    let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    assert_eq!(facts["boot_id"], boot_id.trim());
    let agents = lab.done(&json!({"do": "agents"}), b"").0["agents"].clone();
    assert_eq!(
        (&agents[0]["session"], &agents[0]["is_alive"]),
        (&json!("test"), &json!(true))
    );
    lab.end();
}
