//! Checks where connections go, how, and what is said when they can't.

use super::stage::{TestEngine, ask, each_server};
use dbdyno_fiber::Scheduler;
use dbdyno_sysbench::db::{CallResult, Driver};
use dbdyno_wire::Parameters;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn refusal(given: &[&str]) -> String {
    let stage = TestEngine::new(&words(given));
    let driver = Driver::new(&stage.engine, None).unwrap();
    assert!(driver.connect(stage.engine.user_actor(0)).is_none());
    stage.said()
}

#[test]
fn a_server_that_is_not_there_is_told_of_in_the_client_librarys_words() {
    let socket = "--mysql-socket=/nowhere/s.sock";
    assert_eq!(
        refusal(&[socket]),
        "FATAL: unable to connect to MySQL server on socket '/nowhere/s.sock', aborting...\n\
         FATAL: error 2002: Can't connect to local server through socket '/nowhere/s.sock' (2)\n"
    );
    assert!(refusal(&["--dialect=1.1", socket]).ends_with(
        "error 2002: Can't connect to local MySQL server through socket '/nowhere/s.sock' (2)\n"
    ));
    let tcp = ["--mysql-host=127.0.0.1", "--mysql-port=1"];
    assert_eq!(
        refusal(&tcp),
        "FATAL: unable to connect to MySQL server on host '127.0.0.1', port 1, aborting...\n\
         FATAL: error 2002: Can't connect to server on '127.0.0.1' (115)\n"
    );
    assert!(
        refusal(&["--dialect=1.1", tcp[0], tcp[1]])
            .ends_with("error 2003: Can't connect to MySQL server on '127.0.0.1:1' (111)\n")
    );
}

#[test]
fn a_driver_is_made_of_right_options_only() {
    let stage = TestEngine::new(&words(&["--db-driver=foo"]));
    assert!(Driver::new(&stage.engine, None).is_none());
    assert_eq!(stage.said(), "FATAL: invalid database driver name: 'foo'\n");
    let stage = TestEngine::new(&words(&["--db-ps-mode=foo"]));
    assert!(Driver::new(&stage.engine, Some("mysql")).is_none());
    assert_eq!(stage.said(), "FATAL: Invalid value for db-ps-mode: foo\n");
    assert!(!stage.engine.figures.has_driver());
}

#[test]
fn nothing_is_connected_to_in_a_dry_run() {
    let stage = TestEngine::new(&words(&["--mysql-dry-run", "--mysql-host=nowhere.invalid"]));
    let mut connection = stage.connect();
    assert_eq!(connection.query(b"SELECT 1"), CallResult::NoRows);
    let mut statement = connection.prepare(&b"SELECT ?"[..]).unwrap();
    assert!(connection.may_bind(&statement, 7));
    let values = Parameters::new();
    assert_eq!(
        connection.execute(&mut statement, &values),
        CallResult::NoRows
    );
    assert!(connection.close_statement(&mut statement));
    assert_eq!(stage.counts(), [0, 0, 2, 0, 0]);
}

#[test]
fn connections_take_turns_on_the_ports_of_each_host() {
    // Nobody listens on these ports; the words of failure name them.
    let stage = TestEngine::new(&words(&[
        "--mysql-host=127.0.0.1,127.0.0.2",
        "--mysql-port=1,2",
    ]));
    let driver = Driver::new(&stage.engine, None).unwrap();
    let turns: Vec<_> = (0..5)
        .map(|_| {
            assert!(driver.connect(stage.engine.user_actor(0)).is_none());
            let said = stage.said();
            let (_, rest) = said.split_once("host '").unwrap();
            rest.split_once(", abort").unwrap().0.to_owned()
        })
        .collect();
    assert_eq!(
        turns,
        [
            "127.0.0.1', port 1",
            "127.0.0.1', port 2",
            "127.0.0.2', port 1",
            "127.0.0.2', port 2",
            "127.0.0.1', port 1",
        ]
    );
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn encryption_is_off_unless_asked_for_and_known_afterwards() {
    each_server(|server| {
        let shown = |ssl: &str| {
            let stage =
                server.stage_by_tcp(&format!("ssl_{ssl}"), &[&format!("--mysql-ssl={ssl}")]);
            let mut connection = stage.connect();
            let known = stage.engine.database.encryption();
            connection.query(b"SHOW STATUS LIKE 'Ssl_cipher'");
            let row: Vec<_> = connection.fetch_row().unwrap().collect();
            (row[1].is_some_and(|cipher| !cipher.is_empty()), known)
        };
        let (is_encrypted, known) = shown("off");
        assert_eq!((is_encrypted, known.encrypted, known.plain), (false, 0, 1));
        let (is_encrypted, known) = shown("required");
        assert_eq!((is_encrypted, known.encrypted, known.plain), (true, 1, 0));
        assert!(known.facts.unwrap().version.starts_with("TLS"));
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_compressed_connection_answers_like_any_other() {
    each_server(|server| {
        let stage = server.stage_by_tcp("packed", &["--mysql-compression=on"]);
        let mut connection = stage.connect();
        let text = ask(&mut connection, "SELECT REPEAT('abc', 20000)");
        assert_eq!(text.len(), 60_000);
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn fibers_of_one_thread_wait_for_their_servers_at_the_same_time() {
    each_server(|server| {
        let stage = server.stage("fibers", &["--threads=8"]);
        let began = Instant::now();
        let sums = Rc::new(RefCell::new(Vec::new()));
        let mut scheduler = Scheduler::new().unwrap();
        for tid in 0..8 {
            let (engine, sums) = (Arc::clone(&stage.engine), Rc::clone(&sums));
            scheduler
                .spawn(move || {
                    let driver = Driver::new(&engine, None).unwrap();
                    let mut connection = driver.connect(engine.user_actor(tid)).unwrap();
                    let mut statement = connection.prepare(&b"SELECT SLEEP(?)"[..]).unwrap();
                    let mut values = Parameters::new();
                    values.push_text(b"0.25");
                    assert_eq!(
                        connection.execute(&mut statement, &values),
                        CallResult::Rows
                    );
                    let text = ask(&mut connection, &format!("SELECT REPEAT('{tid}', 200000)"));
                    assert_eq!(text, tid.to_string().repeat(200_000));
                    sums.borrow_mut().push(tid);
                })
                .unwrap();
        }
        scheduler.run();
        assert_eq!(sums.borrow().len(), 8);
        assert!(
            began.elapsed() < Duration::from_millis(1_900),
            "one after the other"
        );
        assert_eq!(stage.counts(), [16, 0, 0, 0, 0]);
    });
}
