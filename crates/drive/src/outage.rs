//! Stretches in which connections were lost: when they began, when the server answered again, when all
//! was as before.
//!
//! Each worker notes what happens to its own connections. Whether the server was gone altogether, and
//! for how long, is known when the notes of all workers are laid side by side at the end of the run.

use crate::grid::SECOND_NS;

/// Whole seconds before an outage whose throughput it is compared with.
const FORMER_SECONDS: usize = 10;

/// Share of the former throughput that counts as regained.
const REGAINED: f64 = 0.95;

/// A stretch in which at least one connection was lost and not open again.
#[derive(Debug, Clone, PartialEq)]
pub struct Outage {
    /// When the first connection was found lost, on the monotonic clock.
    pub start_ns: u64,
    /// First statement answered without an error on a connection that was opened again.
    pub first_success_ns: Option<u64>,
    /// When the last lost connection was open again.
    pub restored_ns: Option<u64>,
    /// How many times a connection was lost in it.
    pub connections_lost: u32,
    /// Whether there was an instant without any open connection.
    pub all_lost: bool,
    /// Median of the events a second that were completed in up to ten whole seconds before it, so that an
    /// outage shortly before does not lower it.
    pub former_tps: Option<f64>,
    /// End of the first whole second after its start that had 95 % of `former_tps`.
    pub regained_ns: Option<u64>,
}

/// What happened to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Lost,
    Reopened,
    Answered,
}

/// One worker's notes. Nothing is noted, and nothing allocated, while all goes well.
#[derive(Debug, Default)]
pub(crate) struct OutageLog {
    turns: Vec<(u64, Turn)>,
    /// A connection was opened again, and none has had an answer since.
    awaits_answer: bool,
}

impl OutageLog {
    pub(crate) fn lose(&mut self, now_ns: u64) {
        self.turns.push((now_ns, Turn::Lost));
    }

    pub(crate) fn reopen(&mut self, now_ns: u64) {
        self.turns.push((now_ns, Turn::Reopened));
        self.awaits_answer = true;
    }

    /// Called for each statement answered without an error. Connections that were never lost answer
    /// nothing while a server is down, and while it is not their answers are no news.
    #[inline]
    pub(crate) fn hear(&mut self, was_reopened: bool, now_ns: u64) {
        if self.awaits_answer && was_reopened {
            self.awaits_answer = false;
            self.turns.push((now_ns, Turn::Answered));
        }
    }
}

/// The outages of a run with so many connections, of all workers' notes and the events completed in each
/// second since `start_ns`.
pub(crate) fn outages(
    logs: Vec<OutageLog>,
    connections: u32,
    start_ns: u64,
    completed: &[u64],
) -> Vec<Outage> {
    let mut turns: Vec<_> = logs.into_iter().flat_map(|log| log.turns).collect();
    turns.sort_unstable();
    let mut found: Vec<Outage> = Vec::new();
    let mut down = 0_u32;
    for (at_ns, turn) in turns {
        if turn == Turn::Lost && down == 0 {
            found.push(Outage::begun_at(at_ns));
        }
        let Some(outage) = found.last_mut() else {
            continue;
        };
        match turn {
            Turn::Lost => {
                down += 1;
                outage.connections_lost += 1;
                outage.all_lost |= down == connections;
                outage.restored_ns = None;
            }
            Turn::Reopened => {
                down = down.saturating_sub(1);
                outage.restored_ns = (down == 0).then_some(at_ns);
            }
            Turn::Answered => {
                outage.first_success_ns.get_or_insert(at_ns);
            }
        }
    }
    for outage in &mut found {
        outage.weigh(start_ns, completed);
    }
    found
}

impl Outage {
    fn begun_at(start_ns: u64) -> Self {
        Self {
            start_ns,
            first_success_ns: None,
            restored_ns: None,
            connections_lost: 0,
            all_lost: false,
            former_tps: None,
            regained_ns: None,
        }
    }

    /// Compares the seconds after it with those before.
    fn weigh(&mut self, start_ns: u64, completed: &[u64]) {
        let second = (self.start_ns.saturating_sub(start_ns) / SECOND_NS) as usize;
        let second = second.min(completed.len());
        let former = &completed[second.saturating_sub(FORMER_SECONDS)..second];
        if former.is_empty() {
            return;
        }
        let usual = median(former);
        self.former_tps = Some(usual);
        let regained = completed
            .iter()
            .enumerate()
            .skip(second + 1)
            .find(|&(_, &count)| count as f64 >= REGAINED * usual);
        self.regained_ns = regained.map(|(at, _)| start_ns + (at as u64 + 1) * SECOND_NS);
    }
}

/// Of at least one count.
fn median(counts: &[u64]) -> f64 {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    (low + high) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = SECOND_NS;

    fn log(turns: &[(u64, Turn)]) -> OutageLog {
        OutageLog {
            turns: turns.to_vec(),
            awaits_answer: false,
        }
    }

    #[test]
    fn the_notes_of_all_workers_make_one_outage() {
        use Turn::{Answered, Lost, Reopened};
        let one = log(&[(12 * S, Lost), (14 * S, Reopened), (14 * S + 5, Answered)]);
        let other = log(&[
            (12 * S + 7, Lost),
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
            all_lost: true,
            former_tps: Some(100.0),
            regained_ns: Some(17 * S),
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_single_connection_lost_among_others_is_an_outage_of_its_own() {
        use Turn::{Lost, Reopened};
        let turns = [(S, Lost), (2 * S, Reopened), (3 * S, Lost)];
        let found = outages(vec![log(&turns)], 64, 0, &[]);
        assert_eq!(found.len(), 2);
        assert!(!found[0].all_lost && found[0].former_tps.is_none());
        assert_eq!(
            (found[0].restored_ns, found[1].restored_ns),
            (Some(2 * S), None)
        );
    }

    #[test]
    fn only_an_answer_on_a_reopened_connection_ends_the_silence() {
        let mut log = OutageLog::default();
        log.hear(false, 1);
        log.lose(2);
        log.reopen(3);
        log.hear(false, 4);
        log.hear(true, 5);
        log.hear(true, 6);
        let found = outages(vec![log], 8, 0, &[]);
        assert_eq!(found[0].first_success_ns, Some(5));
    }
}
