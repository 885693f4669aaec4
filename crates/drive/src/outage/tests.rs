//! Tests the computation of outages.

use super::*;

const S: u64 = SECOND_NS;

fn log(turns: &[(u64, ConnectionEvent)]) -> OutageLog {
    OutageLog {
        turns: turns.to_vec(),
        ..OutageLog::default()
    }
}

#[test]
fn the_notes_of_all_workers_make_one_outage() {
    use ConnectionEvent::{Answered, Reopened};
    const LOST: ConnectionEvent = ConnectionEvent::Lost(Cause::Server);
    let one = log(&[(12 * S, LOST), (14 * S, Reopened), (14 * S + 5, Answered)]);
    let other = log(&[
        (12 * S + 7, LOST),
        (15 * S, Reopened),
        (15 * S + 9, Answered),
    ]);
    let completed = [[0, 50].as_slice(), &[100; 10], &[3, 0, 40, 94, 95, 99]].concat();
    let found = outages(vec![one, other], 2, 0, &completed);
    let expected = Outage {
        start_ns: 12 * S,
        first_success_ns: Some(14 * S + 5),
        restored_ns: Some(15 * S),
        connections_lost: 2,
        cause: Cause::Server,
        all_lost: true,
        former_tps: Some(100.0),
        regained_ns: Some(17 * S),
    };
    assert_eq!(found, [expected]);
}

#[test]
fn a_single_connection_lost_among_others_is_an_outage_of_its_own() {
    use ConnectionEvent::Reopened;
    const LOST: ConnectionEvent = ConnectionEvent::Lost(Cause::Server);
    let turns = [(S, LOST), (2 * S, Reopened), (3 * S, LOST)];
    let found = outages(vec![log(&turns)], 64, 0, &[]);
    assert_eq!(found.len(), 2);
    assert!(!found[0].all_lost && found[0].former_tps.is_none());
    assert_eq!(
        (found[0].restored_ns, found[1].restored_ns),
        (Some(2 * S), None)
    );
}

#[test]
fn an_answer_after_the_next_connection_was_lost_is_one_of_the_first_outage() {
    use ConnectionEvent::{Answered, Reopened};
    const LOST: ConnectionEvent = ConnectionEvent::Lost(Cause::Server);
    let turns = [
        (S, LOST),
        (2 * S, Reopened),
        (3 * S, LOST), // another connection, before the first one has an answer
        (4 * S, Answered),
        (5 * S, Reopened),
        (6 * S, Answered),
    ];
    let found = outages(vec![log(&turns)], 2, 0, &[]);
    let answers: Vec<_> = found.iter().map(|outage| outage.first_success_ns).collect();
    assert_eq!(answers, [Some(4 * S), Some(6 * S)]);
}

#[test]
fn only_an_answer_on_a_reopened_connection_ends_the_silence() {
    let mut log = OutageLog::default();
    log.hear(false, 1);
    log.lose(2, Cause::Server);
    log.reopen(3);
    log.hear(false, 4);
    log.hear(true, 5);
    log.hear(true, 6);
    let found = outages(vec![log], 8, 0, &[]);
    assert_eq!(found[0].first_success_ns, Some(5));
}

#[test]
fn a_path_that_comes_back_is_an_outage_without_a_lost_connection() {
    let mut logs = [OutageLog::default(), OutageLog::default()];
    logs[0].lose_path(12 * S, 8);
    logs[1].lose_path(12 * S + 7, 8);
    assert!(logs[0].is_path_lost());
    logs[0].hear(false, 18 * S);
    logs[1].hear(false, 19 * S);
    logs[1].hear(false, 20 * S);
    assert!(!logs[0].is_path_lost());
    let found = outages(logs.into(), 16, 0, &[100; 30]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].start_ns, found[0].restored_ns),
        (12 * S, Some(19 * S))
    );
    assert_eq!((found[0].connections_lost, found[0].all_lost), (16, true));
    assert_eq!(
        (found[0].cause, found[0].former_tps),
        (Cause::Network, Some(100.0))
    );
}

#[test]
fn connections_that_break_over_a_dead_path_are_part_of_its_outage() {
    let mut log = OutageLog::default();
    log.lose_path(12 * S, 2);
    log.lose(22 * S, Cause::Network);
    log.lose(22 * S + 1, Cause::Server);
    log.reopen(30 * S);
    log.reopen(31 * S);
    log.hear(true, 32 * S);
    let found = outages(vec![log], 2, 0, &[]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].start_ns, found[0].restored_ns),
        (12 * S, Some(31 * S))
    );
    assert_eq!(
        (found[0].first_success_ns, found[0].cause),
        (Some(32 * S), Cause::Network)
    );
}

#[test]
fn a_path_that_stays_away_is_told_from_its_last_reply_to_the_end() {
    let mut log = OutageLog::default();
    log.lose_path(5 * S, 3);
    let found = outages(vec![log], 4, 0, &[]);
    assert_eq!(found[0].restored_ns, None);
    assert!(!found[0].all_lost, "one rested and waited for nothing");
    let words = found[0].path_words("db:3306", 2 * S);
    assert!(words.contains("from second 3.0 to the end"), "{words}");
}
