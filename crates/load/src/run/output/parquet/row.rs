//! Rows of the table of seconds.

use super::column::Value;
use crate::record::{Packed, PackedSecond, PackedTransaction, all_responses};
use dbdyno_drive::IntervalRecord;
use dbdyno_meter::{Histogram, Interval, StatementCounts, TransactionCounts, WorkerLoad};
use dbdyno_workload::Workload;
use std::borrow::Cow;

/// What a row is about.
enum Subject<'a> {
    All,
    Transaction(&'a TransactionCounts, &'a PackedTransaction),
    Statement(&'a StatementCounts),
}

/// One row. Its times are response times, and of a statement type service times.
pub(super) struct Row<'a> {
    pub(super) record: &'a IntervalRecord<'a>,
    subject: Subject<'a>,
    pub(super) name: Option<&'a str>,
    pub(super) times: Cow<'a, Histogram>,
    pub(super) packed: &'a Packed,
    pub(super) lateness: &'a Packed,
}

/// The rows of one second.
pub(super) fn rows<'a>(
    record: &'a IntervalRecord<'a>,
    packed: &'a PackedSecond,
    workload: &'a dyn Workload,
) -> impl Iterator<Item = Row<'a>> {
    let interval = record.interval;
    let all = Row {
        record,
        subject: Subject::All,
        name: None,
        times: match interval.transactions.as_slice() {
            [only] => Cow::Borrowed(&only.response),
            _ => Cow::Owned(all_responses(interval)),
        },
        packed: &packed.all_responses,
        lateness: &packed.lateness,
    };
    let transactions = interval.transactions.iter().zip(&packed.transactions);
    let transactions = workload.transaction_types().iter().zip(transactions);
    let transactions = transactions.map(move |(name, (counts, packed))| Row {
        record,
        subject: Subject::Transaction(counts, packed),
        name: Some(name),
        times: Cow::Borrowed(&counts.response),
        packed: &packed.response,
        lateness: &None,
    });
    let statements = interval.statements.iter().zip(&packed.statements);
    let statements = workload.statement_types().iter().zip(statements);
    let statements = statements.map(move |(name, (counts, packed))| Row {
        record,
        subject: Subject::Statement(counts),
        name: Some(name),
        times: Cow::Borrowed(&counts.service),
        packed,
        lateness: &None,
    });
    std::iter::once(all).chain(transactions).chain(statements)
}

impl Row<'_> {
    pub(super) fn interval(&self) -> &Interval {
        self.record.interval
    }

    pub(super) fn kind(&self) -> &'static str {
        match self.subject {
            Subject::All => "all",
            Subject::Transaction(..) => "transaction",
            Subject::Statement(_) => "statement",
        }
    }

    /// A count of events; statements have none.
    pub(super) fn events(&self, count: impl Fn(&TransactionCounts) -> u64) -> Value<'_> {
        match self.subject {
            Subject::All => int(self.interval().transactions.iter().map(count).sum::<u64>()),
            Subject::Transaction(counts, _) => int(count(counts)),
            Subject::Statement(_) => Value::Null,
        }
    }

    pub(super) fn completed(&self) -> u64 {
        match self.subject {
            Subject::All => self.interval().completed(),
            Subject::Transaction(counts, _) => counts.completed,
            Subject::Statement(counts) => counts.completed,
        }
    }

    pub(super) fn errors(&self) -> Value<'_> {
        let statements = self.interval().statements.iter();
        match self.subject {
            Subject::All => int(statements.map(|counts| counts.errors.total()).sum::<u64>()),
            Subject::Transaction(..) => Value::Null,
            Subject::Statement(counts) => int(counts.errors.total()),
        }
    }

    pub(super) fn tps(&self) -> Value<'_> {
        match self.subject {
            Subject::All | Subject::Transaction(..) => self.per_second(self.completed()),
            Subject::Statement(_) => Value::Null,
        }
    }

    pub(super) fn qps(&self) -> Value<'_> {
        match self.subject {
            Subject::All => self.per_second(self.interval().answered()),
            Subject::Transaction(..) => Value::Null,
            Subject::Statement(counts) => self.per_second(counts.completed),
        }
    }

    fn per_second(&self, count: u64) -> Value<'_> {
        match self.interval().duration_ns {
            0 => Value::Null,
            duration_ns => Value::Float(count as f64 * 1e9 / duration_ns as f64),
        }
    }

    pub(super) fn service_at(&self, q: f64) -> Value<'_> {
        match self.subject {
            Subject::Transaction(counts, _) => quantile(&counts.service, q),
            Subject::All | Subject::Statement(_) => Value::Null,
        }
    }

    pub(super) fn packed_of(&self, which: impl Fn(&PackedTransaction) -> &Packed) -> Value<'_> {
        match self.subject {
            Subject::Transaction(_, packed) => bytes(which(packed)),
            Subject::All | Subject::Statement(_) => Value::Null,
        }
    }

    /// A count of the second as a whole.
    pub(super) fn whole(&self, count: impl Fn(&Interval) -> u64) -> Value<'_> {
        match self.subject {
            Subject::All => int(count(self.interval())),
            Subject::Transaction(..) | Subject::Statement(_) => Value::Null,
        }
    }

    pub(super) fn workers(&self, count: impl Fn(&WorkerLoad) -> u64) -> Value<'_> {
        self.whole(|interval| interval.workers.iter().map(&count).sum())
    }

    /// Of the busiest worker.
    pub(super) fn client_busy_share(&self) -> Value<'_> {
        let interval = self.interval();
        let busiest_ns = interval.workers.iter().map(|worker| worker.busy_ns).max();
        match (&self.subject, busiest_ns) {
            (Subject::All, Some(ns)) if interval.duration_ns > 0 => {
                Value::Float(ns as f64 / interval.duration_ns as f64)
            }
            _ => Value::Null,
        }
    }

    pub(super) fn lateness_at(&self, q: f64) -> Value<'_> {
        match (&self.subject, &self.interval().lateness) {
            (Subject::All, Some(times)) => quantile(times, q),
            _ => Value::Null,
        }
    }
}

pub(super) fn int<'a>(value: impl Into<u64>) -> Value<'a> {
    Value::Int(value.into() as i64)
}

pub(super) fn bytes(packed: &Packed) -> Value<'_> {
    packed.as_deref().map_or(Value::Null, Value::Packed)
}

pub(super) fn quantile<'a>(times: &Histogram, q: f64) -> Value<'a> {
    let ns = times.quantile_ns(q);
    ns.map_or(Value::Null, |ns| int(ns.min(times.max_ns())))
}

#[cfg(test)]
mod tests {
    use super::super::column::Kind;
    use super::super::columns::COLUMNS;
    use super::*;
    use crate::order::LoadOrder;
    use dbdyno_meter::{Encoder, Shape};

    const ORDER: &str =
        include_str!("../../../../../../contract/samples/load-order-fixed-rate.json");

    fn of<'r>(row: &'r Row<'_>, column: &str) -> Value<'r> {
        let found = COLUMNS.iter().find(|(name, ..)| *name == column);
        (found.unwrap().2)(row)
    }

    /// The rows of a second of an open loop that `fill` fills.
    fn with_rows(fill: impl FnOnce(&mut Interval), look: impl FnOnce(&[Row<'_>])) {
        let order: LoadOrder = serde_json::from_str(ORDER).unwrap();
        let load = order.load().unwrap();
        let mut interval = Interval::new(Shape {
            transaction_types: 1,
            statement_types: 1,
            open_loop: true,
        });
        interval.duration_ns = 500_000_000;
        fill(&mut interval);
        let record = IntervalRecord {
            phase: "window",
            realtime_ns: 1,
            interval: &interval,
        };
        let packed = PackedSecond::of(&interval, &mut Encoder::default());
        let rows: Vec<_> = rows(&record, &packed, &*load.workload).collect();
        look(&rows);
    }

    #[test]
    fn a_second_has_a_row_for_all_events_and_one_for_each_type() {
        let fill = |interval: &mut Interval| {
            interval.backlog = 9;
            interval.transactions[0].completed = 2;
            interval.transactions[0].response.record(7_000_001);
            interval.statements[0].completed = 3;
            interval.statements[0].errors.add(1213);
            interval.tally.reads = 3;
        };
        with_rows(fill, |rows| {
            let told = |column| rows.iter().map(|row| of(row, column)).collect::<Vec<_>>();
            let (text, float) = (Value::Text, Value::Float);
            let max = Value::Int(7_000_001);
            assert_eq!(told("kind"), ["all", "transaction", "statement"].map(text));
            assert_eq!(told("name")[1], text("point_select"));
            assert_eq!(told("max_ns"), [max, max, Value::Null]);
            assert_eq!(told("tps"), [float(4.0), float(4.0), Value::Null]);
            assert_eq!(told("qps"), [float(6.0), Value::Null, float(6.0)]);
            assert_eq!(told("backlog"), [Value::Int(9), Value::Null, Value::Null]);
            assert_eq!(told("errors"), [Value::Int(1), Value::Null, Value::Int(1)]);
        });
    }

    #[test]
    fn every_value_is_of_the_kind_of_its_column() {
        let fill = |interval: &mut Interval| {
            let counts = &mut interval.transactions[0];
            counts.response.record(1);
            counts.service.record(1);
            counts.first_attempt.record(1);
            interval.lateness.as_mut().unwrap().record(1);
        };
        with_rows(fill, |rows| {
            for (name, kind, value) in COLUMNS {
                let kinds = rows.iter().filter_map(|row| match value(row) {
                    Value::Null => None,
                    Value::Int(_) => Some(Kind::Int),
                    Value::Float(_) => Some(Kind::Float),
                    Value::Text(_) => Some(Kind::Text),
                    Value::Packed(_) => Some(Kind::Packed),
                });
                let kinds: Vec<_> = kinds.collect();
                assert!(!kinds.is_empty(), "{name} is null in every row");
                assert!(kinds.iter().all(|found| found == kind), "{name}");
            }
        });
    }
}
