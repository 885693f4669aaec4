//! Checks that hosts reached by a command in place of ssh are one client, and end together.

use crate::hosts::{RecordFiles, lines, server, told};
use dbdyno_null_server::NullServer;
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Runs what ssh would run on the host, in another directory; some hosts fail in their own ways.
const SSH: &str = r#"while [ "$1" != "--" ]; do shift; done

[ "$2" = gone ] && echo "no route to host" >&2 && exit 255
echo "Welcome to $2"
echo $$ > "$(dirname "$0")/$2.pid"
[ "$2" = asleep ] && exec sleep 60
cd /
if [ "$2" = dies ]; then timeout -s KILL 3 sh -c "$3"; exit; fi
exec sh -c "$3"
"#;

fn command(port: u16, files: &RecordFiles, hosts: &str, words: &[&str]) -> Command {
    command_of("sysbench/oltp_point_select", port, files, hosts, words)
}

fn command_of(
    workload: &str,
    port: u16,
    files: &RecordFiles,
    hosts: &str,
    words: &[&str],
) -> Command {
    let ssh = files.path("ssh");
    if !Path::new(&ssh).exists() {
        fs::write(&ssh, SSH).unwrap();
    }
    let program = env!("CARGO_BIN_EXE_dbdyno-load");
    let mut command = Command::new(program);
    command
        .args(["run", workload, "--no-password"])
        .args(["--host", "127.0.0.1", "--port", &port.to_string()])
        .args(["--warm-up", "1s", "--agent-program", program])
        .arg(format!("--agents={hosts}"))
        .args(words)
        // Run by a shell: a program that another test's child still has open for writing could not be started.
        .env("DBDYNO_SSH", format!("sh {ssh}"))
        .env_remove("DBDYNO_PASSWORD_FILE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(server: &NullServer, files: &RecordFiles, hosts: &str, words: &[&str]) -> Output {
    let port = server.address().tcp.unwrap().port();
    command(port, files, hosts, words).output().unwrap()
}

/// Sends a signal a given time after the program handles interrupts, which would end it before; returns how it ended,
/// and how long that took.
fn signalled(mut command: Command, after: Duration, signal: &str) -> (Output, Duration) {
    let mut child = command.spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !handles_interrupts(&child) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        assert!(Instant::now() < deadline, "it does not handle interrupts");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(after);
    send(&child, signal);
    let sent = Instant::now();
    (child.wait_with_output().unwrap(), sent.elapsed())
}

fn handles_interrupts(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
    caught & 1 << (libc::SIGINT - 1) != 0
}

fn send(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    let status = Command::new("kill").args([signal, &pid]).status();
    assert!(status.unwrap().success());
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
    // They are, although they have three names.
    assert!(told(&output).contains("warning: c1 and c2 and c3 are one machine"));
}

#[test]
fn the_files_of_a_workload_are_those_of_the_directory_here() {
    let (server, files) = (server(), RecordFiles::new("sources"));
    let (shop, outside) = (files.path("shop"), files.path("shop/queries"));
    fs::create_dir_all(&outside).unwrap();
    let form = "[transactions.look]\nfile = \"queries/look.sql\"\n[transactions.buy]\n";
    fs::write(format!("{shop}/workload.toml"), form).unwrap();
    fs::write(format!("{shop}/buy.sql"), "BEGIN; COMMIT;").unwrap();
    fs::write(format!("{outside}/look.sql"), "SELECT 1;").unwrap();
    let port = server.address().tcp.unwrap().port();
    let words = ["--threads", "4", "--time", "1s", "--json-lines", "-"];
    for workload in ["sql:shop", &format!("sql:{shop}")] {
        let mut command = command_of(workload, port, &files, "c1,c2", &words);
        let here = Path::new(&shop).parent().unwrap();
        let output = command.current_dir(here).output().unwrap(); // the hosts are in /
        assert!(output.status.success(), "{}", told(&output));
        let start = &lines(&output.stdout)[0];
        assert_eq!(start["workload"]["name"], json!("sql:shop"));
        let options = &start["workload"]["options"];
        assert!(options["crc32 of queries/look.sql"].is_string(), "{start}");
        assert!(end(&output)["completed"].as_u64().unwrap() > 0);
    }
}

#[test]
fn one_host_alone_may_drive_all() {
    let (server, files) = (server(), RecordFiles::new("agent"));
    let output = run(&server, &files, "c1", &["--threads", "3", "--time", "1s"]);
    assert!(output.status.success(), "{}", told(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("3 connections on 1 host"), "{text}");
}

#[test]
fn a_requirement_on_hosts_is_one_on_all_of_them() {
    let (server, files) = (server(), RecordFiles::new("agents-require"));
    for (required, code, verdict) in [
        ("tps>=1", 0, "PASS tps>=1: "),
        ("p50<1ns", 1, "FAIL p50<1ns: "),
    ] {
        let words = ["--threads", "4", "--time", "1s", "--require", required];
        let output = run(&server, &files, "c1,c2", &words);
        assert_eq!(output.status.code(), Some(code), "{}", told(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(verdict), "{text}");
    }
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
    let file = files.path("both");
    for (hosts, words, why) in [
        (
            "gone,c1",
            &["--threads", "1", "--time", "1s"][..],
            "1 connection",
        ),
        ("gone,c1", &["--threads", "4", "--events", "9"], "events"),
        ("-oProxyCommand=x", &["--time", "1s"], "as ssh takes them"),
        (
            "c1",
            &["--share", "1/2", "--time", "1s"],
            "cannot be used with",
        ),
        (
            "gone,c1",
            &["--threads", "4", "--json-lines", &file, "--parquet", &file],
            &file,
        ),
    ] {
        let output = run(&server, &files, hosts, words);
        assert_eq!(output.status.code(), Some(2), "{why}: {}", told(&output));
        assert!(told(&output).contains(why), "{}", told(&output));
    }
}

#[test]
fn an_interrupt_at_any_moment_is_told_as_one() {
    let (server, files) = (server(), RecordFiles::new("interrupt"));
    let port = server.address().tcp.unwrap().port();
    let words = ["--threads", "4", "--time", "60s", "--json-lines", "-"];
    thread::scope(|scope| {
        for tenths in 1..=16 {
            let command = command(port, &files, "c1,c2", &words);
            scope.spawn(move || {
                let after = Duration::from_millis(100 * tenths);
                let (output, took) = signalled(command, after, "-INT");
                assert_eq!(output.status.code(), Some(1), "{}", told(&output));
                assert!(took < Duration::from_secs(5), "{after:?}: {took:?}");
                assert_eq!(end(&output)["status"], json!("interrupted"), "{after:?}");
            });
        }
    });
}

#[test]
fn hosts_that_never_become_ready_are_given_up_at_an_interrupt() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap(); // accepts, and sends nothing
    let port = silent.local_addr().unwrap().port();
    let words = ["--threads", "4", "--time", "60s", "--json-lines", "-"];
    for hosts in ["c1,c2", "c1,asleep"] {
        let files = RecordFiles::new(&format!("unready-{hosts}"));
        let command = command(port, &files, hosts, &words);
        let (output, took) = signalled(command, Duration::from_secs(2), "-INT");
        assert_eq!(output.status.code(), Some(1), "{}", told(&output));
        assert!(took < Duration::from_secs(12), "{took:?}");
        assert_eq!(end(&output)["status"], json!("interrupted"));
    }
}

#[test]
fn shares_end_when_what_merges_them_is_killed() {
    let (server, files) = (server(), RecordFiles::new("killed"));
    let port = server.address().tcp.unwrap().port();
    let words = ["--threads", "4", "--time", "60s", "--json-lines", "-"];
    let command = command(port, &files, "c1,c2", &words);
    signalled(command, Duration::from_secs(3), "-KILL");
    let deadline = Instant::now() + Duration::from_secs(5);
    for host in ["c1", "c2"] {
        let pid = fs::read_to_string(files.path(&format!("{host}.pid"))).unwrap();
        let process = Path::new("/proc").join(pid.trim());
        while process.exists() {
            assert!(Instant::now() < deadline, "{host} drives on");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_host_whose_share_cannot_log_in_tells_why() {
    let files = RecordFiles::new("closed");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let words = ["--threads", "4", "--time", "60s", "--json-lines", "-"];
    let output = command(port, &files, "c1,c2", &words).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    let end = end(&output);
    let reason = end["reason"].as_str().unwrap();
    assert!(reason.contains("refused"), "{reason}");
}
