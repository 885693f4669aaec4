//! Checks runs with `--rate`.

use super::*;
use crate::{Fixes, Settings};

/// Returns the number behind a label.
fn figure(text: &str, label: &str) -> f64 {
    let (_, rest) = text
        .split_once(label)
        .unwrap_or_else(|| panic!("{label}: {text}"));
    rest.split_whitespace()
        .next()
        .unwrap()
        .trim_end_matches('s')
        .parse()
        .unwrap()
}

#[test]
fn events_arrive_at_their_rate_and_users_wait_for_them() {
    let play = Play::of_pauses(1);
    let settings = Settings {
        rate: 200,
        time_s: 2,
        ..settings(20)
    };
    assert_eq!(play.run(settings), 0);
    let text = play.screen.text();
    let events = figure(&text, "total number of events:");
    assert!((300.0..500.0).contains(&events), "{text}");
    assert!(figure(&text, "avg:") < 20.0, "nobody queues: {text}");
    assert!(figure(&text, "total time:") < 2.5, "{text}");
}

#[test]
fn time_in_the_queue_is_part_of_the_latency_and_what_is_left_is_told() {
    let play = Play::of_pauses(20);
    let settings = Settings {
        rate: 100,
        time_s: 1,
        fixes: Fixes::ALL,
        report_interval_s: 1,
        ..settings(1)
    };
    assert_eq!(play.run(settings), 0);
    let text = play.screen.text();
    let (events, left) = (
        figure(&text, "total number of events:"),
        figure(&text, "left in the queue at the end:"),
    );
    assert!((20.0..=51.0).contains(&events), "{text}");
    assert!(
        (70.0..130.0).contains(&(events + left)),
        "a hundred arrive: {text}"
    );
    assert!(figure(&text, "max:") > 200.0, "{text}");
    let waiting = figure(&text, "queue length:");
    assert!((waiting - left).abs() <= 2.0, "{text}");
    // The one user is at an event, unless the second ends just between two.
    assert!(figure(&text, "concurrency:") <= 1.0, "{text}");
}

/// One user is at its only event while two dozen arrive that nobody asked for.
#[test]
fn arrivals_beyond_the_limit_of_events_are_not_left_in_the_queue() {
    let play = Play::new(|_, actor| {
        pause(if actor.tid == 0 { 1_000 } else { 1 });
        Ok(())
    });
    let settings = Settings {
        rate: 20,
        events: 3,
        fixes: Fixes::ALL,
        ..settings(2)
    };
    assert_eq!(play.run(settings), 0);
    let text = play.screen.text();
    let none = "Arrivals left in the queue at the end: 0\n";
    assert!(text.contains(none), "{text}");
}

#[test]
fn a_queue_without_room_ends_the_run() {
    let play = Play::of_pauses(20);
    let settings = Settings {
        rate: 10_000_000,
        time_s: 20,
        ..settings(1)
    };
    assert_eq!(play.run(settings), 1);
    let text = play.screen.text();
    let (_, end) = text.split_once("started!\n\n").unwrap();
    let full = "FATAL: The event queue is full. This means the worker threads are unable to keep up with the specified event generation rate\n";
    assert_eq!(end, format!("{full}thread_done 0\ndone\n"));
}

#[test]
fn a_failure_is_noticed_by_users_that_wait_for_arrivals() {
    let play = Play::new(|_, _| Err(crate::run::Failed));
    let settings = Settings {
        rate: 1,
        events: 1,
        time_s: 60,
        ..settings(10)
    };
    // One user takes the only event, nine have none to wait for.
    assert_eq!(play.run(settings), 1);
}
