//! Keeps the users of one client in step.
//!
//! In the tool a process makes the statements and puts them into two queues, one for the inserter and one for the
//! deleter; when either is full it waits, so that both go at the same pace, a few statements apart. Here nobody makes
//! statements for others, but the rounds that such a maker would have made so far are counted in the same way.

use super::round_pacing::RoundPacing;
use crate::Readiness;

/// Statements that wait in a queue at most.
const QUEUE: u64 = 8;

/// Rounds after which the lowest key is asked for again: the tool counts down from 1000 to 0, and then asks.
const RESYNC_ROUNDS: u64 = 1001;

/// How long a user waits that can't know when its partner will be done. The partner has a full queue meanwhile.
const POLL_NS: u64 = 250_000;

/// Says who takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundParticipant {
    Inserter,
    Deleter,
}

/// The rounds of one client.
#[derive(Debug)]
pub(super) struct Rounds {
    total: u64,
    rows_per_round: u64,
    deletes: bool,
    round_pacing: RoundPacing,
    /// Rounds whose statements are made.
    made: u64,
    /// Rounds that were begun, by hand.
    begun: [u64; 2],
    /// Rounds that are over, well or not, by hand.
    over: [u64; 2],
    /// The answers to the question for the lowest key: from which round on they count, and the key. The latest two,
    /// for deletes made before it may still be waiting.
    lowest: [Option<(u64, u64)>; 2],
}

impl Rounds {
    pub(super) fn new(
        total: u64,
        rows_per_round: u64,
        deletes: bool,
        round_pacing: RoundPacing,
    ) -> Self {
        Self {
            total,
            rows_per_round,
            deletes,
            round_pacing,
            made: 0,
            begun: [0; 2],
            over: [0; 2],
            lowest: [None; 2],
        }
    }

    /// Returns whether everything is inserted, and deleted where rows are.
    pub(super) fn is_over(&self) -> bool {
        let [inserted, deleted] = self.over;
        inserted >= self.total && (!self.deletes || deleted >= self.total)
    }

    /// Returns whether a participant begins its next round.
    pub(super) fn poll_ready(&mut self, hand: RoundParticipant, now_ns: u64) -> Readiness {
        self.make(now_ns);
        match self.begun[hand as usize] {
            begun if begun >= self.total => Readiness::Retired,
            begun if begun < self.made => Readiness::Ready,
            _ => self.rest(now_ns, POLL_NS),
        }
    }

    /// Returns whether it is time to ask for the lowest key. The user that asks is seldom needed and looks seldom.
    pub(super) fn stand_by_to_ask(&mut self, now_ns: u64) -> Readiness {
        self.make(now_ns);
        if self.wants_lowest() {
            return Readiness::Ready;
        }
        match self.made >= self.total {
            true => Readiness::Retired,
            false => self.rest(now_ns, 4 * POLL_NS),
        }
    }

    fn rest(&mut self, now_ns: u64, poll_ns: u64) -> Readiness {
        let awake_ns = self.round_pacing.awake_ns(self.made, now_ns);
        Readiness::RestUntil(match self.made < self.total && awake_ns > now_ns {
            true => awake_ns,
            false => now_ns + poll_ns,
        })
    }

    /// Begins a participant's round and returns its number, from 0.
    pub(super) fn begin(&mut self, hand: RoundParticipant) -> u64 {
        let round = self.begun[hand as usize];
        self.begun[hand as usize] += 1;
        round
    }

    /// Returns whether a participant has no round left to begin.
    pub(super) fn has_begun_all(&self, hand: RoundParticipant) -> bool {
        self.begun[hand as usize] >= self.total
    }

    /// Returns whether an insert was begun and is not over.
    pub(super) fn is_inserting(&self) -> bool {
        self.begun[0] > self.over[0]
    }

    /// Ends everything that a participant began.
    pub(super) fn end(&mut self, hand: RoundParticipant) {
        self.over[hand as usize] = self.begun[hand as usize];
    }

    /// Takes the lowest key, as the server gave it.
    pub(super) fn learn_lowest(&mut self, key: u64) {
        self.lowest = [Some((self.made, key)), self.lowest[0]];
    }

    /// Returns the key from which the delete of a round takes its rows: the one asked for last, and what was deleted
    /// since. Where none was asked for, keys are taken to begin with 1.
    pub(super) fn delete_from(&self, round: u64) -> u64 {
        let known = self.lowest.iter().flatten();
        let (since, key) = *known
            .filter(|(since, _)| *since <= round)
            .max_by_key(|(since, _)| *since)
            .unwrap_or(&(0, 1));
        key + (round - since) * self.rows_per_round
    }

    /// Returns where the deletes stand, for those who read; 0 before the first and where nothing is deleted (Q-IB-1).
    pub(super) fn deleted_up_to(&self) -> u64 {
        match self.deletes && self.made > 0 {
            true => self.delete_from(self.made),
            false => 0,
        }
    }

    fn wants_lowest(&self) -> bool {
        let is_time =
            self.deletes && self.made < self.total && self.made.is_multiple_of(RESYNC_ROUNDS);
        is_time && self.lowest[0].is_none_or(|(since, _)| since < self.made)
    }

    /// Makes every round that can be made.
    fn make(&mut self, now_ns: u64) {
        let has_room = |over: u64, made: u64| made - over <= QUEUE;
        while self.made < self.total
            && has_room(self.over[0], self.made)
            && (!self.deletes || has_room(self.over[1], self.made))
            && !self.wants_lowest()
            && self.round_pacing.awake_ns(self.made, now_ns) <= now_ns
        {
            self.round_pacing.made(self.made, now_ns);
            self.made += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn do_one(rounds: &mut Rounds, hand: RoundParticipant) -> u64 {
        assert_eq!(rounds.poll_ready(hand, 1), Readiness::Ready);
        let round = rounds.begin(hand);
        rounds.end(hand);
        round
    }

    #[test]
    fn neither_hand_gets_further_ahead_than_a_queue_and_one_under_way() {
        let mut rounds = Rounds::new(100, 50, true, RoundPacing::Free);
        assert_eq!(rounds.stand_by_to_ask(0), Readiness::Ready);
        assert!(matches!(
            rounds.poll_ready(RoundParticipant::Inserter, 0),
            Readiness::RestUntil(_)
        ));
        rounds.learn_lowest(101);
        for round in 0..9 {
            assert_eq!(do_one(&mut rounds, RoundParticipant::Inserter), round);
        }
        assert_eq!(
            rounds.poll_ready(RoundParticipant::Inserter, 5),
            Readiness::RestUntil(5 + POLL_NS)
        );
        do_one(&mut rounds, RoundParticipant::Deleter);
        assert_eq!(do_one(&mut rounds, RoundParticipant::Inserter), 9);
    }

    #[test]
    fn the_lowest_key_is_counted_on_between_two_answers() {
        let mut rounds = Rounds::new(3000, 50, true, RoundPacing::Free);
        assert_eq!(rounds.delete_from(2), 101, "keys begin with 1");
        rounds.stand_by_to_ask(0);
        rounds.learn_lowest(1_000);
        let mut asked = Vec::new();
        while !rounds.is_over() {
            if rounds.stand_by_to_ask(1) == Readiness::Ready {
                asked.push(rounds.made);
                let early = rounds.delete_from(rounds.made - 1);
                rounds.learn_lowest(7);
                assert_eq!(rounds.delete_from(rounds.made), 7);
                assert_eq!(rounds.delete_from(rounds.made - 1), early);
            }
            do_one(&mut rounds, RoundParticipant::Inserter);
            do_one(&mut rounds, RoundParticipant::Deleter);
        }
        assert_eq!(asked, [1001, 2002]);
        assert_eq!(rounds.stand_by_to_ask(2), Readiness::Retired);
        assert_eq!(
            rounds.poll_ready(RoundParticipant::Deleter, 2),
            Readiness::Retired
        );
    }

    #[test]
    fn who_waits_for_the_next_second_knows_when_it_comes() {
        let mut rounds = Rounds::new(4, 50, false, RoundPacing::burst(2));
        do_one(&mut rounds, RoundParticipant::Inserter);
        let until = 1_000_000_001;
        assert_eq!(
            rounds.poll_ready(RoundParticipant::Inserter, 2),
            Readiness::RestUntil(until)
        );
        assert_eq!(
            rounds.poll_ready(RoundParticipant::Inserter, until),
            Readiness::Ready
        );
    }
}
