//! Checks that sessions of a stopped server count as stopped.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use dbdyno_threads::{Client, Sampler, SamplerOptions, SecondRecord, WaitClass};
use rustix::process::{Pid, Signal, kill_process};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, id};
use std::time::{Duration, Instant};

/// Samples until a second's only sample is of a class, for ten seconds at most, and returns the last second.
fn sampled_until(sampler: &mut Sampler, class: WaitClass) -> SecondRecord {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        sampler.find_sessions().unwrap();
        sampler.tick().unwrap();
        let second = sampler.end_second();
        if count(&second, class) == 1 || Instant::now() > until {
            return second;
        }
    }
}

fn count(second: &SecondRecord, class: WaitClass) -> u64 {
    let place = WaitClass::ALL.iter().position(|other| *other == class);
    second.waits[place.unwrap()]
}

fn kill(server: &mut Child) {
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_session_of_a_stopped_process_waits_for_nothing_else() {
    let (_client, session) = UnixStream::pair().unwrap();
    let mut server = Command::new("cat")
        .stdin(OwnedFd::from(session))
        .spawn()
        .unwrap();
    let mut sampler = Sampler::new(SamplerOptions {
        server: server.id(),
        client: Client::Process(id()),
        probed: Vec::new(),
    })
    .unwrap();
    let waiting = sampled_until(&mut sampler, WaitClass::Client);
    assert_eq!(count(&waiting, WaitClass::Client), 1, "{waiting:?}");
    kill_process(Pid::from_child(&server), Signal::STOP).unwrap();
    let stopped = sampled_until(&mut sampler, WaitClass::Stopped);
    kill(&mut server);
    assert_eq!(count(&stopped, WaitClass::Stopped), 1, "{stopped:?}");
    assert_eq!((stopped.samples, stopped.running), (1, 0), "{stopped:?}");
}
