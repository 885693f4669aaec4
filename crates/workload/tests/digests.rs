//! Checks that what a user sends depends on the seed and its number alone: not on who else runs, on how many
//! threads, or when. Where statements depend on answers, the answers are the workload's stand-ins.
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]

use dbdyno_wire::BufferedRows;
use dbdyno_workload::{
    Call, Digested, NextAction, RandomKind, RandomSource, Response, User, UserDigest, Workload,
    workload, workload_names,
};
use std::sync::Arc;
use std::thread;

const EVENTS: u64 = 30;
const USERS: u32 = 8;

/// Returns options for small data, so that making a workload is quick.
fn options(name: &str) -> Vec<(String, String)> {
    let given: &[(&str, &str)] = match name {
        "sysbench/bulk_insert" => &[("tables", "12")], // one for each user
        name if name.starts_with("sysbench/") => &[("table_size", "1000")],
        name if name.starts_with("tpcc") => &[("warehouses", "2")],
        "linkbench" => &[("maxid1", "3001"), ("fidelity", "fixed")],
        _ => &[("nr1", "1000"), ("clients", "8")],
    };
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    given.iter().map(owned).collect()
}

fn digested(name: &str, seed: u64, users: u32, more: &[(&str, &str)]) -> Arc<Digested> {
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed,
    };
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let mut given = options(name);
    given.extend(more.iter().map(owned));
    let made = workload(name, &given, source, users).unwrap();
    Arc::new(Digested::new(made, EVENTS))
}

/// Gives how long the user rests after it.
fn do_event(made: &dyn Workload, user: &mut dyn User) -> u64 {
    let (mut call, mut rows, mut reply) = (Call::default(), BufferedRows::default(), None);
    user.start_event(None);
    loop {
        let answer = reply.as_ref().map(|reply| Response {
            reply,
            rows: &mut rows,
        });
        if user.next(answer, &mut call) != NextAction::Send {
            break;
        }
        rows.expect(false);
        reply = Some(made.canned_reply(&call, &mut rows));
    }
    user.finish_event()
}

/// Runs one event of each user in turn.
fn in_turn(made: &dyn Workload, numbers: impl Iterator<Item = u32>, events: u64) {
    let mut users: Vec<_> = numbers.map(|number| made.user(number)).collect();
    for _ in 0..events {
        users
            .iter_mut()
            .for_each(|user| _ = do_event(made, user.as_mut()));
    }
}

/// Runs so many threads, each with its share of the users; further events don't count.
fn on_threads(made: &Arc<Digested>, threads: u32) -> Vec<UserDigest> {
    thread::scope(|scope| {
        for first in 0..threads {
            let mine = (first..USERS).step_by(threads as usize);
            scope.spawn(move || in_turn(made.as_ref(), mine, EVENTS + u64::from(first)));
        }
    });
    made.digests()
}

/// Runs each user from its first event to its last, the last user first.
fn one_after_the_other(made: &Arc<Digested>) -> Vec<UserDigest> {
    (0..USERS)
        .rev()
        .for_each(|number| in_turn(made.as_ref(), number..number + 1, EVENTS));
    made.digests()
}

/// Returns every workload that has a fixed name, and every step of the insert benchmark.
fn all() -> Vec<(String, Vec<(&'static str, &'static str)>)> {
    let names = workload_names().into_iter();
    let steps = ["l.i0", "l.x", "l.i1", "l.i2", "qr100", "qp100"];
    let steps = steps.map(|step| ("insert-benchmark".to_owned(), vec![("step", step)]));
    names.map(|name| (name, Vec::new())).chain(steps).collect()
}

#[test]
fn one_two_and_four_threads_send_the_same() {
    let all = all();
    assert!(all.len() > 20, "{}", all.len());
    for (name, more) in all {
        let run = |threads| on_threads(&digested(&name, 1, USERS, &more), threads);
        let expected = one_after_the_other(&digested(&name, 1, USERS, &more));
        assert_eq!(expected.len(), USERS as usize, "{name}");
        assert!(expected.iter().all(|user| user.events == EVENTS), "{name}");
        for threads in [1, 2, 4] {
            assert!(
                run(threads) == expected,
                "{name} {more:?} on {threads} threads"
            );
        }
    }
}

/// sysbench shares the table out among the users of these.
const SHARED_OUT: [&str; 2] = [
    "sysbench/select_random_points",
    "sysbench/select_random_ranges",
];

#[test]
fn a_users_statements_do_not_depend_on_how_many_users_there_are() {
    let mut dependent = Vec::new();
    for (name, more) in all() {
        let of_first = |users| {
            let made = digested(&name, 1, users, &more);
            in_turn(made.as_ref(), 0..1, EVENTS);
            made.digests()
        };
        if of_first(1) != of_first(USERS) {
            dependent.push(name);
        }
    }
    assert_eq!(dependent, SHARED_OUT);
}

#[test]
fn users_and_seeds_differ_and_one_letter_is_seen() {
    let digest = |seed, more: &[(&str, &str)]| {
        one_after_the_other(&digested("sysbench/oltp_read_write", seed, USERS, more))
    };
    let first = digest(1, &[]);
    let mut different: Vec<String> = first.iter().map(UserDigest::to_string).collect();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), USERS as usize);
    assert!(digest(2, &[]) != first);
    assert!(digest(1, &[("skip_trx", "on")]) != first);
    assert_eq!(first[0].to_string().len(), 64);
}

#[test]
fn at_a_standstill_the_servers_clock_is_set_and_nobody_rests() {
    let made = |name| {
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed: 1,
        };
        workload(name, &options(name), source, 1).unwrap()
    };
    let still = Digested::new(made("tpcc/standard"), EVENTS).at_standstill(7);
    let moving = Digested::new(made("tpcc/standard"), EVENTS);
    assert!(rest_after_an_event(&moving) > 0, "keying and thinking");
    assert_eq!(rest_after_an_event(&still), 0);
    assert_eq!(still.digests(), moving.digests());
    let both_lanes = Digested::new(made("linkbench"), EVENTS).at_standstill(7);
    for lane in 0..both_lanes.spec().lanes() {
        let statements = &both_lanes.spec().session_statements[usize::from(lane)];
        assert_eq!(statements.last().unwrap(), "SET timestamp = 7");
    }
}

fn rest_after_an_event(made: &Digested) -> u64 {
    let mut user = made.user(0);
    let before = user.initial_rest_ns();
    before + do_event(made, user.as_mut())
}
