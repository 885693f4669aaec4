//! Checks pacings against a server that does no work: every requested event is accounted for, in any
//! case.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod one_or_two;
mod silence;

use dbdyno_drive::{
    Arrivals, ErrorPolicy, IntervalRecord, Level, Load, Observer, Pacing, Probe, RateStream,
    RunOutcome, Search, Start, Status, StopSwitch, Stretch, Think, ThinkDistribution, drive,
    search,
};
use dbdyno_meter::{ErrorCodeCounts, SECOND_NS};
use dbdyno_null_server::{NullServer, Settings};
use dbdyno_workload::RetryAfter;
use one_or_two::OneOrTwo;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Adds the seconds up, and throws a switch after one of them if asked.
#[derive(Default)]
struct RunTotals {
    started: [u64; 2],
    answered: u64,
    lateness: u64,
    response_max_ns: u64,
    errors: ErrorCodeCounts,
    retries: ErrorCodeCounts,
    seconds: BTreeMap<u32, String>,
    probes: Vec<Probe>,
    stop_after: Option<(u32, StopSwitch)>,
}

impl Observer for RunTotals {
    fn started(&mut self, _: &Start) -> io::Result<()> {
        Ok(())
    }

    fn interval(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        let interval = record.interval;
        for (sum, counts) in self.started.iter_mut().zip(&interval.transactions) {
            *sum += counts.started;
            self.response_max_ns = self.response_max_ns.max(counts.response.max_ns());
            self.retries.merge(&counts.retries);
        }
        for counts in &interval.statements {
            self.errors.merge(&counts.errors);
        }
        self.answered += interval.answered();
        self.lateness += interval.lateness.as_ref().map_or(0, |late| late.count());
        let phase = record.phase.to_owned();
        assert!(self.seconds.insert(interval.second, phase).is_none());
        if let Some((second, stop)) = &self.stop_after
            && interval.second >= *second
        {
            stop.throw();
        }
        Ok(())
    }

    fn message(&mut self, _: Level, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn probe(&mut self, probe: &Probe) -> io::Result<()> {
        self.probes.push(probe.clone());
        Ok(())
    }
}

fn server(delay: Option<&str>) -> NullServer {
    let mut settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        ..Settings::default()
    };
    settings.faults.delays = delay.iter().map(|law| law.parse().unwrap()).collect();
    NullServer::start(settings).unwrap()
}

fn load(server: &NullServer, pacing: Pacing, seconds: u32) -> Load {
    let address = server.address().tcp.unwrap();
    Load {
        workers: 2,
        pacing,
        drain: Duration::from_secs(10),
        ..common::load(address, Arc::new(OneOrTwo::new()), 8, seconds)
    }
}

fn run(load: &Load, sums: &mut RunTotals) -> RunOutcome {
    let stop = StopSwitch::default();
    if let Some((_, switch)) = &mut sums.stop_after {
        *switch = stop.clone();
    }
    let outcome = drive(load, &stop, sums).unwrap();
    assert_accounted(&outcome);
    outcome
}

fn assert_accounted(outcome: &RunOutcome) {
    let ended = outcome.completed + outcome.failed + outcome.unsent;
    assert_eq!(outcome.scheduled, ended, "{outcome:?}");
}

fn think(mean_ms: u64) -> Pacing {
    Pacing::Closed {
        think: Some(Think {
            mean_ns: mean_ms * 1_000_000,
            law: ThinkDistribution::Constant,
        }),
    }
}

#[test]
fn each_transaction_type_has_the_events_of_its_own_profile() {
    let stretch = |from_per_s, to_per_s| Stretch {
        duration_ns: 2 * SECOND_NS,
        from_per_s,
        to_per_s,
    };
    let stream = |transaction, profile: &[Stretch]| RateStream {
        transaction,
        profile: profile.to_vec(),
    };
    let pacing = Pacing::VariedRate {
        streams: vec![
            stream(Some(1), &[stretch(100.0, 500.0)]),
            stream(None, &[stretch(0.0, 0.0), stretch(250.0, 250.0)]),
        ],
        arrivals: Arrivals::Constant,
    };
    let server = server(None);
    let mut sums = RunTotals::default();
    let outcome = run(&load(&server, pacing, 4), &mut sums);
    server.stop().unwrap();
    assert_eq!(outcome.status, Status::Complete);
    // The ramp holds 600 events, then 1,000 come at its end rate; the pause ends after two seconds.
    assert_eq!(outcome.scheduled, 1_600 + 500);
    // An event due just before the end is left unsent if the processor is late.
    assert!(outcome.unsent <= 21, "{outcome:?}");
    assert_eq!(sums.started[0] + sums.started[1] + outcome.unsent, 2_100);
    assert!(
        sums.started[0] <= 500 && sums.started[1] <= 1_600,
        "{:?}",
        sums.started
    );
}

#[test]
fn a_type_that_the_workload_does_not_have_is_refused_before_anything_starts() {
    let stretch = Stretch {
        duration_ns: SECOND_NS,
        from_per_s: 1.0,
        to_per_s: 1.0,
    };
    let pacing = Pacing::VariedRate {
        streams: vec![RateStream {
            transaction: Some(2),
            profile: vec![stretch],
        }],
        arrivals: Arrivals::Constant,
    };
    let server = server(None);
    let load = load(&server, pacing, 1);
    let error = drive(&load, &StopSwitch::default(), &mut RunTotals::default()).unwrap_err();
    server.stop().unwrap();
    assert!(error.to_string().contains("the workload has 2"), "{error}");
}

#[test]
fn thinking_connections_rest_between_events_and_the_rest_is_in_no_time() {
    let server = server(None);
    let mut sums = RunTotals::default();
    let outcome = run(&load(&server, think(50), 3), &mut sums);
    server.stop().unwrap();
    assert_eq!((outcome.unsent, outcome.failed), (0, 0));
    let most = 8 * (3_000 / 50 + 1);
    assert!(
        (most / 4..=most).contains(&outcome.completed),
        "{outcome:?}"
    );
    assert!(sums.lateness > 0, "the client's own lateness is told");
    assert!(sums.lateness <= outcome.completed);
}

#[test]
fn a_number_of_events_ends_a_thinking_load_and_an_open_loop_exactly() {
    let fixed = Pacing::FixedRate {
        rate_per_s: 2_000.0,
        arrivals: Arrivals::Poisson,
    };
    for pacing in [think(5), fixed] {
        let server = server(None);
        let load = Load {
            events_limit: Some(500),
            ..load(&server, pacing, 60)
        };
        let outcome = run(&load, &mut RunTotals::default());
        server.stop().unwrap();
        assert_eq!((outcome.scheduled, outcome.completed), (500, 500));
    }
}

#[test]
fn a_load_that_is_stopped_accounts_for_what_was_due() {
    let fixed = Pacing::FixedRate {
        rate_per_s: 1_000.0,
        arrivals: Arrivals::Poisson,
    };
    for pacing in [think(20), fixed] {
        // Eight connections and 50 ms per answer: 160 events per second at most.
        let server = server(Some("constant:50ms"));
        let mut sums = RunTotals {
            stop_after: Some((1, StopSwitch::default())),
            ..RunTotals::default()
        };
        let is_open = pacing.is_open_loop();
        let outcome = run(&load(&server, pacing, 60), &mut sums);
        server.stop().unwrap();
        assert_eq!(outcome.status, Status::Interrupted);
        assert_eq!(outcome.unsent > 0, is_open, "{outcome:?}");
        assert_eq!(outcome.failed, 0);
        let unended = outcome.unsent + outcome.in_flight_at_end;
        assert_eq!(outcome.unended.count(), unended);
        let has_waited_long = outcome.unended.max_ns() > 500_000_000;
        assert_eq!(has_waited_long, is_open, "{outcome:?}");
    }
}

#[test]
fn a_statement_that_ends_its_connection_is_one_error_and_one_repeat() {
    let mut settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        ..Settings::default()
    };
    settings.faults.errors = vec!["1053:every=30".parse().unwrap()];
    let server = NullServer::start(settings).unwrap();
    let pacing = Pacing::FixedRate {
        rate_per_s: 300.0,
        arrivals: Arrivals::Constant,
    };
    let load = Load {
        errors: ErrorPolicy {
            after: RetryAfter::Codes(vec![2013]),
            ..ErrorPolicy::default()
        },
        ..load(&server, pacing, 2)
    };
    let mut sums = RunTotals::default();
    let outcome = run(&load, &mut sums);
    server.stop().unwrap();
    assert_eq!(outcome.status, Status::Complete);
    let codes = |counts: &ErrorCodeCounts| counts.iter().map(|(code, _)| code).collect::<Vec<_>>();
    assert_eq!(codes(&sums.errors), [1053]);
    assert_eq!(codes(&sums.retries), [1053]);
    assert_eq!(sums.errors.total(), sums.retries.total());
}

/// From the second event on, the first SELECT of each fails, and the ROLLBACK after it, every third statement, is
/// answered by the end of the connection.
#[test]
fn a_connection_that_is_lost_in_a_rollback_is_no_repeat_of_its_own() {
    let mut settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        ..Settings::default()
    };
    settings.faults.errors = vec!["1213:every=2".parse().unwrap()];
    settings.faults.errors_on = "point_select".parse().unwrap();
    settings.faults.drops = vec!["every=3".parse().unwrap()];
    let server = NullServer::start(settings).unwrap();
    let load = Load {
        concurrency: 1,
        workers: 1,
        events_limit: Some(20),
        errors: ErrorPolicy {
            after: RetryAfter::Codes(vec![1213, 2013]),
            rollback_first: true,
            retry_limit: Some(1),
            ..ErrorPolicy::default()
        },
        ..load(&server, Pacing::Closed { think: None }, 60)
    };
    let mut sums = RunTotals::default();
    let outcome = run(&load, &mut sums);
    server.stop().unwrap();
    assert_eq!(outcome.status, Status::Complete);
    assert_eq!((outcome.completed, outcome.failed), (20, 0));
    assert_eq!(sums.retries.iter().collect::<Vec<_>>(), [(1213, 19)]);
    assert_eq!(outcome.outages.len(), 19);
}

/// Probes end with events under way that nothing waits for, so every next probe begins with connections
/// that must be opened again.
#[test]
fn a_search_goes_on_over_connections_that_a_probe_left_unusable() {
    let server = server(Some("constant:300ms"));
    let load = Load {
        drain: Duration::ZERO,
        phases: Vec::new(),
        ..load(&server, think(1), 1)
    };
    let wanted = Search {
        quantile: 0.5,
        response_ns: SECOND_NS,
        first_per_s: 10.0,
        arrivals: Arrivals::Constant,
        precision: 1.0,
        settle_s: 0,
        window_s: 2,
    };
    let mut sums = RunTotals::default();
    let outcome = search(&load, &wanted, &StopSwitch::default(), &mut sums).unwrap();
    server.stop().unwrap();
    assert_accounted(&outcome);
    assert!(outcome.abandoned > 0 && outcome.unsent > 0, "{outcome:?}");
    let answer = outcome.search.unwrap();
    assert_eq!(sums.probes.len() as u32, answer.probes);
    assert!(
        answer.complete && answer.lowest_broken_per_s.is_some(),
        "{answer:?}"
    );
    for (probe, number) in sums.probes.iter().zip(1..) {
        assert_eq!(probe.number, number);
        let name = format!("probe {number}");
        let seconds = sums.seconds.iter().filter(|(_, phase)| **phase == name);
        let first = seconds.clone().next().map(|(&second, _)| second);
        assert_eq!((seconds.count(), first), (2, Some(probe.first_second)));
        assert!(probe.completed_per_s > 0.0, "{probe:?}");
    }
}

#[test]
fn a_search_that_is_stopped_says_what_it_knows() {
    let server = server(None);
    let stop = StopSwitch::default();
    let mut sums = RunTotals {
        stop_after: Some((4, stop.clone())),
        ..RunTotals::default()
    };
    let wanted = Search {
        quantile: 0.99,
        response_ns: 5 * SECOND_NS,
        first_per_s: 50.0,
        arrivals: Arrivals::Constant,
        precision: 0.1,
        settle_s: 0,
        window_s: 1,
    };
    let load = load(&server, think(1), 1);
    let outcome = search(&load, &wanted, &stop, &mut sums).unwrap();
    server.stop().unwrap();
    assert_accounted(&outcome);
    assert_eq!(outcome.status, Status::Interrupted);
    let answer = outcome.search.unwrap();
    assert!(
        !answer.complete && answer.lowest_broken_per_s.is_none(),
        "{answer:?}"
    );
    assert!(answer.highest_held_per_s.is_some());
}
