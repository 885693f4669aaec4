//! Judges whether a rate meets the objective.

use super::Search;
use super::window::WindowTotals;
use crate::counted;

/// Busy share of a worker above which a measurement may show the client's own limit.
const BUSY_CLIENT: f64 = 0.8;

/// Share of the due events that may be missing from the completed ones, in addition to noise.
const MISSING: f64 = 0.01;

/// Standard deviations that count as noise.
const NOISE: f64 = 3.0;

/// Share of the bound above which the client's own lateness may be the reason for a miss.
const LATE_CLIENT: f64 = 0.5;

/// Holds the verdict on a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProbeVerdict {
    pub(super) held: bool,
    /// The measurement may show the client's limit.
    pub(super) client_bound: bool,
    /// Empty if the objective was met.
    pub(super) reason: String,
}

/// Judges a window at this rate.
///
/// The objective is met if the quantile of the response time is below the bound, the backlog does not
/// grow, all due events were done, and no event failed. The quantile alone is not enough: events that wait at the end
/// of the window are in no histogram yet.
pub(super) fn judge(search: &Search, rate_per_s: f64, sums: &WindowTotals) -> ProbeVerdict {
    let breaches = [
        slowness(search, sums),
        growth(search, rate_per_s, sums),
        shortfall(sums),
        failures(sums),
    ];
    let late = late_client(search, sums).or_else(|| stopped_client(search, sums));
    let limits = [busy_client(sums), late];
    let client_bound = limits.iter().any(Option::is_some);
    let mut reasons: Vec<_> = breaches.into_iter().flatten().collect();
    let held = reasons.is_empty();
    if !held {
        reasons.extend(limits.into_iter().flatten());
    }
    ProbeVerdict {
        held,
        client_bound,
        reason: reasons.join("; "),
    }
}

fn busy_client(sums: &WindowTotals) -> Option<String> {
    let busy = sums.client_busy();
    (busy > BUSY_CLIENT)
        .then(|| format!("the client's busiest worker was {:.0} % busy", busy * 100.0))
}

/// Detects a client that gets no processor when it is due: it is not busy, but late.
fn late_client(search: &Search, sums: &WindowTotals) -> Option<String> {
    let late_ns = sums.client_late_ns(search.quantile);
    (late_ns as f64 > LATE_CLIENT * search.response_ns as f64).then(|| {
        format!(
            "the client itself was late, {} {} ms",
            quantile_name(search.quantile),
            milliseconds(late_ns)
        )
    })
}

/// Detects a client that was stopped for a moment: it sends at most one late event per connection, too few for the
/// quantile. The other connections seem busy, since nobody read their replies. So the time itself is compared with the
/// share that the objective leaves out.
fn stopped_client(search: &Search, sums: &WindowTotals) -> Option<String> {
    let is_long = |ns: &&u64| **ns as f64 > LATE_CLIENT * search.response_ns as f64;
    let stopped_ns: u64 = sums.gaps_ns.iter().filter(is_long).sum();
    let allowed_ns = (1.0 - search.quantile) * sums.duration_ns as f64;
    (stopped_ns as f64 > allowed_ns).then(|| {
        format!(
            "the client itself did not run for {} ms",
            milliseconds(stopped_ns)
        )
    })
}

fn slowness(search: &Search, sums: &WindowTotals) -> Option<String> {
    let Some(quantile_ns) = sums.quantile_ns(search.quantile) else {
        return Some("nothing was completed".to_owned());
    };
    (quantile_ns >= search.response_ns).then(|| {
        format!(
            "{} {} ms",
            quantile_name(search.quantile),
            milliseconds(quantile_ns)
        )
    })
}

/// Detects a growing backlog: it stays above what the objective allows. If each event waits less than the bound, not
/// more than rate × bound wait at a time (Little's law), within the noise of that number. A backlog that
/// falls below it in the last quarter of the window was a wave, and the quantile judges waves.
fn growth(search: &Search, rate_per_s: f64, sums: &WindowTotals) -> Option<String> {
    let allowed = rate_per_s * search.response_ns as f64 / 1e9;
    let allowed = (allowed + NOISE * allowed.sqrt()).ceil();
    let last_quarter = sums.backlogs.len() - sums.backlogs.len().div_ceil(4);
    let lowest = sums.backlogs[last_quarter..].iter().min().copied()?;
    (lowest as f64 > allowed).then(|| {
        format!(
            "the backlog grew to {}, and the objective allows {allowed}",
            sums.backlog_last()
        )
    })
}

/// Detects missing events: with a bound of seconds a slow growth would hide below what the objective allows.
fn shortfall(sums: &WindowTotals) -> Option<String> {
    let due = sums.due();
    falls_short(due, sums.completed)
        .then(|| format!("{} of {due} due events were completed", sums.completed))
}

/// Returns whether more of the events that became due are missing from those done than some under way explain.
#[must_use]
pub fn falls_short(due: u64, done: u64) -> bool {
    let (due, done) = (due as f64, done as f64);
    due - done > MISSING * due + NOISE * due.sqrt()
}

fn failures(sums: &WindowTotals) -> Option<String> {
    (sums.failed > 0).then(|| format!("{} failed", counted(sums.failed, "event")))
}

/// Formats `p99`, `p99.9`.
fn quantile_name(quantile: f64) -> String {
    format!("p{}", (quantile * 1e8).round() / 1e6)
}

fn milliseconds(ns: u64) -> f64 {
    (ns as f64 / 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::super::tests::SEARCH;
    use super::*;

    /// Returns ten seconds at 1,000 events per second, of which one in two hundred took 15 ms.
    fn sums() -> WindowTotals {
        let mut sums = WindowTotals {
            started: 10_000,
            completed: 10_000,
            duration_ns: 10_000_000_000,
            busy_ns: vec![1_000_000_000, 2_000_000_000],
            backlogs: vec![0; 10],
            ..WindowTotals::default()
        };
        (0..9_950).for_each(|_| sums.response.record(1_000_000));
        (0..50).for_each(|_| sums.response.record(15_000_000));
        sums
    }

    fn reason(change: impl FnOnce(&mut WindowTotals)) -> String {
        let mut sums = sums();
        change(&mut sums);
        judge(&SEARCH, 1_000.0, &sums).reason
    }

    #[test]
    fn a_calm_window_holds() {
        let calm = ProbeVerdict {
            held: true,
            client_bound: false,
            reason: String::new(),
        };
        assert_eq!(judge(&SEARCH, 1_000.0, &sums()), calm);
    }

    #[test]
    fn a_quantile_at_the_bound_breaks_it() {
        let slow =
            |ns| move |sums: &mut WindowTotals| (0..200).for_each(|_| sums.response.record(ns));
        assert_eq!(reason(slow(19_900_000)), "");
        assert!(reason(slow(25_000_000)).starts_with("p99 25"));
    }

    #[test]
    fn a_backlog_that_stays_breaks_it_and_a_wave_does_not() {
        let backlog = |backlogs: [u64; 10]| {
            move |sums: &mut WindowTotals| {
                sums.backlogs = backlogs.to_vec();
                sums.completed -= sums.backlog_last().min(100);
            }
        };
        let growing = reason(backlog([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]));
        assert_eq!(
            growing,
            "the backlog grew to 100, and the objective allows 34"
        );
        assert_eq!(reason(backlog([0, 0, 0, 0, 0, 0, 0, 0, 30, 300])), "");
        assert_eq!(
            reason(backlog([500, 300, 100, 0, 0, 0, 0, 30, 34, 300])),
            ""
        );
    }

    #[test]
    fn a_growth_that_a_long_bound_allows_shows_in_what_was_completed() {
        let search = Search {
            response_ns: 10_000_000_000,
            ..SEARCH
        };
        let mut sums = sums();
        sums.backlogs = (1..=10).map(|second| second * 60).collect();
        sums.started -= 600;
        sums.completed -= 600;
        let verdict = judge(&search, 1_000.0, &sums);
        assert!(!verdict.held);
        assert_eq!(verdict.reason, "9400 of 10000 due events were completed");
    }

    #[test]
    fn a_failed_event_breaks_it() {
        assert_eq!(reason(|sums| sums.failed = 1), "1 event failed");
    }

    #[test]
    fn a_busy_client_is_named_beside_what_broke() {
        let reason = reason(|sums| {
            sums.busy_ns[0] = 8_500_000_000;
            sums.failed = 2;
        });
        assert!(reason.contains("busiest worker was 85 % busy"), "{reason}");
        let mut busy = sums();
        busy.busy_ns[0] = 8_500_000_000;
        let verdict = judge(&SEARCH, 1_000.0, &busy);
        assert!(
            verdict.held && verdict.client_bound,
            "and alone breaks nothing"
        );
    }

    /// Half of the events found a connection free, and 120 of those were sent 15 ms late: more than the one
    /// in a hundred of all events that p99 leaves out.
    #[test]
    fn a_late_client_is_named_beside_what_broke() {
        let late = |count: u64| {
            move |sums: &mut WindowTotals| {
                (0..5_000 - count).for_each(|_| sums.lateness.record(1_000));
                (0..count).for_each(|_| sums.lateness.record(15_000_000));
                sums.failed = 1;
            }
        };
        assert!(reason(late(120)).ends_with("the client itself was late, p99 15 ms"));
        assert_eq!(reason(late(90)), "1 event failed");
    }

    /// Ten seconds and p99: up to 100 ms may be lost. Stops of less than half of the bound are not counted.
    #[test]
    fn a_client_that_was_stopped_is_named_although_few_events_were_late() {
        let stopped = |times_ns: [u64; 3]| {
            move |sums: &mut WindowTotals| {
                sums.gaps_ns = times_ns.to_vec();
                sums.failed = 1;
            }
        };
        assert_eq!(
            reason(stopped([9_000_000, 70_000_000, 40_000_000])),
            "1 event failed; the client itself did not run for 110 ms"
        );
        assert_eq!(
            reason(stopped([9_000_000, 9_000_000, 90_000_000])),
            "1 event failed"
        );
    }

    #[test]
    fn nothing_completed_is_no_objective_met() {
        let verdict = judge(&SEARCH, 1_000.0, &WindowTotals::default());
        assert_eq!(verdict.reason, "nothing was completed");
        assert!(!verdict.held && !verdict.client_bound);
    }
}
