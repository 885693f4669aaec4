//! Checks errors: their words, what is ignored, what is made anew.

use super::stage::{Server, TestEngine, ask, each_server};
use dbdyno_sysbench::db::{CallResult, Connection, ErrorKind};
use dbdyno_wire::Parameters;
use std::time::Duration;

const IGNORED: &str = "--mysql-ignore-errors=2006,2013,1062";

/// Ends a connection from outside.
fn kill(stage: &TestEngine, victim: &mut Connection) {
    let id = ask(victim, "SELECT CONNECTION_ID()");
    let mut killer = stage.connect();
    killer.query(format!("KILL {id}").as_bytes());
    std::thread::sleep(Duration::from_millis(100)); // servers answer before they act
}

fn table(server: &Server, schema: &str, more: &[&str]) -> (TestEngine, Connection) {
    let stage = server.stage(schema, more);
    let mut connection = stage.connect();
    connection.query(b"CREATE TABLE t(id INT PRIMARY KEY, v INT) ENGINE=InnoDB");
    connection.query(b"INSERT INTO t VALUES(1, 1)");
    (stage, connection)
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn an_error_is_told_of_with_its_query_and_is_gone_after_the_next_call() {
    each_server(|server| {
        let (stage, mut connection) = table(server, "words", &[]);
        assert_eq!(
            connection.query(b"INSERT INTO t VALUES(1, 2)"),
            CallResult::Failed
        );
        let said = stage.said();
        assert!(said.starts_with(
            "FATAL: mysql_drv_query() returned error 1062 (Duplicate entry '1' for key '"
        ));
        assert!(
            said.ends_with("') for query 'INSERT INTO t VALUES(1, 2)'\n"),
            "{said}"
        );
        let error = connection.last_error();
        assert_eq!(
            (error.kind, error.code, error.state),
            (ErrorKind::Fatal, 1062, Some(*b"23000"))
        );
        let mut insert = connection
            .prepare(&b"INSERT INTO t VALUES(?, 2)"[..])
            .unwrap();
        assert_eq!(connection.last_error().kind, ErrorKind::None);
        let mut values = Parameters::new();
        values.push_int(1);
        assert_eq!(connection.execute(&mut insert, &values), CallResult::Failed);
        assert!(
            stage
                .said()
                .contains("mysql_stmt_execute() returned error 1062 (")
        );
        assert_eq!(stage.counts()[3], 2);
        assert!(connection.prepare(&b"SELECT nope"[..]).is_none());
        let said = stage.said();
        assert!(
            said.starts_with("FATAL: mysql_stmt_prepare() failed\nFATAL: MySQL error: 1054 \"Unknown column 'nope' in '"),
            "{said}"
        );
        let error = connection.last_error();
        assert_eq!(
            (error.kind, error.code, error.state),
            (ErrorKind::Fatal, 0, None)
        );
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn an_error_that_is_to_be_ignored_is_counted_and_not_told_of() {
    each_server(|server| {
        let (stage, mut connection) = table(server, "ignored", &["--mysql-ignore-errors=1062"]);
        assert_eq!(
            connection.query(b"INSERT INTO t VALUES(1, 2)"),
            CallResult::Failed
        );
        assert_eq!(connection.last_error().kind, ErrorKind::Ignorable);
        assert_eq!((stage.said().as_str(), stage.counts()[3]), ("", 1));
        assert_eq!(
            stage
                .engine
                .figures
                .codes()
                .iter()
                .collect::<Vec<_>>()
                .len(),
            1
        );
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_killed_connection_has_the_client_librarys_number_and_words() {
    each_server(|server| {
        let stage = server.stage("killed", &[]);
        let mut connection = stage.connect();
        kill(&stage, &mut connection);
        assert_eq!(connection.query(b"SELECT 5"), CallResult::Failed);
        let first = connection.last_error().clone();
        assert!([2006, 2013, 1927, 4031].contains(&first.code), "{first:?}");
        assert_eq!(connection.query(b"SELECT 5"), CallResult::Failed);
        let second = connection.last_error();
        let words = (second.code, second.message.as_str());
        assert_eq!(words, (2006, "Server has gone away"));
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_lost_connection_is_made_anew_and_its_statements_with_it() {
    each_server(|server| {
        let (stage, mut connection) = table(server, "anew", &[IGNORED]);
        let mut select = connection
            .prepare(&b"SELECT v FROM t WHERE id = ?"[..])
            .unwrap();
        let mut values = Parameters::new();
        values.push_int(1);
        for reconnects in 1..=3 {
            kill(&stage, &mut connection);
            assert_eq!(connection.execute(&mut select, &values), CallResult::Failed);
            let error = connection.last_error();
            assert_eq!(error.kind, ErrorKind::Ignorable);
            assert!([2006, 2013].contains(&error.code), "{error:?}");
            assert_eq!(stage.counts()[3..], [0, reconnects]);
            assert_eq!(connection.execute(&mut select, &values), CallResult::Rows);
        }
        kill(&stage, &mut connection);
        assert!(
            connection.prepare(&b"SELECT 1"[..]).is_some(),
            "{}",
            stage.said()
        );
        assert!(connection.reconnect());
        assert_eq!(connection.execute(&mut select, &values), CallResult::Rows);
        assert_eq!(stage.said(), "");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn what_a_transaction_left_is_undone_before_a_repeat_if_that_is_wanted() {
    each_server(|server| {
        for (fixes, left) in [("none", "2"), ("rollback", "1")] {
            let (_stage, mut connection) = table(
                server,
                "undone",
                &["--mysql-ignore-errors=1062", &format!("--fixes={fixes}")],
            );
            for sql in [
                "BEGIN",
                "INSERT INTO t VALUES(7, 7)",
                "INSERT INTO t VALUES(1, 1)",
            ] {
                connection.query(sql.as_bytes());
            }
            assert_eq!(connection.last_error().kind, ErrorKind::Ignorable);
            connection.roll_back();
            connection.query(b"BEGIN");
            assert_eq!(
                ask(&mut connection, "SELECT COUNT(*) FROM t"),
                left,
                "{fixes}"
            );
        }
    });
}
