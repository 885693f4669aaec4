//! Small scripts, as users have them.

mod support;

use support::{Case, outcome};

#[test]
fn child() {
    support::play_the_child();
}

#[test]
fn an_event_runs_once_per_event() {
    let outcome =
        outcome(&Case::new("function event() print('hello', thread_id) end").threads(1, 3));
    assert_eq!(
        outcome.stdout.matches("hello\t0\n").count(),
        3,
        "{outcome:?}"
    );
    assert_eq!(outcome.exit, Some(0));
}
