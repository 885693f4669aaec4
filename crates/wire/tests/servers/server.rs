//! Connects to the servers that the environment names.

use dbdyno_wire::{Address, Endpoint, Password, QueryResult, Session, SessionOptions, TlsPolicy};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(20);

/// A running server and a user who may do everything on it.
pub struct TestServer {
    pub name: String,
    socket: PathBuf,
    host: String,
    port: u16,
    user: String,
    password: Password,
}

/// Says how to reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    Socket,
    Loopback,
}

/// Runs a test on every server that the environment names.
pub fn each_server(test: impl Fn(&TestServer)) {
    let list = std::env::var("DBDYNO_TEST_SERVERS").expect("DBDYNO_TEST_SERVERS");
    let list: Vec<Value> = serde_json::from_str(&list).unwrap();
    assert!(!list.is_empty(), "DBDYNO_TEST_SERVERS is an empty list");
    for entry in &list {
        let server = TestServer::from_entry(entry);
        eprintln!("on {}", server.name);
        test(&server);
    }
}

impl TestServer {
    fn from_entry(entry: &Value) -> Self {
        let text = |key: &str| {
            entry[key]
                .as_str()
                .unwrap_or_else(|| panic!("no {key}"))
                .to_owned()
        };
        let password = match entry["password_file"].as_str() {
            Some(path) => std::fs::read(path).unwrap(),
            None => Vec::new(),
        };
        Self {
            name: text("name"),
            socket: text("socket").into(),
            host: text("host"),
            port: entry["port"].as_u64().unwrap().try_into().unwrap(),
            user: text("user"),
            password: Password::new(password.strip_suffix(b"\n").unwrap_or(&password)),
        }
    }

    pub fn endpoint(&self, route: Route, tls: TlsPolicy) -> Endpoint {
        let address = match route {
            Route::Socket => Address::Socket(self.socket.clone()),
            Route::Loopback => Address::Tcp {
                host: self.host.clone(),
                port: self.port,
            },
        };
        let (user, password) = (self.user.clone(), self.password.clone());
        Endpoint {
            address,
            user,
            password,
            database: None,
            tls,
        }
    }

    /// Logs in as the user who may do everything, the shortest way.
    pub fn open(&self) -> Session {
        open(&self.endpoint(Route::Socket, TlsPolicy::Off))
    }

    /// Makes an empty schema for the test, and a session in it.
    pub fn open_in_schema(&self, name: &str) -> (Session, Schema<'_>) {
        let schema = Schema {
            server: self,
            name: format!("dbdyno_test_wire_{name}"),
        };
        let mut session = self.open();
        session
            .query(&format!("DROP SCHEMA IF EXISTS {}", schema.name))
            .unwrap();
        session
            .query(&format!(
                "CREATE SCHEMA {} CHARACTER SET utf8mb4",
                schema.name
            ))
            .unwrap();
        session.query(&format!("USE {}", schema.name)).unwrap();
        (session, schema)
    }
}

pub fn open(endpoint: &Endpoint) -> Session {
    open_with(endpoint, &SessionOptions::default())
}

pub fn open_with(endpoint: &Endpoint, options: &SessionOptions) -> Session {
    Session::open_with(endpoint, options, LIMIT)
        .unwrap_or_else(|error| panic!("{endpoint:?}: {error}"))
}

/// A schema that goes with its test.
pub struct Schema<'a> {
    server: &'a TestServer,
    pub name: String,
}

impl Drop for Schema<'_> {
    fn drop(&mut self) {
        let _ = self
            .server
            .open()
            .query(&format!("DROP SCHEMA IF EXISTS {}", self.name));
    }
}

/// Returns the only value of a result.
pub fn single(result: &QueryResult) -> String {
    let value = result.rows[0][0].clone().unwrap();
    String::from_utf8(value).unwrap()
}
