//! Checks text and binary statements on the cold path, and what comes back.

use crate::server::{each_server, single};
use dbdyno_wire::{Parameters, ReadBuffer, Reply, WireError};
use std::time::Duration;

const COLUMNS: [(&str, &str); 17] = [
    ("TINYINT", "-128"),
    ("TINYINT UNSIGNED", "255"),
    ("SMALLINT", "-32768"),
    ("MEDIUMINT", "-8388608"),
    ("INT UNSIGNED", "4294967295"),
    ("BIGINT", "-9223372036854775808"),
    ("BIGINT UNSIGNED", "18446744073709551615"),
    ("DECIMAL(12,4)", "-1234567.0100"),
    ("DOUBLE", "0.1"),
    ("YEAR", "2024"),
    ("DATE", "2024-02-29"),
    ("DATETIME(3)", "2024-02-29 01:02:03.456"),
    ("TIMESTAMP NULL", "2024-02-29 01:02:03"),
    ("TIME(6)", "-123:45:06.000700"),
    ("CHAR(20)", "quote ' back \\ ü"),
    ("TEXT", ""),
    ("ENUM('one','two')", "two"),
];

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_row_of_every_type_reads_the_same_in_text_and_binary() {
    each_server(|server| {
        let (mut session, _schema) = server.open_in_schema("types");
        let columns: Vec<String> = COLUMNS
            .iter()
            .enumerate()
            .map(|(at, (kind, _))| format!("c{at} {kind}"))
            .collect();
        session
            .query(&format!("CREATE TABLE t (n INT, {})", columns.join(", ")))
            .unwrap();
        let places = vec!["?"; COLUMNS.len() + 1].join(", ");
        let insert = session
            .prepare(&format!("INSERT INTO t VALUES ({places})"))
            .unwrap();
        let mut parameters = Parameters::new();
        parameters.push_int(1);
        COLUMNS
            .iter()
            .for_each(|(_, value)| parameters.push_text(value.as_bytes()));
        assert_eq!(
            session.execute(&insert, &parameters).unwrap().affected_rows,
            1
        );
        parameters.clear();
        parameters.push_int(2);
        COLUMNS.iter().for_each(|_| parameters.push_null());
        session.execute(&insert, &parameters).unwrap();

        let text = session.query("SELECT * FROM t ORDER BY n").unwrap();
        let select = session.prepare("SELECT * FROM t ORDER BY n").unwrap();
        assert_eq!(usize::from(select.column_count), COLUMNS.len() + 1);
        let binary = session.execute(&select, &Parameters::new()).unwrap();
        assert_eq!(text, binary);
        let values: Vec<_> = text.rows[0][1..]
            .iter()
            .map(|value| value.clone().unwrap())
            .collect();
        let expected: Vec<_> = COLUMNS
            .iter()
            .map(|(_, value)| value.as_bytes().to_vec())
            .collect();
        assert_eq!(values, expected);
        assert!(text.rows[1][1..].iter().all(Option::is_none));
        session.close_statement(select).unwrap();
        assert!(
            session.execute(&select, &Parameters::new()).is_err(),
            "a closed statement ran"
        );
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn counts_of_a_change_come_back() {
    each_server(|server| {
        let (mut session, _schema) = server.open_in_schema("counts");
        session
            .query("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
            .unwrap();
        let result = session
            .query("INSERT INTO t (v) VALUES (1), (2), (3)")
            .unwrap();
        assert_eq!((result.affected_rows, result.last_insert_id), (3, 1));
        let result = session.query("DROP TABLE IF EXISTS absent").unwrap();
        assert_eq!(result.warnings, 1);
        let result = session.query("SELECT v FROM t WHERE id > 9").unwrap();
        assert_eq!(
            (result.columns.as_slice(), result.rows.len()),
            (&["v".to_owned()][..], 0)
        );
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn an_error_leaves_the_session_usable() {
    each_server(|server| {
        let mut session = server.open();
        let error = session.query("SELECT nonsense").unwrap_err();
        assert!(
            matches!(&error, WireError::Server(error) if error.code == 1054),
            "{error:?}"
        );
        let error = session.prepare("SELEC").unwrap_err();
        assert!(
            matches!(&error, WireError::Server(error) if error.code == 1064),
            "{error:?}"
        );
        assert_eq!(single(&session.query("SELECT 1").unwrap()), "1");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_wrong_count_of_values_is_noticed_before_sending() {
    each_server(|server| {
        let mut session = server.open();
        let statement = session.prepare("SELECT ?").unwrap();
        let error = session.execute(&statement, &Parameters::new()).unwrap_err();
        assert!(matches!(error, WireError::Misuse(_)), "{error:?}");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_wait_ends_at_its_limit() {
    each_server(|server| {
        let mut session = server.open();
        session
            .set_timeout(Some(Duration::from_millis(50)))
            .unwrap();
        let error = session.query("SELECT SLEEP(3)").unwrap_err();
        assert!(
            matches!(error, WireError::Timeout { limit_ms: 50, .. }),
            "{error:?}"
        );
        assert!(error.is_connection_lost());
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_killed_connection_is_lost() {
    each_server(|server| {
        let mut session = server.open();
        let id = session.info().connection_id;
        server.open().query(&format!("KILL {id}")).unwrap();
        // The first answer may still be the server's farewell; then the connection is gone.
        let last = (0..3).map(|_| session.query("SELECT 1")).last().unwrap();
        assert!(last.is_err_and(|error| error.is_connection_lost()));
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_connection_closed_for_idleness_is_lost_whether_or_not_the_server_says_so() {
    each_server(|server| {
        let mut session = server.open();
        session.query("SET SESSION wait_timeout = 1").unwrap();
        let is_mysql = !session.info().is_mariadb;
        let mut channel = session.into_channel().unwrap();
        let mut shared = ReadBuffer::new();
        let farewell = loop {
            match channel.receive(&mut shared) {
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                Ok(Some(Reply::Error(error))) => break WireError::from(error),
                Ok(Some(reply)) => panic!("{reply:?}"),
                Err(error) => break error,
            }
        };
        assert!(farewell.is_connection_lost(), "{farewell:?}");
        let was_said = matches!(&farewell, WireError::Server(error) if error.code == 4031);
        assert_eq!(was_said, is_mysql, "{farewell:?}");
    });
}
