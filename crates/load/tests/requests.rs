//! Checks wrong requests and unreachable servers from outside: exit code, messages, last record.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};

const ORDER: &str = include_str!("../../../contract/samples/load-order-fixed-rate.json");
const SEARCH: &str = include_str!("../../../contract/samples/load-order-search.json");

fn program(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
        .args(arguments)
        .env_remove("DBDYNO_PASSWORD_FILE")
        .env("DBDYNO_ERROR_CODES", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    // A program that refuses its arguments may end before it has read any input.
    assert!(
        written.as_ref().is_ok()
            || written
                .as_ref()
                .is_err_and(|error| error.kind() == ErrorKind::BrokenPipe),
        "{written:?}"
    );
    child.wait_with_output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the code of the error that was printed, and what the conversation with the server ended with.
fn code(output: &Output) -> String {
    let told = told(output);
    let last = told.lines().last();
    let code = last.and_then(|line| line.strip_prefix("code: "));
    code.unwrap_or_default().to_owned()
}

#[test]
fn a_workload_that_does_not_exist_is_a_wrong_request_with_the_nearest_name() {
    let output = program(
        &["run", "sysbench/oltp_reed_write", "--socket", "/nowhere"],
        "",
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "unknown-workload");
    assert!(told(&output).contains("sysbench/oltp_read_write"));
}

#[test]
fn a_script_in_place_of_a_workload_has_a_hint() {
    let output = program(&["run", "./orders.lua", "--socket", "/nowhere"], "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "script-as-workload");
    assert!(told(&output).contains("dbdyno-load script ./orders.lua"));
}

#[test]
fn an_unknown_argument_is_a_wrong_request() {
    let output = program(&["run", "sysbench/oltp_read_write", "--tabels", "4"], "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "wrong-arguments");
    assert!(told(&output).contains("--tables"));
}

#[test]
fn a_mistyped_command_has_a_hint() {
    let output = program(&["rnu", "sysbench/oltp_read_write", "--threads=4"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("dbdyno-load run"), "{output:?}");
    let output = program(&["oltp_reed_write", "run"], "");
    assert!(!told(&output).contains("hint"), "{output:?}");
}

#[test]
fn words_of_other_tools_for_connections_and_time_are_understood() {
    let words = ["run", "sysbench/oltp_read_write", "--connections", "4"];
    let output = program(
        &[&words[..], &["--duration", "1m30s", "--warmup", "0s"]].concat(),
        "",
    );
    assert_eq!(code(&output), "no-server", "{}", told(&output));
}

#[test]
fn an_unknown_field_of_an_order_is_named() {
    let mut order: Value = serde_json::from_str(ORDER).unwrap();
    order["consurrency"] = json!(4);
    let output = program(&["run", "--order", "-"], &order.to_string());
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "not-an-order");
    assert!(told(&output).contains("`consurrency`"), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn an_order_and_arguments_do_not_mix() {
    let output = program(&["run", "--order", "-", "--threads", "4"], ORDER);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn no_server_named_is_a_wrong_request_that_says_what_to_name() {
    let output = program(&["run", "sysbench/oltp_read_write"], "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "no-server");
    assert!(told(&output).contains("--socket"), "{output:?}");
}

#[test]
fn a_server_that_does_not_listen_is_the_worlds_fault_and_records_say_so() {
    let mut order: Value = serde_json::from_str(ORDER).unwrap();
    order["target"]["host"] = Value::Null;
    order["target"]["port"] = Value::Null;
    order["target"]["socket"] = json!("/nowhere/s.sock");
    let output = program(&["run", "--order", "-"], &order.to_string());
    assert_eq!(output.status.code(), Some(3));
    let records = String::from_utf8(output.stdout.clone()).unwrap();
    let end: Value = serde_json::from_str(records.trim()).unwrap();
    assert_eq!(
        (&end["record"], &end["status"]),
        (&json!("end"), &json!("failed"))
    );
    assert!(
        end["reason"].as_str().unwrap().contains("/nowhere/s.sock"),
        "{end}"
    );
    assert_eq!(code(&output), "unreachable");
}

#[test]
fn one_file_for_two_outputs_is_a_wrong_request() {
    let folder = std::env::temp_dir().join(format!("dbdyno-outputs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (file, link) = (folder.join("run"), folder.join("link"));
    std::os::unix::fs::symlink(&file, &link).unwrap(); // at first to nothing
    let of = |[one, other]: [(&str, &std::path::Path); 2]| {
        let server = ["run", "sysbench/oltp_read_write", "--socket", "/nowhere"];
        let (one_path, other_path) = (one.1.to_str().unwrap(), other.1.to_str().unwrap());
        let outputs = [one.0, one_path, other.0, other_path];
        program(&[&server[..], &outputs].concat(), "").status.code()
    };
    let null = std::path::Path::new("/dev/null");
    assert_eq!(of([("--json-lines", &file), ("--parquet", &link)]), Some(2));
    assert_eq!(of([("--json-lines", &file), ("--hdr-log", &file)]), Some(2));
    assert_eq!(of([("--hdr-log", &file), ("--parquet", &file)]), Some(2));
    // These two get as far as the server, which does not exist.
    assert_eq!(of([("--json-lines", null), ("--hdr-log", null)]), Some(3));
    let other = folder.join("other");
    assert_eq!(
        of([("--json-lines", &file), ("--hdr-log", &other)]),
        Some(3)
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_password_file_that_is_missing_is_a_wrong_request() {
    let arguments = [
        "cleanup",
        "sysbench/oltp_read_write",
        "--socket",
        "/nowhere",
        "--password-file",
        "/no/file",
    ];
    let output = program(&arguments, "");
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("/no/file"));
}

#[test]
fn help_is_one_line_an_option_in_short_and_has_an_example_in_full() {
    for command in ["run", "search", "populate", "cleanup"] {
        let short = program(&[command, "-h"], "");
        let short = String::from_utf8(short.stdout).unwrap();
        assert!(!short.contains("Example"), "{short}");
        assert!(short.lines().count() <= 40, "{short}");
        let full = program(&[command, "--help"], "");
        assert!(
            String::from_utf8(full.stdout).unwrap().contains("Example"),
            "{command}"
        );
    }
}

#[test]
fn help_of_a_command_with_a_workload_is_usage_an_example_and_the_options_of_the_workload() {
    let help = |arguments: &[&str]| {
        let output = program(arguments, "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = help(&["search", "--help", "tpcc"]);
    for words in [
        &["search", "-h", "tpcc"],
        &["search", "tpcc", "--help"],
        &["search", "tpcc", "-h"],
    ] {
        assert_eq!(help(words), text, "{words:?}");
    }
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines[0],
        "Usage:   dbdyno-load search tpcc/standard [OPTIONS]"
    );
    assert_eq!(
        lines[1],
        "Example: dbdyno-load search tpcc/standard --warehouses 10 --socket /run/mysqld/mysqld.sock \
         --threads 64 --slo 'p99<20ms'"
    );
    assert!(text.contains(&help(&["workloads", "tpcc"])), "{text}");
    assert_eq!(
        lines.last(),
        Some(&"Options of the command: dbdyno-load search -h")
    );

    let output = program(&["populate", "--help", "oltp_reed_write"], "");
    assert_eq!(output.status.code(), Some(2));
    let nearest = "the nearest known name is \"sysbench/oltp_read_write\"";
    assert!(told(&output).contains(nearest), "{}", told(&output));
}

#[test]
fn progress_lines_are_asked_for_in_seconds_or_as_a_time() {
    for (time, code) in [("1s", 3), ("2", 3), ("0", 3), ("1.5s", 2)] {
        let words = format!("run oltp_insert --socket /nowhere --report-interval {time}");
        let output = program(&words.split(' ').collect::<Vec<_>>(), "");
        assert_eq!(output.status.code(), Some(code), "{}", told(&output));
    }
}

#[test]
fn filling_a_server_that_is_not_there_says_what_to_check() {
    let output = program(&["populate", "oltp_read_write", "--socket", "/nowhere"], "");
    assert_eq!(code(&output), "no-connection unreachable");
}

#[test]
fn a_rate_that_is_none_is_told_with_an_example() {
    let run = |rate| {
        let arguments = [
            "run",
            "oltp_read_write",
            "--socket",
            "/nowhere",
            "--rate",
            rate,
        ];
        program(&arguments, "")
    };
    for rate in ["500,1000", "100..2000", "5:0s", "fast"] {
        let output = run(rate);
        assert_eq!(output.status.code(), Some(2), "{rate}");
        assert_eq!(code(&output), "wrong-value", "{}", told(&output));
    }
    let output = run("0");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "load-refused");
    assert!(told(&output).contains(" 0.001 "), "{}", told(&output));
}

#[test]
fn a_transaction_type_that_does_not_exist_is_a_wrong_request_with_the_nearest_name() {
    let typed = "reed_write=500:30s";
    let arguments = [
        "run",
        "oltp_read_write",
        "--socket",
        "/nowhere",
        "--rate-of",
        typed,
    ];
    let output = program(&arguments, "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "unknown-transaction");
    assert!(told(&output).contains("\"read_write\""), "{output:?}");
}

/// The words of earlier versions are read as those of today: the error is about their value.
#[test]
fn earlier_spellings_of_options_are_accepted() {
    for (command, option) in [
        (&["search", "oltp_read_write"][..], "--promise"),
        (&["verify", "oltp_read_write"], "--patience"),
        (&["run", "oltp_read_write", "--think", "1s"], "--think-law"),
    ] {
        let words = [command, &["--socket", "/nowhere", option, "nonsense"]].concat();
        let output = program(&words, "");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(code(&output), "wrong-value", "{}", told(&output));
        assert!(told(&output).contains("nonsense"), "{}", told(&output));
    }
}

#[test]
fn a_search_needs_an_objective_and_has_no_number_of_events() {
    let search = ["search", "oltp_read_write", "--socket", "/nowhere"];
    let output = program(&search, "");
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("--slo"), "{}", told(&output));
    let output = program(&[&search[..], &["--slo", "99<20ms"]].concat(), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("'p99<20ms'"), "{}", told(&output));
    let mut order: Value = serde_json::from_str(SEARCH).unwrap();
    order["events"] = json!(1000);
    let output = program(&["run", "--order", "-"], &order.to_string());
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "load-refused", "{}", told(&output));
}

#[test]
fn a_distribution_has_no_options_of_a_workload() {
    let output = program(
        &["sample", "--distribution", "special", "--tables", "3"],
        "",
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(code(&output), "options-contradict", "{}", told(&output));
}

#[test]
fn threads_without_a_client_on_another_host_are_not_watched_for_nothing() {
    let own = std::process::id().to_string();
    let output = program(&["threads", "--server-pid", &own, "--seconds", "1"], "");
    assert_eq!(output.status.code(), Some(3));
    assert!(output.stdout.is_empty());
    assert_eq!(code(&output), "no-distant-client");
}

/// Returns the records of a watch of this process, in a shell that has said something first.
fn watch(before: &str, client: u32, seconds: u32) -> Output {
    let program = env!("CARGO_BIN_EXE_dbdyno-load");
    let server = std::process::id();
    let script = format!(
        "{before} exec '{program}' threads --server-pid {server} --client-pid {client} --seconds {seconds}"
    );
    Command::new("sh").args(["-c", &script]).output().unwrap()
}

fn last_reason(output: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last: Value = serde_json::from_str(text.lines().last()?).unwrap();
    last["reason"].as_str().map(str::to_owned)
}

#[test]
fn a_watch_ends_with_the_client() {
    let mut client = Command::new("sleep").arg("0.5").spawn().unwrap();
    let output = watch("", client.id(), 6);
    assert_eq!(
        last_reason(&output).as_deref(),
        Some("client ended"),
        "{output:?}"
    );
    client.wait().unwrap();
}

#[test]
fn a_watch_opens_as_many_files_as_the_hard_limit_allows() {
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let ended = std::sync::Arc::new(std::sync::Mutex::new(ended));
    let threads: Vec<_> = (0..40)
        .map(|_| {
            let ended = std::sync::Arc::clone(&ended);
            std::thread::spawn(move || drop(ended.lock().map(|ended| ended.recv())))
        })
        .collect();
    let own = std::process::id();
    let output = watch("ulimit -Sn 48;", own, 1);
    assert_eq!(last_reason(&output).as_deref(), Some("done"), "{output:?}");
    let output = watch("ulimit -n 48;", own, 1);
    assert_eq!(output.status.code(), Some(3));
    assert!(told(&output).contains("ulimit -Hn"), "{}", told(&output));
    drop(end);
    for thread in threads {
        thread.join().unwrap();
    }
}
