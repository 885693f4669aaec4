//! Checks payloads longer than a packet.

use crate::server::{Route, TestServer, each_server, open, single};
use dbdyno_wire::{ReadBuffer, Reply, TlsPolicy};

const PACKET_BYTES: usize = 0xff_ffff;

/// Lets payloads be as long as these tests need, for connections made from now on.
fn allow_long_payloads(server: &TestServer) -> String {
    let mut session = server.open();
    let before = single(&session.query("SELECT @@GLOBAL.max_allowed_packet").unwrap());
    session
        .query("SET GLOBAL max_allowed_packet = 64 * 1024 * 1024")
        .unwrap();
    before
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn payloads_longer_than_a_packet_go_and_come_whole() {
    each_server(|server| {
        let before = allow_long_payloads(server);
        for tls in [TlsPolicy::Off, TlsPolicy::Required] {
            let mut session = open(&server.endpoint(Route::Loopback, tls));
            // A request of exactly one packet's length must be followed by an empty packet.
            let frame = "SELECT LENGTH('')".len() + 1;
            for length in [
                PACKET_BYTES - frame,
                PACKET_BYTES - frame + 1,
                2 * PACKET_BYTES + 5,
            ] {
                let sql = format!("SELECT LENGTH('{}')", "x".repeat(length));
                assert_eq!(single(&session.query(&sql).unwrap()), length.to_string());
            }
            for length in [
                PACKET_BYTES - 4,
                PACKET_BYTES - 3,
                PACKET_BYTES,
                2 * PACKET_BYTES + 5,
            ] {
                let sql = format!("SELECT REPEAT('y', {length}) UNION ALL SELECT 'z'");
                let result = session.query(&sql).unwrap();
                let lengths: Vec<_> = result
                    .rows
                    .iter()
                    .map(|row| row[0].as_ref().unwrap().len())
                    .collect();
                assert_eq!(lengths, [length, 1]);
            }
            let mut channel = session.into_channel().unwrap();
            let mut shared = ReadBuffer::new();
            let sql = format!("SELECT '{}', 2 UNION ALL SELECT 3, 4", "x".repeat(20 << 20));
            channel.queue_query(sql.as_bytes());
            let reply = loop {
                channel.flush().unwrap();
                if let Some(reply) = channel.receive(&mut shared).unwrap() {
                    break reply;
                }
                std::thread::yield_now();
            };
            assert!(matches!(reply, Reply::Rows(rows) if (rows.rows, rows.columns) == (2, 2)));
        }
        let restore = format!("SET GLOBAL max_allowed_packet = {before}");
        server.open().query(&restore).unwrap();
    });
}
