//! Checks what counts as a silence of the server, and what is a pause of the load.

use super::{RunTotals, load, run, server, think};
use dbdyno_drive::{Arrivals, Load, Pacing};
use dbdyno_null_server::{NullServer, Settings};

const MS: u64 = 1_000_000;

fn rate(rate_per_s: f64) -> Pacing {
    Pacing::FixedRate {
        rate_per_s,
        arrivals: Arrivals::Constant,
    }
}

fn longest_silence_ns(server: &NullServer, pacing: Pacing) -> u64 {
    let load = Load {
        concurrency: 2,
        ..load(server, pacing, 3)
    };
    run(&load, &mut RunTotals::default()).longest_silence_ns
}

/// Events a second apart showed a second of silence.
#[test]
fn gaps_between_events_and_think_times_are_no_silence() {
    let server = server(None);
    for pacing in [rate(1.0), think(60_000)] {
        let silence_ns = longest_silence_ns(&server, pacing.clone());
        assert!(silence_ns < 600 * MS, "{pacing:?}: {silence_ns} ns");
    }
    server.stop().unwrap();
}

#[test]
fn a_server_that_answers_nothing_is_silent_from_the_first_request_on() {
    let mut settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        ..Settings::default()
    };
    settings.faults.freezes = vec!["600ms+1500ms".parse().unwrap()];
    for pacing in [rate(4.0), Pacing::Closed { think: None }] {
        let server = NullServer::start(settings.clone()).unwrap();
        let silence_ns = longest_silence_ns(&server, pacing.clone());
        // Of a rate of 4 a second, the first request meets the freeze at most 250 ms late.
        let expected = 1_100 * MS..2_400 * MS;
        assert!(
            expected.contains(&silence_ns),
            "{pacing:?}: {silence_ns} ns"
        );
        server.stop().unwrap();
    }
}
