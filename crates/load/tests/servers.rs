//! Runs the program against real servers, named by the variable `DBDYNO_TEST_SERVERS`: a JSON list of objects
//! `{"name", "socket", "host", "port", "user", "password_file"}`, of which `host`, `port` and `password_file`
//! may be null. The user may create schemas `dbdyno_test_*` and end connections. Every test here is
//! ignored unless asked for (`--include-ignored`), and fails without the variable.

#![allow(clippy::unwrap_used)]

#[path = "servers/bench.rs"]
#[allow(dead_code, reason = "shared with the tests of filling")]
mod bench;

use bench::{ServerFixture, each_server};
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn sum(records: &[Value], field: impl Fn(&Value) -> &Value) -> u64 {
    records
        .iter()
        .map(|record| field(record).as_u64().unwrap())
        .sum()
}

fn assert_balanced(end: &Value) {
    let of = |field: &str| end[field].as_u64().unwrap();
    assert_eq!(
        of("scheduled"),
        of("completed") + of("failed") + of("unsent"),
        "{end}"
    );
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_number_of_events_sends_exactly_the_statements_of_the_workload() {
    each_server("events", |bench| {
        bench.populate(2, 1000);
        let run = bench.run(&["--events", "100", "--threads", "1"]);
        assert_eq!(run.exit_code, Some(0), "{}", run.told);
        let intervals = run.of_kind("interval");
        let counted = ["reads", "writes", "others"].map(|field| sum(&intervals, |r| &r[field]));
        assert_eq!(counted, [1400, 400, 200]);
        assert_eq!(run.end()["completed"], json!(100));
        assert_balanced(&run.end());
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn the_seconds_of_a_closed_loop_are_gapless_and_add_up_to_the_account() {
    each_server("closed", |bench| {
        bench.populate(2, 1000);
        let run = bench.run(&["--threads", "4", "--warm-up", "1s", "--time", "2s"]);
        assert_eq!(run.exit_code, Some(0), "{}", run.told);
        let start = run.of_kind("start").remove(0);
        let intervals = run.of_kind("interval");
        let phases: Vec<_> = intervals
            .iter()
            .map(|r| r["phase"].as_str().unwrap())
            .collect();
        assert_eq!(phases, ["warm-up", "window", "window"]);
        for (second, record) in intervals.iter().enumerate() {
            let begin = start["monotonic_ns"].as_u64().unwrap() + second as u64 * 1_000_000_000;
            assert_eq!(record["monotonic_ns"], json!(begin));
            assert_eq!(record["duration_ns"], json!(1_000_000_000));
            assert_eq!(record["connections_live"], json!(4));
            assert!(record["workers"][0]["busy_ns"].as_u64().unwrap() <= 1_010_000_000);
        }
        let end = run.end();
        assert_balanced(&end);
        let counts =
            |field: &'static str| sum(&intervals, move |r| &r["transactions"]["read_write"][field]);
        assert_eq!(counts("started"), end["scheduled"].as_u64().unwrap());
        let inside = counts("completed") + counts("failed");
        assert_eq!(
            inside + end["in_flight_at_end"].as_u64().unwrap(),
            counts("started")
        );
        assert!(counts("completed") > 0);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_fixed_rate_schedules_as_many_events_as_its_rate_says() {
    each_server("rate", |bench| {
        bench.populate(1, 1000);
        let arguments = [
            "--threads",
            "8",
            "--rate",
            "200",
            "--arrivals",
            "constant",
            "--time",
            "2s",
            "--warm-up",
            "0s",
        ];
        let run = bench.run_workload("sysbench/oltp_point_select", 1, &arguments);
        assert_eq!(run.exit_code, Some(0), "{}", run.told);
        assert_eq!(run.end()["scheduled"], json!(400));
        assert_balanced(&run.end());
        assert!(
            run.of_kind("interval")[0]["lateness"]
                .as_str()
                .unwrap()
                .starts_with("HISTFAAA")
        );
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn text_and_prepared_statements_do_the_same() {
    each_server("text", |bench| {
        bench.populate(1, 1000);
        let rows = |protocol: &str| {
            let run = bench.run(&["--events", "20", "--protocol", protocol]);
            assert_eq!(run.exit_code, Some(0), "{}", run.told);
            sum(&run.of_kind("interval"), |r| &r["rows"])
        };
        assert_eq!(rows("prepared"), rows("text"));
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_signal_ends_a_run_at_once_and_keeps_what_was_measured() {
    each_server("signal", |bench| {
        bench.populate(1, 1000);
        let started = bench.start(&["--threads", "2", "--time", "1h", "--warm-up", "0s"]);
        started.wait_for("interval");
        let before = Instant::now();
        started.signal("INT");
        let run = started.finish();
        assert!(before.elapsed() < Duration::from_secs(2));
        assert_eq!(run.exit_code, Some(1), "{}", run.told);
        assert_eq!(run.end()["status"], json!("interrupted"));
        assert_balanced(&run.end());
        assert!(run.end()["completed"].as_u64().unwrap() > 0);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_killed_connection_fails_the_run_unless_it_was_to_be_opened_again() {
    each_server("killed", |bench| {
        bench.populate(1, 1000);
        let started = bench.start(&["--threads", "4", "--time", "1h", "--warm-up", "0s"]);
        started.wait_for("interval");
        bench.kill_one_connection();
        let run = started.finish();
        assert_eq!(run.exit_code, Some(3), "{}", run.told);
        assert_eq!(run.end()["status"], json!("failed"));
        // The server may still say that the connection was killed.
        assert!(
            ["connection-lost", "server-error"].contains(&run.code()),
            "{}",
            run.told
        );

        let listed = "1213,1020,1205,2006,2013,1927";
        let started = bench.start(&[
            "--threads",
            "4",
            "--time",
            "3s",
            "--warm-up",
            "0s",
            "--ignore-errors",
            listed,
        ]);
        started.wait_for("interval");
        bench.kill_one_connection();
        let run = started.finish();
        assert_eq!(run.exit_code, Some(0), "{}", run.told);
        let intervals = run.of_kind("interval");
        assert_eq!(sum(&intervals, |r| &r["reconnects"]), 1);
        assert_eq!(intervals[2]["connections_live"], json!(4));
        assert_balanced(&run.end());
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn an_error_that_is_not_listed_ends_the_run_with_its_code_and_statement() {
    each_server("dropped", |bench| {
        bench.populate(1, 1000);
        let workload = "sysbench/oltp_point_select";
        let started = bench.start_workload(workload, 1, &["--time", "1h", "--warm-up", "0s"]);
        started.wait_for("interval");
        bench.query("DROP TABLE sbtest1");
        let run = started.finish();
        assert_eq!(run.exit_code, Some(3), "{}", run.told);
        assert_eq!(run.end()["error_code"], json!(1146));
        assert!(
            run.end()["reason"]
                .as_str()
                .unwrap()
                .contains("point_select"),
            "{}",
            run.end()
        );
        assert_balanced(&run.end());
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_wrong_password_is_told_without_being_shown() {
    each_server("password", |bench| {
        let file = bench.write_file("wrong-password", "not-the-s3cret");
        let mut arguments = bench.server_arguments();
        let at = arguments
            .iter()
            .position(|argument| argument == "--user")
            .unwrap();
        arguments.truncate(at + 2);
        arguments.extend(["--password-file".to_owned(), file]);
        let run = ServerFixture::program(
            &["run", "sysbench/oltp_read_write", "--time", "1s"],
            &arguments,
        )
        .finish();
        assert_eq!(run.exit_code, Some(3), "{}", run.told);
        assert_eq!(run.code(), "log-in-failed", "{}", run.told);
        assert!(!run.told.contains("s3cret"));
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn filling_checks_its_rows_refuses_tables_that_are_there_and_cleanup_removes_them() {
    each_server("filling", |bench| {
        bench.populate(3, 500);
        assert_eq!(bench.query("SELECT COUNT(*) FROM sbtest3"), "500");
        let again = bench.try_populate(3, 500);
        assert_eq!(again.exit_code, Some(2));
        assert_eq!(again.code(), "tables-exist");
        assert!(
            again.told.contains("sbtest1, sbtest2, sbtest3"),
            "{}",
            again.told
        );
        let cleaned = bench.cleanup(3);
        assert_eq!(cleaned.exit_code, Some(0), "{}", cleaned.told);
        let tables =
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()";
        assert_eq!(bench.query(tables), "0");
        sleep(Duration::from_millis(10)); // let the server close the connections before the next server's turn
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn an_order_gives_records_on_standard_output() {
    each_server("order", |bench| {
        bench.populate(1, 1000);
        let run = bench.run_order(json!({
            "workload": {"name": "sysbench/oltp_read_only", "options": {"tables": 1, "table_size": 1000}},
            "concurrency": 2,
            "phases": [{"name": "window", "duration_ns": 1_000_000_000}],
        }));
        assert_eq!(run.exit_code, Some(0), "{}", run.told);
        let kinds: Vec<_> = run
            .records
            .iter()
            .map(|r| r["record"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["start", "interval", "end"]);
        let session = &run.records[0]["session"];
        assert_eq!(session["autocommit"], json!(true));
        assert!(
            ["REPEATABLE-READ", "READ-COMMITTED"].contains(&session["isolation"].as_str().unwrap())
        );
    });
}
