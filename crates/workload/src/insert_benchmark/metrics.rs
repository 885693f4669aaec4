//! Measures what the benchmark's author looks at: whether the rate was held, the worst second, the longest
//! time without an insert.

use super::SECOND_NS;
use super::buckets::Buckets;
use crate::Metric;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Below this share of the rate asked for, a step has failed.
const SHARE_HELD: f64 = 0.95;

/// Collects what the inserters and readers of all clients report.
#[derive(Debug)]
pub(super) struct BenchmarkMetrics {
    kept: Mutex<MetricsState>,
    /// Rows a second and client that were asked for, and for how many seconds.
    asked: Option<(u32, u32)>,
}

#[derive(Debug, Default)]
struct MetricsState {
    /// By client: its first and its latest instant.
    spans: Vec<Option<(u64, u64)>>,
    inserted_rows: u64,
    /// When the run began, by the clock.
    zero: Option<Instant>,
    last_ns: Option<u64>,
    /// The latest instant up to which inserts, or their absence, are known.
    known_ns: u64,
    longest_gap_ns: u64,
    second: u64,
    second_rows: u64,
    /// Rows of the slowest of the whole seconds from the first insert on.
    slowest_rows: Option<u64>,
    /// Whether the open second was begun before the first insert.
    is_first_second: bool,
    deleted_rows: u64,
    queries: u64,
    fetched_rows: u64,
    inserts: Buckets,
    deletes: Buckets,
    query_times: Buckets,
}

/// Holds what a reader has done since its last report.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReaderCounts {
    pub(super) queries: u64,
    pub(super) fetched_rows: u64,
    pub(super) times: Buckets,
}

impl BenchmarkMetrics {
    pub(super) fn new(clients: u32, asked: Option<(u32, u32)>) -> Self {
        let kept = MetricsState {
            spans: vec![None; clients as usize],
            ..MetricsState::default()
        };
        Self {
            kept: Mutex::new(kept),
            asked,
        }
    }

    fn hold(&self) -> MutexGuard<'_, MetricsState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a client begins to insert, or looks whether it can; `is_left`: it has rows left to insert.
    pub(super) fn begin(&self, client: u32, now_ns: u64, is_left: bool) {
        let mut kept = self.hold();
        if kept.zero.is_none() {
            kept.zero = Instant::now().checked_sub(Duration::from_nanos(now_ns));
        }
        kept.spans[client as usize].get_or_insert((now_ns, now_ns));
        if is_left {
            kept.pass(now_ns);
        }
    }

    /// Records that no insert was answered until an instant; `None`: until now.
    pub(super) fn pass(&self, until_ns: Option<u64>) {
        let mut kept = self.hold();
        let lasted = kept.zero.map_or(0, |zero| zero.elapsed().as_nanos() as u64);
        kept.pass(until_ns.unwrap_or(lasted));
    }

    /// Adds rows that a client has inserted, by a statement that began and ended at these instants.
    pub(super) fn add_insert(&self, client: u32, rows: u64, (began_ns, now_ns): (u64, u64)) {
        let mut kept = self.hold();
        kept.inserts.add(now_ns.saturating_sub(began_ns));
        if let Some((_, latest_ns)) = &mut kept.spans[client as usize] {
            *latest_ns = now_ns;
        }
        kept.add_insert(rows, now_ns);
    }

    /// Adds so many deleted rows, in this time.
    pub(super) fn add_delete(&self, rows: u64, ns: u64) {
        let mut kept = self.hold();
        kept.deleted_rows += rows;
        kept.deletes.add(ns);
    }

    /// Adds the queries that a reader has done.
    pub(super) fn add_queries(&self, reading: &ReaderCounts) {
        let mut kept = self.hold();
        kept.queries += reading.queries;
        kept.fetched_rows += reading.fetched_rows;
        kept.query_times.merge(&reading.times);
    }

    /// Returns everything that is reported at the end.
    pub(super) fn metrics(&self) -> Vec<Metric> {
        let kept = self.hold();
        let mut figures = Vec::new();
        if let Some((rate, seconds)) = self.asked.filter(|(rate, _)| *rate > 0) {
            let share = kept.share(rate, seconds);
            figures.push(Metric {
                held: Some(share >= SHARE_HELD),
                ..metric(
                    "insert_rate_share",
                    "rows inserted, of those asked for in the time",
                    Some(share),
                )
            });
        }
        if self.asked.is_none_or(|(rate, _)| rate > 0) {
            figures.extend(kept.write_metrics());
        }
        if self.asked.is_some() {
            let rows = kept.fetched_rows as f64 / kept.queries as f64;
            let rows = (kept.queries > 0).then_some(rows);
            figures.push(metric("rows_per_query", "rows fetched by a query", rows));
        }
        figures.extend(kept.histograms());
        figures
    }
}

fn metric(name: &str, meaning: &str, value: Option<f64>) -> Metric {
    Metric {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        value,
        held: None,
    }
}

impl MetricsState {
    fn add_insert(&mut self, rows: u64, now_ns: u64) {
        self.pass(now_ns);
        if self.last_ns.is_none() {
            (self.second, self.is_first_second) = (now_ns / SECOND_NS, true);
        }
        self.inserted_rows += rows;
        self.second_rows += rows;
        self.last_ns = self.last_ns.max(Some(now_ns));
    }

    /// Goes on to an instant, since the last insert, or since the first client was to begin.
    fn pass(&mut self, now_ns: u64) {
        if let Some(since_ns) = self.last_ns.or_else(|| self.begun_ns()) {
            let gap_ns = now_ns.saturating_sub(since_ns);
            self.longest_gap_ns = self.longest_gap_ns.max(gap_ns);
        }
        if self.last_ns.is_some() && now_ns / SECOND_NS > self.second {
            self.close_second(now_ns / SECOND_NS);
        }
        self.known_ns = self.known_ns.max(now_ns);
    }

    fn begun_ns(&self) -> Option<u64> {
        let spans = self.spans.iter().flatten();
        spans.map(|(begun_ns, _)| *begun_ns).min()
    }

    /// Closes the open second, and those up to `next`, which had no insert.
    fn close_second(&mut self, next: u64) {
        if !self.is_first_second {
            let rows = self.second_rows;
            self.slowest_rows = Some(self.slowest_rows.map_or(rows, |slowest| slowest.min(rows)));
        }
        if next > self.second + 1 {
            self.slowest_rows = Some(0);
        }
        (self.second, self.second_rows) = (next, 0);
        self.is_first_second = false;
    }

    fn write_metrics(&self) -> Vec<Metric> {
        let gap = self.begun_ns().map(|_| self.longest_gap_ns as f64 / 1e9);
        let slowest = self.slowest_rows.map(|rows| rows as f64);
        let mut figures = vec![
            metric(
                "inserted_rows",
                "rows inserted",
                Some(self.inserted_rows as f64),
            ),
            metric(
                "inserted_rows_per_s",
                "rows inserted a second",
                self.rows_per_s(),
            ),
            metric(
                "inserted_rows_per_s_lowest",
                "rows inserted in the slowest whole second",
                slowest,
            ),
            metric(
                "insert_gap_longest_s",
                "longest time without an insert, in seconds",
                gap,
            ),
        ];
        if self.deletes != Buckets::default() {
            let rows = Some(self.deleted_rows as f64);
            figures.push(metric("deleted_rows", "rows deleted", rows));
        }
        figures
    }

    /// Counts how many answers took how long, in the tool's buckets.
    fn histograms(&self) -> Vec<Metric> {
        let named = [
            ("insert", "inserts", &self.inserts),
            ("delete", "deletes", &self.deletes),
            ("query", "queries", &self.query_times),
        ];
        let of_one = |(name, many, buckets): (&str, &str, &Buckets)| {
            let figure = |(edge, count): (&str, u64)| {
                let (edge, words) = match edge {
                    "" => ("over_16s".to_owned(), "over 16 s".to_owned()),
                    edge => (format!("up_to_{edge}"), format!("up to {}", spaced(edge))),
                };
                let name = format!("{name}_response_{edge}_count");
                metric(
                    &name,
                    &format!("{many} that took {words}"),
                    Some(count as f64),
                )
            };
            buckets.counted().map(figure).collect::<Vec<_>>()
        };
        named.into_iter().flat_map(of_one).collect()
    }

    fn rows_per_s(&self) -> Option<f64> {
        let lasted_ns = self.known_ns.saturating_sub(self.begun_ns()?);
        (lasted_ns > 0).then(|| self.inserted_rows as f64 * 1e9 / lasted_ns as f64)
    }

    /// Returns the share of rows inserted, of those that the rate asks for while the clients were at work, each at
    /// least as long as it was to.
    fn share(&self, rate: u32, seconds: u32) -> f64 {
        let client_s = |span: &Option<(u64, u64)>| {
            let lasted_ns = span.map_or(0, |(begun_ns, latest_ns)| latest_ns - begun_ns);
            (lasted_ns as f64 / 1e9).max(f64::from(seconds))
        };
        let asked = f64::from(rate) * self.spans.iter().map(client_s).sum::<f64>();
        self.inserted_rows as f64 / asked
    }
}

/// Writes an edge of the tool's buckets for people: `256us` is 256 µs.
fn spaced(edge: &str) -> String {
    let digits = edge.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    format!("{digits} {}", edge[digits.len()..].replace("us", "µs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(account: &BenchmarkMetrics, name: &str) -> (Option<f64>, Option<bool>) {
        let figures = account.metrics();
        let figure = figures.iter().find(|figure| figure.name == name).unwrap();
        (figure.value, figure.held)
    }

    const S: u64 = SECOND_NS;

    #[test]
    fn a_rate_that_was_not_held_is_a_failed_step() {
        for (last_ns, share) in [(4 * S, 1.0), (5 * S, 0.8)] {
            let account = BenchmarkMetrics::new(1, Some((100, 4)));
            account.begin(0, S / 2, true);
            for round in 0..8 {
                let at_ns = S / 2 + last_ns * round / 7;
                account.add_insert(0, 50, (at_ns, at_ns));
            }
            let (metric, held) = value(&account, "insert_rate_share");
            assert!((metric.unwrap() - share).abs() < 1e-9, "{metric:?}");
            assert_eq!(held, Some(share > 0.9));
        }
    }

    #[test]
    fn the_slowest_second_is_a_whole_one_and_may_be_empty() {
        let account = BenchmarkMetrics::new(1, None);
        account.begin(0, 0, true);
        for at_ns in [S * 9 / 10, S * 11 / 10, S * 15 / 10, S * 25 / 10] {
            account.add_insert(0, 5, (at_ns, at_ns));
        }
        assert_eq!(
            value(&account, "inserted_rows_per_s_lowest").0,
            Some(10.0),
            "neither the first second nor the open one"
        );
        assert_eq!(value(&account, "insert_gap_longest_s").0, Some(1.0));
        account.add_insert(0, 5, (S, S * 45 / 10));
        assert_eq!(value(&account, "inserted_rows_per_s_lowest").0, Some(0.0));
        assert_eq!(value(&account, "insert_gap_longest_s").0, Some(2.0));
    }

    #[test]
    fn a_stall_counts_before_the_first_insert_and_up_to_the_end() {
        let account = BenchmarkMetrics::new(1, None);
        account.begin(0, S, true);
        account.begin(0, S * 4, true);
        assert_eq!(value(&account, "insert_gap_longest_s").0, Some(3.0));
        assert_eq!(value(&account, "inserted_rows_per_s").0, Some(0.0));
        account.add_insert(0, 50, (S * 4, S * 45 / 10));
        account.add_insert(0, 50, (S * 45 / 10, S * 5));
        assert_eq!(value(&account, "insert_gap_longest_s").0, Some(3.5));
        account.pass(Some(S * 11));
        assert_eq!(value(&account, "insert_gap_longest_s").0, Some(6.0));
        assert_eq!(value(&account, "inserted_rows_per_s_lowest").0, Some(0.0));
        assert_eq!(value(&account, "inserted_rows_per_s").0, Some(10.0));
    }

    #[test]
    fn an_insert_that_is_never_answered_is_a_gap_until_the_end() {
        let account = BenchmarkMetrics::new(1, None);
        account.begin(0, S * 9, true);
        account.add_insert(0, 50, (S, S * 3 / 2));
        account.begin(0, S * 20, false);
        assert_eq!(value(&account, "insert_gap_longest_s").0, Some(0.0));
        account.pass(None);
        let gap_s = value(&account, "insert_gap_longest_s").0.unwrap();
        assert!((7.5..10.0).contains(&gap_s), "{gap_s}");
    }

    #[test]
    fn steps_without_inserts_tell_of_none() {
        let account = BenchmarkMetrics::new(2, Some((0, 60)));
        let mut times = Buckets::default();
        times.add(300_000);
        account.add_queries(&ReaderCounts {
            queries: 16,
            fetched_rows: 158,
            times,
        });
        let figures = account.metrics().into_iter();
        let metric: Vec<_> = figures.map(|figure| (figure.name, figure.value)).collect();
        let count = |edge: &str| format!("query_response_up_to_{edge}_count");
        let expected = [
            ("rows_per_query".to_owned(), Some(9.875)),
            (count("256us"), Some(0.0)),
            (count("1ms"), Some(1.0)),
        ];
        assert_eq!(metric, expected);
    }

    #[test]
    fn edges_have_a_space_before_their_unit() {
        let shown = ["256us", "4ms", "16s"].map(super::spaced);
        assert_eq!(shown, ["256 µs", "4 ms", "16 s"]);
    }
}
