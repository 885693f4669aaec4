//! Holds what all users of a run share.

use super::metrics::BenchmarkMetrics;
use super::options::InsertBenchmarkOptions;
use super::roles::{InsertEvent, InsertEvents, Role, events, roles};
use super::round_pacing::RoundPacing;
use super::rounds::Rounds;
use super::rows::letters;
use super::statement::{BenchmarkStatement, place};
use super::step::StepPlan;
use crate::TransactionType;
use dbdyno_chance::RandomSource;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Holds options and what follows from them, and what the users of a client share.
#[derive(Debug)]
pub(super) struct BenchmarkContext {
    pub(super) options: InsertBenchmarkOptions,
    pub(super) source: RandomSource,
    pub(super) plan: StepPlan,
    /// Of each client.
    pub(super) roles: Vec<Role>,
    pub(super) events: InsertEvents,
    pub(super) account: BenchmarkMetrics,
    rounds: Vec<Mutex<Rounds>>,
    /// Whether a table was made in this step.
    tables_made: Vec<AtomicBool>,
    letters: OnceLock<Vec<u8>>,
}

impl BenchmarkContext {
    pub(super) fn new(options: InsertBenchmarkOptions, source: RandomSource) -> Arc<Self> {
        let plan = options.plan_of(options.step);
        let rounds = || Mutex::new(rounds(&options, &plan));
        let roles = roles(&options, &plan);
        let asked = options.step.rate_per_s();
        Arc::new(Self {
            account: BenchmarkMetrics::new(
                plan.clients,
                asked.map(|rate| (rate, options.step_seconds)),
            ),
            rounds: (0..plan.clients).map(|_| rounds()).collect(),
            tables_made: (0..options.tables())
                .map(|_| AtomicBool::new(false))
                .collect(),
            events: events(&roles, &options),
            roles,
            options,
            source,
            plan,
            letters: OnceLock::new(),
        })
    }

    /// Locks what a client's users do in step.
    pub(super) fn rounds(&self, client: u32) -> MutexGuard<'_, Rounds> {
        let rounds = &self.rounds[client as usize % self.rounds.len()];
        rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what data is cut from, made when it is first needed.
    pub(super) fn letters(&self) -> &[u8] {
        self.letters.get_or_init(|| letters(self.source))
    }

    fn table_made(&self, client: u32) -> &AtomicBool {
        &self.tables_made[self.options.table_of(client) as usize]
    }

    /// Records that a client has made its table.
    pub(super) fn note_table(&self, client: u32) {
        self.table_made(client).store(true, Ordering::Release);
    }

    /// Returns whether the table is there on which a client works.
    pub(super) fn has_table_of(&self, client: u32) -> bool {
        self.table_made(client).load(Ordering::Acquire)
    }
}

/// Says where a user stands: in which run, and for which client.
#[derive(Debug, Clone)]
pub(super) struct ClientSlot {
    pub(super) benchmark_context: Arc<BenchmarkContext>,
    pub(super) client: u32,
}

impl ClientSlot {
    /// Locks what it does in step with the client's other users.
    pub(super) fn rounds(&self) -> MutexGuard<'_, Rounds> {
        self.benchmark_context.rounds(self.client)
    }

    /// Returns the number of a kind of event in this step.
    pub(super) fn number(&self, event: InsertEvent) -> TransactionType {
        self.benchmark_context.events.number(event)
    }

    /// Returns the place of a statement for the client's table.
    pub(super) fn place(&self, kind: BenchmarkStatement) -> u16 {
        let options = &self.benchmark_context.options;
        place(kind, options.table_of(self.client), options.tables())
    }
}

fn rounds(options: &InsertBenchmarkOptions, plan: &StepPlan) -> Rounds {
    let round_pacing = match (plan.step.rate_per_s(), plan.rounds_per_s()) {
        (Some(rate @ 1..), _) if options.is_fixed() => {
            RoundPacing::even(rate, plan.rows_per_commit)
        }
        (Some(1..), Some(per_s)) => RoundPacing::burst(per_s),
        _ => RoundPacing::Free,
    };
    Rounds::new(
        plan.rounds,
        plan.rows_per_commit,
        options.deletes(),
        round_pacing,
    )
}
