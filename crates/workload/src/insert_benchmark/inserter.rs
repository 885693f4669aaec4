//! Inserts the rows of one client. In `l.i0` it makes its table first, in `l.x` the secondary keys last.

use super::benchmark_context::{BenchmarkContext, ClientSlot};
use super::roles::InsertEvent;
use super::rounds::RoundParticipant;
use super::rows::RowMaker;
use super::schema::add_keys;
use super::statement::{ADD_KEYS, BenchmarkStatement, insert_head};
use super::step::BenchmarkStep;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{Readiness, RetryValues, TransactionType};
use std::sync::Arc;

/// Between the starts of two clients; after the first one more in `l.i0`, which leaves it the time to make the table.
const START_GAP_NS: u64 = 1_000_000_000;
const FIRST_START_GAP_NS: u64 = 10_000_000_000;

/// How long those wait who need a table that another client makes.
const TABLE_POLL_NS: u64 = 10_000_000;

/// One kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InserterEvent {
    CreateTable,
    SetUp,
    Insert,
    AddKeys,
    TearDown,
}

/// Inserts the rows of one client.
pub(super) struct Inserter {
    slot: ClientSlot,
    rows: RowMaker,
    head: Vec<u8>,
    /// The statement under way, kept for repeats.
    text: Vec<u8>,
    /// What comes before the first insert, last first; and what comes after the last.
    before: Vec<InserterEvent>,
    after: Vec<InserterEvent>,
    event: InserterEvent,
    began_ns: u64,
    /// An event was begun that the client hasn't said to be over.
    is_under_way: bool,
    /// Its last statement was answered.
    is_done: bool,
}

impl Inserter {
    pub(super) fn new(slot: ClientSlot) -> Self {
        let (benchmark_context, client) = (&slot.benchmark_context, slot.client);
        let (options, step) = (&benchmark_context.options, benchmark_context.plan.step);
        let creates = step == BenchmarkStep::Load && (!options.one_table || client == 0);
        let rows = RowMaker::new(Arc::clone(benchmark_context), step, client);
        let head = insert_head(options, options.table_of(client)).into_bytes();
        let listed = |duties: [(bool, InserterEvent); 2]| {
            let asked = duties.into_iter().filter(|(is_asked, _)| *is_asked);
            asked.map(|(_, event)| event).collect()
        };
        Self {
            text: Vec::with_capacity(head.len() + rows.round_bytes()),
            rows,
            head,
            before: listed([
                (options.sets_up(), InserterEvent::SetUp),
                (creates, InserterEvent::CreateTable),
            ]),
            after: listed([
                (options.adds_keys(), InserterEvent::AddKeys),
                (options.loads_in_bulk(), InserterEvent::TearDown),
            ]),
            event: InserterEvent::Insert,
            began_ns: 0,
            is_under_way: false,
            is_done: false,
            slot,
        }
    }

    fn benchmark_context(&self) -> &BenchmarkContext {
        &self.slot.benchmark_context
    }

    fn starts_at_ns(&self) -> u64 {
        let (client, step) = (
            u64::from(self.slot.client),
            self.benchmark_context().plan.step,
        );
        match (client, step) {
            _ if self.benchmark_context().options.is_fixed() => 0,
            (0, _) => 0,
            (_, BenchmarkStep::Load) => FIRST_START_GAP_NS + (client - 1) * START_GAP_NS,
            _ => client * START_GAP_NS,
        }
    }

    fn begin_insert(&mut self) {
        self.slot.rounds().begin(RoundParticipant::Inserter);
        self.text.clear();
        self.text.extend_from_slice(&self.head);
        self.rows.put_round(&mut self.text, |_| ());
    }

    /// Ends the event before; its rows count if it ended well.
    fn close(&mut self, now_ns: u64) {
        if !std::mem::take(&mut self.is_under_way) {
            return;
        }
        let is_done = std::mem::take(&mut self.is_done);
        if self.event == InserterEvent::Insert {
            self.slot.rounds().end(RoundParticipant::Inserter);
            if is_done {
                let (client, rows) = (
                    self.slot.client,
                    self.benchmark_context().plan.rows_per_commit,
                );
                let span_ns = (self.began_ns, now_ns);
                self.benchmark_context()
                    .account
                    .add_insert(client, rows, span_ns);
            }
        }
    }

    async fn say(
        &self,
        kind: BenchmarkStatement,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        context.bind(self.slot.place(kind));
        context.execute().await
    }

    async fn set_up(&self, context: &mut ScriptContext) -> Result<(), Aborted> {
        let options = &self.benchmark_context().options;
        if options.leaves_checks_out() {
            self.say(BenchmarkStatement::NoUniqueChecks, context)
                .await?;
        }
        if options.loads_in_bulk() {
            self.say(BenchmarkStatement::BulkLoad, context).await?;
        }
        Ok(())
    }
}

impl TransactionScript for Inserter {
    const IS_SELF_PACED: bool = true;

    fn poll_ready(&mut self, now_ns: u64) -> Readiness {
        self.close(now_ns);
        self.began_ns = now_ns;
        if now_ns < self.starts_at_ns() {
            return Readiness::RestUntil(self.starts_at_ns());
        }
        if self.before.contains(&InserterEvent::CreateTable) {
            return Readiness::Ready;
        }
        if self.benchmark_context().plan.step == BenchmarkStep::Load
            && !self.benchmark_context().has_table_of(self.slot.client)
        {
            return Readiness::RestUntil(now_ns + TABLE_POLL_NS);
        }
        let is_over = self.slot.rounds().has_begun_all(RoundParticipant::Inserter);
        self.benchmark_context()
            .account
            .begin(self.slot.client, now_ns, !is_over);
        if !self.before.is_empty() {
            return Readiness::Ready;
        }
        let standing = self
            .slot
            .rounds()
            .poll_ready(RoundParticipant::Inserter, now_ns);
        match standing {
            Readiness::Retired if !self.after.is_empty() => Readiness::Ready,
            other => other,
        }
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.is_under_way = true;
        let is_over = self.slot.rounds().has_begun_all(RoundParticipant::Inserter);
        self.event = match self.before.pop() {
            Some(event) => event,
            None if is_over && !self.after.is_empty() => self.after.remove(0),
            None => InserterEvent::Insert,
        };
        if self.event == InserterEvent::Insert {
            self.begin_insert();
        }
        self.replay(RetryValues::Same)
    }

    /// Always with the same rows: they are the round's.
    fn replay(&mut self, _draws: RetryValues) -> TransactionType {
        self.slot.number(match self.event {
            InserterEvent::CreateTable => InsertEvent::CreateTable,
            InserterEvent::SetUp | InserterEvent::TearDown => InsertEvent::SetUp,
            InserterEvent::Insert => InsertEvent::Insert,
            InserterEvent::AddKeys => InsertEvent::AddKeys,
        })
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        match self.event {
            InserterEvent::CreateTable => {
                self.say(BenchmarkStatement::DropTable, context).await?;
                self.say(BenchmarkStatement::CreateTable, context).await?;
                self.benchmark_context().note_table(self.slot.client);
            }
            InserterEvent::SetUp => self.set_up(context).await?,
            InserterEvent::Insert => {
                let out = context.text(self.slot.place(BenchmarkStatement::Insert));
                out.reserve(self.text.capacity()); // once, for the longest that there may be
                out.extend_from_slice(&self.text);
                context.execute().await?;
            }
            InserterEvent::AddKeys => {
                let statements = add_keys(&self.benchmark_context().options, 0).len();
                for kind in &ADD_KEYS[..statements] {
                    self.say(*kind, context).await?;
                }
            }
            InserterEvent::TearDown => self.say(BenchmarkStatement::EndBulkLoad, context).await?,
        }
        self.is_done = true;
        Ok(EventEnd::Done)
    }
}
