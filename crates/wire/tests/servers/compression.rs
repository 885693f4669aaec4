//! Checks compressed conversations, in clear and encrypted.

use crate::hot_path::{WAYS, answer, rows};
use crate::server::{Route, each_server, open, open_with, single};
use dbdyno_wire::{Compression, Parameters, ReadBuffer, SessionOptions, TlsPolicy};

fn options() -> SessionOptions {
    SessionOptions {
        compression: Compression::Zlib,
        ..SessionOptions::default()
    }
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn sessions_and_channels_talk_the_same_packed() {
    each_server(|server| {
        let (mut setup, schema) = server.open_in_schema("packed");
        setup
            .query("CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(200) NOT NULL)")
            .unwrap();
        setup
            .query("CREATE PROCEDURE p(n INT) BEGIN SELECT 1; UPDATE t SET c = '' WHERE id < 4; SELECT n, 2; END")
            .unwrap();
        for (route, tls) in WAYS {
            let mut endpoint = server.endpoint(route, tls);
            endpoint.database = Some(schema.name.clone());
            let mut session = open_with(&endpoint, &options());
            assert_eq!(session.info().compression, Compression::Zlib);
            let state = session
                .query("SHOW SESSION STATUS LIKE 'Compression'")
                .unwrap();
            assert_eq!(state.rows[0][1].as_deref(), Some(&b"ON"[..]));
            let values: Vec<String> = (1..=2000)
                .map(|id| format!("({id}, REPEAT(SHA2({id}, 256), 2))"))
                .collect();
            let insert = format!("REPLACE INTO t VALUES {}", values.join(","));
            assert!(session.query(&insert).unwrap().affected_rows >= 2000);
            let kept = session.query("SELECT * FROM t ORDER BY id").unwrap();
            let plain = setup.query("SELECT * FROM t ORDER BY id").unwrap();
            assert!(kept == plain, "rows differ");

            let range = session.prepare("SELECT * FROM t WHERE id <= ?").unwrap();
            let call = session.prepare("CALL p(?)").unwrap();
            let mut channel = session.into_channel().unwrap();
            let mut shared = ReadBuffer::new();
            let mut parameters = Parameters::new();
            for last in [1, 100, 2000] {
                parameters.clear();
                parameters.push_int(last);
                channel.queue_execute(range.id, &parameters);
                assert_eq!(rows(&answer(&mut channel, &mut shared)), (last as u64, 2));
            }
            for last in 0..50 {
                parameters.clear();
                parameters.push_int(last);
                channel.queue_execute(range.id, &parameters);
            }
            for last in 0..50 {
                assert_eq!(rows(&answer(&mut channel, &mut shared)), (last, 2));
            }
            channel.queue_execute(call.id, &parameters);
            assert_eq!(rows(&answer(&mut channel, &mut shared)), (2, 2));
            assert_eq!(channel.receive(&mut shared).unwrap(), None);
            channel.queue_close_statement(range.id);
            channel.into_session().unwrap().close();
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn bytes_are_counted_as_the_network_sees_them() {
    each_server(|server| {
        for (route, tls) in WAYS {
            let endpoint = server.endpoint(route, tls);
            let query = format!("SELECT REPEAT('y', 1000000), '{}'", "x".repeat(100_000));
            let moved = |session: dbdyno_wire::Session| {
                let mut channel = session.into_channel().unwrap();
                let before = (channel.bytes_sent(), channel.bytes_received());
                channel.queue_query(query.as_bytes());
                answer(&mut channel, &mut ReadBuffer::new());
                let (sent, received) = (channel.bytes_sent(), channel.bytes_received());
                (sent - before.0, received - before.1)
            };
            let (sent, received) = moved(open(&endpoint));
            assert!(sent > 100_000 && received > 1_100_000);
            let (sent, received) = moved(open_with(&endpoint, &options()));
            assert!(sent < 2_000 && received < 20_000, "{sent} and {received}");
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn packets_of_more_than_16_mib_go_and_come_packed() {
    each_server(|server| {
        let mut setup = server.open();
        let before = single(&setup.query("SELECT @@GLOBAL.max_allowed_packet").unwrap());
        setup
            .query("SET GLOBAL max_allowed_packet = 64 * 1024 * 1024")
            .unwrap();
        for length in [0xff_ffff - 18, 0xff_ffff - 10, 20_000_000] {
            let mut session =
                open_with(&server.endpoint(Route::Socket, TlsPolicy::Off), &options());
            let sql = format!("SELECT LENGTH('{}')", "x".repeat(length));
            assert_eq!(single(&session.query(&sql).unwrap()), length.to_string());
            let long = session
                .query(&format!("SELECT REPEAT('y', {length})"))
                .unwrap();
            assert_eq!(long.rows[0][0].as_ref().unwrap().len(), length);
        }
        setup
            .query(&format!("SET GLOBAL max_allowed_packet = {before}"))
            .unwrap();
    });
}
