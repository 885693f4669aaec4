//! Prints the server's own counts next to the client's: NOPM and TPM of TPC-C.

use super::{Summary, write_words};
use crate::expected_counts::{most_per_minute, ratio_by_mix};
use crate::run::counter_poller::{CounterReading, bounds};
use crate::run::figures::grouped;
use dbdyno_workload::ServerCount;
use std::io::{self, Write};

/// Difference of client and server that is not reported: their windows differ by some milliseconds.
const SAME: f64 = 0.02;

impl Summary<'_> {
    pub(super) fn write_counts(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(counts) = self.load.workload.spec().server_counts.as_ref() else {
            return Ok(());
        };
        writeln!(out)?;
        let mut clients = Vec::new();
        for (place, count) in counts.counts.iter().enumerate() {
            let client = self.client_per_minute(count);
            let mut words = match self.load.is_share() {
                true => format!("{} by this share", whole(client)),
                false => self
                    .compare(count, client)
                    .words(self.server_per_minute(place)),
            };
            if let Some(most) = most_per_minute(count, self.load) {
                words += &format!("; at most {} on average with these waits", whole(most));
            }
            write_words(out, count.title, &words)?;
            clients.push((count.title, client));
        }
        if let (&[(first, below), (second, above), ..], Some(expected)) =
            (&*clients, ratio_by_mix(counts, self.load))
            && below > 0.0
        {
            let words = format!("{:.3}, {expected:.3} by the mix", above / below);
            write_words(out, &format!("{second} / {first}"), &words)?;
        }
        Ok(())
    }

    fn client_per_minute(&self, count: &ServerCount) -> f64 {
        let of_type = |number: &u8| {
            let counts = &self.window.counts.transactions[usize::from(*number)];
            match count.grows_by_rollbacks {
                true => counts.completed,
                false => counts.completed - counts.rolled_back,
            }
        };
        let completed = |number: &u8| self.window.counts.statements[usize::from(*number)].completed;
        let transactions: u64 = count.grows_by.iter().map(of_type).sum();
        let statements: u64 = count.grows_by_statements.iter().map(completed).sum();
        self.window.rate(transactions + statements) * 60.0
    }

    fn compare(&self, count: &ServerCount, client: f64) -> Comparison {
        let attempts = match count.grows_by_rollbacks {
            true => self.window.retries().total() + self.window.counts.failed(),
            false => 0,
        };
        // At either end of the window, one side has counted the event of a connection and the other has not yet.
        let under_way = 2 * u64::from(self.load.concurrency);
        Comparison {
            client,
            undone: self.window.rate(attempts) * 60.0,
            slack: self.window.rate(under_way) * 60.0,
        }
    }

    /// Returns the server's rate over the last phase; `None` if one of the two readings is missing.
    fn server_per_minute(&self, place: usize) -> Option<f64> {
        let bounds = bounds(&self.load.phases);
        let &[.., begin, end] = &*bounds else {
            return None;
        };
        let at = |second| {
            self.readings
                .iter()
                .find(|reading| reading.second == second)
        };
        per_minute(at(begin)?, at(end)?, place)
    }
}

fn per_minute(begin: &CounterReading, end: &CounterReading, place: usize) -> Option<f64> {
    let grown = end
        .values
        .get(place)?
        .checked_sub(*begin.values.get(place)?)?;
    let lasted_ns = end.monotonic_ns.checked_sub(begin.monotonic_ns)?;
    (lasted_ns > 0).then(|| grown as f64 * 60e9 / lasted_ns as f64)
}

fn whole(value: f64) -> String {
    grouped(value.round() as u64)
}

/// Holds what a server's rate is compared with. All are per minute.
struct Comparison {
    client: f64,
    /// Attempts that ended in an error. For most workloads, a ROLLBACK follows each, which the server counts.
    undone: f64,
    /// Events that may be counted on one side only.
    slack: f64,
}

impl Comparison {
    fn words(&self, server: Option<f64>) -> String {
        let mut words = format!("{} by the client", whole(self.client));
        let Some(server) = server else {
            return words + ", not counted by the server over the whole phase";
        };
        words += &format!(", {} by the server", whole(server));
        if self.explains(0.0, server) {
            return words;
        }
        words += if self.explains(self.undone, server) {
            ", which also counts the rollbacks of repeated and failed attempts"
        } else {
            ": they differ: another client used the server, or work was lost"
        };
        words
    }

    fn explains(&self, undone: f64, server: f64) -> bool {
        let client = self.client + undone;
        (server - client).abs() <= SAME * server.max(client) + self.slack
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(second: u32, monotonic_ns: u64, value: u64) -> CounterReading {
        CounterReading {
            second,
            monotonic_ns,
            values: vec![value],
        }
    }

    #[test]
    fn growth_is_divided_by_the_time_between_the_readings() {
        let (begin, end) = (
            reading(5, 5_000_000_000, 30_000),
            reading(35, 35_000_000_000, 39_000),
        );
        assert_eq!(per_minute(&begin, &end, 0), Some(18_000.0));
        assert_eq!(per_minute(&end, &begin, 0), None, "the server began anew");
        assert_eq!(per_minute(&begin, &end, 1), None);
    }

    fn words(client: f64, undone: f64, server: Option<f64>) -> String {
        let comparison = Comparison {
            client,
            undone,
            slack: 60.0,
        };
        comparison.words(server)
    }

    #[test]
    fn a_difference_is_said() {
        let same = "12,000 by the client, 12,100 by the server";
        assert_eq!(words(12_000.0, 0.0, Some(12_100.0)), same);
        assert!(words(12_000.0, 0.0, Some(13_000.0)).contains("they differ"));
        assert!(words(12_000.0, 0.0, None).contains("not counted by the server"));
    }

    #[test]
    fn rollbacks_of_repeated_attempts_are_no_work_of_others() {
        let text = words(2_610.0, 315.0, Some(2_912.0));
        let expected = "2,610 by the client, 2,912 by the server, which also counts the rollbacks of repeated and \
                        failed attempts";
        assert_eq!(text, expected);
        assert!(words(2_610.0, 315.0, Some(3_500.0)).contains("they differ"));
    }

    #[test]
    fn events_that_cross_an_end_of_a_short_window_are_no_work_of_others() {
        let text = words(2_303.0, 0.0, Some(2_236.0));
        assert_eq!(text, "2,303 by the client, 2,236 by the server");
    }
}
