//! Checks servers that never answer, or answer nonsense. None of them is a real one.

#![allow(clippy::unwrap_used, reason = "a test ends where something fails")]

use dbdyno_wire::{Address, Endpoint, Password, ReadBuffer, Session, TlsPolicy, WireError};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::Duration;

/// A socket in the file system that goes with its test.
struct TempSocket(PathBuf);

impl TempSocket {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dbdyno_wire_{name}_{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        Self(path)
    }

    fn endpoint(&self, tls: TlsPolicy) -> Endpoint {
        let (user, password) = ("app".to_owned(), Password::new("hunter2"));
        Endpoint {
            address: Address::Socket(self.0.clone()),
            user,
            password,
            database: None,
            tls,
        }
    }
}

impl Drop for TempSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = (payload.len() as u32).to_le_bytes();
    out[3] = sequence;
    [&out, payload].concat()
}

/// Returns a greeting that offers TLS, in which the client may log in by caching_sha2_password.
fn greeting() -> Vec<u8> {
    let mut out = b"\x0a9.7.4\0\x07\0\0\0abcdefgh\0".to_vec();
    out.extend_from_slice(&[0xff, 0xff, 45, 2, 0, 0xff, 0x81, 21]);
    out.extend_from_slice(&[0; 10]);
    out.extend_from_slice(b"ijklmnopqrst\0caching_sha2_password\0");
    packet(0, &out)
}

#[test]
fn a_server_that_says_nothing_is_given_up_after_the_limit() {
    let place = TempSocket::new("silent");
    // Nobody accepts: the first connections wait in the queue, later ones for a place in it.
    let _listener = UnixListener::bind(&place.0).unwrap();
    let limit = Duration::from_millis(20);
    let mut waiting = Vec::new();
    for _ in 0..2 {
        let error = Session::open(&place.endpoint(TlsPolicy::Off), limit).unwrap_err();
        assert!(
            matches!(error, WireError::Timeout { limit_ms: 20, .. }),
            "{error:?}"
        );
        // The default queue of the standard library holds 128, or what the system allows.
        while waiting.len() < 4096 {
            let socket = socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM, None);
            let socket = socket.unwrap();
            socket.set_nonblocking(true).unwrap();
            if socket
                .connect(&socket2::SockAddr::unix(&place.0).unwrap())
                .is_err()
            {
                break;
            }
            waiting.push(socket);
        }
    }
}

/// Logs in at a server that answers the handshake response with `answer`, and gives what the client said to that.
fn answered(name: &str, answer: &'static [u8]) -> (Result<Session, WireError>, Vec<u8>) {
    let place = TempSocket::new(name);
    let listener = UnixListener::bind(&place.0).unwrap();
    let server = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        connection.write_all(&greeting()).unwrap();
        connection.write_all(&packet(2, answer)).unwrap();
        connection.shutdown(Shutdown::Write).unwrap();
        let mut said = Vec::new();
        connection.read_to_end(&mut said).unwrap();
        let handshake_response = 4 + usize::from(said[0]);
        said.split_off(handshake_response)
    });
    let session = Session::open(&place.endpoint(TlsPolicy::Off), Duration::from_secs(20));
    (session, server.join().unwrap())
}

#[test]
fn the_method_of_mysql_4_0_is_refused_by_name() {
    let (session, said) = answered("old", &[0xfe]);
    let error = session.unwrap_err();
    assert!(
        matches!(&error, WireError::Authentication { plugin, .. } if plugin == "mysql_old_password"),
        "{error:?}"
    );
    assert_eq!(said, b"");
}

#[test]
fn an_unknown_method_is_refused_by_name() {
    let (session, said) = answered("unknown", b"\xfeauth_gssapi_client\0abc");
    let error = session.unwrap_err().to_string();
    assert!(error.contains("auth_gssapi_client"), "{error}");
    assert_eq!(said, b"");
}

#[test]
fn a_password_in_clear_is_sent_where_nobody_can_overhear_it() {
    let (_, said) = answered("clear", b"\xfemysql_clear_password\0");
    assert_eq!(said, packet(3, b"hunter2\0"));
}

/// Runs a server that lets everybody in and answers every request by asking for a file. Returns all that it receives
/// after that.
fn greedy(place: &TempSocket) -> std::thread::JoinHandle<Vec<u8>> {
    let listener = UnixListener::bind(&place.0).unwrap();
    std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let mut said = [0; 4096];
        connection.write_all(&greeting()).unwrap();
        assert!(connection.read(&mut said).unwrap() > 0);
        connection
            .write_all(&packet(2, &[0, 0, 0, 2, 0, 0, 0]))
            .unwrap();
        assert!(connection.read(&mut said).unwrap() > 0);
        connection
            .write_all(&packet(1, b"\xfb/etc/passwd"))
            .unwrap();
        let sent = connection.read(&mut said).unwrap();
        let _ = connection.write_all(&packet(3, &[0, 0, 0, 2, 0, 0, 0]));
        said[..sent].to_vec()
    })
}

#[test]
fn a_server_that_asks_for_a_file_unasked_gets_an_empty_one() {
    let place = TempSocket::new("greedy");
    let server = greedy(&place);
    let limit = Duration::from_secs(20);
    let mut session = Session::open(&place.endpoint(TlsPolicy::Off), limit).unwrap();
    let error = session.query("SELECT 1").unwrap_err();
    assert!(matches!(error, WireError::Protocol(_)), "{error:?}");
    assert_eq!(server.join().unwrap(), packet(2, b""));
}

#[test]
fn a_server_that_asks_a_channel_for_a_file_gets_nothing() {
    let place = TempSocket::new("greedier");
    let server = greedy(&place);
    let limit = Duration::from_secs(20);
    let session = Session::open(&place.endpoint(TlsPolicy::Off), limit).unwrap();
    let mut channel = session.into_channel().unwrap();
    channel.queue_query(b"SELECT 1");
    channel.flush().unwrap();
    let mut shared = ReadBuffer::new();
    let error = loop {
        match channel.receive(&mut shared) {
            Ok(reply) => assert_eq!(reply, None),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, WireError::Protocol(_)), "{error:?}");
    drop(channel);
    assert_eq!(server.join().unwrap(), b"");
}

#[test]
fn nonsense_at_log_in_is_an_error_and_never_a_panic() {
    let place = TempSocket::new("nonsense");
    let listener = UnixListener::bind(&place.0).unwrap();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = move |limit: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % limit as u64) as usize
    };
    const ROUNDS: usize = 2000;
    let server = std::thread::spawn(move || {
        for _ in 0..ROUNDS {
            let (mut connection, _) = listener.accept().unwrap();
            let verdicts = [
                packet(2, &[1, 4]),
                packet(4, b"\xfesha256_password\0abcdefghijklmnopqrst\0"),
                packet(6, b"\x01-----BEGIN PUBLIC KEY-----"),
                packet(8, &[0, 0, 0, 2, 0, 0, 0]),
            ];
            let mut script = [greeting(), verdicts.concat()].concat();
            for _ in 0..draw(4) {
                let at = draw(script.len());
                script[at] = draw(256) as u8;
            }
            script.truncate(1 + draw(script.len()));
            let _ = connection.write_all(&script);
            // Closing at once would race with the client's own writing: it listens until the client has had enough.
            let _ = connection.shutdown(Shutdown::Write);
            let _ = std::io::copy(&mut connection, &mut std::io::sink());
        }
    });
    let (mut refused, mut broken) = (0, 0);
    for round in 0..ROUNDS {
        let tls = if round % 4 == 0 {
            TlsPolicy::Required
        } else {
            TlsPolicy::Off
        };
        if let Err(error) = Session::open(&place.endpoint(tls), Duration::from_secs(20)) {
            assert!(!matches!(error, WireError::Timeout { .. }), "{error:?}");
            assert!(
                !format!("{error} {error:?}").contains("hunter2"),
                "{error:?}"
            );
            refused += usize::from(matches!(error, WireError::Authentication { .. }));
            broken += usize::from(matches!(error, WireError::Protocol(_)));
        }
    }
    server.join().unwrap();
    assert!(
        refused > 0 && broken > 0,
        "{refused} log-ins refused, {broken} conversations broken"
    );
}
