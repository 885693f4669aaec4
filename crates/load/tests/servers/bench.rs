//! Runs the program against one server under test, in a separate schema.

use dbdyno_wire::{Address, Endpoint, Password, Session, TlsPolicy, WireError};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_dbdyno-load");
const WORKLOAD: &str = "sysbench/oltp_read_write";

pub(crate) struct ServerFixture {
    server: Value,
    schema: String,
}

/// Runs a test on each server that the environment names, in a fresh schema.
pub(crate) fn each_server(test: &str, body: impl Fn(&ServerFixture)) {
    let servers = std::env::var("DBDYNO_TEST_SERVERS").expect("DBDYNO_TEST_SERVERS");
    let servers: Vec<Value> = serde_json::from_str(&servers).unwrap();
    assert!(!servers.is_empty(), "DBDYNO_TEST_SERVERS is an empty list");
    for server in servers {
        let schema = format!("dbdyno_test_{test}_{}", std::process::id());
        let bench = ServerFixture { server, schema };
        bench.outside(&format!("DROP DATABASE IF EXISTS {}", bench.schema));
        bench.outside(&format!("CREATE DATABASE {}", bench.schema));
        body(&bench);
        bench.outside(&format!("DROP DATABASE {}", bench.schema));
    }
}

/// Holds the output of the program.
pub(crate) struct ProgramOutput {
    pub(crate) exit_code: Option<i32>,
    pub(crate) records: Vec<Value>,
    /// Standard error.
    pub(crate) told: String,
}

impl ProgramOutput {
    pub(crate) fn of_kind(&self, kind: &str) -> Vec<Value> {
        self.records
            .iter()
            .filter(|record| record["record"] == kind)
            .cloned()
            .collect()
    }

    pub(crate) fn end(&self) -> Value {
        self.of_kind("end")
            .pop()
            .unwrap_or_else(|| panic!("no last record; {}", self.told))
    }

    /// Returns the code of the error that was printed last.
    pub(crate) fn code(&self) -> &str {
        let last = self.told.lines().last();
        let code = last.and_then(|line| line.strip_prefix("code: "));
        code.unwrap_or_default()
    }
}

/// Controls the program while it runs.
pub(crate) struct RunningProgram {
    child: RefCell<Child>,
    out: RefCell<BufReader<ChildStdout>>,
    records: RefCell<Vec<Value>>,
}

impl RunningProgram {
    /// Reads records until one of this kind comes.
    pub(crate) fn wait_for(&self, kind: &str) {
        while self
            .read_record()
            .unwrap_or_else(|| panic!("no record of kind {kind} came"))["record"]
            != kind
        {}
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.borrow().id().to_string();
        assert!(
            Command::new("kill")
                .args(["-s", name, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    pub(crate) fn finish(self) -> ProgramOutput {
        while self.read_record().is_some() {}
        let mut child = self.child.into_inner();
        let mut told = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut told)
            .unwrap();
        ProgramOutput {
            exit_code: child.wait().unwrap().code(),
            records: self.records.into_inner(),
            told,
        }
    }

    /// Reads a record; skips lines that are no records (text of other commands).
    fn read_record(&self) -> Option<Value> {
        let mut line = String::new();
        while self.out.borrow_mut().read_line(&mut line).unwrap() > 0 {
            if let Ok(record) = serde_json::from_str::<Value>(&line) {
                self.records.borrow_mut().push(record.clone());
                return Some(record);
            }
            line.clear();
        }
        None
    }
}

impl ServerFixture {
    /// Starts the program.
    pub(crate) fn program(arguments: &[&str], more: &[String]) -> RunningProgram {
        Self::spawn(Command::new(PROGRAM).args(arguments).args(more))
    }

    fn spawn(command: &mut Command) -> RunningProgram {
        let mut child = command
            .env_remove("DBDYNO_PASSWORD_FILE")
            .env("DBDYNO_ERROR_CODES", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        RunningProgram {
            out: RefCell::new(BufReader::new(child.stdout.take().unwrap())),
            child: RefCell::new(child),
            records: RefCell::default(),
        }
    }

    /// Returns arguments that name the server, the user, the password and the schema, in this order.
    pub(crate) fn server_arguments(&self) -> Vec<String> {
        let text = |field: &str| self.server[field].as_str().map(str::to_owned);
        let mut arguments = match text("socket") {
            Some(socket) => vec!["--socket".to_owned(), socket],
            None => {
                let port = self.server["port"].to_string();
                vec![
                    "--host".to_owned(),
                    text("host").unwrap(),
                    "--port".to_owned(),
                    port,
                ]
            }
        };
        arguments.extend(["--user".to_owned(), text("user").unwrap()]);
        if let Some(file) = text("password_file") {
            arguments.extend(["--password-file".to_owned(), file]);
        }
        arguments.extend(["--database".to_owned(), self.schema.clone()]);
        arguments
    }

    pub(crate) fn populate(&self, tables: u32, rows: u32) {
        let filled = self.try_populate(tables, rows);
        assert_eq!(filled.exit_code, Some(0), "{}", filled.told);
    }

    pub(crate) fn try_populate(&self, tables: u32, rows: u32) -> ProgramOutput {
        let (tables, rows) = (tables.to_string(), rows.to_string());
        let arguments = [
            "populate",
            WORKLOAD,
            "--json",
            "--tables",
            &tables,
            "--table-size",
            &rows,
        ];
        Self::program(&arguments, &self.server_arguments()).finish()
    }

    pub(crate) fn cleanup(&self, tables: u32) -> ProgramOutput {
        let arguments = ["cleanup", WORKLOAD, "--tables", &tables.to_string()];
        Self::program(&arguments, &self.server_arguments()).finish()
    }

    /// Runs read_write over a thousand rows of one table, records on standard output.
    pub(crate) fn run(&self, arguments: &[&str]) -> ProgramOutput {
        self.start(arguments).finish()
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> RunningProgram {
        self.start_workload(WORKLOAD, 1, arguments)
    }

    pub(crate) fn run_workload(
        &self,
        workload: &str,
        tables: u32,
        arguments: &[&str],
    ) -> ProgramOutput {
        self.start_workload(workload, tables, arguments).finish()
    }

    pub(crate) fn start_workload(
        &self,
        workload: &str,
        tables: u32,
        arguments: &[&str],
    ) -> RunningProgram {
        let tables = tables.to_string();
        let mut all = vec![
            "run",
            workload,
            "--json-lines",
            "-",
            "--tables",
            &tables,
            "--table-size",
            "1000",
        ];
        all.extend(arguments);
        Self::program(&all, &self.server_arguments())
    }

    /// Runs an order made of a complete one and the given fields.
    pub(crate) fn run_order(&self, fields: Value) -> ProgramOutput {
        let mut order = json!({
            "schema_version": 1,
            "target": {
                "socket": self.server["socket"], "host": null, "port": null,
                "user": self.server["user"], "password_file": self.server["password_file"],
                "database": self.schema, "tls": "preferred", "tls_ca_file": null,
            },
            "protocol": "prepared", "rng": "dbdyno", "seed": 1, "workers": 1, "cpus": null,
            "pacing": {"kind": "closed"},
            "errors": {"ignore": [1213, 1020, 1205], "rollback_first": false, "retry_limit": null},
            "drain_ns": 5_000_000_000_u64,
        });
        if self.server["socket"].is_null() {
            order["target"]["host"] = self.server["host"].clone();
            order["target"]["port"] = self.server["port"].clone();
        }
        for (name, value) in fields.as_object().unwrap() {
            order[name] = value.clone();
        }
        let file = self.write_file("order.json", &order.to_string());
        Self::program(&["run", "--order", &file], &[]).finish()
    }

    pub(crate) fn write_file(&self, name: &str, content: &str) -> String {
        let path = std::env::temp_dir().join(format!("{}-{name}", self.schema));
        let mut file = fs::File::create(&path).unwrap();
        file.set_permissions(fs::Permissions::from_mode(0o600))
            .unwrap();
        file.write_all(content.as_bytes()).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Ends one connection of the load.
    pub(crate) fn kill_one_connection(&self) {
        let list =
            "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND db = ";
        let id = self.outside(&format!("{list}'{}' LIMIT 1", self.schema));
        self.outside(&format!("KILL {id}"));
    }

    /// Returns the first value of a query in the schema under test.
    pub(crate) fn query(&self, sql: &str) -> String {
        self.ask(Some(self.schema.clone()), sql).unwrap()
    }

    /// Runs a query that may fail.
    pub(crate) fn try_query(&self, sql: &str) -> Option<String> {
        self.ask(Some(self.schema.clone()), sql).ok()
    }

    fn outside(&self, sql: &str) -> String {
        self.ask(None, sql).unwrap()
    }

    fn ask(&self, database: Option<String>, sql: &str) -> Result<String, WireError> {
        let text = |field: &str| self.server[field].as_str();
        let password = text("password_file").map(|file| fs::read_to_string(file).unwrap());
        let endpoint = Endpoint {
            address: match text("socket") {
                Some(socket) => Address::Socket(socket.into()),
                None => Address::Tcp {
                    host: text("host").unwrap().to_owned(),
                    port: self.server["port"].as_u64().unwrap() as u16,
                },
            },
            user: text("user").unwrap().to_owned(),
            password: Password::new(password.unwrap_or_default().trim_end_matches('\n')),
            database,
            tls: TlsPolicy::Preferred,
        };
        let mut session = Session::open(&endpoint, Duration::from_secs(10)).unwrap();
        let result = session.query(sql);
        session.close();
        let result = result?;
        let value = result
            .rows
            .first()
            .and_then(|row| row.first())
            .cloned()
            .flatten();
        Ok(String::from_utf8(value.unwrap_or_default()).unwrap())
    }
}
