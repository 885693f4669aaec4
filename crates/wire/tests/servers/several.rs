//! Checks requests with more than one result.

use crate::hot_path::{answer, rows};
use crate::server::{Route, TestServer, each_server, open_with, single};
use dbdyno_wire::{
    Parameters, ReadBuffer, Reply, RowSink, Session, SessionOptions, TlsPolicy, WireError,
};

fn open_multi(server: &TestServer) -> Session {
    let options = SessionOptions {
        multi_statements: true,
        ..SessionOptions::default()
    };
    open_with(&server.endpoint(Route::Socket, TlsPolicy::Off), &options)
}

/// Counts the rows of each result apart.
#[derive(Default)]
struct RowCounts(Vec<(u16, usize)>);

impl RowSink for RowCounts {
    fn start(&mut self, columns: u16) -> Result<(), WireError> {
        self.0.push((columns, 0));
        Ok(())
    }
    fn column(&mut self, _definition: &[u8]) -> Result<(), WireError> {
        Ok(())
    }
    fn row(&mut self, _payload: &[u8]) -> Result<(), WireError> {
        self.0.last_mut().unwrap().1 += 1;
        Ok(())
    }
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn several_statements_in_one_request_are_one_reply() {
    each_server(|server| {
        let mut session = open_multi(server);
        session
            .query("CREATE TEMPORARY TABLE mysql.dbdyno_several (id INT PRIMARY KEY)")
            .unwrap();
        let sql = "INSERT INTO mysql.dbdyno_several VALUES (1), (2); SELECT 1, 2; SELECT 3;
                   DELETE FROM mysql.dbdyno_several WHERE id = 1";
        let kept = session.query(sql).unwrap();
        assert_eq!(
            (kept.columns.as_slice(), kept.rows.len()),
            (&["3".to_owned()][..], 1)
        );
        assert_eq!(
            single(
                &session
                    .query("SELECT COUNT(*) FROM mysql.dbdyno_several")
                    .unwrap()
            ),
            "1"
        );
        let written = session
            .query("INSERT INTO mysql.dbdyno_several VALUES (7); DELETE FROM mysql.dbdyno_several")
            .unwrap();
        assert_eq!(written.affected_rows, 3);

        let mut channel = session.into_channel().unwrap();
        let mut shared = ReadBuffer::new();
        channel.queue_query(b"SELECT 1, 2; DO 1; SELECT 3 UNION ALL SELECT 4");
        channel.queue_query(b"SELECT 5");
        let mut each = RowCounts::default();
        channel.flush().unwrap();
        let reply = loop {
            match channel.receive_into(&mut shared, &mut each).unwrap() {
                Some(reply) => break reply,
                None => std::thread::yield_now(),
            }
        };
        assert_eq!(rows(&reply), (3, 1));
        assert_eq!(each.0, [(2, 1), (1, 2)]);
        assert_eq!(channel.replies_pending(), 1);
        assert_eq!(rows(&answer(&mut channel, &mut shared)), (1, 1));
        assert_eq!(channel.replies_pending(), 0);

        // Of a request, what stands before the failure has happened and what stands behind it has not.
        channel.queue_query(b"SELECT 1; SELECT nonsense; SELECT 2");
        let Reply::Error(error) = answer(&mut channel, &mut shared) else {
            panic!("no error")
        };
        assert_eq!(error.code, 1054);
        channel.queue_query(b"SELECT 1; DO 1");
        assert_eq!(rows(&answer(&mut channel, &mut shared)), (1, 1));
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn without_being_asked_for_several_statements_are_refused() {
    each_server(|server| {
        let error = server.open().query("SELECT 1; SELECT 2").unwrap_err();
        assert!(
            matches!(&error, WireError::Server(error) if error.code == 1064),
            "{error:?}"
        );
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_procedure_gives_its_results_and_then_its_out_parameters() {
    each_server(|server| {
        let (mut session, schema) = server.open_in_schema("out");
        session
            .query(
                "CREATE PROCEDURE p(IN n INT, OUT doubled INT, INOUT word VARCHAR(20))
                    BEGIN SELECT n; SELECT n, n + 1 UNION ALL SELECT 0, 0;
                          SET doubled = 2 * n; SET word = CONCAT(word, '!'); END",
            )
            .unwrap();
        let call = session.prepare("CALL p(?, ?, ?)").unwrap();
        let mut parameters = Parameters::new();
        parameters.push_int(21);
        parameters.push_int(0);
        parameters.push_text(b"word");
        let out = session.execute(&call, &parameters).unwrap();
        let text = |text: &str| Some(text.as_bytes().to_vec());
        assert_eq!(out.rows, [[text("42"), text("word!")]]);

        let mut channel = session.into_channel().unwrap();
        let mut shared = ReadBuffer::new();
        for _ in 0..3 {
            channel.queue_execute(call.id, &parameters);
            assert_eq!(rows(&answer(&mut channel, &mut shared)), (4, 2));
        }
        channel.into_session().unwrap().close();
        drop(schema);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_failure_in_the_second_result_of_a_procedure_ends_the_reply() {
    each_server(|server| {
        let (mut session, _schema) = server.open_in_schema("second");
        session
            .query(
                "CREATE PROCEDURE p() BEGIN SELECT 1 UNION ALL SELECT 2;
                    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'on purpose'; SELECT 3; END",
            )
            .unwrap();
        let call = session.prepare("CALL p()").unwrap();
        let is_it = |error: &dbdyno_wire::ServerError| {
            (error.code, &error.sql_state, error.message.as_str()) == (1644, b"45000", "on purpose")
        };
        let error = session.query("CALL p()").unwrap_err();
        assert!(
            matches!(&error, WireError::Server(error) if is_it(error)),
            "{error:?}"
        );
        let mut channel = session.into_channel().unwrap();
        let mut shared = ReadBuffer::new();
        channel.queue_execute(call.id, &Parameters::new());
        channel.queue_query(b"SELECT 1");
        let reply = answer(&mut channel, &mut shared);
        assert!(
            matches!(&reply, Reply::Error(error) if is_it(error)),
            "{reply:?}"
        );
        assert_eq!(rows(&answer(&mut channel, &mut shared)), (1, 1));
    });
}
