//! Checks what a run says when a client, a server or the time for the drain comes to its limits.

#![allow(clippy::unwrap_used)]

mod common;

use common::endpoint;
use dbdyno_drive::{
    DriveError, Fault, Load, Phase, Protocol, RunOutcome, SilentObserver, Status, StopSwitch, drive,
};
use dbdyno_null_server::{NullServer, Settings};
use dbdyno_wire::PathTimeout;
use dbdyno_workload::{
    Call, Class, NextAction, Response, RetryValues, StatementTemplate, TransactionType, User,
    Workload, WorkloadSpec,
};
use rustix::net::sockopt::set_socket_recv_buffer_size;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

const MS: Duration = Duration::from_millis(1);

/// How users of the workload behave.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Behaviour {
    /// Events complete at once, and their statement is owed.
    Owing,
    /// Events have a statement. The first user stops its worker once, for 2.5 s.
    Stopping,
    /// Events have a statement of 1 MiB.
    Large,
}

#[derive(Debug)]
struct TestWorkload(WorkloadSpec, Behaviour);

impl Workload for TestWorkload {
    fn spec(&self) -> &WorkloadSpec {
        &self.0
    }

    fn user(&self, index: u32) -> Box<dyn User> {
        Box::new(TestUser {
            behaviour: self.1,
            index,
            is_sent: false,
            has_stopped: index > 0,
        })
    }
}

struct TestUser {
    behaviour: Behaviour,
    index: u32,
    is_sent: bool,
    has_stopped: bool,
}

impl TestUser {
    fn fill(&self, call: &mut Call) {
        call.start(0);
        call.text.extend_from_slice(b"INSERT INTO sbtest1 VALUES('");
        if self.behaviour == Behaviour::Large {
            call.text.resize(1 << 20, b'x');
        }
        call.text.extend_from_slice(b"')");
    }
}

impl User for TestUser {
    fn start_event(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.is_sent = self.behaviour == Behaviour::Owing;
        0
    }

    fn repeat_event(&mut self, _draws: RetryValues) -> TransactionType {
        0
    }

    fn next(&mut self, _answer: Option<Response<'_>>, call: &mut Call) -> NextAction {
        if std::mem::replace(&mut self.is_sent, true) {
            return NextAction::Done;
        }
        self.fill(call);
        NextAction::Send
    }

    /// Users answer in turn, so that a statement of the second is under way while the first stops.
    fn initial_rest_ns(&mut self) -> u64 {
        (u64::from(self.index) * 150 * MS.as_nanos() as u64).min(1_000_000_000)
    }

    fn settle_up(&mut self, call: &mut Call) -> bool {
        self.fill(call);
        self.behaviour == Behaviour::Owing
    }

    fn finish_event(&mut self) -> u64 {
        if self.behaviour != Behaviour::Stopping {
            return 0;
        }
        if !std::mem::replace(&mut self.has_stopped, true) {
            sleep(2_500 * MS);
        }
        50 * MS.as_nanos() as u64
    }
}

fn server(delay: Option<&str>, refusal: Option<&str>) -> NullServer {
    let mut settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        ..Settings::default()
    };
    settings.faults.delays = delay.iter().map(|text| text.parse().unwrap()).collect();
    settings.faults.refusals = refusal.iter().map(|text| text.parse().unwrap()).collect();
    NullServer::start(settings).unwrap()
}

/// Returns a workload whose users have a second connection, and begin each with a COMMIT.
fn with_two_connections(role: Option<&str>) -> Arc<dyn Workload> {
    let begin = vec!["COMMIT".to_owned()];
    let spec = WorkloadSpec {
        has_second_connection: true,
        role: role.map(str::to_owned),
        session_statements: match role {
            Some(_) => [Vec::new(), begin],
            None => [begin, Vec::new()],
        },
        ..spec()
    };
    Arc::new(TestWorkload(spec, Behaviour::Large))
}

fn spec() -> WorkloadSpec {
    let statement = StatementTemplate {
        is_written: true,
        ..StatementTemplate::new("INSERT INTO sbtest1 VALUES(..)", 0, Class::Work)
    };
    WorkloadSpec {
        name: "test/ends".to_owned(),
        statements: vec![statement],
        statement_types: vec!["insert"],
        transaction_types: vec!["row"],
        ..WorkloadSpec::default()
    }
}

fn load(address: SocketAddr, behaviour: Behaviour) -> Load {
    let workload = Arc::new(TestWorkload(spec(), behaviour));
    Load {
        protocol: Protocol::Text,
        ..common::load(address, workload, 2, 4)
    }
}

fn run(load: &Load) -> RunOutcome {
    drive(load, &StopSwitch::default(), &mut SilentObserver).unwrap()
}

#[test]
fn a_drain_that_ends_before_what_users_owe_is_answered_fails_the_run() {
    for (drain_ms, is_enough) in [(5_000, true), (200, false), (0, false)] {
        let server = server(Some("constant:500ms"), None);
        let load = Load {
            drain: drain_ms * MS,
            events_limit: Some(5),
            ..load(server.address().tcp.unwrap(), Behaviour::Owing)
        };
        let outcome = run(&load);
        server.stop().unwrap();
        assert_eq!(outcome.status == Status::Complete, is_enough, "{outcome:?}");
        assert_eq!(
            (outcome.scheduled, outcome.completed, outcome.failed),
            (5, 5, 0)
        );
        assert_eq!((outcome.in_flight_at_end, outcome.abandoned), (0, 0));
    }
}

#[test]
fn events_that_the_warm_up_used_up_leave_nothing_to_measure_and_fail_the_run() {
    let phase = |name: &str| Phase {
        name: name.to_owned(),
        seconds: 1,
    };
    let server = server(None, None);
    for (phases, is_measured) in [
        (vec![phase("warm-up"), phase("window")], false),
        (vec![phase("window")], true),
    ] {
        let load = Load {
            events_limit: Some(1),
            phases,
            ..load(server.address().tcp.unwrap(), Behaviour::Large)
        };
        let outcome = run(&load);
        assert_eq!((outcome.completed, outcome.failed), (1, 0));
        match outcome.status {
            Status::Complete => assert!(is_measured),
            Status::Failed(failure) => {
                assert_eq!((is_measured, failure.fault), (false, Fault::Request))
            }
            Status::Interrupted => panic!("nobody stopped it"),
        }
    }
    server.stop().unwrap();
}

#[test]
fn a_drain_longer_than_any_clock_waits_for_the_last_event() {
    let server = server(Some("constant:300ms"), None);
    let load = Load {
        drain: Duration::from_nanos(u64::MAX),
        phases: vec![Phase {
            name: "window".to_owned(),
            seconds: 1,
        }],
        ..load(server.address().tcp.unwrap(), Behaviour::Large)
    };
    let outcome = run(&load);
    server.stop().unwrap();
    assert_eq!(outcome.status, Status::Complete);
    assert_eq!((outcome.failed, outcome.abandoned), (0, 0), "{outcome:?}");
}

/// The window is over after a second, and the events under way would take twenty.
#[test]
fn a_stop_during_the_drain_ends_the_run_as_soon_as_one_before_it() {
    let server = server(Some("constant:20s"), None);
    let load = Load {
        drain: 60_000 * MS,
        phases: vec![Phase {
            name: "window".to_owned(),
            seconds: 1,
        }],
        ..load(server.address().tcp.unwrap(), Behaviour::Large)
    };
    let stop = StopSwitch::default();
    let (thrown, began) = (stop.clone(), Instant::now());
    spawn(move || {
        sleep(3_000 * MS);
        thrown.throw();
    });
    let outcome = drive(&load, &stop, &mut SilentObserver).unwrap();
    let lasted = began.elapsed();
    server.stop().unwrap();
    assert!(lasted < 10_000 * MS, "{lasted:?}");
    assert_eq!(outcome.status, Status::Interrupted);
    assert_eq!((outcome.in_flight_at_end, outcome.abandoned), (2, 2));
}

#[test]
fn a_client_that_was_stopped_itself_reads_the_answers_before_it_judges() {
    let server = server(Some("constant:300ms"), None);
    let load = Load {
        answer_timeout: Some(1_000 * MS),
        ..load(server.address().tcp.unwrap(), Behaviour::Stopping)
    };
    let outcome = run(&load);
    server.stop().unwrap();
    assert_eq!(outcome.status, Status::Complete);
    assert_eq!(outcome.failed, 0);
}

/// Passes the bytes of a connection on, but reads nothing of the client for so long once it has read so much.
fn pass_on(mut client: TcpStream, server: SocketAddr, after_bytes: usize, pause: Duration) {
    let mut server = TcpStream::connect(server).unwrap();
    let (mut back, mut answers) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    spawn(move || {
        let _ = io::copy(&mut answers, &mut back);
        let _ = back.shutdown(Shutdown::Both);
    });
    let mut buffer = vec![0; 1 << 16];
    let mut passed = 0;
    while let Ok(count @ 1..) = client.read(&mut buffer) {
        if passed < after_bytes && passed + count >= after_bytes {
            sleep(pause);
        }
        passed += count;
        let _ = server.write_all(&buffer[..count]);
    }
    let _ = server.shutdown(Shutdown::Both);
}

#[test]
fn a_server_that_reads_nothing_for_longer_than_the_path_timeout_is_waited_for() {
    let server = server(None, None);
    let (address, listener) = (
        server.address().tcp.unwrap(),
        TcpListener::bind("127.0.0.1:0").unwrap(),
    );
    // A statement does not fit into the buffers.
    set_socket_recv_buffer_size(&listener, 1 << 16).unwrap();
    let passing = listener.local_addr().unwrap();
    spawn(move || {
        for client in listener.incoming() {
            let client = client.unwrap();
            spawn(move || pass_on(client, address, 19 << 19, 3_500 * MS));
        }
    });
    let mut load = load(passing, Behaviour::Large);
    load.session.path_timeout = PathTimeout(2_000 * MS);
    let outcome = run(&load);
    assert_eq!(outcome.status, Status::Complete);
    assert_eq!((outcome.failed, outcome.outages), (0, Vec::new()));
    assert!(outcome.longest_silence_ns > 2_500_000_000);
    server.stop().unwrap();
}

/// Returns the limit, the connections and the refused one of a load of 100 users with two connections each.
fn refused(server: &NullServer, role: Option<&NullServer>) -> (Option<String>, u32, u32, String) {
    let load = Load {
        role_endpoint: role.map(|server| endpoint(server.address().tcp.unwrap())),
        workload: with_two_connections(role.map(|_| "analytics")),
        concurrency: 100,
        ..load(server.address().tcp.unwrap(), Behaviour::Large)
    };
    let error = drive(&load, &StopSwitch::default(), &mut SilentObserver).unwrap_err();
    let remedy = error.remedy().unwrap();
    match error {
        DriveError::Connections {
            limit,
            connections,
            reached,
        } => (limit, connections, reached, remedy),
        other => panic!("{other}"),
    }
}

#[test]
fn both_connections_of_a_user_count_against_the_limit_of_their_server() {
    // It refuses from the first COMMIT on, also those who ask for its limit.
    let server = server(None, Some("0s+60s"));
    let (limit, connections, reached, remedy) = refused(&server, None);
    assert_eq!((limit, connections), (None, 200));
    assert!((1..=200).contains(&reached), "{reached}");
    assert!(remedy.contains("max_connections = 210"), "{remedy}");
    server.stop().unwrap();
}

#[test]
fn the_limit_of_a_role_s_server_is_asked_there() {
    let (main, role) = (server(None, None), server(None, Some("0s+60s")));
    let (limit, connections, reached, remedy) = refused(&main, Some(&role));
    assert_eq!((limit, connections), (None, 100));
    assert!((1..=100).contains(&reached), "{reached}");
    assert!(remedy.contains("max_connections = 110"), "{remedy}");
    main.stop().unwrap();
    role.stop().unwrap();
}

#[test]
fn both_connections_of_a_user_are_open_files() {
    let server = server(None, None);
    let files = getrlimit(Resource::Nofile);
    let current = Some(1_000);
    setrlimit(Resource::Nofile, Rlimit { current, ..files }).unwrap();
    let load = Load {
        workload: with_two_connections(None),
        concurrency: 480,
        events_limit: Some(1),
        ..load(server.address().tcp.unwrap(), Behaviour::Large)
    };
    assert_eq!(run(&load).status, Status::Complete);
    server.stop().unwrap();
}
