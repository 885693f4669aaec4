//! Fills tables on the real servers that `DBDYNO_TEST_SERVERS` names; see `servers.rs`.

#![allow(clippy::unwrap_used)]

#[path = "servers/bench.rs"]
#[allow(dead_code, reason = "shared with the tests of runs")]
mod bench;

use bench::{ProgramOutput, RunningProgram, ServerFixture, each_server};
use serde_json::Value;
use std::thread::sleep;
use std::time::{Duration, Instant};

const WORKLOAD: &str = "sysbench/oltp_read_write";

fn start(bench: &ServerFixture, more: &[&str]) -> RunningProgram {
    let mut arguments = vec!["populate", WORKLOAD, "--json", "--rng=dbdyno"];
    arguments.extend(more);
    ServerFixture::program(&arguments, &bench.server_arguments())
}

fn populate(bench: &ServerFixture, more: &[&str]) -> ProgramOutput {
    start(bench, more).finish()
}

fn end(finished: &ProgramOutput) -> Value {
    let end = finished.of_kind("populate-end").pop();
    end.unwrap_or_else(|| panic!("no last record; {}", finished.told))
}

/// Waits until the server works on rows, and returns the number of a connection that sends them.
fn bringer(bench: &ServerFixture) -> String {
    let busy = "SELECT COALESCE(MIN(id), '') FROM information_schema.processlist \
                WHERE db = DATABASE() AND id <> CONNECTION_ID() \
                AND (info LIKE 'INSERT INTO sbtest%' OR info LIKE 'LOAD DATA%')";
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        let id = bench.query(busy);
        if !id.is_empty() {
            return id;
        }
        sleep(Duration::from_millis(2));
    }
    panic!("no row was ever on its way");
}

fn takes_files(bench: &ServerFixture) -> bool {
    bench.query("SET GLOBAL local_infile = ON");
    bench.query("SELECT @@GLOBAL.local_infile") == "1"
}

fn tables_of_the_schema(bench: &ServerFixture) -> String {
    bench.query(
        "SELECT GROUP_CONCAT(table_name ORDER BY table_name) FROM information_schema.tables \
         WHERE table_schema = DATABASE()",
    )
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn rows_are_the_same_whichever_way_they_go() {
    each_server("ways", |bench| {
        assert!(takes_files(bench));
        let mut seen = Vec::new();
        let ways = [
            ("statements", "1"),
            ("statements", "4"),
            ("infile", "4"),
            ("prepared", "4"),
        ];
        for (way, connections) in ways {
            let size = ["--tables=2", "--table-size=60000", "--load-by", way];
            let size = [&size[..], &["--connections", connections]].concat();
            let filled = populate(bench, &size);
            assert_eq!(filled.exit_code, Some(0), "{way}: {}", filled.told);
            let end = end(&filled);
            assert_eq!(end["load_by"], way);
            assert_eq!(end["tables"][1]["rows"], 60_000);
            let on_server = bench.query(
                "SELECT CONCAT_WS(' ', COUNT(*), SUM(CRC32(CONCAT_WS(',', id, k, c, pad)))) FROM sbtest2",
            );
            seen.push((end["tables"].clone(), on_server));
            assert_eq!(bench.cleanup(2).exit_code, Some(0));
        }
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_lost_connection_leaves_no_row_twice_and_none_out() {
    each_server("lost", |bench| {
        assert!(takes_files(bench));
        for way in ["statements", "infile", "prepared"] {
            let size = ["--tables=1", "--table-size=200000", "--load-by", way];
            let started = start(bench, &size);
            for _ in 0..3 {
                let id = bringer(bench);
                bench.try_query(&format!("KILL {id}"));
            }
            let filled = started.finish();
            assert_eq!(filled.exit_code, Some(0), "{way}: {}", filled.told);
            let end = end(&filled); // its sums equal those of the server, or it would have failed
            assert!(end["repeats"].as_u64().unwrap() >= 1, "{end}");
            assert_eq!(end["tables"][0]["rows"], 200_000);
            assert_eq!(bench.cleanup(1).exit_code, Some(0));
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_filling_that_was_broken_off_is_gone_on_with() {
    each_server("resumed", |bench| {
        let size = ["--tables=2", "--table-size=150000", "--connections=2"];
        let started = start(bench, &size);
        bringer(bench);
        started.signal("INT");
        let broken_off = started.finish();
        assert_eq!(broken_off.exit_code, Some(1), "{}", broken_off.told);
        assert!(broken_off.told.contains("--resume"), "{}", broken_off.told);

        let afresh = populate(bench, &size);
        assert_eq!(afresh.exit_code, Some(2));
        assert_eq!(afresh.code(), "filling-unfinished", "{}", afresh.told);
        let other = populate(bench, &[&size[..], &["--resume", "--seed=2"]].concat());
        assert_eq!(other.exit_code, Some(2));
        assert_eq!(other.code(), "filling-of-other-options", "{}", other.told);
        assert!(other.told.contains("seed=2"), "{}", other.told);

        let resumed = populate(bench, &[&size[..], &["--resume"]].concat());
        assert_eq!(resumed.exit_code, Some(0), "{}", resumed.told);
        assert_eq!(tables_of_the_schema(bench), "sbtest1,sbtest2");
        let rows = end(&resumed)["tables"][1]["rows"].clone();
        assert_eq!(rows, 150_000);
        let nothing_left = populate(bench, &[&size[..], &["--resume"]].concat());
        assert_eq!(nothing_left.exit_code, Some(2), "{}", nothing_left.told);
        assert_eq!(nothing_left.code(), "nothing-to-continue");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn an_accelerated_filling_leaves_the_redo_log_on_however_it_ends() {
    each_server("accelerated", |bench| {
        let state = "SELECT COALESCE(MAX(variable_value), 'none') FROM performance_schema.global_status \
                     WHERE variable_name = 'Innodb_redo_log_enabled'";
        let size = ["--tables=1", "--table-size=150000", "--accelerate"];
        if bench.query("SELECT @@version LIKE '%MariaDB%'") == "1" {
            let refused = populate(bench, &size);
            assert_eq!(refused.exit_code, Some(2), "{}", refused.told);
            assert_eq!(refused.code(), "accelerate-unsupported", "{}", refused.told);
            assert_eq!(tables_of_the_schema(bench), "");
            return;
        }
        let started = start(bench, &size);
        bringer(bench);
        assert_eq!(bench.query(state), "OFF");
        started.signal("INT");
        assert_eq!(started.finish().exit_code, Some(1));
        assert_eq!(bench.query(state), "ON");
        let resumed = populate(bench, &[&size[..], &["--resume"]].concat());
        assert_eq!(resumed.exit_code, Some(0), "{}", resumed.told);
        assert_eq!(end(&resumed)["accelerated"], true);
        assert_eq!(bench.query(state), "ON");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_filling_that_was_broken_off_is_cleaned_up() {
    each_server("tidied", |bench| {
        let started = start(bench, &["--tables=1", "--table-size=300000"]);
        bringer(bench);
        started.signal("INT");
        assert_eq!(started.finish().exit_code, Some(1));
        assert_eq!(tables_of_the_schema(bench), "dbdyno_filling,sbtest1");
        assert_eq!(bench.cleanup(1).exit_code, Some(0));
        assert_eq!(tables_of_the_schema(bench), "");
    });
}
