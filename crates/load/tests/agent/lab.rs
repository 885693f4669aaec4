//! Acts as a lab that sends frames to a real agent.

use dbdyno_agent::{GREETING, read_frame, write_frame};
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

static HOMES: AtomicU32 = AtomicU32::new(0);

/// Returns a folder on "the host".
pub(crate) fn home() -> PathBuf {
    let number = HOMES.fetch_add(1, Ordering::Relaxed);
    let name = format!("dbdyno-agent-test-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Holds a lab with one connection.
pub(crate) struct Lab {
    pub(crate) relay: Child,
    home: PathBuf,
    pub(crate) next: u64,
}

impl Lab {
    pub(crate) fn begin(home: &Path) -> Self {
        Self::with(home, &["--lease", "60s"])
    }

    pub(crate) fn with(home: &Path, more: &[&str]) -> Self {
        let mut relay = Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
            .args(["agent", "--session", "test", "--home"])
            .arg(home)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut greeting = vec![0; GREETING.len()];
        let out = relay.stdout.as_mut().unwrap();
        out.read_exact(&mut greeting).unwrap();
        assert_eq!(greeting, GREETING);
        Self {
            relay,
            home: home.to_owned(),
            next: 1,
        }
    }

    /// Opens another connection to the same session, as after a lost link.
    pub(crate) fn again(mut self) -> Self {
        let next = self.next;
        self.lose();
        Self {
            next,
            ..Self::with(&self.home, &["--resume"])
        }
    }

    /// Closes the connection as if the lab's machine were gone.
    pub(crate) fn lose(&mut self) {
        self.relay.kill().unwrap();
        self.relay.wait().unwrap();
    }

    pub(crate) fn send(&mut self, id: u64, request: &Value, body: &[u8]) {
        let header = json!({"id": id, "answered_below": id, "request": request});
        let mut to = self.relay.stdin.as_ref().unwrap();
        write_frame(&mut to, header.to_string().as_bytes(), body).unwrap();
    }

    pub(crate) fn receive(&mut self) -> Option<(Value, Vec<u8>)> {
        let frame = read_frame(self.relay.stdout.as_mut().unwrap()).unwrap()?;
        Some((serde_json::from_slice(&frame.header).unwrap(), frame.body))
    }

    pub(crate) fn ask(&mut self, request: &Value, body: &[u8]) -> (Value, Vec<u8>) {
        let id = self.next;
        self.next += 1;
        self.send(id, request, body);
        let (header, body) = self.receive().unwrap();
        assert_eq!(header["id"], id);
        (header, body)
    }

    pub(crate) fn done(&mut self, request: &Value, body: &[u8]) -> (Value, Vec<u8>) {
        let (header, body) = self.ask(request, body);
        assert!(header["ok"].is_object(), "{request}: {header}");
        (header["ok"].clone(), body)
    }

    pub(crate) fn refused(&mut self, request: &Value) -> Value {
        let (header, _) = self.ask(request, b"");
        assert!(header["error"].is_object(), "{request}: {header}");
        header["error"].clone()
    }

    pub(crate) fn spawn(&mut self, argv: &[&str], input: &[u8]) -> Value {
        let request = json!({"do": "spawn", "argv": argv, "inherit": ["PATH"], "env": {"GIVEN": "yes"},
                             "stdout": "keep", "stderr": "keep"});
        self.done(&request, input).0
    }

    pub(crate) fn wait(&mut self, process: &Value) -> Value {
        let request = json!({"do": "wait", "process": process, "timeout_ms": 10_000});
        self.done(&request, b"").0["exit"].clone()
    }

    pub(crate) fn output(&mut self, process: &Value, stream: &str) -> String {
        let (mut text, mut offset) = (Vec::new(), 0);
        loop {
            let request = json!({"do": "output", "process": process, "stream": stream, "offset": offset,
                                 "timeout_ms": 10_000});
            let (value, body) = self.done(&request, b"");
            text.extend_from_slice(&body);
            offset = value["offset"].as_u64().unwrap() + body.len() as u64;
            if value["is_end"] == true {
                return String::from_utf8(text).unwrap();
            }
        }
    }

    pub(crate) fn end(mut self) {
        self.done(&json!({"do": "end"}), b"");
        assert!(until(10, || !self.home.join("agents/test").exists()));
        let _ = self.relay.wait();
        fs::remove_dir_all(&self.home).unwrap();
    }
}

/// Returns whether it came true within some seconds.
pub(crate) fn until(seconds: u64, is_so: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < deadline {
        if is_so() {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}

pub(crate) fn lives(pid: &Value) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}
