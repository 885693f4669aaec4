//! Checks how long a session waits and how much it keeps, no matter what a server does.

#![allow(clippy::unwrap_used, reason = "a test ends where something fails")]

use dbdyno_wire::{
    Address, CancelFlag, Endpoint, Password, Session, SessionOptions, TlsPolicy, WireError,
};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

const LOGIN: Duration = Duration::from_secs(20);
/// The end of a result, with the bit that says that another follows and without it.
const OK_MORE: &[u8] = &[0, 0, 0, 0x0a, 0, 0, 0];
const OK: &[u8] = &[0, 0, 0, 2, 0, 0, 0];

fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = (payload.len() as u32).to_le_bytes();
    out[3] = sequence;
    [&out, payload].concat()
}

fn definition(name: &[u8]) -> Vec<u8> {
    let mut out = b"\x03def\0\0\0".to_vec();
    out.extend_from_slice(&[0xfc, name.len() as u8, (name.len() >> 8) as u8]);
    out.extend_from_slice(name);
    out.extend_from_slice(&[0, 0x0c, 45, 0, 0, 0, 0, 0, 253, 0, 0, 0, 0, 0]);
    out
}

/// Lets one client in, waits for one request, and then does what `then` says.
fn server(
    name: &str,
    then: impl FnOnce(UnixStream) + Send + 'static,
) -> (Endpoint, JoinHandle<()>) {
    let path: PathBuf =
        std::env::temp_dir().join(format!("dbdyno_bounds_{name}_{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).unwrap();
    let endpoint = Endpoint {
        address: Address::Socket(path.clone()),
        user: "app".to_owned(),
        password: Password::new(""),
        database: None,
        tls: TlsPolicy::Off,
    };
    let server = spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        std::fs::remove_file(path).unwrap();
        let mut greeting = b"\x0a9.7.4\0\x07\0\0\0abcdefgh\0".to_vec();
        // Without CLIENT_DEPRECATE_EOF.
        greeting.extend_from_slice(&[0xff, 0xf7, 45, 2, 0, 0xff, 0x80, 21]);
        greeting.extend_from_slice(&[0; 10]);
        greeting.extend_from_slice(b"ijklmnopqrst\0mysql_native_password\0");
        connection.write_all(&packet(0, &greeting)).unwrap();
        let mut said = [0; 4096];
        assert!(connection.read(&mut said).unwrap() > 0);
        connection.write_all(&packet(2, OK)).unwrap();
        assert!(connection.read(&mut said).unwrap() > 0);
        then(connection);
    });
    (endpoint, server)
}

/// Sends payloads in sequence until the client has had enough.
fn flood(mut connection: UnixStream, head: Vec<Vec<u8>>, again: &[u8]) {
    let mut sequence = 1_u8;
    for payload in head
        .iter()
        .map(Vec::as_slice)
        .chain(std::iter::repeat(again))
    {
        if connection.write_all(&packet(sequence, payload)).is_err() {
            return;
        }
        sequence = sequence.wrapping_add(1);
    }
}

/// Returns what asking such a server ends with.
fn asked(
    name: &str,
    options: &SessionOptions,
    then: impl FnOnce(UnixStream) + Send + 'static,
) -> WireError {
    let (endpoint, server) = server(name, then);
    let mut session = Session::open_with(&endpoint, options, LOGIN).unwrap();
    let error = session.query("SELECT  a\nFROM t").unwrap_err();
    drop(session);
    server.join().unwrap();
    error
}

fn patient(limit_ms: u64) -> SessionOptions {
    SessionOptions {
        answer_timeout: Some(Duration::from_millis(limit_ms)),
        ..SessionOptions::default()
    }
}

#[test]
fn an_answer_has_its_time_and_the_message_says_what_was_waited_for() {
    let until_closed = |mut connection: UnixStream| drop(connection.read(&mut [0]));
    let error = asked("silent", &patient(60), until_closed).to_string();
    let words = "answered nothing within 60 ms, while waiting for the answer to SELECT a FROM t";
    assert!(error.ends_with(words), "{error}");
    let begun = |mut connection: UnixStream| {
        connection.write_all(&packet(1, &[1])).unwrap();
        drop(connection.read(&mut [0]));
    };
    let error = asked("begun", &patient(60), begun).to_string();
    assert!(
        error.contains("did not end its answer within 60 ms"),
        "{error}"
    );
}

#[test]
fn rows_that_come_for_ever_have_no_longer_than_those_that_don_t_come() {
    let trickle = |connection: UnixStream| {
        let head = [vec![1], definition(b"a"), vec![0xfe, 0, 0, 2, 0]];
        let mut slow = connection.try_clone().unwrap();
        let _ = slow.write_all(
            &head
                .iter()
                .zip(1..)
                .flat_map(|(payload, sequence)| packet(sequence, payload))
                .collect::<Vec<_>>(),
        );
        for sequence in 4..=255 {
            sleep(Duration::from_millis(5));
            if slow.write_all(&packet(sequence, b"\x01x")).is_err() {
                return;
            }
        }
    };
    let error = asked("trickle", &patient(200), trickle);
    assert!(
        matches!(error, WireError::Timeout { limit_ms: 200, .. }),
        "{error:?}"
    );
}

#[test]
fn a_flag_ends_every_wait_soon() {
    let cancel = CancelFlag::default();
    let options = SessionOptions {
        cancel: cancel.clone(),
        ..SessionOptions::default()
    };
    let setter = spawn(move || {
        sleep(Duration::from_millis(100));
        cancel.set();
    });
    let begun = Instant::now();
    let error = asked("cancelled", &options, |mut connection| {
        drop(connection.read(&mut [0]))
    });
    assert!(matches!(error, WireError::Cancelled { .. }), "{error:?}");
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    assert!(error.to_string().contains("SELECT a FROM t"), "{error}");
    setter.join().unwrap();
    // A connection attempt after that doesn't wait either, though nobody accepts it.
    let path = std::env::temp_dir().join(format!("dbdyno_bounds_never_{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let _listener = UnixListener::bind(&path).unwrap();
    let endpoint = Endpoint {
        address: Address::Socket(path.clone()),
        user: "app".to_owned(),
        password: Password::new(""),
        database: None,
        tls: TlsPolicy::Off,
    };
    let error = Session::open_with(&endpoint, &options, LOGIN).unwrap_err();
    std::fs::remove_file(path).unwrap();
    assert!(matches!(error, WireError::Cancelled { .. }), "{error:?}");
}

#[test]
fn what_is_kept_has_limits_that_errors_name() {
    let options = SessionOptions::default();
    let row = || [&[0xfd, 0, 0, 0x10][..], &vec![b'x'; 1 << 20]].concat();
    let head = || vec![vec![1], definition(b"a"), vec![0xfe, 0, 0, 2, 0]];
    type Case = (&'static str, Vec<Vec<u8>>, Vec<u8>, &'static str);
    let cases: [Case; 5] = [
        ("rows", head(), row(), "64 MiB of rows in one answer"),
        ("row", head(), vec![0; 0xff_ffff], "64 MiB in one row"),
        (
            "results",
            Vec::new(),
            OK_MORE.to_vec(),
            "1000 results to one request",
        ),
        (
            "columns",
            vec![vec![0xfc, 1, 0x10]],
            definition(b"a"),
            "4096 columns in a result",
        ),
        (
            "names",
            vec![vec![0xfc, 0, 0x10]],
            definition(&[b'x'; 60_000]),
            "64 MiB of rows in one answer",
        ),
    ];
    for (name, head, again, limit) in cases {
        let error = asked(name, &options, move |connection| {
            flood(connection, head, &again)
        });
        let WireError::Excess { limit: named, peer } = &error else {
            panic!("{name}: {error:?}")
        };
        assert_eq!(*named, limit);
        assert!(peer.contains(name), "{peer}");
    }
}

#[test]
fn what_was_asked_for_rows_is_not_answered_by_ok_or_by_other_columns() {
    let answer = |payloads: Vec<Vec<u8>>| {
        move |mut connection: UnixStream| {
            for (payload, sequence) in payloads.iter().zip(1..) {
                connection.write_all(&packet(sequence, payload)).unwrap();
            }
            drop(connection.read(&mut [0]));
        }
    };
    let eof = || vec![0xfe, 0, 0, 2, 0];
    let one = || vec![vec![1], definition(b"a"), eof(), eof()];
    for (name, payloads, words) in [
        ("ok", vec![OK.to_vec()], Some("without a result set")),
        ("one", one(), Some("with 1 columns instead of 2")),
    ] {
        let (endpoint, server) = server(name, answer(payloads));
        let mut session = Session::open(&endpoint, LOGIN).unwrap();
        let error = session.select_columns("SHOW STATUS", 2).unwrap_err();
        assert!(matches!(&error, WireError::Protocol(_)), "{error:?}");
        assert!(error.to_string().contains(words.unwrap()), "{error}");
        drop(session);
        server.join().unwrap();
    }
    let (endpoint, server) = server("none", answer(one()));
    let mut session = Session::open(&endpoint, LOGIN).unwrap();
    assert!(session.select("SHOW TABLES").unwrap().rows.is_empty());
    drop(session);
    server.join().unwrap();
}
