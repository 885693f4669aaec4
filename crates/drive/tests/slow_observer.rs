//! Checks that a slow observer does not slow the run.

#![allow(clippy::unwrap_used)]

mod common;

use dbdyno_drive::{
    Arrivals, IntervalRecord, Level, Load, Observer, Pacing, Start, Status, StopSwitch, drive,
};
use dbdyno_null_server::{NullServer, Settings};
use dbdyno_workload::{RandomKind, RandomSource, workload};
use std::io;
use std::net::SocketAddr;
use std::thread::sleep;
use std::time::Duration;

const SECONDS: u32 = 6;
const RATE_PER_S: f64 = 1000.0;

/// Stops in the middle of a run for three seconds, as a full disk, a paused terminal or a busy machine does.
#[derive(Default)]
struct SlowObserver {
    /// Second, events completed, longest response time, longest lateness.
    seen: Vec<(u32, u64, u64, u64)>,
}

impl Observer for SlowObserver {
    fn started(&mut self, _: &Start) -> io::Result<()> {
        Ok(())
    }

    fn interval(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        let interval = record.interval;
        self.seen.push((
            interval.second,
            interval.completed(),
            interval.transactions[0].response.max_ns(),
            interval.lateness.as_ref().unwrap().max_ns(),
        ));
        if interval.second == 1 {
            sleep(Duration::from_secs(3));
        }
        Ok(())
    }

    fn message(&mut self, _: Level, _: &str) -> io::Result<()> {
        Ok(())
    }
}

fn load(address: SocketAddr) -> Load {
    let random = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 1,
    };
    let workload = workload("sysbench/oltp_point_select", &[], random, 8).unwrap();
    Load {
        workers: 2,
        pacing: Pacing::FixedRate {
            rate_per_s: RATE_PER_S,
            arrivals: Arrivals::Constant,
        },
        ..common::load(address, workload, 8, SECONDS)
    }
}

/// Returns the peak memory of this process.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.unwrap().split_whitespace().nth(1);
    number.unwrap().parse().unwrap()
}

/// If a worker ever waited for the observer, events due in those three seconds would be seconds late. The
/// bounds leave room for a busy machine and still are far from that.
#[test]
fn an_observer_that_stops_for_three_seconds_delays_no_event_and_loses_no_second() {
    let server = NullServer::start(Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        ..Settings::default()
    })
    .unwrap();
    let load = load(server.address().tcp.unwrap());
    let mut observer = SlowObserver::default();
    let before_kib = peak_kib();
    let outcome = drive(&load, &StopSwitch::default(), &mut observer).unwrap();
    server.stop().unwrap();

    assert_eq!(outcome.status, Status::Complete);
    assert_eq!(outcome.scheduled, (RATE_PER_S as u64) * u64::from(SECONDS));
    // Those due in the last moments are unsent if the machine was busy just then; a worker that waited for
    // the observer would leave thousands.
    assert!(
        outcome.unsent < RATE_PER_S as u64 / 2,
        "{} unsent",
        outcome.unsent
    );
    let seconds: Vec<_> = observer.seen.iter().map(|&(second, ..)| second).collect();
    assert_eq!(seconds, (0..SECONDS).collect::<Vec<_>>());
    for (second, completed, response_max_ns, lateness_max_ns) in observer.seen {
        assert!(completed > 500, "second {second}: {completed} events");
        let longest_ns = response_max_ns.max(lateness_max_ns);
        assert!(
            longest_ns < 500_000_000,
            "second {second}: {longest_ns} ns late"
        );
    }
    // Three more intervals of two workers.
    assert!(peak_kib() - before_kib < 32 << 10);
}
