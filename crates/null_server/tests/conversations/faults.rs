//! Checks planned faults.

use crate::test_server::{LIMIT, TestServer, reply};
use dbdyno_null_server::{FaultPlan, Settings};
use dbdyno_wire::{Parameters, ReadBuffer, Reply, WireError};
use std::time::{Duration, Instant};

#[test]
fn a_statement_that_was_closed_is_unknown() {
    let test_server = TestServer::new(Settings::default());
    let mut session = test_server.session();
    let point = session.prepare("SELECT c FROM sbtest1 WHERE id=?").unwrap();
    let mut values = Parameters::new();
    values.push_int(7);
    let mut channel = session.into_channel().unwrap();
    channel.queue_close_statement(point.id);
    channel.queue_execute(point.id, &values);
    let mut buffer = ReadBuffer::new();
    let reply = reply(&mut channel, &mut buffer);
    assert!(matches!(reply, Reply::Error(error) if error.code == 1243));
    assert_eq!(test_server.stop().errors[&1243], 1);
}

#[test]
fn errors_come_as_often_as_planned_and_a_deadlock_ends_the_transaction() {
    let test_server = TestServer::failing(FaultPlan {
        errors: vec!["1213:every=2".parse().unwrap()],
        errors_on: "commit".parse().unwrap(),
        ..FaultPlan::default()
    });
    let mut session = test_server.session();
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
    let statistics = test_server.stop();
    assert_eq!(statistics.errors[&1213], 5);
    assert_eq!(statistics.statements["commit"], 10);
}

#[test]
fn more_prepared_statements_than_allowed_are_refused_until_some_are_closed() {
    let test_server = TestServer::failing(FaultPlan {
        max_prepared: Some(2),
        ..FaultPlan::default()
    });
    let (mut one, mut other) = (test_server.session(), test_server.session());
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
    let test_server = TestServer::failing(FaultPlan {
        drops: vec!["every=3".parse().unwrap()],
        ..FaultPlan::default()
    });
    let mut session = test_server.session();
    session.query("COMMIT").unwrap();
    session.query("COMMIT").unwrap();
    session.query("SHOW WARNINGS").unwrap();
    let error = session.query("COMMIT").unwrap_err();
    assert!(!matches!(error, WireError::Server(_)), "{error}");
    assert_eq!(test_server.stop().drops, 1);
}

#[test]
fn delays_take_their_time_and_the_log_tells_it() {
    let log = std::env::temp_dir().join(format!("dbdyno-null-{}.csv", std::process::id()));
    let test_server = TestServer::new(Settings {
        faults: FaultPlan {
            delays: vec!["constant:20ms".parse().unwrap()],
            ..FaultPlan::default()
        },
        log: Some(log.clone()),
        keep_times: true,
        ..Settings::default()
    });
    let mut session = test_server.session();
    let begun = Instant::now();
    for _ in 0..5 {
        session.query("SELECT c FROM sbtest1 WHERE id=5").unwrap();
    }
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(100), "{took:?}");
    session.close();
    let statistics = test_server.stop();
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
    let test_server = TestServer::failing(FaultPlan {
        freezes: vec!["50ms+300ms".parse().unwrap()],
        ..FaultPlan::default()
    });
    let mut sessions: Vec<_> = (0..4).map(|_| test_server.session()).collect();
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
    let statistics = test_server.stop();
    assert!(statistics.longest_stall_ns >= 250_000_000, "{statistics:?}");
}
