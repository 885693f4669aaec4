//! Runs scripts in our own form (`dbdyno-load script`) against a null server: where they connect, what they send,
//! how they end.

#![allow(clippy::unwrap_used)]

use dbdyno_null_server::{FaultPlan, NullServer, Settings};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn script(name: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
        .args(["script", name, "run", "--user", "any"])
        .args(arguments)
        .env_remove("DBDYNO_PASSWORD_FILE")
        .env("MYSQL_UNIX_PORT", "/nowhere/s.sock") // where client libraries look for localhost
        .output()
        .unwrap()
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("dbdyno-{}-{name}", std::process::id()))
}

/// Starts a null server at its own socket.
fn server(name: &str, faults: FaultPlan) -> (NullServer, String) {
    let socket = temporary(name);
    let settings = Settings {
        socket: Some(socket.clone()),
        faults,
        ..Settings::default()
    };
    let server = NullServer::start(settings).unwrap();
    (server, socket.to_str().unwrap().to_owned())
}

/// Runs a script of this text.
fn run(name: &str, text: &str, arguments: &[&str]) -> Output {
    let path = temporary(&format!("{name}.lua"));
    std::fs::write(&path, text).unwrap();
    let output = script(path.to_str().unwrap(), arguments);
    std::fs::remove_file(path).unwrap();
    output
}

/// As every other command understands it.
#[test]
fn the_host_localhost_is_reached_at_its_port_and_not_by_a_socket() {
    let settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        ..Settings::default()
    };
    let server = NullServer::start(settings).unwrap();
    let port = server.address().tcp.unwrap().port().to_string();
    let place = ["--host", "localhost", "--port", port.as_str()];
    let output = script(
        "oltp_point_select",
        &[&place[..], &["--events", "5"]].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let statistics = server.stop().unwrap();
    assert_eq!(statistics.statements["point_select"], 5);
}

#[test]
fn a_text_bound_by_the_first_generation_is_sent_whole() {
    const SCRIPT: &str = "
        function event()
          local values = { 'x' }
          local insert = db_prepare('INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, 0, ?, 0)')
          db_bind_param(insert, values)
          db_execute(insert)
          values[1] = ('x'):rep(20000)
          db_execute(insert)
        end";
    let (server, socket) = server("script-long", FaultPlan::default());
    let output = run(
        "script-long",
        SCRIPT,
        &["--socket", &socket, "--events", "1"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let statistics = server.stop().unwrap();
    assert_eq!(statistics.statements["insert"], 2);
    assert!(statistics.bytes_received > 20_000, "{statistics:?}");
}

/// 0 and an empty text take 8 bytes and 1 in a request, and NULL none. The last bytes of a connection may stay unread.
#[test]
fn a_parameter_that_was_never_set_is_zero_or_empty_and_not_null() {
    let script = |set: &str| {
        format!(
            "function event()
               local con = sysbench.sql.driver():connect()
               local insert = con:prepare('INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, ?, ?, 0)')
               local k = insert:bind_create(sysbench.sql.type.INT)
               local c = insert:bind_create(sysbench.sql.type.CHAR, 9)
               insert:bind_param(k, c)
               {set}
               for _ = 1, 100 do insert:execute() end
             end"
        )
    };
    let bytes_sent = |set: &str| {
        let (server, socket) = server("script-unset", FaultPlan::default());
        let arguments = ["--socket", socket.as_str(), "--events", "1"];
        let output = run("script-unset", &script(set), &arguments);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        server.stop().unwrap().bytes_received
    };
    let unset = bytes_sent("");
    let zero = bytes_sent("k:set(0) c:set('')");
    let null = bytes_sent("k:set(nil) c:set(nil)");
    assert!(unset.abs_diff(zero) < 100, "{unset}, {zero}");
    assert!(unset > null + 800, "{unset}, {null}");
}

/// Returns the last record of a script's run against a server that answers nothing for some time.
fn run_frozen(name: &str, text: &str, freeze: &str, arguments: &[&str]) -> Value {
    let faults = FaultPlan {
        freezes: vec![freeze.parse().unwrap()],
        ..FaultPlan::default()
    };
    let (server, socket) = server(name, faults);
    let records = temporary(&format!("{name}.jsonl"));
    let place = ["--socket", socket.as_str(), "--json-lines"];
    let limits = ["--answer-timeout", "1s", "--ignore-errors", "1213"];
    let all = [&place[..], &[records.to_str().unwrap()], &limits, arguments];
    let output = run(name, text, &all.concat());
    server.stop().unwrap();
    let lines = std::fs::read_to_string(&records).unwrap();
    std::fs::remove_file(records).unwrap();
    let end: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(end["exit_code"], output.status.code().unwrap());
    end
}

/// The script itself has its event repeated, with a transaction open, when the server has fallen silent.
#[test]
fn a_rollback_without_an_answer_is_why_the_run_failed() {
    const SCRIPT: &str = "
        ffi.cdef('int usleep(unsigned);')
        function thread_init() con = sysbench.sql.driver():connect() end
        function event()
          con:query('BEGIN')
          ffi.C.usleep(1000000)
          error({ errcode = sysbench.error.RESTART_EVENT, connection = con })
        end";
    let end = run_frozen("script-rollback", SCRIPT, "500ms+60s", &["--events", "1"]);
    assert_eq!(end["exit_code"], 3, "{end}");
    assert_eq!(end["failure_kind"], "no-answer");
}

/// The server is silent from the first second to the third.
#[test]
fn a_lost_connection_that_the_script_replaces_fails_no_run() {
    const SCRIPT: &str = "
        ffi.cdef('int usleep(unsigned);')
        function thread_init() con = sysbench.sql.driver():connect() end
        function event()
          con:query('SELECT c FROM sbtest1 WHERE id=1')
          ffi.C.usleep(10000)
        end";
    const HOOKS: &str = "
        function sysbench.hooks.sql_error_ignorable(err) return err.sql_errno == 2013 end
        function sysbench.hooks.before_restart_event(err) con:reconnect() end";
    let silent = "1s+2s";
    let end = run_frozen("script-lost", SCRIPT, silent, &["--time", "4s"]);
    assert_eq!(end["exit_code"], 3, "{end}");
    assert_eq!(end["failure_kind"], "no-answer");
    let text = format!("{SCRIPT}{HOOKS}");
    let end = run_frozen("script-replaced", &text, silent, &["--time", "4s"]);
    assert_eq!(end["exit_code"], 0, "{end}");
    assert!(end["failure_kind"].is_null(), "{end}");
    assert_eq!(end["reason"], "");
    let outage = &end["outages"][0];
    assert!(
        outage["restored_ns"].as_u64() > outage["start_ns"].as_u64(),
        "{end}"
    );
    assert!(outage["first_success_ns"].is_u64(), "{end}");
}

/// As where the server has not noticed yet that the old connection is closed, and has no place for another one.
#[test]
fn a_script_that_reconnects_waits_for_a_server_that_lets_nobody_in() {
    const SCRIPT: &str = "
        ffi.cdef('int usleep(unsigned);')
        function thread_init() con = sysbench.sql.driver():connect() end
        function event()
          con:query('SELECT c FROM sbtest1 WHERE id=1')
          ffi.C.usleep(100000)
          con:reconnect()
        end";
    let faults = FaultPlan {
        refusals: vec!["500ms+500ms".parse().unwrap()],
        ..FaultPlan::default()
    };
    let (server, socket) = server("script-refused", faults);
    let output = run(
        "script-refused",
        SCRIPT,
        &["--socket", &socket, "--time", "2s"],
    );
    let refused = server.stop().unwrap().refused;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(refused > 0);
}

/// As sysbench, which names the query that it sends, and none while it takes results.
#[test]
fn an_error_of_a_later_result_names_no_query() {
    const SCRIPT: &str = "
        function event()
          local con = sysbench.sql.driver():connect()
          con:query('SELECT c FROM sbtest1 WHERE id=1; SELECT c FROM sbtest1 WHERE id=2')
          con:next_result()
        end";
    let faults = FaultPlan {
        errors: vec!["1146:every=2".parse().unwrap()],
        ..FaultPlan::default()
    };
    let (server, socket) = server("script-later", faults);
    let arguments = ["--socket", socket.as_str(), "--events", "1"];
    let output = run(
        "script-later",
        SCRIPT,
        &[&arguments[..], &["--dialect", "1.1"]].concat(),
    );
    server.stop().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let line = "FATAL: mysql_drv_next_result() returned error 1146 (Table 'sbtest.sbtest1' doesn't exist)\n";
    assert!(said.contains(line), "{said}");
}

#[test]
fn a_script_that_declares_an_empty_list_of_options_has_help() {
    let path = temporary("script-no-options.lua");
    std::fs::write(&path, "sysbench.cmdline.options = {}").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
        .args([path.to_str().unwrap(), "help"])
        .output()
        .unwrap();
    std::fs::remove_file(path).unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    let help = "script-no-options.lua options:\n\n";
    assert!(said.ends_with(help), "{said}");
}
