//! Runs scripts in our own form (`dbdyno-load script`) against a null server: where they connect.

#![allow(clippy::unwrap_used)]

use dbdyno_null_server::{NullServer, Settings};
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
    let output = script("oltp_point_select", &[&place[..], &["--events", "5"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let statistics = server.stop().unwrap();
    assert_eq!(statistics.statements["point_select"], 5);
}
