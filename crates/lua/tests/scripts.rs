//! Small scripts, as users have them.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use support::outcome;

#[test]
fn child() {
    support::play_the_child();
}

#[test]
fn an_event_runs_once_per_event() {
    let outcome = outcome(
        "function event(id) print('hello', id) end",
        "--events=3 run",
    );
    assert_eq!(
        outcome.stdout.matches("hello\t0\n").count(),
        3,
        "{outcome:?}"
    );
    assert_eq!(outcome.exit, Some(0));
}
