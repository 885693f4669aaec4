//! Sends one query after the other, as long as its client inserts.

use super::SECOND_NS;
use super::benchmark_context::ClientSlot;
use super::metrics::ReaderCounts;
use super::roles::InsertEvent;
use super::rows::{CASH_REGISTERS, PRICES, PRODUCTS};
use super::schema::keys;
use super::statement::{BenchmarkStatement, RANGES};
use super::step::ReadKind;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{Readiness, RetryValues, TransactionType};
use dbdyno_chance::Stream;

/// Queries after which it looks whether it is time to end.
const LOOK_QUERIES: u64 = 16;

/// Point queries after which the highest key is asked for again.
const FIND_MAX_QUERIES: u64 = 100;

/// Says what is drawn of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Query {
    /// No query, but the ends of the range that the next ones are drawn from.
    FindMax,
    Range(BenchmarkStatement, u32),
    /// Its ids lie at the querier's places.
    Point,
}

/// Queries one client's table.
pub(super) struct Querier {
    slot: ClientSlot,
    reads: ReadKind,
    stream: Stream,
    query: Query,
    /// Places of a point query's ids in the range that there is, from 0 to 1.
    places: Vec<f64>,
    queries: u64,
    began_ns: u64,
    /// The query under way was answered.
    is_done: bool,
    /// Since it looked last.
    reading: ReaderCounts,
    /// The ids that are known: the lowest, where it asks for it, and the highest.
    lowest: u64,
    highest: Option<u64>,
}

impl Querier {
    /// Creates a querier; `number` distinguishes the queriers of a run.
    pub(super) fn new(slot: ClientSlot, reads: ReadKind, number: u32) -> Self {
        let purpose = match reads {
            ReadKind::Range => "insert-benchmark/qr",
            ReadKind::Point => "insert-benchmark/qp",
        };
        let stream = slot
            .benchmark_context
            .source
            .keyed(purpose, u64::from(number));
        Self {
            slot,
            reads,
            stream,
            query: Query::FindMax,
            places: Vec::new(),
            queries: 0,
            began_ns: 0,
            is_done: false,
            reading: ReaderCounts::default(),
            lowest: 0,
            highest: None,
        }
    }

    /// Returns whether the highest key is to be asked for next: at first, and after so many queries.
    fn finds_max(&self) -> bool {
        let is_time = self.queries.is_multiple_of(FIND_MAX_QUERIES);
        let is_point = self.reads == ReadKind::Point;
        is_point && (self.highest.is_none() || (is_time && self.query != Query::FindMax))
    }

    /// Returns whether it looks if it is over. Where the highest key is to be asked for at the same time, that comes
    /// first.
    fn is_at_look(&self) -> bool {
        self.queries > 0 && self.queries.is_multiple_of(LOOK_QUERIES) && !self.finds_max()
    }

    fn draw(&mut self) -> Query {
        if self.reads == ReadKind::Range {
            return self.draw_range();
        }
        if self.finds_max() {
            return Query::FindMax;
        }
        let (count, stream) = (
            self.slot.benchmark_context.options.rows_per_query,
            &mut self.stream,
        );
        self.places.clear();
        self.places.extend((0..count).map(|_| stream.next_double()));
        Query::Point
    }

    fn draw_range(&mut self) -> Query {
        let ranges = &RANGES[..keys(&self.slot.benchmark_context.options).len()];
        let kind = ranges[self.stream.below(ranges.len() as u32) as usize];
        let values = match kind {
            BenchmarkStatement::RangeMarketsegment => PRODUCTS,
            BenchmarkStatement::RangeRegistersegment => CASH_REGISTERS,
            _ => PRICES,
        };
        Query::Range(kind, self.stream.below(values))
    }

    /// Returns the lowest id that is drawn: the tool takes where its own deletes stand (Q-IB-1).
    fn lowest(&self) -> u64 {
        match self.slot.benchmark_context.options.is_fixed() {
            true => self.lowest,
            false => self.slot.rounds().deleted_up_to(),
        }
    }

    async fn find_ends(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        if self.slot.benchmark_context.options.is_fixed() {
            self.lowest = self.find(BenchmarkStatement::FindMin, context).await?;
        }
        self.highest = Some(self.find(BenchmarkStatement::FindMax, context).await?);
        Ok(())
    }

    async fn find(
        &self,
        kind: BenchmarkStatement,
        context: &mut ScriptContext,
    ) -> Result<u64, Aborted> {
        context.bind(self.slot.place(kind));
        context.execute().await?;
        Ok(context.rows.int(0, 0).unwrap_or_default() as u64) // NULL of an empty table
    }

    async fn query(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        match self.query {
            Query::FindMax => return self.find_ends(context).await,
            Query::Range(kind, value) => {
                context
                    .bind(self.slot.place(kind))
                    .push_int(i64::from(value));
            }
            Query::Point => {
                let (lowest, highest) = (self.lowest(), self.highest.unwrap_or_default());
                let span = highest.saturating_sub(lowest) as f64;
                let values = context.bind(self.slot.place(BenchmarkStatement::Point));
                for place in &self.places {
                    values.push_int((lowest + (place * span) as u64) as i64);
                }
            }
        }
        context.execute().await?;
        self.queries += 1;
        self.is_done = true;
        self.reading.queries += 1;
        self.reading.fetched_rows += context.affected;
        Ok(())
    }

    /// Returns whether its client is done; in a step without inserts, whether the time is up.
    fn is_over(&self, now_ns: u64) -> bool {
        let benchmark_context = &self.slot.benchmark_context;
        match benchmark_context.plan.rounds {
            0 => now_ns >= u64::from(benchmark_context.options.step_seconds) * SECOND_NS,
            _ => self.slot.rounds().is_over(),
        }
    }
}

impl TransactionScript for Querier {
    const IS_SELF_PACED: bool = true;

    fn poll_ready(&mut self, now_ns: u64) -> Readiness {
        if std::mem::take(&mut self.is_done) {
            let ns = now_ns.saturating_sub(self.began_ns);
            self.reading.times.add(ns);
        }
        self.began_ns = now_ns;
        if self.is_at_look() {
            let reading = std::mem::take(&mut self.reading);
            self.slot.benchmark_context.account.add_queries(&reading);
            if self.is_over(now_ns) {
                return Readiness::Retired;
            }
        }
        Readiness::Ready
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.query = self.draw();
        self.replay(RetryValues::Same)
    }

    fn replay(&mut self, _draws: RetryValues) -> TransactionType {
        self.slot.number(match self.query {
            Query::FindMax => InsertEvent::FindMax,
            Query::Range(..) => InsertEvent::RangeQuery,
            Query::Point => InsertEvent::PointQuery,
        })
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        self.query(context).await?;
        Ok(EventEnd::Done)
    }
}
