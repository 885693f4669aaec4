//! Starts engines for tests, on the servers that the environment names.

use dbdyno_sysbench::db::{CallResult, Connection, Driver};
use dbdyno_sysbench::options::{CommandLine, Environment, parse};
use dbdyno_sysbench::{Dialect, Engine, Log};
use serde_json::Value;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// An engine, what it said, and a schema of the test's own.
pub struct TestEngine {
    pub engine: Arc<Engine>,
    pub line: CommandLine,
    said: Arc<Mutex<Vec<u8>>>,
    /// What drops the schema: who may, and its name.
    leaving: Option<(Vec<String>, String)>,
}

struct Ear(Arc<Mutex<Vec<u8>>>);

impl Write for Ear {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A running server and a user who may do everything on it.
pub struct Server {
    pub name: String,
    options: Vec<String>,
    socket: String,
    host: String,
    port: u64,
}

/// Runs a test on every server that the environment names.
pub fn each_server(test: impl Fn(&Server)) {
    let list = std::env::var("DBDYNO_TEST_SERVERS").expect("DBDYNO_TEST_SERVERS");
    let list: Vec<Value> = serde_json::from_str(&list).unwrap();
    assert!(!list.is_empty(), "DBDYNO_TEST_SERVERS is an empty list");
    for entry in &list {
        let server = Server::of(entry);
        eprintln!("on {}", server.name);
        test(&server);
    }
}

impl Server {
    fn of(entry: &Value) -> Self {
        let text = |key: &str| entry[key].as_str().unwrap().to_owned();
        let password = match entry["password_file"].as_str() {
            Some(path) => std::fs::read_to_string(path).unwrap().trim_end().to_owned(),
            None => String::new(),
        };
        Self {
            name: text("name"),
            options: vec![
                format!("--mysql-user={}", text("user")),
                format!("--mysql-password={password}"),
            ],
            socket: text("socket"),
            host: text("host"),
            port: entry["port"].as_u64().unwrap(),
        }
    }

    /// Makes an engine over the socket, in an empty schema.
    pub fn stage(&self, schema: &str, more: &[&str]) -> TestEngine {
        let socket = format!("--mysql-socket={}", self.socket);
        self.stage_by(schema, &[socket], more)
    }

    /// Makes an engine over TCP, in an empty schema.
    pub fn stage_by_tcp(&self, schema: &str, more: &[&str]) -> TestEngine {
        let (host, port) = (&self.host, self.port);
        let route = [
            format!("--mysql-host={host}"),
            format!("--mysql-port={port}"),
        ];
        self.stage_by(schema, &route, more)
    }

    fn stage_by(&self, schema: &str, route: &[String], more: &[&str]) -> TestEngine {
        let schema = format!("dbdyno_test_sysbench_{schema}");
        let mut words = self.options.clone();
        words.extend_from_slice(route);
        words.push("--mysql-db=".to_owned());
        let mut admin = TestEngine::new(&words).connect();
        for sql in [
            format!("DROP SCHEMA IF EXISTS {schema}"),
            format!("CREATE SCHEMA {schema}"),
        ] {
            assert_ne!(admin.query(sql.as_bytes()), CallResult::Failed, "{sql}");
        }
        let leaving = Some((words.clone(), schema.clone()));
        words.pop();
        words.push(format!("--mysql-db={schema}"));
        words.extend(more.iter().map(|word| (*word).to_owned()));
        let mut stage = TestEngine::new(&words);
        stage.leaving = leaving;
        stage
    }
}

impl TestEngine {
    pub fn new(words: &[String]) -> Self {
        let environment = Environment {
            dialect: Dialect::V1_0,
            own_name: false,
            own_form: false,
        };
        let line = parse(words, &environment).unwrap();
        let said = Arc::new(Mutex::new(Vec::new()));
        let log = Log::to(line.settings.verbosity, Box::new(Ear(Arc::clone(&said))));
        Self {
            engine: Engine::new(line.settings.clone(), log),
            line,
            said,
            leaving: None,
        }
    }

    /// Returns a connection whose statements count for user 0.
    pub fn connect(&self) -> Connection {
        let driver = Driver::new(&self.engine, None).unwrap();
        let connection = driver.connect(self.engine.user_actor(0));
        connection.unwrap_or_else(|| panic!("{}", self.said()))
    }

    /// Returns what was said since the last time.
    pub fn said(&self) -> String {
        String::from_utf8(std::mem::take(&mut self.said.lock().unwrap())).unwrap()
    }

    /// Returns reads, writes, others, errors, reconnects.
    pub fn counts(&self) -> [u64; 5] {
        let counts = self.engine.figures.counts();
        [
            counts.reads,
            counts.writes,
            counts.other,
            counts.errors,
            counts.reconnects,
        ]
    }
}

/// The schema goes with its test.
impl Drop for TestEngine {
    fn drop(&mut self) {
        if let Some((words, schema)) = self.leaving.take() {
            let mut admin = TestEngine::new(&words).connect();
            admin.query(format!("DROP SCHEMA IF EXISTS {schema}").as_bytes());
        }
    }
}

/// Returns the first value of the next row, as text.
pub fn value(connection: &mut Connection) -> Option<String> {
    let mut row = connection.fetch_row()?;
    let value = row.next()??;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Returns the one value that a query returns.
pub fn ask(connection: &mut Connection, sql: &str) -> String {
    assert_eq!(connection.query(sql.as_bytes()), CallResult::Rows, "{sql}");
    value(connection).unwrap()
}
