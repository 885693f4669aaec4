//! Checks the replies to statements.

use crate::test_server::{LIMIT, TestServer, code, first_column, reply};
use dbdyno_null_server::{FaultPlan, Settings};
use dbdyno_wire::{Parameters, ReadBuffer, Reply, Session, SessionOptions};

#[test]
fn rows_have_the_shape_that_the_statement_asks_for() {
    for deprecate_eof in [true, false] {
        let test_server = TestServer::new(Settings {
            deprecate_eof,
            ..Settings::default()
        });
        let mut session = test_server.session();
        let point = session.query("SELECT c FROM sbtest1 WHERE id=5").unwrap();
        assert_eq!(point.columns, ["c"]);
        assert_eq!(first_column(&point)[0].len(), 119);
        let range = session
            .query("SELECT c FROM sbtest1 WHERE id BETWEEN 11 AND 310 ORDER BY c")
            .unwrap();
        assert_eq!(range.rows.len(), 300);
        let sum = session
            .query("SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN 1 AND 100")
            .unwrap();
        assert_eq!(first_column(&sum), ["501400"]);
        let update = session
            .query("UPDATE sbtest1 SET k=k+1 WHERE id=5")
            .unwrap();
        assert_eq!((update.columns.len(), update.affected_rows), (0, 1));
        let insert = session
            .query("INSERT INTO sbtest1(k, c, pad) VALUES(1, 'a', 'b'),(2, 'c', 'd')")
            .unwrap();
        assert_eq!(insert.affected_rows, 2);
        assert!(session.query("SHOW TABLES").unwrap().rows.is_empty());
        let version = session.query("SELECT VERSION(), @@autocommit").unwrap();
        assert_eq!(first_column(&version), [Settings::VERSION]);
        session.close();
        let statistics = test_server.stop();
        assert_eq!(statistics.connections, 1);
        assert_eq!(statistics.statement_count(), 7);
        assert_eq!(statistics.statements["order_range"], 1);
    }
}

#[test]
fn prepared_statements_return_what_their_values_ask_for() {
    for deprecate_eof in [true, false] {
        let test_server = TestServer::new(Settings {
            deprecate_eof,
            ..Settings::default()
        });
        let mut session = test_server.session();
        let range = session
            .prepare("SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?")
            .unwrap();
        assert_eq!((range.parameter_count, range.column_count), (2, 1));
        let points = session
            .prepare("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (?, ?, ?)")
            .unwrap();
        assert_eq!((points.parameter_count, points.column_count), (3, 4));
        let insert = session
            .prepare("INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, '?', ?)")
            .unwrap();
        assert_eq!((insert.parameter_count, insert.column_count), (3, 0));

        let mut values = Parameters::new();
        values.push_int(500);
        values.push_int(599);
        let rows = session.execute(&range, &values).unwrap();
        assert_eq!(rows.rows.len(), 100);
        assert_eq!(first_column(&rows)[99].len(), 119);
        values.push_int(1);
        let rows = session.execute(&points, &values).unwrap();
        assert_eq!(first_column(&rows), ["1001", "1002", "1003"]);
        assert_eq!(rows.rows[0][3].as_ref().unwrap().len(), 59);
        assert_eq!(session.execute(&insert, &values).unwrap().affected_rows, 1);
        session.close();
        assert_eq!(test_server.stop().statements["prepare"], 3);
    }
}

#[test]
fn a_channel_is_told_whether_a_transaction_is_open() {
    let test_server = TestServer::new(Settings::default());
    let mut session = test_server.session();
    let point = session.prepare("SELECT c FROM sbtest1 WHERE id=?").unwrap();
    let mut channel = session.into_channel().unwrap();
    let mut buffer = ReadBuffer::new();
    let mut values = Parameters::new();
    values.push_int(7);

    channel.queue_query(b"BEGIN");
    assert_eq!(
        reply(&mut channel, &mut buffer).in_transaction(),
        Some(true)
    );
    channel.queue_execute(point.id, &values);
    let rows = reply(&mut channel, &mut buffer);
    assert_eq!(rows.in_transaction(), Some(true));
    assert!(matches!(rows, Reply::Rows(rows) if rows.rows == 1 && rows.columns == 1));
    channel.queue_query(b"COMMIT");
    assert_eq!(
        reply(&mut channel, &mut buffer).in_transaction(),
        Some(false)
    );
    channel.queue_query(b"SET autocommit=0");
    reply(&mut channel, &mut buffer);
    channel.queue_execute(point.id, &values);
    assert_eq!(
        reply(&mut channel, &mut buffer).in_transaction(),
        Some(true)
    );
}

#[test]
fn requests_sent_ahead_are_answered_in_order() {
    let test_server = TestServer::failing(FaultPlan {
        delays: vec!["uniform:0ms..2ms".parse().unwrap()],
        ..FaultPlan::default()
    });
    let mut channel = test_server.session().into_channel().unwrap();
    let mut buffer = ReadBuffer::new();
    for width in 1..=50 {
        let sql = format!("SELECT c FROM sbtest1 WHERE id BETWEEN 1 AND {width}");
        channel.queue_query(sql.as_bytes());
    }
    for width in 1..=50 {
        let reply = reply(&mut channel, &mut buffer);
        assert!(
            matches!(reply, Reply::Rows(rows) if rows.rows == width),
            "{width}: {reply:?}"
        );
    }
    assert_eq!(channel.replies_pending(), 0);
}

#[test]
fn statements_of_one_request_have_their_results_one_after_the_other() {
    let test_server = TestServer::failing(FaultPlan {
        errors: vec!["1205:every=1".parse().unwrap()],
        errors_on: "rollback".parse().unwrap(),
        ..FaultPlan::default()
    });
    assert_eq!(
        code(test_server.session().query("SELECT 1; SELECT 2")),
        1064
    );
    let options = SessionOptions {
        multi_statements: true,
        ..SessionOptions::default()
    };
    let mut session = Session::open_with(&test_server.endpoint, &options, LIMIT).unwrap();
    let sql = "UPDATE t SET a=';'; SELECT c FROM t WHERE id BETWEEN 1 AND 3; DELETE FROM t;";
    assert_eq!(session.query(sql).unwrap().rows.len(), 3);
    assert_eq!(code(session.query("BEGIN; ROLLBACK; COMMIT")), 1205);
    assert_eq!(session.query("SELECT 1;").unwrap().rows.len(), 1);
    session.close();
    let statistics = test_server.stop();
    assert_eq!(
        statistics.statements.get("commit"),
        None,
        "nothing follows an error"
    );
}

#[test]
fn a_request_over_sixteen_megabytes_is_read() {
    let test_server = TestServer::new(Settings::default());
    let mut session = test_server.session();
    let group = format!("(1,'{}'),", "x".repeat(1 << 20));
    let sql = format!("INSERT INTO t VALUES {}(2,'y')", group.repeat(17));
    assert_eq!(session.query(&sql).unwrap().affected_rows, 18);
}
