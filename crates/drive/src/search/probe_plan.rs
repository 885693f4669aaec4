//! Decides which rate a search tries next.

use super::{RATES_PER_S, Search};
use crate::search_result::{Probe, SearchResult};

/// Probes after which a search ends without a result.
const MOST_PROBES: usize = 60;

/// Probes in which the result must have met the objective.
const WITNESSES: usize = 2;

/// Probes in a row at one rate that the client must spoil before it counts as the limit.
const SPOILT_IN_A_ROW: usize = 3;

/// How often a probe is repeated at most.
pub(super) const MOST_REPEATS: usize = SPOILT_IN_A_ROW - 1;

/// Holds the probes so far. The next rate is derived from them, so there is no other state that could contradict them.
#[derive(Debug)]
pub(super) struct ProbePlan {
    first_per_s: f64,
    precision: f64,
    /// Below this rate a window is not expected to see a single event.
    lowest_per_s: f64,
    probes: Vec<Probe>,
}

impl ProbePlan {
    pub(super) fn new(search: &Search) -> Self {
        let one_in_window = 1.0 / f64::from(search.window_s);
        Self {
            first_per_s: search.first_per_s,
            precision: search.precision,
            lowest_per_s: one_in_window.max(RATES_PER_S.0).min(search.first_per_s),
            probes: Vec::new(),
        }
    }

    /// Returns the rate of the next probe; `None` when the search is over.
    ///
    /// The rate doubles until it misses the objective, or halves until it meets it. Then the gap between the
    /// two is halved on the logarithmic scale until it is as small as requested; then the result must hold
    /// once more. If it does not, it is the lowest broken rate, and the same rules continue downwards.
    ///
    /// A probe that failed while the client was the limit says nothing about the server. It is repeated until one is
    /// not spoilt or the client has spoilt three in a row. From then on the client counts as the limit at once.
    pub(super) fn next(&self) -> Option<f64> {
        if self.probes.len() >= MOST_PROBES {
            return None;
        }
        if let Some((spoilt, _)) = self.probe_to_repeat() {
            return Some(spoilt.rate_per_s);
        }
        match (self.held(), self.broken()) {
            (None, None) => Some(self.first_per_s),
            (None, Some(broken)) => {
                let lower = (broken.rate_per_s / 2.0).max(self.lowest_per_s);
                (lower < broken.rate_per_s).then_some(lower)
            }
            (Some(held), None) if held < RATES_PER_S.1 => Some((2.0 * held).min(RATES_PER_S.1)),
            (Some(held), Some(broken)) if !self.is_close(held, broken) => {
                Some((held * broken.rate_per_s).sqrt())
            }
            (Some(held), _) => (self.witnesses(held) < WITNESSES).then_some(held),
        }
    }

    pub(super) fn take(&mut self, probe: Probe) {
        self.probes.push(probe);
    }

    pub(super) fn probes(&self) -> u32 {
        self.probes.len() as u32
    }

    pub(super) fn answer(&self) -> SearchResult {
        let (held, broken) = (self.held(), self.broken());
        SearchResult {
            highest_held_per_s: held,
            lowest_broken_per_s: broken.map(|probe| probe.rate_per_s),
            reason: broken.map_or_else(String::new, |probe| probe.reason.clone()),
            client_bound: broken.is_some_and(|probe| probe.client_bound),
            complete: self.next().is_none() && self.probes.len() < MOST_PROBES,
            probes: self.probes(),
        }
    }

    /// Returns the last probe, if the client spoilt it and it is to be repeated, and the number of that repeat, from 1.
    pub(super) fn probe_to_repeat(&self) -> Option<(&Probe, usize)> {
        let last = self.probes.last()?;
        let is_alike = |probe: &&Probe| is_spoilt(probe) && probe.rate_per_s == last.rate_per_s;
        let repeat = self.probes.iter().rev().take_while(is_alike).count();
        self.is_void(self.probes.len() - 1)
            .then_some((last, repeat))
    }

    /// Returns whether a probe is void: the client broke it, and was not yet known to be the limit.
    fn is_void(&self, index: usize) -> bool {
        is_spoilt(&self.probes[index]) && !is_client_the_limit(&self.probes[..=index])
    }

    /// Returns the probe at the lowest rate that missed the objective, the last of several.
    fn broken(&self) -> Option<&Probe> {
        let probes = self.probes.iter().enumerate().rev();
        let broken = probes.filter(|(index, probe)| !probe.held && !self.is_void(*index));
        broken
            .map(|(_, probe)| probe)
            .min_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s))
    }

    /// Returns the highest rate that met it, below any that missed it.
    fn held(&self) -> Option<f64> {
        let limit = self
            .broken()
            .map_or(f64::INFINITY, |probe| probe.rate_per_s);
        let held = self.probes.iter().filter(|probe| probe.held);
        held.map(|probe| probe.rate_per_s)
            .filter(|&rate_per_s| rate_per_s < limit)
            .max_by(f64::total_cmp)
    }

    fn is_close(&self, held: f64, broken: &Probe) -> bool {
        broken.rate_per_s <= held * (1.0 + self.precision)
    }

    fn witnesses(&self, rate_per_s: f64) -> usize {
        let same = |probe: &&Probe| probe.held && probe.rate_per_s == rate_per_s;
        self.probes.iter().filter(same).count()
    }
}

/// Returns whether it missed the objective, and the client may be the reason.
fn is_spoilt(probe: &Probe) -> bool {
    probe.client_bound && !probe.held
}

fn is_client_the_limit(probes: &[Probe]) -> bool {
    probes.windows(SPOILT_IN_A_ROW).any(|row| {
        row.iter()
            .all(|probe| is_spoilt(probe) && probe.rate_per_s == row[0].rate_per_s)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::SEARCH;
    use super::*;
    use dbdyno_chance::Stream;

    /// Drives a search against a server that is a function of the rate, and of the probe's number.
    fn searched(search: Search, holds: impl FnMut(f64, u32) -> bool) -> ProbePlan {
        searched_by(search, |rate_per_s, _| rate_per_s > 50_000.0, holds)
    }

    /// Does the same with a client that is the limit if `binds` returns true.
    fn searched_by(
        search: Search,
        mut binds: impl FnMut(f64, u32) -> bool,
        mut holds: impl FnMut(f64, u32) -> bool,
    ) -> ProbePlan {
        let mut course = ProbePlan::new(&search);
        while let Some(rate_per_s) = course.next() {
            let number = course.probes() + 1;
            let held = holds(rate_per_s, number);
            course.take(Probe {
                number,
                first_second: 0,
                seconds: search.window_s,
                rate_per_s,
                completed_per_s: rate_per_s,
                quantile_ns: None,
                backlog_first: 0,
                backlog_last: 0,
                client_busy: 0.3,
                client_late_ns: 0,
                client_bound: binds(rate_per_s, number),
                held,
                reason: if held { "" } else { "slow" }.to_owned(),
            });
        }
        course
    }

    /// Models one server of exponential service times behind a queue: its response times are exponential as well,
    /// with the mean 1 / (capacity - rate). The noise is that of the quantile's estimate.
    fn queue_holds(capacity_per_s: f64, rate_per_s: f64, noise: f64) -> bool {
        let idle_per_s = capacity_per_s - rate_per_s;
        let quantile_s = -(1.0 - SEARCH.quantile).ln() / idle_per_s;
        idle_per_s > 0.0 && quantile_s * noise < SEARCH.response_ns as f64 / 1e9
    }

    /// Returns the highest rate that the queue holds: p99 is ln(100) / idle.
    fn threshold(capacity_per_s: f64) -> f64 {
        capacity_per_s - 100_f64.ln() / (SEARCH.response_ns as f64 / 1e9)
    }

    #[test]
    fn the_answer_lies_within_the_precision_below_the_threshold() {
        for capacity in [300.0, 1_000.0, 7_777.0, 90_000.0] {
            let course = searched(SEARCH, |rate, _| queue_holds(capacity, rate, 1.0));
            let answer = course.answer();
            let held = answer.highest_held_per_s.unwrap();
            let broken = answer.lowest_broken_per_s.unwrap();
            assert!(held < threshold(capacity) && threshold(capacity) <= broken);
            assert!(broken / held <= 1.0 + SEARCH.precision);
            assert!(answer.complete && answer.probes <= 20, "{answer:?}");
            assert_eq!(answer.client_bound, broken > 50_000.0);
            assert_eq!(answer.reason, "slow");
            let last = course.probes.last().unwrap();
            assert_eq!(
                (last.rate_per_s, last.held),
                (held, true),
                "the second witness"
            );
        }
    }

    #[test]
    fn a_probe_that_the_client_spoilt_is_driven_again_and_its_outcome_counts_for_nothing() {
        let spoilt = |number| number == 3 || number == 4;
        let course = searched_by(
            SEARCH,
            |_, number| spoilt(number),
            |rate, number| queue_holds(1_000.0, rate, 1.0) && !spoilt(number),
        );
        let rates: Vec<_> = course.probes.iter().map(|probe| probe.rate_per_s).collect();
        assert_eq!(rates[..6], [100.0, 200.0, 400.0, 400.0, 400.0, 800.0]);
        let answer = course.answer();
        let held = answer.highest_held_per_s.unwrap();
        assert!(held < threshold(1_000.0) && held * 1.05 >= threshold(1_000.0) * 0.999);
        assert!(!answer.client_bound && answer.complete);
    }

    #[test]
    fn a_client_that_is_always_the_limit_is_believed_after_three_probes() {
        let binds = |rate: f64| rate > 3_000.0;
        let course = searched_by(SEARCH, |rate, _| binds(rate), |rate, _| !binds(rate));
        let at = |rate: f64| {
            course
                .probes
                .iter()
                .filter(|probe| probe.rate_per_s == rate)
                .count()
        };
        assert_eq!((at(1_600.0), at(3_200.0)), (1, 3));
        let answer = course.answer();
        assert!(answer.client_bound && answer.complete, "{answer:?}");
        assert!(answer.highest_held_per_s.unwrap() <= 3_000.0 && answer.probes <= 15);
    }

    /// A rate may hold first and be spoilt each time it is to hold once more.
    #[test]
    fn a_probe_at_a_rate_that_held_before_is_repeated_twice_and_no_more() {
        let is_calm = |number| number <= 5;
        let course = searched_by(
            Search {
                precision: 1.0,
                ..SEARCH
            },
            |_, number| !is_calm(number),
            |rate, number| rate <= 800.0 && is_calm(number),
        );
        let rates: Vec<_> = course.probes.iter().map(|probe| probe.rate_per_s).collect();
        assert_eq!(
            rates[..8],
            [100.0, 200.0, 400.0, 800.0, 1_600.0, 800.0, 800.0, 800.0]
        );
        assert!(rates[8] < 800.0 && course.answer().client_bound);
    }

    #[test]
    fn a_first_rate_that_breaks_leads_downwards() {
        let search = Search {
            first_per_s: 100_000.0,
            ..SEARCH
        };
        let answer = searched(search, |rate, _| queue_holds(1_000.0, rate, 1.0)).answer();
        let held = answer.highest_held_per_s.unwrap();
        assert!(held < threshold(1_000.0) && held * 1.05 >= threshold(1_000.0) * 0.999);
    }

    #[test]
    fn an_objective_that_no_rate_meets_has_no_answer() {
        let answer = searched(SEARCH, |_, _| false).answer();
        assert_eq!(answer.highest_held_per_s, None);
        assert_eq!(
            answer.lowest_broken_per_s,
            Some(0.1),
            "an event in a window of 10 s"
        );
        assert!(answer.complete && answer.probes < 15);
    }

    #[test]
    fn an_objective_that_every_rate_meets_ends_at_the_highest_there_is() {
        let answer = searched(SEARCH, |_, _| true).answer();
        assert_eq!(answer.highest_held_per_s, Some(1e7));
        assert_eq!(answer.lowest_broken_per_s, None);
        assert!(answer.complete);
    }

    #[test]
    fn an_answer_that_breaks_when_it_is_tried_again_is_no_answer() {
        let mut confirmed = false;
        let course = searched(SEARCH, |rate, _| {
            // Just below the threshold the objective is met once, by luck.
            let lucky = rate > 0.9 * threshold(1_000.0) && std::mem::replace(&mut confirmed, true);
            queue_holds(1_000.0, rate, 1.0) && !lucky
        });
        let answer = course.answer();
        let held = answer.highest_held_per_s.unwrap();
        assert!(held < 0.9 * threshold(1_000.0), "{held}");
        assert_eq!(course.witnesses(held), 2);
    }

    #[test]
    fn noise_moves_the_answer_a_little_and_never_keeps_the_search_from_ending() {
        for seed in 1..200 {
            let mut stream = Stream::from_state([seed, 3]);
            let course = searched(SEARCH, |rate, _| {
                let noise = 0.7 + 0.6 * stream.next_double();
                queue_holds(10_000.0, rate, noise)
            });
            let answer = course.answer();
            let held = answer.highest_held_per_s.unwrap();
            let share = held / threshold(10_000.0);
            assert!(
                answer.complete && (0.9..1.05).contains(&share),
                "{seed}: {answer:?}"
            );
        }
    }

    #[test]
    fn a_server_without_any_order_ends_the_search_all_the_same() {
        for seed in 1..200 {
            let mut stream = Stream::from_state([seed, 5]);
            let course = searched(SEARCH, |_, _| stream.below(2) == 0);
            assert!(course.probes() <= MOST_PROBES as u32);
        }
    }
}
