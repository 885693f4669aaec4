//! Checks our own code of the scripts that come with sysbench.

use super::stage::{Server, TestEngine, ask, each_server};
use dbdyno_sysbench::native::{Builtin, Native};
use dbdyno_sysbench::options::apply_script_options;
use dbdyno_sysbench::run::{self, Program};
use std::sync::Arc;

fn native(stage: &TestEngine, name: &str) -> Native {
    let builtin = Builtin::named(name, stage.engine.settings.dialect).unwrap();
    let options = builtin.options();
    let (table, _) =
        apply_script_options(&stage.line, options.as_deref(), &mut |_, _| true).unwrap();
    builtin
        .with(&table.values().unwrap(), &stage.engine)
        .unwrap()
}

/// Fills the tables, runs so many events, and gives reads, writes and others.
fn drive(server: &Server, schema: &str, name: &str, more: &[&str]) -> (TestEngine, [u64; 5]) {
    let mut words = vec!["--time=0", "--tables=2", "--table-size=2000"];
    words.extend_from_slice(more);
    let stage = server.stage(schema, &words);
    let native = native(&stage, name);
    let engine = &stage.engine;
    let preparer = native.clone();
    let builtin = Builtin::named(name, engine.settings.dialect).unwrap();
    if builtin.command("prepare") == Some(true) && engine.settings.threads > 1 {
        let prepare = move |engine: &_, actor| preparer.command(engine, actor, "prepare");
        assert!(
            run::parallel_command(engine, prepare).is_ok(),
            "{}",
            stage.said()
        );
    } else {
        let done = native.command(engine, engine.main_actor(), "prepare");
        assert!(done.is_ok(), "{}", stage.said());
    }
    let before = stage.counts();
    let program: Arc<dyn Program> = Arc::new(native.clone());
    assert_eq!(
        run::run(engine, &program, &mut native.clone()),
        0,
        "{}",
        stage.said()
    );
    let after = stage.counts();
    let during = std::array::from_fn(|place| after[place] - before[place]);
    (stage, during)
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn every_builtin_counts_as_its_script_does() {
    each_server(|server| {
        for (name, an_event) in [
            ("oltp_read_write", [14, 4, 2]),
            ("oltp_read_only", [14, 0, 2]),
            ("oltp_write_only", [0, 4, 2]),
            ("oltp_point_select", [1, 0, 0]),
            ("oltp_update_index", [0, 1, 0]),
            ("oltp_update_non_index", [0, 1, 0]),
            ("oltp_insert", [0, 1, 0]),
        ] {
            let (_, counts) = drive(server, "each", name, &["--events=50", "--threads=1"]);
            assert_eq!(counts[..3], an_event.map(|count| 50 * count), "{name}");
        }
        for name in ["select_random_points", "select_random_ranges"] {
            let (_, counts) = drive(
                server,
                "each",
                name,
                &["--tables=1", "--events=50", "--threads=3"],
            );
            assert_eq!(counts[..3], [50, 0, 0], "{name}");
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn prepare_fills_every_table_and_cleanup_drops_them() {
    each_server(|server| {
        let (stage, _) = drive(
            server,
            "filling",
            "oltp_read_write",
            &["--tables=3", "--threads=2", "--events=1"],
        );
        let mut connection = stage.connect();
        for table in 1..=3 {
            let sql = format!(
                "SELECT CONCAT(COUNT(*), ' ', MIN(LENGTH(c)), ' ', MAX(k)<=2000) FROM sbtest{table}"
            );
            assert_eq!(ask(&mut connection, &sql), "2000 119 1");
        }
        stage.said();
        let native = native(&stage, "oltp_read_write");
        let engine = &stage.engine;
        for command in ["prewarm", "cleanup"] {
            assert!(native.command(engine, engine.main_actor(), command).is_ok());
        }
        assert_eq!(
            stage.said(),
            "Prewarming table sbtest1\nPrewarming table sbtest3\nDropping table 'sbtest1'...\n\
             Dropping table 'sbtest2'...\nDropping table 'sbtest3'...\n"
        );
        assert_eq!(
            ask(
                &mut connection,
                "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
            ),
            "0"
        );
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_bulk_insert_counts_rows_as_events_and_statements_as_writes() {
    each_server(|server| {
        let (stage, counts) = drive(server, "rows", "bulk_insert", &["--events=80000"]);
        assert_eq!(counts, [0, 3, 0, 0, 0]);
        let mut connection = stage.connect();
        assert_eq!(ask(&mut connection, "SELECT MAX(id) FROM sbtest1"), "80000");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_user_can_connect_anew_after_every_few_events() {
    each_server(|server| {
        let more = [
            "--dialect=1.1",
            "--events=100",
            "--threads=1",
            "--reconnect=5",
        ];
        let (_, counts) = drive(server, "renewed", "oltp_read_write", &more);
        assert_eq!(counts, [1400, 400, 200, 0, 20]);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn users_who_meet_repeat_their_events() {
    each_server(|server| {
        let more = [
            "--tables=1",
            "--table-size=20",
            "--threads=8",
            "--events=400",
            "--range-selects=off",
        ];
        let (stage, counts) = drive(server, "meeting", "oltp_read_write", &more);
        assert_eq!(stage.engine.figures.counts().events, 400);
        assert!(counts[0] >= 4000 && counts[4] == 0, "{counts:?}");
        let mut connection = stage.connect();
        assert_eq!(ask(&mut connection, "SELECT COUNT(*) FROM sbtest1"), "20");
    });
}

#[test]
fn values_that_only_the_script_can_make_sense_of_make_no_native() {
    let words: Vec<String> = ["--table-size=0", "--mysql-dry-run"]
        .map(str::to_owned)
        .to_vec();
    let stage = TestEngine::new(&words);
    let builtin = Builtin::named("oltp_read_write", stage.engine.settings.dialect).unwrap();
    let options = builtin.options();
    let (table, _) =
        apply_script_options(&stage.line, options.as_deref(), &mut |_, _| true).unwrap();
    assert!(
        builtin
            .with(&table.values().unwrap(), &stage.engine)
            .is_none()
    );
    assert!(Builtin::named("oltp_common", stage.engine.settings.dialect).is_none());
}
