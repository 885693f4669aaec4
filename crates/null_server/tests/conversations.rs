//! The server spoken to by the project's own client: text, prepared, several at once, faults.

#![allow(clippy::unwrap_used)]

use dbdyno_null_server::{FaultPlan, NullServer, Settings, Statistics};
use dbdyno_wire::{
    Address, Channel, Endpoint, Parameters, Password, QueryResult, ReadBuffer, Reply, Session,
    SessionOptions, TlsPolicy, WireError,
};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(10);

struct Bench {
    server: NullServer,
    endpoint: Endpoint,
}

impl Bench {
    fn new(settings: Settings) -> Self {
        let settings = Settings {
            listen: Some("127.0.0.1:0".parse().unwrap()),
            ..settings
        };
        let server = NullServer::start(settings).unwrap();
        let tcp = server.address().tcp.unwrap();
        let endpoint = Endpoint {
            address: Address::Tcp {
                host: tcp.ip().to_string(),
                port: tcp.port(),
            },
            user: "anybody".to_owned(),
            password: Password::new("anything"),
            database: Some("sbtest".to_owned()),
            tls: TlsPolicy::Off,
        };
        Self { server, endpoint }
    }

    fn failing(faults: FaultPlan) -> Self {
        Self::new(Settings {
            faults,
            ..Settings::default()
        })
    }

    fn session(&self) -> Session {
        let mut session = Session::open(&self.endpoint, LIMIT).unwrap();
        session.set_timeout(Some(LIMIT)).unwrap();
        session
    }

    fn stop(self) -> Statistics {
        self.server.stop().unwrap()
    }
}

/// Values of the first column.
fn first_column(result: &QueryResult) -> Vec<String> {
    let value =
        |row: &Vec<Option<Vec<u8>>>| String::from_utf8(row[0].clone().unwrap_or_default()).unwrap();
    result.rows.iter().map(value).collect()
}

fn code(result: Result<QueryResult, WireError>) -> u16 {
    match result {
        Err(WireError::Server(error)) => error.code,
        other => panic!("no error of the server: {other:?}"),
    }
}

/// The reply to what is queued.
fn reply(channel: &mut Channel, buffer: &mut ReadBuffer) -> Reply {
    channel.flush().unwrap();
    let begun = Instant::now();
    loop {
        if let Some(reply) = channel.receive(buffer).unwrap() {
            return reply;
        }
        assert!(begun.elapsed() < LIMIT, "no reply");
        std::thread::yield_now();
    }
}

#[test]
fn rows_have_the_shape_that_the_statement_asks_for() {
    for deprecate_eof in [true, false] {
        let bench = Bench::new(Settings {
            deprecate_eof,
            ..Settings::default()
        });
        let mut session = bench.session();
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
        let statistics = bench.stop();
        assert_eq!(statistics.connections, 1);
        assert_eq!(statistics.statement_count(), 7);
        assert_eq!(statistics.statements["order_range"], 1);
    }
}

#[test]
fn prepared_statements_return_what_their_values_ask_for() {
    for deprecate_eof in [true, false] {
        let bench = Bench::new(Settings {
            deprecate_eof,
            ..Settings::default()
        });
        let mut session = bench.session();
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
        assert_eq!(bench.stop().statements["prepare"], 3);
    }
}

#[test]
fn a_channel_is_told_whether_a_transaction_is_open() {
    let bench = Bench::new(Settings::default());
    let mut session = bench.session();
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
    let bench = Bench::failing(FaultPlan {
        delays: vec!["uniform:0ms..2ms".parse().unwrap()],
        ..FaultPlan::default()
    });
    let mut channel = bench.session().into_channel().unwrap();
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
    assert_eq!(channel.replies_owed(), 0);
}

#[test]
fn a_statement_that_was_closed_is_unknown() {
    let bench = Bench::new(Settings::default());
    let mut session = bench.session();
    let point = session.prepare("SELECT c FROM sbtest1 WHERE id=?").unwrap();
    let mut values = Parameters::new();
    values.push_int(7);
    let mut channel = session.into_channel().unwrap();
    channel.queue_close_statement(point.id);
    channel.queue_execute(point.id, &values);
    let mut buffer = ReadBuffer::new();
    let reply = reply(&mut channel, &mut buffer);
    assert!(matches!(reply, Reply::Error(error) if error.code == 1243));
    assert_eq!(bench.stop().errors[&1243], 1);
}

#[test]
fn errors_come_as_often_as_planned_and_a_deadlock_ends_the_transaction() {
    let bench = Bench::failing(FaultPlan {
        errors: vec!["1213:every=2".parse().unwrap()],
        errors_on: "commit".parse().unwrap(),
        ..FaultPlan::default()
    });
    let mut session = bench.session();
    for round in 0..10 {
        session.query("BEGIN").unwrap();
        let result = session.query("COMMIT");
        if round % 2 == 1 {
            let error = result.unwrap_err().to_string();
            assert!(error.contains("1213") && error.contains("40001"), "{error}");
        } else {
            result.unwrap();
        }
    }
    session.close();
    let statistics = bench.stop();
    assert_eq!(statistics.errors[&1213], 5);
    assert_eq!(statistics.statements["commit"], 10);
}

#[test]
fn more_prepared_statements_than_allowed_are_refused_until_some_are_closed() {
    let bench = Bench::failing(FaultPlan {
        max_prepared: Some(2),
        ..FaultPlan::default()
    });
    let (mut one, mut other) = (bench.session(), bench.session());
    one.prepare("SELECT 1").unwrap();
    one.prepare("SELECT 2").unwrap();
    let refused = other.prepare("SELECT 3").unwrap_err();
    assert!(matches!(refused, WireError::Server(error) if error.code == 1461));
    one.close();
    let begun = Instant::now();
    while other.prepare("SELECT 3").is_err() {
        assert!(
            begun.elapsed() < LIMIT,
            "the closed connection still keeps its statements"
        );
        std::thread::yield_now();
    }
}

#[test]
fn a_dropped_connection_ends_instead_of_an_answer() {
    let bench = Bench::failing(FaultPlan {
        drops: vec!["every=3".parse().unwrap()],
        ..FaultPlan::default()
    });
    let mut session = bench.session();
    session.query("COMMIT").unwrap();
    session.query("COMMIT").unwrap();
    session.query("SHOW WARNINGS").unwrap();
    let error = session.query("COMMIT").unwrap_err();
    assert!(!matches!(error, WireError::Server(_)), "{error}");
    assert_eq!(bench.stop().drops, 1);
}

#[test]
fn delays_take_their_time_and_the_log_tells_it() {
    let log = std::env::temp_dir().join(format!("dbdyno-null-{}.csv", std::process::id()));
    let bench = Bench::new(Settings {
        faults: FaultPlan {
            delays: vec!["constant:20ms".parse().unwrap()],
            ..FaultPlan::default()
        },
        log: Some(log.clone()),
        keep_times: true,
        ..Settings::default()
    });
    let mut session = bench.session();
    let begun = Instant::now();
    for _ in 0..5 {
        session.query("SELECT c FROM sbtest1 WHERE id=5").unwrap();
    }
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(100), "{took:?}");
    session.close();
    let statistics = bench.stop();
    let times = statistics.times["point_select"];
    assert_eq!(times.count, 5);
    assert!(times.min_ns >= 20_000_000, "{times:?}");
    assert!(
        Duration::from_nanos(times.p50_ns) <= took / 5 * 2,
        "{times:?}"
    );
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(log).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 6);
    assert!(
        lines[1..]
            .iter()
            .all(|line| line.ends_with(",1,point_select,0")),
        "{text}"
    );
}

#[test]
fn a_freeze_holds_everything_back_and_then_lets_it_go() {
    let bench = Bench::failing(FaultPlan {
        freezes: vec!["50ms+300ms".parse().unwrap()],
        ..FaultPlan::default()
    });
    let mut sessions: Vec<_> = (0..4).map(|_| bench.session()).collect();
    let mut longest = Duration::ZERO;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(600) {
        for session in &mut sessions {
            let asked = Instant::now();
            session.query("COMMIT").unwrap();
            longest = longest.max(asked.elapsed());
        }
    }
    assert!(longest >= Duration::from_millis(250), "{longest:?}");
    let statistics = bench.stop();
    assert!(statistics.longest_stall_ns >= 250_000_000, "{statistics:?}");
}

#[test]
fn who_comes_while_nobody_is_let_in_is_told_so() {
    let bench = Bench::failing(FaultPlan {
        refusals: vec!["0s+1h".parse().unwrap()],
        ..FaultPlan::default()
    });
    let mut session = bench.session(); // before there is an epoch
    session.query("COMMIT").unwrap();
    let refused = Session::open(&bench.endpoint, LIMIT).unwrap_err();
    assert!(matches!(refused, WireError::Server(error) if error.code == 1040));
    session.query("COMMIT").unwrap();
    assert_eq!(bench.stop().refused, 1);
}

#[test]
fn statements_of_one_request_have_their_results_one_after_the_other() {
    let bench = Bench::failing(FaultPlan {
        errors: vec!["1205:every=1".parse().unwrap()],
        errors_on: "rollback".parse().unwrap(),
        ..FaultPlan::default()
    });
    assert_eq!(code(bench.session().query("SELECT 1; SELECT 2")), 1064);
    let options = SessionOptions {
        multi_statements: true,
        ..SessionOptions::default()
    };
    let mut session = Session::open_with(&bench.endpoint, &options, LIMIT).unwrap();
    let sql = "UPDATE t SET a=';'; SELECT c FROM t WHERE id BETWEEN 1 AND 3; DELETE FROM t;";
    assert_eq!(session.query(sql).unwrap().rows.len(), 3);
    assert_eq!(code(session.query("BEGIN; ROLLBACK; COMMIT")), 1205);
    assert_eq!(session.query("SELECT 1;").unwrap().rows.len(), 1);
    session.close();
    let statistics = bench.stop();
    assert_eq!(
        statistics.statements.get("commit"),
        None,
        "nothing follows an error"
    );
}

#[test]
fn a_request_over_sixteen_megabytes_is_read() {
    let bench = Bench::new(Settings::default());
    let mut session = bench.session();
    let group = format!("(1,'{}'),", "x".repeat(1 << 20));
    let sql = format!("INSERT INTO t VALUES {}(2,'y')", group.repeat(17));
    assert_eq!(session.query(&sql).unwrap().affected_rows, 18);
}

#[test]
fn several_workers_share_the_connections() {
    let bench = Bench::new(Settings {
        workers: 3,
        ..Settings::default()
    });
    let mut sessions: Vec<_> = (0..7).map(|_| bench.session()).collect();
    for session in &mut sessions {
        session.query("COMMIT").unwrap();
    }
    let statistics = bench.stop();
    assert_eq!(
        (statistics.connections, statistics.statements["commit"]),
        (7, 7)
    );
}

#[test]
fn only_loopback_is_listened_at_unless_that_is_meant() {
    let settings = |anyone| Settings {
        listen: Some("0.0.0.0:0".parse().unwrap()),
        anyone,
        ..Settings::default()
    };
    assert!(
        NullServer::start(settings(false))
            .unwrap_err()
            .is_wrong_request()
    );
    assert!(NullServer::start(settings(true)).is_ok());
    assert!(
        NullServer::start(Settings::default())
            .unwrap_err()
            .is_wrong_request()
    );
}

#[test]
fn a_socket_left_behind_is_replaced_and_one_in_use_is_not() {
    let path = std::env::temp_dir().join(format!("dbdyno-null-{}.sock", std::process::id()));
    let settings = || Settings {
        socket: Some(path.clone()),
        ..Settings::default()
    };
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap()); // leaves the file
    let server = NullServer::start(settings()).unwrap();
    let error = NullServer::start(settings()).unwrap_err().to_string();
    assert!(error.contains("can't listen"), "{error}");
    let endpoint = Endpoint {
        address: Address::Socket(path.clone()),
        user: "x".to_owned(),
        password: Password::default(),
        database: None,
        tls: TlsPolicy::Off,
    };
    Session::open(&endpoint, LIMIT).unwrap().close();
    server.stop().unwrap();
    assert!(!path.exists());
}
