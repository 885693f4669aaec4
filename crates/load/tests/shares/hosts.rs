//! Runs shares of a load as processes, against a server that does no work.

use dbdyno_null_server::{NullServer, Settings};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) const SHARES: u32 = 3;
pub(crate) const USERS: u64 = 7;
pub(crate) const EVENTS: u64 = 10;

pub(crate) fn server() -> NullServer {
    server_with(&[])
}

/// Starts a server that fails some statements.
pub(crate) fn server_with(errors: &[&str]) -> NullServer {
    let mut settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        ..Settings::default()
    };
    settings.faults.delays = vec!["constant:1ms".parse().unwrap()];
    settings.faults.errors = errors.iter().map(|rule| rule.parse().unwrap()).collect();
    NullServer::start(settings).unwrap()
}

pub(crate) fn unix_now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

/// Returns an instant shortly ahead, by which every process has logged in.
pub(crate) fn start_at() -> String {
    format!("{:.3}", unix_now().as_secs_f64() + 5.0)
}

pub(crate) fn start(server: &NullServer, words: &[&str]) -> Child {
    let port = server.address().tcp.unwrap().port().to_string();
    Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
        .arg("run")
        .args(["--host", "127.0.0.1", "--port", &port, "--no-password"])
        .args(["--warm-up", "0s"])
        .args(words)
        .env_remove("DBDYNO_PASSWORD_FILE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(crate) fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Holds a file of records, in a folder that is deleted with it.
pub(crate) struct RecordFiles(PathBuf);

impl RecordFiles {
    pub(crate) fn new(test: &str) -> Self {
        let name = format!("dbdyno-shares-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, records: &[Value]) -> String {
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        fs::write(self.path(name), lines).unwrap();
        self.path(name)
    }
}

impl Drop for RecordFiles {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn merge(files: &[String], words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
        .arg("merge")
        .args(files)
        .args(words)
        .env("DBDYNO_ERROR_CODES", "1")
        .output()
        .unwrap()
}

/// Returns the code of the error that was printed.
pub(crate) fn code(output: &Output) -> String {
    let told = told(output);
    let code = told
        .lines()
        .last()
        .and_then(|line| line.strip_prefix("code: "));
    code.unwrap_or_default().to_owned()
}

pub(crate) fn lines(text: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(text).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(crate) fn records(child: Child) -> Vec<Value> {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    lines(&output.stdout)
}

/// Returns the records of all shares, driven at the same time.
pub(crate) fn shared(server: &NullServer, words: &[&str]) -> Vec<Vec<Value>> {
    let at = start_at();
    let begin = |number| {
        let share = format!("{number}/{SHARES}");
        // Threads differ between hosts, and nothing may depend on them.
        let workers = if number == 1 { "2" } else { "1" };
        let own = [
            "--share",
            &share,
            "--start-at",
            &at,
            "--workers",
            workers,
            "--json-lines=-",
        ];
        start(server, &[words, &own[..]].concat())
    };
    let children: Vec<_> = (1..=SHARES).map(begin).collect();
    children.into_iter().map(records).collect()
}
