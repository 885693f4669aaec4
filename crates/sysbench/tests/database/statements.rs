//! Checks queries, statements and their results.

use super::stage::{ask, each_server, value};
use dbdyno_sysbench::db::{CallResult, ErrorKind, ResultSet};
use dbdyno_wire::Parameters;

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn results_and_changes_are_counted_by_what_came_of_them() {
    each_server(|server| {
        let stage = server.stage("counts", &[]);
        let mut connection = stage.connect();
        for (sql, answer) in [
            (
                "CREATE TABLE t(id INT PRIMARY KEY, v INT)",
                CallResult::NoRows,
            ),
            ("INSERT INTO t VALUES(1, 1), (2, NULL)", CallResult::NoRows),
            ("UPDATE t SET v = 1 WHERE id = 1", CallResult::NoRows),
            ("SELECT v FROM t ORDER BY id", CallResult::Rows),
        ] {
            assert_eq!(connection.query(sql.as_bytes()), answer, "{sql}");
        }
        let expected = ResultSet {
            row_count: 2,
            column_count: 1,
        };
        assert_eq!(connection.result(), Some(expected));
        assert_eq!(value(&mut connection).as_deref(), Some("1"));
        let second: Vec<_> = connection.fetch_row().unwrap().collect();
        assert_eq!(second, [None]);
        assert!(connection.fetch_row().is_none() && stage.said().is_empty());
        // An UPDATE that changes nothing is no write, as is CREATE TABLE.
        assert_eq!(stage.counts(), [1, 1, 2, 0, 0]);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn prepared_statements_count_their_rows_and_keep_none() {
    each_server(|server| {
        for (dialect, columns) in [("1.0", 0), ("1.1", 2)] {
            let stage = server.stage("prepared", &[&format!("--dialect={dialect}")]);
            let mut connection = stage.connect();
            let mut statement = connection
                .prepare(&b"SELECT ?, ? UNION ALL SELECT 3, 4"[..])
                .unwrap();
            let mut values = Parameters::new();
            values.push_int(1);
            values.push_text(b"two");
            assert_eq!(
                connection.execute(&mut statement, &values),
                CallResult::Rows
            );
            let expected = ResultSet {
                row_count: 2,
                column_count: columns,
            };
            assert_eq!(connection.result(), Some(expected));
            assert!(connection.fetch_row().is_none());
            let words = "ALERT: attempt to fetch row from an empty result set\n";
            assert_eq!(stage.said(), words);
            assert!(connection.free_results() && !connection.free_results());
            let words = "ALERT: attempt to free an invalid result set\n";
            assert_eq!(stage.said(), words);
            assert!(!connection.may_bind(&statement, 1) && connection.may_bind(&statement, 2));
            assert_eq!(
                connection.execute(&mut statement, &Parameters::new()),
                CallResult::Failed
            );
            assert!(connection.close_statement(&mut statement));
            assert!(!connection.close_statement(&mut statement));
            assert_eq!(
                connection.execute(&mut statement, &values),
                CallResult::Failed
            );
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn begin_is_prepared_or_sent_as_text_and_nobody_notices() {
    each_server(|server| {
        let stage = server.stage("begin", &[]);
        let mut connection = stage.connect();
        let mut begin = connection.prepare(&b"BEGIN"[..]).unwrap();
        let mut commit = connection.prepare(&b"COMMIT"[..]).unwrap();
        let none = Parameters::new();
        for statement in [&mut begin, &mut commit] {
            assert_eq!(connection.execute(statement, &none), CallResult::NoRows);
        }
        assert_eq!(
            begin.is_text(),
            ask(&mut connection, "SELECT VERSION()").starts_with('9')
        );
        assert_eq!(stage.said(), "");
        assert_eq!(stage.counts(), [1, 0, 2, 0, 0]);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn statements_that_the_client_fills_in_keep_their_rows() {
    each_server(|server| {
        let stage = server.stage("filled", &["--db-ps-mode=disable"]);
        let mut connection = stage.connect();
        let mut statement = connection.prepare(&b"SELECT ?, 7"[..]).unwrap();
        let mut values = Parameters::new();
        values.push_text(b"five");
        assert_eq!(
            connection.execute(&mut statement, &values),
            CallResult::Rows
        );
        assert_eq!(value(&mut connection).as_deref(), Some("five"));
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn several_results_come_one_by_one_in_1_1_and_block_the_connection_in_1_0() {
    each_server(|server| {
        let sql = b"SELECT 1 UNION ALL SELECT 2; SET @a = 1; SELECT 3";
        let stage = server.stage("several", &["--dialect=1.1"]);
        let mut connection = stage.connect();
        assert_eq!(connection.query(sql), CallResult::Rows);
        assert_eq!(connection.result().unwrap().row_count, 2);
        assert!(connection.more_results());
        assert_eq!(connection.next_result(), CallResult::NoRows);
        assert!(connection.more_results());
        assert_eq!(connection.next_result(), CallResult::Rows);
        assert_eq!(value(&mut connection).as_deref(), Some("3"));
        assert!(!connection.more_results());
        assert_eq!(connection.next_result(), CallResult::NoRows);
        assert_eq!(ask(&mut connection, "SELECT 4"), "4");

        let stage = server.stage("several", &[]);
        let mut connection = stage.connect();
        assert_eq!(connection.query(sql), CallResult::Rows);
        assert_eq!(connection.query(b"SELECT 3"), CallResult::Failed);
        assert_eq!(
            stage.said(),
            "FATAL: mysql_drv_query() returned error 2014 (Commands out of sync; you can't run this command now) \
             for query 'SELECT 3'\n"
        );
        let error = connection.last_error();
        assert_eq!((error.kind, error.code), (ErrorKind::Fatal, 2014));
        assert!(connection.prepare(&b"SELECT 3"[..]).is_none());
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_procedure_can_be_called_again_though_it_leaves_results() {
    each_server(|server| {
        let stage = server.stage("procedure", &[]);
        let mut connection = stage.connect();
        connection.query(b"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END");
        let mut call = connection.prepare(&b"CALL p()"[..]).unwrap();
        for _ in 0..3 {
            assert_eq!(
                connection.execute(&mut call, &Parameters::new()),
                CallResult::Rows
            );
        }
        assert_eq!(connection.query(b"SELECT 3"), CallResult::Failed);
        assert_eq!(connection.last_error().code, 2014);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_bulk_insert_leaves_in_statements_of_half_a_megabyte() {
    each_server(|server| {
        let stage = server.stage("bulk", &[]);
        let mut connection = stage.connect();
        connection.query(b"CREATE TABLE t(id INT PRIMARY KEY, v INT)");
        assert!(!connection.bulk_insert_next(b"(1,1)"));
        let words = "ALERT: attempt to call bulk_insert_next() before bulk_insert_init()\n";
        assert_eq!(stage.said(), words);
        assert!(connection.bulk_insert_init(b"INSERT INTO t VALUES"));
        for number in 0..100_000 {
            let row = format!("({number},{number})");
            assert!(connection.bulk_insert_next(row.as_bytes()));
        }
        let long = vec![b'1'; dbdyno_workload::STATEMENT_BYTES];
        assert!(!connection.bulk_insert_next(&long));
        let words = "FATAL: Query length exceeds the maximum value (524288), aborting\n";
        assert_eq!(stage.said(), words);
        assert!(connection.bulk_insert_done() && connection.bulk_insert_done());
        assert_eq!(ask(&mut connection, "SELECT COUNT(*) FROM t"), "100000");
        assert_eq!(stage.counts(), [1, 3, 1, 0, 0]);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_closed_connection_is_told_of_and_stays_closed() {
    each_server(|server| {
        let stage = server.stage("closed", &[]);
        let mut connection = stage.connect();
        connection.disconnect();
        connection.disconnect();
        assert_eq!(connection.query(b"SELECT 1"), CallResult::Failed);
        assert_eq!(
            stage.said(),
            "ALERT: attempt to close an already closed connection\n\
             ALERT: attempt to use an already closed connection\n"
        );
        let error = connection.last_error();
        assert_eq!(
            (error.kind, error.code, error.state),
            (ErrorKind::Fatal, 0, None)
        );
    });
}
