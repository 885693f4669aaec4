//! Builds the rows of the table of seconds.

use super::column::FieldValue;
use crate::record::{Packed, PackedSecond, PackedTransaction, TypeNames, all_responses};
use dbdyno_drive::IntervalRecord;
use dbdyno_meter::{Histogram, Interval, StatementCounts, TransactionCounts, WorkerLoad};
use std::borrow::Cow;

/// Says what a row is about.
enum RowSubject<'a> {
    All,
    Transaction(&'a TransactionCounts, &'a PackedTransaction),
    Statement(&'a StatementCounts),
}

/// Holds one row. Its times are response times, and of a statement type service times.
pub(super) struct TableRow<'a> {
    pub(super) record: &'a IntervalRecord<'a>,
    subject: RowSubject<'a>,
    pub(super) name: Option<&'a str>,
    pub(super) times: Cow<'a, Histogram>,
    pub(super) packed: &'a Packed,
    pub(super) lateness: &'a Packed,
}

/// Returns the rows of one second.
pub(super) fn rows<'a>(
    record: &'a IntervalRecord<'a>,
    packed: &'a PackedSecond,
    names: TypeNames<'a>,
) -> impl Iterator<Item = TableRow<'a>> {
    let interval = record.interval;
    let all = TableRow {
        record,
        subject: RowSubject::All,
        name: None,
        times: match interval.transactions.as_slice() {
            [only] => Cow::Borrowed(&only.response),
            _ => Cow::Owned(all_responses(interval)),
        },
        packed: &packed.all_responses,
        lateness: &packed.lateness,
    };
    let transactions = interval.transactions.iter().zip(&packed.transactions);
    let transactions = names.transactions.iter().zip(transactions);
    let transactions = transactions.map(move |(name, (counts, packed))| TableRow {
        record,
        subject: RowSubject::Transaction(counts, packed),
        name: Some(name),
        times: Cow::Borrowed(&counts.response),
        packed: &packed.response,
        lateness: &None,
    });
    let statements = interval.statements.iter().zip(&packed.statements);
    let statements = names.statements.iter().zip(statements);
    let statements = statements.map(move |(name, (counts, packed))| TableRow {
        record,
        subject: RowSubject::Statement(counts),
        name: Some(name),
        times: Cow::Borrowed(&counts.service),
        packed,
        lateness: &None,
    });
    std::iter::once(all).chain(transactions).chain(statements)
}

impl TableRow<'_> {
    pub(super) fn interval(&self) -> &Interval {
        self.record.interval
    }

    pub(super) fn kind(&self) -> &'static str {
        match self.subject {
            RowSubject::All => "all",
            RowSubject::Transaction(..) => "transaction",
            RowSubject::Statement(_) => "statement",
        }
    }

    /// Returns a count of events; statements have none.
    pub(super) fn events(&self, count: impl Fn(&TransactionCounts) -> u64) -> FieldValue<'_> {
        match self.subject {
            RowSubject::All => int(self.interval().transactions.iter().map(count).sum::<u64>()),
            RowSubject::Transaction(counts, _) => int(count(counts)),
            RowSubject::Statement(_) => FieldValue::Null,
        }
    }

    pub(super) fn completed(&self) -> u64 {
        match self.subject {
            RowSubject::All => self.interval().completed(),
            RowSubject::Transaction(counts, _) => counts.completed,
            RowSubject::Statement(counts) => counts.completed,
        }
    }

    pub(super) fn errors(&self) -> FieldValue<'_> {
        let statements = self.interval().statements.iter();
        match self.subject {
            RowSubject::All => int(statements.map(|counts| counts.errors.total()).sum::<u64>()),
            RowSubject::Transaction(..) => FieldValue::Null,
            RowSubject::Statement(counts) => int(counts.errors.total()),
        }
    }

    pub(super) fn tps(&self) -> FieldValue<'_> {
        match self.subject {
            RowSubject::All | RowSubject::Transaction(..) => self.per_second(self.completed()),
            RowSubject::Statement(_) => FieldValue::Null,
        }
    }

    pub(super) fn qps(&self) -> FieldValue<'_> {
        match self.subject {
            RowSubject::All => self.per_second(self.interval().answered()),
            RowSubject::Transaction(..) => FieldValue::Null,
            RowSubject::Statement(counts) => self.per_second(counts.completed),
        }
    }

    fn per_second(&self, count: u64) -> FieldValue<'_> {
        match self.interval().duration_ns {
            0 => FieldValue::Null,
            duration_ns => FieldValue::Float(count as f64 * 1e9 / duration_ns as f64),
        }
    }

    pub(super) fn service_at(&self, q: f64) -> FieldValue<'_> {
        match self.subject {
            RowSubject::Transaction(counts, _) => quantile(&counts.service, q),
            RowSubject::All | RowSubject::Statement(_) => FieldValue::Null,
        }
    }

    pub(super) fn packed_of(
        &self,
        which: impl Fn(&PackedTransaction) -> &Packed,
    ) -> FieldValue<'_> {
        match self.subject {
            RowSubject::Transaction(_, packed) => bytes(which(packed)),
            RowSubject::All | RowSubject::Statement(_) => FieldValue::Null,
        }
    }

    /// Returns a count of the second as a whole.
    pub(super) fn whole(&self, count: impl Fn(&Interval) -> u64) -> FieldValue<'_> {
        match self.subject {
            RowSubject::All => int(count(self.interval())),
            RowSubject::Transaction(..) | RowSubject::Statement(_) => FieldValue::Null,
        }
    }

    pub(super) fn workers(&self, count: impl Fn(&WorkerLoad) -> u64) -> FieldValue<'_> {
        self.whole(|interval| interval.workers.iter().map(&count).sum())
    }

    /// Returns the busy share of the busiest worker.
    pub(super) fn client_busy_share(&self) -> FieldValue<'_> {
        let interval = self.interval();
        let busiest_ns = interval.workers.iter().map(|worker| worker.busy_ns).max();
        match (&self.subject, busiest_ns) {
            (RowSubject::All, Some(ns)) if interval.duration_ns > 0 => {
                FieldValue::Float(ns as f64 / interval.duration_ns as f64)
            }
            _ => FieldValue::Null,
        }
    }

    pub(super) fn lateness_at(&self, q: f64) -> FieldValue<'_> {
        match (&self.subject, &self.interval().lateness) {
            (RowSubject::All, Some(times)) => quantile(times, q),
            _ => FieldValue::Null,
        }
    }
}

pub(super) fn int<'a>(value: impl Into<u64>) -> FieldValue<'a> {
    FieldValue::Int(value.into() as i64)
}

pub(super) fn bytes(packed: &Packed) -> FieldValue<'_> {
    packed
        .as_deref()
        .map_or(FieldValue::Null, FieldValue::Packed)
}

pub(super) fn quantile<'a>(times: &Histogram, q: f64) -> FieldValue<'a> {
    let ns = times.quantile_ns(q);
    ns.map_or(FieldValue::Null, |ns| int(ns.min(times.max_ns())))
}

#[cfg(test)]
mod tests {
    use super::super::column::ColumnKind;
    use super::super::columns::COLUMNS;
    use super::*;
    use crate::order::LoadOrder;
    use dbdyno_meter::{HistogramEncoder, IntervalShape};

    const ORDER: &str =
        include_str!("../../../../../../contract/samples/load-order-fixed-rate.json");

    fn of<'r>(row: &'r TableRow<'_>, column: &str) -> FieldValue<'r> {
        let found = COLUMNS.iter().find(|(name, ..)| *name == column);
        (found.unwrap().2)(row)
    }

    /// Builds the rows of a second of an open loop that `fill` fills.
    fn with_rows(fill: impl FnOnce(&mut Interval), look: impl FnOnce(&[TableRow<'_>])) {
        let order: LoadOrder = serde_json::from_str(ORDER).unwrap();
        let load = order.load().unwrap();
        let mut interval = Interval::new(IntervalShape {
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
        let packed = PackedSecond::of(&interval, &mut HistogramEncoder::default());
        let rows: Vec<_> = rows(&record, &packed, TypeNames::of(&*load.workload)).collect();
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
            let column_of = |column| rows.iter().map(|row| of(row, column)).collect::<Vec<_>>();
            let (text, float) = (FieldValue::Text, FieldValue::Float);
            let max = FieldValue::Int(7_000_001);
            assert_eq!(
                column_of("kind"),
                ["all", "transaction", "statement"].map(text)
            );
            assert_eq!(column_of("name")[1], text("point_select"));
            assert_eq!(column_of("max_ns"), [max, max, FieldValue::Null]);
            assert_eq!(column_of("tps"), [float(4.0), float(4.0), FieldValue::Null]);
            assert_eq!(column_of("qps"), [float(6.0), FieldValue::Null, float(6.0)]);
            assert_eq!(
                column_of("backlog"),
                [FieldValue::Int(9), FieldValue::Null, FieldValue::Null]
            );
            assert_eq!(
                column_of("errors"),
                [FieldValue::Int(1), FieldValue::Null, FieldValue::Int(1)]
            );
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
                    FieldValue::Null => None,
                    FieldValue::Int(_) => Some(ColumnKind::Int),
                    FieldValue::Float(_) => Some(ColumnKind::Float),
                    FieldValue::Text(_) => Some(ColumnKind::Text),
                    FieldValue::Packed(_) => Some(ColumnKind::Packed),
                });
                let kinds: Vec<_> = kinds.collect();
                assert!(!kinds.is_empty(), "{name} is null in every row");
                assert!(kinds.iter().all(|found| found == kind), "{name}");
            }
        });
    }
}
