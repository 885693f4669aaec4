//! Builds counts and histograms from the record of one second.

use crate::record::{IntervalLine, Named, StatementLine, TransactionLine, WorkerLine};
use dbdyno_meter::{
    ErrorCodeCounts, Histogram, Interval, IntervalCounters, IntervalShape, StatementCounts,
    TransactionCounts, WorkerLoad,
};
use std::borrow::Cow;

impl IntervalLine<'_> {
    /// Returns the counts, types in the order of the start; otherwise what is wrong with them.
    pub(super) fn interval(
        self,
        shape: IntervalShape,
        transaction_types: &[String],
        statement_types: &[String],
    ) -> Result<Interval, String> {
        let mut interval = Interval::new(shape);
        interval.second = self.second;
        interval.monotonic_ns = self.monotonic_ns;
        interval.duration_ns = self.duration_ns;
        interval.connections_live = self.connections_live;
        interval.backlog = self.backlog;
        interval.tally = IntervalCounters {
            reads: self.reads,
            writes: self.writes,
            others: self.others,
            rows: self.rows,
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            reconnects: self.reconnects,
        };
        if let Some(times) = &mut interval.lateness {
            *times = histogram(self.lateness.as_deref())?;
        }
        interval.workers = self.workers.iter().map(WorkerLine::load).collect();
        for (name, counts) in transaction_types.iter().zip(&mut interval.transactions) {
            of_type(&self.transactions, name)?.fill(counts)?;
        }
        for (name, counts) in statement_types.iter().zip(&mut interval.statements) {
            of_type(&self.statements, name)?.fill(counts)?;
        }
        Ok(interval)
    }
}

fn of_type<'a, T>(rows: &'a Named<Cow<'_, str>, T>, name: &str) -> Result<&'a T, String> {
    let row = rows.0.iter().find(|(known, _)| known == name);
    row.map(|(_, row)| row)
        .ok_or_else(|| format!("it has no counts of {name}"))
}

impl TransactionLine {
    fn fill(&self, counts: &mut TransactionCounts) -> Result<(), String> {
        counts.started = self.started;
        counts.completed = self.completed;
        counts.completed_after_retry = self.completed_after_retry;
        counts.rolled_back = self.rolled_back;
        counts.failed = self.failed;
        counts.retries = codes(&self.retries)?;
        counts.response = histogram(self.response.as_deref())?;
        counts.service = histogram(self.service.as_deref())?;
        counts.first_attempt = histogram(self.first_attempt.as_deref())?;
        Ok(())
    }
}

impl StatementLine {
    fn fill(&self, counts: &mut StatementCounts) -> Result<(), String> {
        counts.completed = self.completed;
        counts.errors = codes(&self.errors)?;
        counts.service = histogram(self.service.as_deref())?;
        Ok(())
    }
}

impl WorkerLine {
    fn load(&self) -> WorkerLoad {
        WorkerLoad {
            busy_ns: self.busy_ns,
            cpu_ns: self.cpu_ns,
            wake_ups: self.wake_ups,
            served: self.served,
            cpu_wait_ns: self.cpu_wait_ns,
            gap_max_ns: 0, // records do not hold it: only a search uses it, and has one client
        }
    }
}

fn codes(counts: &Named<String, u64>) -> Result<ErrorCodeCounts, String> {
    let mut codes = ErrorCodeCounts::default();
    for (code, count) in &counts.0 {
        let code = code.parse();
        codes.add_many(
            code.map_err(|_| "an error has no number".to_owned())?,
            *count,
        );
    }
    Ok(codes)
}

fn histogram(text: Option<&str>) -> Result<Histogram, String> {
    match text {
        None => Ok(Histogram::new()),
        Some(text) => Histogram::decode(text).map_err(|error| format!("a histogram: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{PackedSecond, TypeNames};
    use dbdyno_drive::IntervalRecord;
    use dbdyno_meter::HistogramEncoder;
    use serde_json::Value;

    const NAMES: TypeNames<'_> = TypeNames {
        transactions: &["new_order", "payment"],
        statements: &["select", "update", "commit"],
    };
    const SHAPE: IntervalShape = IntervalShape {
        transaction_types: 2,
        statement_types: 3,
        open_loop: true,
    };

    struct Draws(u64);

    impl Draws {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % limit
        }

        fn times(&mut self) -> Histogram {
            let mut times = Histogram::new();
            for _ in 0..self.below(40) {
                let bits = self.below(42);
                times.record(self.below(1 << (bits + 1)));
            }
            times
        }

        fn codes(&mut self) -> ErrorCodeCounts {
            let mut codes = ErrorCodeCounts::default();
            for _ in 0..self.below(3) {
                codes.add_many(
                    [1213, 1205, 2013][self.below(3) as usize],
                    self.below(9) + 1,
                );
            }
            codes
        }

        fn interval(&mut self) -> Interval {
            let mut interval = Interval::new(SHAPE);
            interval.second = 7;
            interval.duration_ns = 1_000_000_000;
            for counts in &mut interval.transactions {
                counts.started = self.below(1 << 40);
                counts.completed = self.below(1 << 40);
                counts.completed_after_retry = self.below(99);
                counts.rolled_back = self.below(99);
                counts.failed = self.below(99);
                counts.retries = self.codes();
                counts.response = self.times();
                counts.service = self.times();
                counts.first_attempt = self.times();
            }
            for counts in &mut interval.statements {
                counts.completed = self.below(1 << 40);
                counts.errors = self.codes();
                counts.service = self.times();
            }
            interval.tally.reads = self.below(1 << 40);
            interval.tally.bytes_received = self.below(1 << 50);
            interval.tally.reconnects = self.below(3);
            interval.connections_live = self.below(1000) as u32;
            interval.backlog = self.below(1000);
            interval.lateness = Some(self.times());
            interval.workers[0].busy_ns = self.below(1 << 30);
            interval.workers[0].served = self.below(1 << 30);
            interval
        }
    }

    fn line(interval: &Interval) -> Value {
        let record = IntervalRecord {
            phase: "window",
            realtime_ns: 5,
            interval,
        };
        let packed = PackedSecond::of(interval, &mut HistogramEncoder::default());
        serde_json::to_value(IntervalLine::of(&record, NAMES, &packed)).unwrap()
    }

    fn read_back(line: &Value) -> Interval {
        let row: IntervalLine<'_> = serde_json::from_value(line.clone()).unwrap();
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let interval = row.interval(SHAPE, &names(NAMES.transactions), &names(NAMES.statements));
        interval.unwrap()
    }

    #[test]
    fn merged_records_are_the_record_of_what_was_merged() {
        let mut draws = Draws(88_172_645_463_325_252);
        for shares in (1..=5).cycle().take(60) {
            let parts: Vec<_> = (0..shares).map(|_| draws.interval()).collect();
            let (mut counted, mut merged) = (Interval::new(SHAPE), Interval::new(SHAPE));
            for sum in [&mut counted, &mut merged] {
                sum.second = 7;
                sum.workers.clear();
            }
            for part in &parts {
                let written = line(part);
                assert_eq!(line(&read_back(&written)), written);
                counted.merge(part);
                merged.merge(&read_back(&written));
            }
            assert_eq!(line(&merged), line(&counted), "{shares}");
        }
    }

    #[test]
    fn what_is_not_there_is_named() {
        let mut written = line(&Draws(3).interval());
        let row: IntervalLine<'_> = serde_json::from_value(written.clone()).unwrap();
        let types = ["new_order".to_owned(), "delivery".to_owned()];
        let error = row.interval(SHAPE, &types, &[]).unwrap_err();
        assert!(error.contains("delivery"), "{error}");
        written["lateness"] = "HISTFAAA".into();
        let row: IntervalLine<'_> = serde_json::from_value(written).unwrap();
        assert!(row.interval(SHAPE, &[], &[]).is_err());
    }
}
