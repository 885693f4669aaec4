//! Checks LOAD DATA LOCAL INFILE, whose file is any reader that the caller gives.

use crate::server::{Route, TestServer, each_server, open_with, single};
use dbdyno_wire::{Compression, Session, SessionOptions, TlsPolicy, WireError};
use std::fmt::Write;
use std::io::{self, Read};

const LOAD: &str = "LOAD DATA LOCAL INFILE 'any name' INTO TABLE t FIELDS TERMINATED BY ','";

/// Servers refuse local files unless configured otherwise.
fn allow_local_files(server: &TestServer, is_allowed: &str) -> String {
    let mut session = server.open();
    let before = single(&session.query("SELECT @@GLOBAL.local_infile").unwrap());
    session
        .query(&format!("SET GLOBAL local_infile = {is_allowed}"))
        .unwrap();
    before
}

fn open(server: &TestServer, schema: &str, compression: Compression, tls: TlsPolicy) -> Session {
    let mut endpoint = server.endpoint(Route::Loopback, tls);
    endpoint.database = Some(schema.to_owned());
    let options = SessionOptions {
        local_files: true,
        compression,
        ..SessionOptions::default()
    };
    open_with(&endpoint, &options)
}

fn lines(ids: impl Iterator<Item = u32>) -> String {
    let mut text = String::new();
    ids.for_each(|id| writeln!(text, "{id},{}", "x".repeat(1800)).unwrap());
    text
}

fn code(error: &WireError) -> Option<u16> {
    match error {
        WireError::Server(error) => Some(error.code),
        _ => None,
    }
}

/// Gives a few bytes at a time, and then fails.
struct FailingReader(u32);

impl Read for FailingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::InvalidData)?;
        let line = format!("{},x\n", self.0);
        buffer[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn rows_are_loaded_from_memory_and_from_nowhere_else() {
    each_server(|server| {
        let (mut setup, schema) = server.open_in_schema("local");
        setup
            .query("CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(2000)) ENGINE=InnoDB")
            .unwrap();
        setup
            .query(
                "CREATE TRIGGER no_zero BEFORE INSERT ON t FOR EACH ROW
                    IF NEW.id = 0 THEN SIGNAL SQLSTATE '45000'; END IF",
            )
            .unwrap();
        let before = allow_local_files(server, "ON");
        for (compression, tls) in [
            (Compression::Off, TlsPolicy::Off),
            (Compression::Off, TlsPolicy::Required),
            (Compression::Zlib, TlsPolicy::Off),
        ] {
            setup.query("TRUNCATE TABLE t").unwrap(); // waits for what is being undone
            let mut session = open(server, &schema.name, compression, tls);
            let count =
                |session: &mut Session| single(&session.query("SELECT COUNT(*) FROM t").unwrap());
            // 18 MB: more packets than there are sequence numbers.
            let text = lines(1..=10_000);
            let loaded = session.load_local(LOAD, &mut text.as_bytes()).unwrap();
            assert_eq!(loaded.affected_rows, 10_000);
            assert_eq!(count(&mut session), "10000");
            let loaded = session.load_local(LOAD, &mut io::empty()).unwrap();
            assert_eq!(loaded.affected_rows, 0);

            setup.query("DELETE FROM t WHERE id > 1000").unwrap();
            let absent = LOAD.replace(" t ", " absent ");
            let error = session
                .load_local(&absent, &mut text.as_bytes())
                .unwrap_err();
            assert_eq!(code(&error), Some(1146), "{error:?}");
            // The server's objection comes in the midst of the file.
            let bad = format!("{}0,x\n{}", lines(2000..3000), lines(3000..9_000));
            let error = session.load_local(LOAD, &mut bad.as_bytes()).unwrap_err();
            assert_eq!(code(&error), Some(1644), "{error:?}");
            assert_eq!(count(&mut session), "1000");

            // Asked for by another statement than this one is to send: nothing is sent.
            let error = session.query(LOAD).unwrap_err();
            assert!(matches!(error, WireError::Protocol(_)), "{error:?}");
            assert_eq!(count(&mut session), "1000");

            // The source fails: the connection is gone, and so are the rows.
            let error = session
                .load_local(LOAD, &mut FailingReader(3000))
                .unwrap_err();
            assert!(error.is_connection_lost(), "{error:?}");
            drop(session);
            assert_eq!(count(&mut setup), "1000");
        }
        let mut plain = server.open();
        let error = plain.load_local(LOAD, &mut io::empty()).unwrap_err();
        assert!(matches!(error, WireError::Misuse(_)), "{error:?}");
        allow_local_files(server, "OFF");
        let mut session = open(server, &schema.name, Compression::Off, TlsPolicy::Off);
        let error = session.load_local(LOAD, &mut io::empty()).unwrap_err();
        assert!(matches!(error, WireError::Server(_)), "{error:?}");
        allow_local_files(server, &before);
    });
}
