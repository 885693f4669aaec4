//! Injects the faults of the plan into one worker's statements.

use super::{ErrorPlace, ErrorRule, FaultPlan, Frequency, SilenceSchedule, TimedFault};
use crate::shared::ServerShared;
use crate::sql::SHAPES;
use dbdyno_chance::{RandomKind, RandomSource, Stream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Describes what becomes of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FaultDecision {
    Proceed,
    Error(u16),
    Drop,
}

/// A worker's application of the plan. Each kind of fault draws from its own stream, so that one more fault does not
/// move the others.
#[derive(Debug)]
pub(crate) struct FaultInjector {
    plan: Arc<FaultPlan>,
    schedule: SilenceSchedule,
    shared: Arc<ServerShared>,
    delays: Stream,
    errors: Stream,
    drops: Stream,
    /// Replies may have to wait.
    pub(crate) can_hold: bool,
    /// Statements may fail.
    can_fail: bool,
}

impl FaultInjector {
    pub(crate) fn new(
        plan: Arc<FaultPlan>,
        shared: Arc<ServerShared>,
        seed: u64,
        worker: u32,
    ) -> Self {
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed,
        };
        let stream = |purpose: &str| source.keyed(purpose, u64::from(worker));
        let schedule = SilenceSchedule {
            stalls: plan.stalls.clone(),
            freezes: plan.freezes.clone(),
        };
        Self {
            delays: stream("null-server/delays"),
            errors: stream("null-server/errors"),
            drops: stream("null-server/drops"),
            can_hold: !schedule.is_empty()
                || !plan.delays.is_empty()
                || plan.capacity_per_s.is_some(),
            can_fail: !plan.errors.is_empty() || !plan.drops.is_empty(),
            schedule,
            plan,
            shared,
        }
    }

    /// Returns what becomes of a statement of a load.
    #[inline]
    pub(crate) fn outcome(&mut self, arrived_ns: u64, row: u8, text: &[u8]) -> FaultDecision {
        match self.can_fail {
            true => self.draw_outcome(arrived_ns, row, text),
            false => FaultDecision::Proceed,
        }
    }

    fn draw_outcome(&mut self, arrived_ns: u64, row: u8, text: &[u8]) -> FaultDecision {
        let since = self.shared.since_epoch(arrived_ns);
        let drops = self.plan.drops.iter().map(|timed| Some(timed.at(since)?.0));
        if first_matching_rule(drops, &self.shared.drop_counts, &mut self.drops).is_some() {
            return FaultDecision::Drop;
        }
        if !self.is_targeted(row, text) {
            return FaultDecision::Proceed;
        }
        let rules = self.plan.errors.iter();
        let frequencies =
            rules.map(|timed: &TimedFault<ErrorRule>| Some(timed.at(since)?.frequency));
        match first_matching_rule(frequencies, &self.shared.error_counts, &mut self.errors) {
            Some(rule) => FaultDecision::Error(self.plan.errors[rule].fault.code),
            None => FaultDecision::Proceed,
        }
    }

    fn is_targeted(&self, row: u8, text: &[u8]) -> bool {
        match &self.plan.errors_on {
            ErrorPlace::Any => true,
            ErrorPlace::Kind(kind) => SHAPES[usize::from(row)].kind == kind,
            ErrorPlace::Text(beginning) => text
                .trim_ascii_start()
                .get(..beginning.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(beginning.as_bytes())),
        }
    }

    /// Returns when a reply whose work begins at `from_ns` may leave; all instants are of the monotonic clock.
    pub(crate) fn due(&mut self, from_ns: u64, is_work: bool) -> u64 {
        let mut due = from_ns;
        if is_work {
            due = self.served(due) + self.delay(due);
        }
        self.released(due)
    }

    /// Returns when no silence holds a reply back any more.
    pub(crate) fn released(&self, due_ns: u64) -> u64 {
        match self.shared.epoch() {
            Some(epoch) if due_ns >= epoch => epoch + self.schedule.release(due_ns - epoch),
            _ => due_ns,
        }
    }

    /// Returns when the server's single queue has served a statement that comes now.
    fn served(&self, from_ns: u64) -> u64 {
        let Some(capacity) = self.plan.capacity_per_s else {
            return from_ns;
        };
        let takes_ns = (1e9 / capacity) as u64;
        let done = |free_ns: u64| free_ns.max(from_ns) + takes_ns;
        let place = &self.shared.free_ns;
        let before = place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| {
            Some(done(free))
        });
        done(before.unwrap_or(from_ns))
    }

    fn delay(&mut self, now_ns: u64) -> u64 {
        if self.plan.delays.is_empty() {
            return 0;
        }
        let since = self.shared.since_epoch(now_ns);
        let distribution = self.plan.delays.iter().find_map(|timed| timed.at(since));
        distribution.map_or(0, |distribution| distribution.draw(&mut self.delays))
    }
}

/// Returns the first rule that strikes. All counting rules count, and all shares are cut from one draw, so that
/// together they strike as often as their sum says.
fn first_matching_rule(
    rules: impl Iterator<Item = Option<Frequency>>,
    counts: &[AtomicU64],
    stream: &mut Stream,
) -> Option<usize> {
    let mut rest = stream.next_double();
    let mut struck = None;
    for (index, rule) in rules.enumerate() {
        let strikes = match rule {
            None => false,
            Some(Frequency::Every(period)) => {
                let count = counts[index].fetch_add(1, Ordering::Relaxed) + 1;
                count.is_multiple_of(period)
            }
            Some(Frequency::Share(share)) => {
                let strikes = rest >= 0.0 && rest < share;
                rest -= share;
                strikes
            }
        };
        if strikes && struck.is_none() {
            struck = Some(index);
        }
    }
    struck
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(plan: FaultPlan) -> FaultInjector {
        let plan = Arc::new(plan);
        let shared = Arc::new(ServerShared::new(&plan));
        FaultInjector::new(plan, shared, 1, 0)
    }

    fn errors(rules: &[&str], on: &str) -> FaultPlan {
        FaultPlan {
            errors: rules.iter().map(|rule| rule.parse().unwrap()).collect(),
            errors_on: on.parse().unwrap(),
            ..FaultPlan::default()
        }
    }

    const POINT: &[u8] = b" SELECT c FROM sbtest1 WHERE id=?";

    #[test]
    fn shares_of_one_plan_add_up() {
        let mut faults = faults(errors(&["1213:3%", "1205:1%", "1020:0.1%"], "any"));
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..200_000 {
            *counts.entry(faults.outcome(0, 0, POINT)).or_insert(0_u32) += 1;
        }
        let share = |code| f64::from(counts[&FaultDecision::Error(code)]) / 2000.0;
        assert!((share(1213) - 3.0).abs() < 0.15, "{}", share(1213));
        assert!((share(1205) - 1.0).abs() < 0.1, "{}", share(1205));
        assert!((share(1020) - 0.1).abs() < 0.03, "{}", share(1020));
    }

    #[test]
    fn a_counted_error_comes_exactly_as_often() {
        let mut faults = faults(errors(&["1213:every=100", "1205:every=250"], "any"));
        let outcomes: Vec<_> = (0..1000).map(|_| faults.outcome(0, 0, POINT)).collect();
        let count = |code| {
            outcomes
                .iter()
                .filter(|&&one| one == FaultDecision::Error(code))
                .count()
        };
        assert_eq!(count(1213), 10);
        assert_eq!(count(1205), 2, "at 500 and 1000 the rule above comes first");
        assert_eq!(outcomes[99], FaultDecision::Error(1213));
    }

    #[test]
    fn errors_befall_the_statements_they_are_meant_for() {
        let mut by_text = faults(errors(&["1146:every=1"], "select C from"));
        assert_eq!(by_text.outcome(0, 0, POINT), FaultDecision::Error(1146));
        assert_eq!(by_text.outcome(0, 0, b"COMMIT"), FaultDecision::Proceed);
        let mut by_kind = faults(errors(&["1146:every=1"], "point_select"));
        assert_eq!(by_kind.outcome(0, 0, POINT), FaultDecision::Error(1146));
        assert_eq!(by_kind.outcome(0, 1, POINT), FaultDecision::Proceed);
    }

    #[test]
    fn the_same_seed_draws_the_same_outcomes_whatever_else_goes_wrong() {
        let mut alone = faults(errors(&["1213:10%"], "any"));
        let mut plan = errors(&["1213:10%"], "any");
        plan.delays = vec!["exponential:1ms".parse().unwrap()];
        let mut delayed = faults(plan);
        for _ in 0..1000 {
            delayed.due(0, true);
            assert_eq!(alone.outcome(0, 0, POINT), delayed.outcome(0, 0, POINT));
        }
    }

    #[test]
    fn a_capacity_serves_one_after_the_other() {
        let mut faults = faults(FaultPlan {
            capacity_per_s: Some(1000.0),
            ..FaultPlan::default()
        });
        let served: Vec<_> = [0, 0, 0, 10_000_000]
            .map(|from| faults.due(from, true))
            .into();
        assert_eq!(served, [1_000_000, 2_000_000, 3_000_000, 11_000_000]);
        assert_eq!(
            faults.due(0, false),
            0,
            "what sets a client up is not counted"
        );
    }

    #[test]
    fn silences_begin_with_the_epoch() {
        let mut faults = faults(FaultPlan {
            freezes: vec!["1s+1s".parse().unwrap()],
            ..FaultPlan::default()
        });
        assert_eq!(
            faults.due(1_500_000_000, false),
            1_500_000_000,
            "no epoch yet"
        );
        faults.shared.begin_epoch(500_000_000);
        assert_eq!(faults.due(1_600_000_000, false), 2_500_000_000);
    }
}
