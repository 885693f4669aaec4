//! Lets the server settle: it gathers statistics, waits for dirty pages or compactions, and rests.

use super::SECOND_NS;
use super::benchmark_context::ClientSlot;
use super::options::InsertBenchmarkOptions;
use super::roles::InsertEvent;
use super::statement::{BenchmarkStatement, place};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{Readiness, RetryValues, TransactionType};

/// The tool's times.
const LEAST_SECONDS: u64 = 60;
const MOST_SECONDS: u64 = 1200;
const ROWS_A_SECOND: u64 = 1_000_000;

/// InnoDB's settings: where each is written, what it is set to meanwhile, and its name.
const INNODB: [(BenchmarkStatement, f64, &str); 3] = [
    (
        BenchmarkStatement::SetDirtyPagesLow,
        0.0,
        "innodb_max_dirty_pages_pct_lwm",
    ),
    (
        BenchmarkStatement::SetDirtyPages,
        1.0,
        "innodb_max_dirty_pages_pct",
    ),
    (
        BenchmarkStatement::SetIdleFlush,
        100.0,
        "innodb_idle_flush_pct",
    ),
];

/// Says where the step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettlePhase {
    Begin,
    Wait,
    End,
    Over,
}

/// Settles the server once.
pub(super) struct Settler {
    slot: ClientSlot,
    stage: SettlePhase,
    /// When the waiting began, and when the server was asked last.
    since_ns: Option<u64>,
    asked_ns: u64,
    /// What is in arrears, as the server says.
    has_arrears: bool,
    /// InnoDB's settings as they were, where the server has them.
    former: Vec<(BenchmarkStatement, f64)>,
}

impl Settler {
    pub(super) fn new(slot: ClientSlot) -> Self {
        Self {
            slot,
            stage: SettlePhase::Begin,
            since_ns: None,
            asked_ns: 0,
            has_arrears: true,
            former: Vec::new(),
        }
    }

    fn options(&self) -> &InsertBenchmarkOptions {
        &self.slot.benchmark_context.options
    }

    fn least_ns(&self) -> u64 {
        let by_rows = LEAST_SECONDS + self.options().nr1 / ROWS_A_SECOND;
        let seconds = match self.options().settle_seconds {
            0 => by_rows.min(MOST_SECONDS),
            seconds => u64::from(seconds),
        };
        seconds * SECOND_NS
    }

    /// Asks each second, until the time is up and nothing is in arrears, or it is too long.
    fn wait(&mut self, now_ns: u64) -> Readiness {
        let since_ns = match self.since_ns {
            Some(since_ns) => since_ns,
            None => {
                self.asked_ns = now_ns;
                *self.since_ns.insert(now_ns)
            }
        };
        let waited_ns = now_ns - since_ns;
        let is_over = waited_ns >= self.least_ns() && !self.has_arrears;
        if is_over || waited_ns >= MOST_SECONDS * SECOND_NS {
            self.stage = SettlePhase::End;
            return Readiness::Ready;
        }
        if now_ns < self.asked_ns + SECOND_NS {
            return Readiness::RestUntil(self.asked_ns + SECOND_NS);
        }
        self.asked_ns = now_ns;
        Readiness::Ready
    }

    async fn ask(
        &self,
        kind: BenchmarkStatement,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        context.bind(self.slot.place(kind));
        context.execute().await
    }

    async fn set(
        &self,
        kind: BenchmarkStatement,
        value: f64,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        let values = context.bind(self.slot.place(kind));
        match kind {
            BenchmarkStatement::SetIdleFlush => values.push_int(value as i64), // takes no other numbers
            _ => values.push_double(value),
        }
        context.execute().await
    }

    async fn begin(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        let tables = self.options().tables();
        for number in 0..tables {
            context.bind(place(BenchmarkStatement::Analyze, number, tables));
            context.execute().await?;
        }
        if self.options().is_rocksdb() {
            return self.ask(BenchmarkStatement::FlushMemtable, context).await;
        }
        self.ask(BenchmarkStatement::ShowVariables, context).await?;
        self.former = (0..context.rows.len())
            .filter_map(|row| {
                let name = String::from_utf8_lossy(context.rows.text(row, 0)?).to_ascii_lowercase();
                let (kind, ..) = INNODB.iter().find(|(.., known)| *known == name)?;
                Some((*kind, context.rows.number(row, 1)?))
            })
            .collect();
        for (kind, value, _) in INNODB {
            if self.former.iter().any(|(known, _)| *known == kind) {
                self.set(kind, value, context).await?;
            }
        }
        Ok(())
    }

    async fn look(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        if self.options().is_rocksdb() {
            self.ask(BenchmarkStatement::PendingCompactions, context)
                .await?;
            self.has_arrears = context.rows.int(0, 0).unwrap_or_default() > 0;
            return Ok(());
        }
        self.ask(BenchmarkStatement::ShowDirtyPages, context)
            .await?;
        let of = |word: &[u8]| {
            let row = (0..context.rows.len())
                .find(|&row| context.rows.text(row, 0).is_some_and(|t| t.ends_with(word)));
            row.and_then(|row| context.rows.number(row, 1))
                .unwrap_or(0.0)
        };
        self.has_arrears = of(b"dirty") > of(b"total") * 0.01;
        Ok(())
    }

    /// Puts the settings back, the limit before the lower one that must not be above it.
    async fn end(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        for (kind, ..) in INNODB.iter().rev() {
            let former = self.former.iter().find(|(known, _)| known == kind);
            if let Some((kind, value)) = former {
                self.set(*kind, *value, context).await?;
            }
        }
        Ok(())
    }
}

impl TransactionScript for Settler {
    const IS_SELF_PACED: bool = true;

    fn poll_ready(&mut self, now_ns: u64) -> Readiness {
        match self.stage {
            SettlePhase::Begin | SettlePhase::End => Readiness::Ready,
            SettlePhase::Over => Readiness::Retired,
            SettlePhase::Wait => self.wait(now_ns),
        }
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.slot.number(InsertEvent::Settle)
    }

    fn replay(&mut self, _draws: RetryValues) -> TransactionType {
        self.slot.number(InsertEvent::Settle)
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        match self.stage {
            SettlePhase::Begin => {
                self.begin(context).await?;
                self.stage = SettlePhase::Wait;
            }
            SettlePhase::Wait => {
                self.look(context).await?;
            }
            SettlePhase::End | SettlePhase::Over => {
                self.end(context).await?;
                self.stage = SettlePhase::Over;
            }
        }
        Ok(EventEnd::Done)
    }
}
