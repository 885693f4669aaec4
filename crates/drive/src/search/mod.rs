//! Searches the highest rate that meets a service-level objective.
//!
//! A search opens the connections once and drives probe after probe on them, each at a fixed rate: some
//! seconds to settle, then a window that is judged. `verdict` judges a window, `probe_plan` chooses the next
//! rate, `window` adds up the seconds of a probe. The pool drives the probes.

mod probe_plan;
mod verdict;
mod window;

use crate::connection_pool::ConnectionPool;
use crate::observe::{Level, Observer, RunOutcome, Status};
use crate::pacing::{Arrivals, Pacing};
use crate::search_result::Probe;
use crate::segment::Segment;
use crate::{DriveError, Load, Phase, StopSwitch};
use probe_plan::{MOST_REPEATS, ProbePlan};
pub use verdict::falls_short;
use verdict::judge;
use window::ProbeWindow;

/// Lowest and highest rate of a probe.
const RATES_PER_S: (f64, f64) = (1e-3, 1e7);

/// Defines the objective: the highest rate at which a quantile of the response time stays below a bound and
/// the backlog does not grow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Share of the events to which the bound applies, such as 0.99.
    pub quantile: f64,
    /// The bound.
    pub response_ns: u64,
    /// Rate of the first probe.
    pub first_per_s: f64,
    /// Gaps between due instants.
    pub arrivals: Arrivals,
    /// The search ends when the lowest rate that missed the objective is at most this fraction above the
    /// highest that met it.
    pub precision: f64,
    /// Seconds of a probe before its window.
    pub settle_s: u32,
    /// Seconds of a probe that are judged.
    pub window_s: u32,
}

impl Search {
    fn check(&self) -> Result<(), DriveError> {
        let wrong = |what: String| Err(DriveError::Request(what));
        if !(self.quantile > 0.0 && self.quantile < 1.0) {
            return wrong(format!(
                "a quantile of {} is not between 0 and 1",
                self.quantile
            ));
        }
        if self.response_ns == 0 {
            return wrong("no response time is below 0 s".to_owned());
        }
        if !(RATES_PER_S.0..=RATES_PER_S.1).contains(&self.first_per_s) {
            return wrong(format!(
                "a first rate of {} events per second is not between 0.001 and 10,000,000",
                self.first_per_s
            ));
        }
        if !(self.precision > 0.0 && self.precision <= 1.0) {
            return wrong(format!(
                "a precision of {} is not above 0 and at most 1",
                self.precision
            ));
        }
        if self.window_s == 0 {
            return wrong("the window of a probe lasts 0 seconds".to_owned());
        }
        Ok(())
    }

    fn phases(&self, number: u32) -> [Phase; 2] {
        let phase = |name, seconds| Phase { name, seconds };
        [
            phase(format!("probe {number} settle"), self.settle_s),
            phase(window_name(number), self.window_s),
        ]
    }

    fn pacing(&self, rate_per_s: f64) -> Pacing {
        Pacing::FixedRate {
            rate_per_s,
            arrivals: self.arrivals,
        }
    }
}

fn window_name(number: u32) -> String {
    format!("probe {number}")
}

/// Searches for the highest rate that meets the objective. The phases of `load` are driven before the first
/// probe, at the first rate; its pacing is not used.
///
/// # Errors
///
/// The load could not begin. The [`RunOutcome`] reports what happens after its start; it holds the
/// [`SearchResult`](crate::SearchResult).
pub fn search(
    load: &Load,
    search: &Search,
    stop: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, DriveError> {
    load.check()?;
    search.check()?;
    if load.events_limit.is_some() {
        let what = "a search can't end after a number of events: its probes have a fixed length";
        return Err(DriveError::Request(what.to_owned()));
    }
    let mut hunt = SearchRun {
        search,
        seed: load.seed,
        stop,
        pool: ConnectionPool::open(load, stop, observer)?,
        messages: Vec::new(),
    };
    hunt.warm_up(&load.phases, observer);
    let mut course = ProbePlan::new(search);
    while hunt.goes_on()
        && let Some(rate_per_s) = course.next()
        && let Some(probe) = hunt.probe(course.probes() + 1, rate_per_s, observer)
    {
        if let Err(error) = observer.probe(&probe) {
            hunt.pool
                .fail(&DriveError::system("writing records")(error));
        }
        course.take(probe);
        if let Some((spoilt, repeat)) = course.probe_to_repeat() {
            hunt.report_repeat(spoilt, repeat, observer);
        }
    }
    let mut outcome = hunt.pool.close();
    outcome.search = Some(course.answer());
    Ok(outcome)
}

/// Drives the probes of a search.
struct SearchRun<'a> {
    search: &'a Search,
    seed: u64,
    stop: &'a StopSwitch,
    pool: ConnectionPool<'a>,
    /// Messages reported already: each probe would repeat them.
    messages: Vec<String>,
}

impl SearchRun<'_> {
    fn goes_on(&self) -> bool {
        self.pool.is_well() && !self.stop.is_thrown()
    }

    fn warm_up(&mut self, phases: &[Phase], observer: &mut dyn Observer) {
        if phases.iter().any(|phase| phase.seconds > 0) {
            let segment = Segment {
                pacing: self.search.pacing(self.search.first_per_s),
                phases: phases.to_vec(),
                seed: self.seed,
            };
            let mut window = ProbeWindow::new(None, &mut self.messages, observer);
            self.pool.run(&segment, &mut window);
        }
    }

    fn report_repeat(&mut self, spoilt: &Probe, repeat: usize, observer: &mut dyn Observer) {
        let text = format!(
            "probe {} is repeated ({repeat} of at most {MOST_REPEATS}), because the load generator was the limit: {}",
            spoilt.number, spoilt.reason
        );
        if let Err(error) = observer.message(Level::Warning, &text) {
            self.pool
                .fail(&DriveError::system("writing records")(error));
        }
    }

    /// Drives a probe; `None` if the run ended before the probe did: half a probe proves nothing.
    fn probe(
        &mut self,
        number: u32,
        rate_per_s: f64,
        observer: &mut dyn Observer,
    ) -> Option<Probe> {
        let search = self.search;
        let segment = Segment {
            pacing: search.pacing(rate_per_s),
            phases: search.phases(number).to_vec(),
            // Separate instants, so that a second probe at the same rate is independent evidence.
            seed: self.seed.wrapping_add(u64::from(number)),
        };
        let mut window = ProbeWindow::new(Some(window_name(number)), &mut self.messages, observer);
        let (first_second, outcome) = self.pool.run(&segment, &mut window);
        if outcome.status != Status::Complete {
            return None;
        }
        let sums = window.into_sums();
        let verdict = judge(search, rate_per_s, &sums);
        Some(Probe {
            number,
            first_second: first_second + search.settle_s,
            seconds: search.window_s,
            rate_per_s,
            completed_per_s: sums.completed as f64 / f64::from(search.window_s),
            quantile_ns: sums.quantile_ns(search.quantile),
            backlog_first: sums.backlog_first,
            backlog_last: sums.backlog_last(),
            client_busy: sums.client_busy(),
            client_late_ns: sums.client_late_ns(search.quantile),
            client_bound: verdict.client_bound,
            held: verdict.held,
            reason: verdict.reason,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const SEARCH: Search = Search {
        quantile: 0.99,
        response_ns: 20_000_000,
        first_per_s: 100.0,
        arrivals: Arrivals::Poisson,
        precision: 0.05,
        settle_s: 2,
        window_s: 10,
    };

    #[test]
    fn searches_without_sense_are_refused() {
        SEARCH.check().unwrap();
        let changes: [fn(&mut Search); 7] = [
            |search| search.quantile = 1.0,
            |search| search.quantile = f64::NAN,
            |search| search.response_ns = 0,
            |search| search.first_per_s = 0.0,
            |search| search.precision = 0.0,
            |search| search.precision = 1.5,
            |search| search.window_s = 0,
        ];
        for change in changes {
            let mut search = SEARCH;
            change(&mut search);
            assert!(search.check().is_err(), "{search:?}");
        }
    }
}
