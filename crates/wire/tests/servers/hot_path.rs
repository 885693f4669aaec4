//! Checks channels by every kind of request, in clear and encrypted.

use crate::server::{Route, each_server, open, single};
use dbdyno_wire::{
    Channel, Flush, Parameters, ReadBuffer, Reply, RowSink, StatementText, TlsPolicy, WireError,
};

/// Sends what is queued and waits for a reply without sleeping.
pub fn answer(channel: &mut Channel, shared: &mut ReadBuffer) -> Reply {
    while channel.flush().unwrap() == Flush::WouldBlock {
        std::thread::yield_now();
    }
    assert!(!channel.wants_write());
    loop {
        match channel.receive(shared).unwrap() {
            Some(reply) => return reply,
            None => std::thread::yield_now(),
        }
    }
}

pub fn rows(reply: &Reply) -> (u64, u16) {
    match reply {
        Reply::Rows(rows) => (rows.rows, rows.columns),
        other => panic!("{other:?}"),
    }
}

pub const WAYS: [(Route, TlsPolicy); 3] = [
    (Route::Socket, TlsPolicy::Off),
    (Route::Loopback, TlsPolicy::Off),
    (Route::Loopback, TlsPolicy::Required),
];

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn every_kind_of_request_is_answered_by_every_way() {
    each_server(|server| {
        let (mut setup, schema) = server.open_in_schema("requests");
        setup
            .query("CREATE TABLE t (id INT PRIMARY KEY, c CHAR(120) NOT NULL)")
            .unwrap();
        let values: Vec<String> = (1..=1000)
            .map(|id| format!("({id}, REPEAT('x', 119))"))
            .collect();
        setup
            .query(&format!("INSERT INTO t VALUES {}", values.join(",")))
            .unwrap();
        for (route, tls) in WAYS {
            let mut endpoint = server.endpoint(route, tls);
            endpoint.database = Some(schema.name.clone());
            let mut session = open(&endpoint);
            let range = "SELECT id, c FROM t WHERE id BETWEEN ? AND ?";
            let statement = session.prepare(range).unwrap();
            let update = session.prepare("UPDATE t SET c = ? WHERE id = ?").unwrap();
            let mut channel = session.into_channel().unwrap();
            let mut shared = ReadBuffer::new();
            let shared = &mut shared;
            let (sent, received) = (channel.bytes_sent(), channel.bytes_received());
            assert!(sent > 0 && received > 0);

            channel.queue_query(b"BEGIN");
            assert_eq!(answer(&mut channel, shared).in_transaction(), Some(true));
            let mut parameters = Parameters::new();
            // 1000 rows are more than one read takes.
            for last in [1, 100, 1000] {
                parameters.clear();
                parameters.push_int(1);
                parameters.push_int(last);
                channel.queue_execute(statement.id, &parameters);
                assert_eq!(rows(&answer(&mut channel, shared)), (last as u64, 2));
                channel.queue_text(&StatementText::new(range), &parameters);
                assert_eq!(rows(&answer(&mut channel, shared)), (last as u64, 2));
            }
            parameters.clear();
            parameters.push_text(b"it's \\ changed");
            parameters.push_int(7);
            channel.queue_execute(update.id, &parameters);
            let Reply::Ok(ok) = answer(&mut channel, shared) else {
                panic!("no OK")
            };
            assert_eq!(ok.affected_rows, 1);
            channel.queue_text(
                &StatementText::new("SELECT 1 FROM t WHERE c=? AND id=?"),
                &parameters,
            );
            assert_eq!(rows(&answer(&mut channel, shared)), (1, 1));
            channel.queue_query(b"INSERT INTO t VALUES (1, '')");
            let Reply::Error(error) = answer(&mut channel, shared) else {
                panic!("no error")
            };
            assert_eq!((error.code, &error.sql_state), (1062, b"23000"));
            channel.queue_query(b"ROLLBACK");
            assert_eq!(answer(&mut channel, shared).in_transaction(), Some(false));
            assert!(channel.bytes_sent() > sent && channel.bytes_received() > received + 200_000);

            channel.queue_close_statement(statement.id);
            let mut session = channel.into_session().unwrap();
            assert_eq!(
                single(&session.query("SELECT COUNT(*) FROM t").unwrap()),
                "1000"
            );
            session.close();
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn several_requests_may_be_under_way_at_once() {
    each_server(|server| {
        for (route, tls) in WAYS {
            let mut channel = open(&server.endpoint(route, tls)).into_channel().unwrap();
            let mut shared = ReadBuffer::new();
            for count in 1..=50 {
                let sql = format!("SELECT 1{}", " UNION ALL SELECT 2".repeat(count - 1));
                channel.queue_query(sql.as_bytes());
            }
            for count in 1..=50 {
                assert_eq!(rows(&answer(&mut channel, &mut shared)), (count, 1));
            }
            assert_eq!(channel.replies_pending(), 0);
            assert_eq!(channel.receive(&mut shared).unwrap(), None);
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn the_results_of_a_procedure_are_one_reply() {
    each_server(|server| {
        let (mut session, schema) = server.open_in_schema("procedure");
        session
            .query("CREATE PROCEDURE p(n INT) BEGIN SELECT 1, 2; SELECT n UNION ALL SELECT 0; END")
            .unwrap();
        let call = session.prepare("CALL p(?)").unwrap();
        let kept = session.query("CALL p(5)").unwrap();
        assert_eq!((kept.columns[0].as_str(), kept.rows.len()), ("n", 2));
        let mut channel = session.into_channel().unwrap();
        let mut shared = ReadBuffer::new();
        let mut parameters = Parameters::new();
        parameters.push_int(5);
        channel.queue_execute(call.id, &parameters);
        assert_eq!(rows(&answer(&mut channel, &mut shared)), (3, 1));
        channel.queue_text(&StatementText::new("CALL p(?)"), &parameters);
        assert_eq!(rows(&answer(&mut channel, &mut shared)), (3, 1));
        drop(schema);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn an_error_in_the_midst_of_rows_is_an_error() {
    each_server(|server| {
        let (mut session, _schema) = server.open_in_schema("midst");
        session
            .query("CREATE TABLE t (id INT PRIMARY KEY)")
            .unwrap();
        let values: Vec<String> = (1..=20_000).map(|id| format!("({id})")).collect();
        session
            .query(&format!("INSERT INTO t VALUES {}", values.join(",")))
            .unwrap();
        let mut channel = session.into_channel().unwrap();
        // The sum leaves the range of BIGINT for the last id only, when many rows have been sent.
        channel.queue_query(
            b"SELECT 9223372036854775807 + (id = 20000), REPEAT('x', 50) FROM t ORDER BY id",
        );
        let mut shared = ReadBuffer::new();
        let Reply::Error(error) = answer(&mut channel, &mut shared) else {
            panic!("no error")
        };
        assert_eq!(error.code, 1690);
        assert!(
            channel.bytes_received() > 500_000,
            "the rows before it never came"
        );
        channel.queue_query(b"SELECT 1");
        assert_eq!(rows(&answer(&mut channel, &mut shared)), (1, 1));
    });
}

#[derive(Default)]
struct FirstBytes(Vec<u8>);

impl RowSink for FirstBytes {
    fn start(&mut self, _columns: u16) -> Result<(), WireError> {
        Ok(())
    }
    fn column(&mut self, _definition: &[u8]) -> Result<(), WireError> {
        Ok(())
    }
    fn row(&mut self, payload: &[u8]) -> Result<(), WireError> {
        self.0.extend_from_slice(&payload[..2]);
        Ok(())
    }
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_sink_is_given_the_rows() {
    each_server(|server| {
        let mut channel = server.open().into_channel().unwrap();
        let (mut shared, mut sink) = (ReadBuffer::new(), FirstBytes::default());
        channel.queue_query(b"SELECT 'a' UNION ALL SELECT 'b'");
        channel.flush().unwrap();
        let reply = loop {
            if let Some(reply) = channel.receive_into(&mut shared, &mut sink).unwrap() {
                break reply;
            }
        };
        assert_eq!(rows(&reply), (2, 1));
        assert_eq!(sink.0, b"\x01a\x01b");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_channel_that_waits_for_a_reply_is_no_session() {
    each_server(|server| {
        let mut channel = server.open().into_channel().unwrap();
        channel.queue_query(b"SELECT 1");
        let error = channel.into_session().unwrap_err();
        assert!(matches!(error, WireError::Misuse(_)), "{error:?}");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn after_quitting_the_server_closes_the_connection() {
    each_server(|server| {
        let mut channel = server.open().into_channel().unwrap();
        channel.queue_quit();
        assert_eq!(channel.flush().unwrap(), Flush::Complete);
        let mut shared = ReadBuffer::new();
        let error = loop {
            match channel.receive(&mut shared) {
                Ok(reply) => assert_eq!(reply, None),
                Err(error) => break error,
            }
        };
        assert!(error.is_connection_lost(), "{error:?}");
    });
}
