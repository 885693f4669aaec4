//! Checks the rests that belong to a workload (TPC-C's keying and thinking), also after errors.

#![allow(clippy::unwrap_used)]

mod common;

use dbdyno_drive::{
    ErrorPolicy, IntervalRecord, Level, Load, Observer, RunOutcome, Start, Status, StopSwitch,
    drive,
};
use dbdyno_null_server::{NullServer, Settings};
use dbdyno_workload::{
    Call, Class, NextAction, Response, RetryAfter, RetryValues, StatementTemplate, TransactionType,
    User, Workload, WorkloadSpec,
};
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::Duration;

const MS: u64 = 1_000_000;

/// Users send a SELECT, and rest for so long after each event.
#[derive(Debug)]
struct RestingWorkload {
    spec: WorkloadSpec,
    rest_ns: u64,
}

impl Workload for RestingWorkload {
    fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }

    fn user(&self, _index: u32) -> Box<dyn User> {
        Box::new(RestingUser {
            rest_ns: self.rest_ns,
            is_sent: false,
        })
    }
}

struct RestingUser {
    rest_ns: u64,
    is_sent: bool,
}

impl User for RestingUser {
    fn start_event(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.is_sent = false;
        0
    }

    fn repeat_event(&mut self, _draws: RetryValues) -> TransactionType {
        self.start_event(None)
    }

    fn next(&mut self, _answer: Option<Response<'_>>, call: &mut Call) -> NextAction {
        if std::mem::replace(&mut self.is_sent, true) {
            return NextAction::Done;
        }
        call.start(0);
        call.parameters.push_int(1);
        NextAction::Send
    }

    fn finish_event(&mut self) -> u64 {
        self.rest_ns
    }

    fn give_up_event(&mut self) -> u64 {
        self.rest_ns
    }
}

/// Represents the network between the load and the server. It can cut all connections.
#[derive(Default)]
struct Cable {
    is_cut: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

impl Cable {
    /// Passes connections on to the server unless it is cut. Returns it with the address to connect to.
    fn to(server: SocketAddr) -> (Arc<Self>, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (cable, address) = (Arc::<Self>::default(), listener.local_addr().unwrap());
        let passing = Arc::clone(&cable);
        spawn(move || {
            for client in listener.incoming() {
                if !passing.is_cut.load(Ordering::Acquire) {
                    passing.pass_on(client.unwrap(), TcpStream::connect(server).unwrap());
                }
            }
        });
        (cable, address)
    }

    fn pass_on(&self, client: TcpStream, server: TcpStream) {
        for (from, to) in [(&client, &server), (&server, &client)] {
            let [mut from, mut to] = [from, to].map(|stream| stream.try_clone().unwrap());
            spawn(move || {
                let _ = io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
        }
        self.streams.lock().unwrap().extend([client, server]);
    }

    /// Cuts all connections, and passes no new one on for `for_ms`.
    fn cut(&self, for_ms: u64) {
        self.is_cut.store(true, Ordering::Release);
        for stream in self.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        sleep(Duration::from_millis(for_ms));
        self.is_cut.store(false, Ordering::Release);
    }
}

/// Keeps the longest response time, and cuts the cable for `cut_ms` half a second after the start.
struct RunObserver {
    longest_ns: u64,
    cable: Arc<Cable>,
    cut_ms: Option<u64>,
}

impl Observer for RunObserver {
    fn started(&mut self, _: &Start) -> io::Result<()> {
        if let Some(cut_ms) = self.cut_ms {
            let cable = Arc::clone(&self.cable);
            spawn(move || {
                sleep(Duration::from_millis(900)); // second 0 begins 400 ms from now
                cable.cut(cut_ms);
            });
        }
        Ok(())
    }

    fn interval(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        let counts = &record.interval.transactions[0];
        self.longest_ns = self.longest_ns.max(counts.response.max_ns());
        Ok(())
    }

    fn message(&mut self, _: Level, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// Drives four users against the server for two seconds. Returns the outcome and the longest response time.
fn run(server: NullServer, rest_ms: u64, ignored: u16, cut_ms: Option<u64>) -> (RunOutcome, u64) {
    let (cable, address) = Cable::to(server.address().tcp.unwrap());
    let statement = StatementTemplate::new("SELECT c FROM sbtest1 WHERE id=?", 0, Class::Work);
    let spec = WorkloadSpec {
        name: "test/rests".to_owned(),
        statements: vec![statement],
        statement_types: vec!["select"],
        transaction_types: vec!["event"],
        ..WorkloadSpec::default()
    };
    let workload = Arc::new(RestingWorkload {
        spec,
        rest_ns: rest_ms * MS,
    });
    let load = Load {
        errors: ErrorPolicy {
            after: RetryAfter::Codes(vec![ignored]),
            retry_limit: Some(0),
            ..ErrorPolicy::default()
        },
        ..common::load(address, workload, 4, 2)
    };
    let mut observer = RunObserver {
        longest_ns: 0,
        cable,
        cut_ms,
    };
    let outcome = drive(&load, &StopSwitch::default(), &mut observer).unwrap();
    server.stop().unwrap();
    assert_eq!(outcome.status, Status::Complete, "{outcome:?}");
    (outcome, observer.longest_ns)
}

fn settings() -> Settings {
    Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        ..Settings::default()
    }
}

#[test]
fn a_user_rests_after_an_event_that_was_given_up_as_after_any_other() {
    let mut settings = settings();
    settings.faults.errors = vec!["1213:every=1".parse().unwrap()];
    let (outcome, _) = run(NullServer::start(settings).unwrap(), 200, 1213, None);
    // Four users, 200 ms each.
    assert!((4..=40).contains(&outcome.failed), "{outcome:?}");
    assert_eq!(outcome.completed, 0);
}

#[test]
fn a_rest_goes_on_while_its_connection_is_opened_again() {
    let (outcome, _) = run(
        NullServer::start(settings()).unwrap(),
        5_000,
        2013,
        Some(200),
    );
    assert_eq!(outcome.outages.len(), 1, "{outcome:?}");
    assert_eq!((outcome.scheduled, outcome.completed), (4, 4));
}

#[test]
fn a_rest_that_ends_while_its_connection_is_lost_leaves_its_event_due() {
    let (outcome, longest_ns) = run(NullServer::start(settings()).unwrap(), 700, 2013, Some(700));
    assert!(outcome.completed >= 8, "{outcome:?}");
    // Due 700 ms after the first statements, and sent 500 ms later.
    assert!(longest_ns >= 300 * MS, "{longest_ns}");
    // Meanwhile no request was out, but one was wanted.
    assert!(outcome.longest_silence_ns >= 300 * MS, "{outcome:?}");
}
