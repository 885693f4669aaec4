//! Checks what runs count.

use super::*;
use crate::figures::Counter;
use crate::run::ledger_after_warm_up;
use crate::{Dialect, Settings};
use dbdyno_fiber::monotonic_ns;

#[test]
fn every_event_costs_a_random_number_unless_there_is_no_percentile() {
    for (percentile, drawn) in [(95, 3), (0, 0)] {
        let play = Play::new(|_, _| Ok(()));
        let engine = play.engine(Settings {
            percentile,
            ..settings(1)
        });
        let actor = engine.user_actor(0);
        let mut expected = engine.seeds.thread(0);
        (0..drawn).for_each(|_| {
            expected.next_u64();
        });
        for _ in 0..3 {
            assert!(engine.more_events(&actor));
            engine.event_start(&actor);
            engine.event_stop(&actor);
        }
        assert_eq!(actor.with_stream(|stream| stream.state()), expected.state());
    }
}

#[test]
fn an_event_that_is_not_stopped_does_not_count() {
    let play = Play::new(|_, _| Ok(()));
    let engine = play.engine(settings(1));
    let actor = engine.user_actor(0);
    engine.event_start(&actor);
    engine.event_start(&actor);
    engine.event_stop(&actor);
    engine.event_stop(&actor);
    assert_eq!(engine.figures.value(0, Counter::Event), 1);
    assert_eq!(engine.figures.busy(), 0);
}

#[test]
fn queries_of_main_and_reporting_threads_do_not_count() {
    let play = Play::new(|_, _| Ok(()));
    let engine = play.engine(settings(2));
    for actor in [engine.main_actor(), engine.reporting_actor(0)] {
        engine.figures.count(&actor, Counter::Read);
        engine.figures.count_code(&actor, 1213);
    }
    assert_eq!(engine.figures.counts().queries(), 0);
    assert!(engine.figures.codes().is_empty());
    engine.figures.count(&engine.user_actor(1), Counter::Read);
    assert_eq!(engine.figures.counts().reads, 1);
    assert_eq!(engine.figures.value(1, Counter::Read), 1);
}

/// The main thread notices the end of the warm-up when it gets a processor.
#[test]
fn events_between_the_end_of_the_warm_up_and_its_notice_count() {
    let play = Play::new(|_, _| Ok(()));
    let engine = play.engine(settings(1));
    let actor = engine.user_actor(0);
    let event = || {
        engine.event_start(&actor);
        engine.event_stop(&actor);
    };
    let ended_ns = monotonic_ns();
    engine.control.begin(ended_ns - 1, ended_ns, None);
    engine.figures.count(&actor, Counter::Read);
    (0..3).for_each(|_| event());
    let mut ledger = ledger_after_warm_up(&engine, ended_ns);
    (0..2).for_each(|_| event());
    engine.figures.count(&actor, Counter::Write);
    let now_ns = monotonic_ns();
    let figures = ledger.full(&engine.figures, now_ns, now_ns);
    assert_eq!((figures.counts.events, figures.users[0].events), (5, 5));
    assert_eq!((figures.counts.reads, figures.counts.writes), (0, 1));
    assert_eq!(figures.time_interval_ns, now_ns - ended_ns);
    assert!(figures.latency_min_ns > 0 && figures.latency_percentile_ms > 0.0);
    assert_eq!(engine.figures.warm_up().unwrap().counts.events, 0);
}

/// Runs two users, of whom the one pauses in each event for so long and the other for twice as long, in a run with a
/// second of warm-up; the events that counted.
fn counted_after_warm_up(pause_ms: u64, time_s: u32, events: u64) -> String {
    let play = Play::new(move |_, actor| {
        pause(pause_ms * (1 + u64::from(actor.tid)));
        Ok(())
    });
    let settings = Settings {
        dialect: Dialect::V1_1,
        warmup_s: 1,
        time_s,
        events,
        ..settings(2)
    };
    let began_ns = monotonic_ns();
    assert_eq!(play.run(settings), 0);
    assert!(monotonic_ns() - began_ns < 4_000_000_000);
    let text = play.screen.text();
    assert!(text.contains("Warming up for 1 seconds..."), "{text}");
    let total = text.split_once("total number of events:").unwrap().1;
    total.lines().next().unwrap().trim().to_owned()
}

#[test]
fn events_of_the_warm_up_do_not_count_but_those_that_end_behind_it() {
    assert_eq!(counted_after_warm_up(1_200, 1, 0), "3");
}

#[test]
fn events_that_the_warm_up_leaves_under_way_count_beside_those_that_the_limit_allows() {
    assert_eq!(counted_after_warm_up(300, 0, 1), "3");
}
