//! Checks clients that send malformed requests.

use crate::test_server::TestServer;
use dbdyno_null_server::Settings;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A log-in without a password, after which the server reads commands.
const LOG_IN: &[u8] = &[
    40, 0, 0, 1, // header
    0x00, 0x82, 0x09, 0x01, 0, 0, 0, 1, 45, // capabilities, longest packet, collation
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // filler
    b'a', b'n', b'y', 0, 0, // user, no proof
    b'm', b'y', 0,
];

/// Commands that reach every reader of the server.
const COMMANDS: &[&[u8]] = &[
    b"\x16SELECT c FROM t WHERE id BETWEEN ? AND ?",
    b"\x17\x01\0\0\0\0\x01\0\0\0\0\x01\x08\0\x03\0\x05\0\0\0\0\0\0\0\x09\0\0\0",
    b"\x03SELECT @@a AS `b`, f(1, '?'), 2 FROM t; SHOW VARIABLES LIKE '%a_\\_b'",
    b"\x03INSERT INTO t (a) VALUES (1, ')'), (2, \"x\") -- ?",
    b"\x03SET @@session.autocommit = 0 /* open",
    b"\x19\x01\0\0\0",
    b"\x1b\0\0",
    b"\x1f",
    b"\x77nothing",
];

/// A stream of numbers that is always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % count
    }
}

/// Requests with some bytes changed, left out or put in; headers may lie too.
fn mutated(numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = Vec::new();
    for index in 0..1 + numbers.below(4) {
        // The first command often prepares a statement, so that executions find one.
        let choice = if index == 0 { 3 } else { COMMANDS.len() };
        let command = COMMANDS[numbers.below(choice)];
        let mut packet = vec![command.len() as u8, 0, 0, 0];
        packet.extend_from_slice(command);
        bytes.append(&mut packet);
    }
    for _ in 0..numbers.below(6) {
        let (at, value) = (numbers.below(bytes.len()), numbers.below(256) as u8);
        match numbers.below(3) {
            0 => bytes[at] = value,
            1 => bytes.insert(at, value),
            _ => drop(bytes.remove(at)),
        }
    }
    bytes
}

#[test]
fn nonsense_ends_a_connection_at_most() {
    let test_server = TestServer::new(Settings::default());
    let address = test_server.server.address().tcp.unwrap();
    let mut numbers = Numbers(1);
    for round in 0..400 {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_millis(2)))
            .unwrap();
        if round % 10 > 0 {
            stream.write_all(LOG_IN).unwrap();
        }
        // The server may close the connection before all is written.
        let _ = stream.write_all(&mutated(&mut numbers));
        let _ = stream.read(&mut [0; 4096]);
    }
    let mut session = test_server.session();
    let point = session.query("SELECT c FROM sbtest1 WHERE id=1").unwrap();
    assert_eq!(point.rows.len(), 1);
    session.close();
    let statistics = test_server.stop(); // fails if a thread has died
    let reached = |kind| {
        statistics
            .statements
            .get(kind)
            .is_some_and(|&count| count > 5)
    };
    assert!(
        ["prepare", "simple_range", "insert", "show", "set"]
            .into_iter()
            .all(reached),
        "{statistics:?}"
    );
}
