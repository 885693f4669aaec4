//! Checks how runs end.

use super::*;
use crate::figures::Counter;
use crate::run::{Failed, parallel_command};
use crate::{Fixes, Settings};
use dbdyno_fiber::monotonic_ns;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const STARTED: &str = "\
Running the test with following options:
Number of threads: 2
Initializing random number generator from seed (7).


Initializing worker threads...

Threads started!

";

#[test]
fn a_run_of_some_events_prints_what_sysbench_prints() {
    let play = Play::of_pauses(1);
    let settings = Settings {
        events: 3,
        ..settings(2)
    };
    assert_eq!(play.run(settings), 0);
    let expected = format!(
        "{STARTED}thread_done #
thread_done #

General statistics:
    total time:                          #s
    total number of events:              3

Latency (ms):
         min:                                    #
         avg:                                    #
         max:                                    #
         95th percentile:                        #
         sum:                                    #

Threads fairness:
    events (avg/stddev):           #/
    execution time (avg/stddev):   #/

done
"
    );
    let shape = play
        .screen
        .shape()
        .replace("_done 0", "_done #")
        .replace("_done 1", "_done #");
    assert_eq!(shape.replace(' ', ""), expected.replace(' ', ""));
}

#[test]
fn the_event_limit_holds_over_all_users_of_all_threads_to_the_event() {
    let begun = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&begun);
    let play = Play::new(move |_, _| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let settings = Settings {
        events: 10_007,
        workers: Some(3),
        verbosity: 4,
        ..settings(40)
    };
    assert_eq!(play.run(settings), 0);
    assert_eq!(begun.load(Ordering::Relaxed), 10_007);
    let text = play.screen.text();
    assert!(
        text.contains("total number of events:              10007\n"),
        "{text}"
    );
    assert!(
        text.contains("Event limit exceeded, exiting...\n"),
        "{text}"
    );
    assert!(text.contains("\nDone.\n\n\nGeneral"), "{text}");
}

#[test]
fn users_that_never_wait_share_their_thread() {
    let play = Play::new(|_, _| {
        let until_ns = monotonic_ns() + 100_000;
        while monotonic_ns() < until_ns {}
        Ok(())
    });
    let settings = Settings {
        events: 400,
        ..settings(4)
    };
    let engine = play.engine(settings);
    play.run_on(&engine);
    for user in 0..4 {
        let events = engine.figures.value(user, Counter::Event);
        assert!((80..=120).contains(&events), "{}", play.screen.text());
    }
}

#[test]
fn a_user_that_can_not_be_initialised_keeps_the_run_from_starting() {
    let mut play = Play::of_pauses(1);
    let screen = play.screen.clone();
    play.init = Arc::new(move |_, actor| {
        pause(u64::from(actor.tid));
        screen.say(&format!("init {}", actor.tid));
        if actor.tid == 1 { Err(Failed) } else { Ok(()) }
    });
    assert_eq!(play.run(settings(3)), 1);
    let text = play.screen.text();
    let end = "\n\ninit 0\ninit 1\ninit 2\nFATAL: Thread initialization failed!\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn users_that_do_not_come_to_the_start_in_time_end_the_run() {
    let mut play = Play::of_pauses(1);
    play.init = Arc::new(|_, _| {
        pause(60_000);
        Ok(())
    });
    let settings = Settings {
        init_timeout_s: 1,
        ..settings(1)
    };
    assert_eq!(play.run(settings), 2);
    let text = play.screen.text();
    let end = "FATAL: Worker threads failed to initialize within 1 seconds!\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_time_of_zero_is_no_limit_for_users_that_come_to_the_start() {
    let mut play = Play::of_pauses(1);
    play.init = Arc::new(|_, _| {
        pause(50);
        Ok(())
    });
    let settings = Settings {
        init_timeout_s: 0,
        events: 1,
        ..settings(1)
    };
    assert_eq!(play.run(settings), 0);
}

fn second_user_fails() -> Play {
    Play::new(|engine, actor| {
        pause(10);
        if actor.tid == 1 {
            engine
                .log
                .fatal("`thread_run' function failed: a.lua:3: boom");
            return Err(Failed);
        }
        Ok(())
    })
}

#[test]
fn a_user_that_fails_ends_the_run_without_a_report() {
    let play = second_user_fails();
    assert_eq!(play.run(settings(3)), 1);
    let text = play.screen.text();
    let (_, end) = text.split_once("started!\n\n").unwrap();
    let expected =
        "FATAL: `thread_run' function failed: a.lua:3: boom\nthread_done 0\nthread_done 2\ndone\n";
    let swapped = expected.replace(
        "thread_done 0\nthread_done 2",
        "thread_done 2\nthread_done 0",
    );
    assert!(end == expected || end == swapped, "{end}");
}

#[test]
fn a_failed_run_reports_all_the_same_where_that_was_asked_for() {
    let play = second_user_fails();
    let settings = Settings {
        fixes: Fixes::ALL,
        ..settings(3)
    };
    assert_eq!(play.run(settings), 1);
    let text = play.screen.text();
    assert!(text.contains("total number of events:"), "{text}");
    assert!(text.ends_with("\ndone\n"), "{text}");
}

#[test]
fn a_panic_in_a_user_fails_the_run_and_hangs_nobody() {
    let play = Play::new(|_, actor| {
        pause(5);
        assert_ne!(actor.tid, 1, "on purpose");
        Ok(())
    });
    assert_eq!(play.run(settings(2)), 1);
    assert!(
        play.screen
            .text()
            .contains("FATAL: a user ended by a defect")
    );
    let mut play = Play::of_pauses(1);
    play.init = Arc::new(|_, _| panic!("on purpose"));
    assert_eq!(play.run(settings(2)), 1);
    // The last user's own message may come behind it.
    let text = play.screen.text();
    assert!(
        text.contains("FATAL: Thread initialization failed!\n"),
        "{text}"
    );
}

#[test]
fn users_that_do_not_end_are_given_up_after_the_grace() {
    let play = Play::new(|_, actor| {
        pause(if actor.tid == 0 { 60_000 } else { 100 });
        Ok(())
    });
    let settings = Settings {
        time_s: 1,
        forced_shutdown_s: Some(1),
        histogram: true,
        ..settings(2)
    };
    assert_eq!(play.run(settings), 2);
    let text = play.screen.text();
    // sysbench takes every user that began an event for unfinished.
    let middle = "FATAL: The --max-time limit has expired, forcing shutdown...\n\n\
        Number of unfinished transactions on forced shutdown: 2\n\nGeneral statistics:\n";
    assert!(text.contains(middle), "{text}");
    assert!(
        text.contains("total time:                          2.0"),
        "{text}"
    );
    assert!(!text.contains("done\n"), "{text}");
}

#[test]
fn events_of_users_that_are_given_up_count_in_all_of_the_users_own_figures() {
    let play = Play::of_pauses(60_000);
    let settings = Settings {
        time_s: 1,
        forced_shutdown_s: Some(0),
        debug: true,
        verbosity: 5,
        ..settings(1)
    };
    assert_eq!(play.run(settings), 2);
    let text = play.screen.text();
    let mut lines = text.lines();
    let line = lines.find(|line| line.contains("thread #  0: min:"));
    let line = line.unwrap();
    assert!(line.ends_with("events: 1"), "{line}");
    assert!(!line.contains(" 0.0000s"), "{line}");
}

#[test]
fn a_programs_own_report_takes_the_place_of_ours_when_users_are_given_up() {
    let mut play = Play::new(|_, _| {
        pause(60_000);
        Ok(())
    });
    play.writes_reports = true;
    let settings = Settings {
        time_s: 1,
        forced_shutdown_s: Some(1),
        histogram: true,
        ..settings(1)
    };
    assert_eq!(play.run(settings), 2);
    let text = play.screen.text();
    let (_, end) = text.split_once("FATAL: ").unwrap();
    let lines: Vec<&str> = end
        .lines()
        .skip(1)
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(lines, ["final: 0 events"], "{text}");
}

#[test]
fn a_script_without_end_is_interrupted_long_after_the_time_limit() {
    let mut play = Play::of_pauses(1);
    let (interrupted, screen) = (Arc::clone(&play.interrupted), play.screen.clone());
    play.event = Arc::new(move |_, _| {
        while !interrupted.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
        screen.say("FATAL: a.lua:2: interrupted");
        Err(Failed)
    });
    let settings = Settings {
        time_s: 1,
        report_interval_s: 1,
        ..settings(1)
    };
    assert_eq!(play.run_with_timeout(settings, 2_000_000_000), 1);
    let text = play.screen.text();
    assert!(text.contains("[ 1s ] thds: 1 eps: 0.00"), "{text}");
    // On a busy machine one more report may come in between.
    assert!(text.contains("FATAL: a.lua:2: interrupted\n"), "{text}");
    assert!(text.ends_with("done\n"), "{text}");
}

#[test]
fn a_parallel_command_is_carried_out_by_every_user_even_if_one_fails() {
    let play = Play::of_pauses(1);
    let engine = play.engine(settings(5));
    let done = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&done);
    let result = parallel_command(&engine, move |_, actor| {
        pause(5);
        counter.fetch_add(1, Ordering::Relaxed);
        if actor.tid == 2 { Err(Failed) } else { Ok(()) }
    });
    assert_eq!(result, Err(Failed));
    assert_eq!(done.load(Ordering::Relaxed), 5);
    assert_eq!(play.screen.text(), "Initializing worker threads...\n\n");
    assert_eq!(parallel_command(&engine, |_, _| Ok(())), Ok(()));
}
