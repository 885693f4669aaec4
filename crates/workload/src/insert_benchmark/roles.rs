//! Assigns the roles of a step, and so its kinds of events and statements.

use super::options::InsertBenchmarkOptions;
use super::schema::keys;
use super::statement::{ADD_KEYS, BenchmarkStatement, RANGES};
use super::step::{BenchmarkStep, ReadKind, StepPlan};
use crate::TransactionType;

/// A kind of event, in the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InsertEvent {
    Insert,
    Delete,
    RangeQuery,
    PointQuery,
    FindMin,
    FindMax,
    CreateTable,
    AddKeys,
    SetUp,
    Hold,
    Release,
    Settle,
}

impl InsertEvent {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Delete => "delete",
            Self::RangeQuery => "range_query",
            Self::PointQuery => "point_query",
            Self::FindMin => "find_min",
            Self::FindMax => "find_max",
            Self::CreateTable => "create_table",
            Self::AddKeys => "add_keys",
            Self::SetUp => "set_up",
            Self::Hold => "hold",
            Self::Release => "release",
            Self::Settle => "settle",
        }
    }
}

/// The kinds of events that a step has, and the number of each.
#[derive(Debug, Clone)]
pub(super) struct InsertEvents(Vec<InsertEvent>);

impl InsertEvents {
    pub(super) fn number(&self, event: InsertEvent) -> TransactionType {
        let place = self.0.iter().position(|&other| other == event);
        place.unwrap_or_default() as TransactionType
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|event| event.name()).collect()
    }
}

/// Describes what a user of a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Insert,
    FindMin,
    Delete,
    Hold,
    /// With its number among the client's.
    Query(ReadKind, u32),
    Settle,
}

/// Returns the users of a client, in the order of their numbers.
pub(super) fn roles(options: &InsertBenchmarkOptions, plan: &StepPlan) -> Vec<Role> {
    if plan.step == BenchmarkStep::Settle {
        return vec![Role::Settle];
    }
    let mut roles = Vec::new();
    if plan.rounds > 0 {
        roles.push(Role::Insert);
        if options.deletes() {
            roles.extend([Role::FindMin, Role::Delete]);
        }
        if options.htap_transaction_seconds > 0 {
            roles.push(Role::Hold);
        }
    }
    if let Some(reads) = plan.step.reads() {
        let query = |number| Role::Query(reads, number);
        roles.extend((0..options.query_threads).map(query));
    }
    roles
}

/// Returns every kind of event of these roles.
pub(super) fn events(roles: &[Role], options: &InsertBenchmarkOptions) -> InsertEvents {
    let mut events: Vec<InsertEvent> = roles.iter().flat_map(|role| role.events(options)).collect();
    events.sort_unstable();
    events.dedup();
    InsertEvents(events)
}

/// Returns every kind of statement of these roles.
pub(super) fn kinds(roles: &[Role], options: &InsertBenchmarkOptions) -> Vec<BenchmarkStatement> {
    let mut kinds: Vec<BenchmarkStatement> =
        roles.iter().flat_map(|role| role.kinds(options)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

impl Role {
    fn events(self, options: &InsertBenchmarkOptions) -> Vec<InsertEvent> {
        match self {
            Self::Insert => {
                let mut events = vec![InsertEvent::Insert];
                events.extend(
                    (options.step == BenchmarkStep::Load).then_some(InsertEvent::CreateTable),
                );
                events.extend(options.adds_keys().then_some(InsertEvent::AddKeys));
                events.extend(options.sets_up().then_some(InsertEvent::SetUp));
                events
            }
            Self::FindMin => vec![InsertEvent::FindMin],
            Self::Delete => {
                let mut events = vec![InsertEvent::Delete];
                events.extend(options.leaves_checks_out().then_some(InsertEvent::SetUp));
                events
            }
            Self::Hold => vec![InsertEvent::Hold, InsertEvent::Release],
            Self::Query(ReadKind::Range, _) => vec![InsertEvent::RangeQuery],
            Self::Query(ReadKind::Point, _) => vec![InsertEvent::PointQuery, InsertEvent::FindMax],
            Self::Settle => vec![InsertEvent::Settle],
        }
    }

    fn kinds(self, options: &InsertBenchmarkOptions) -> Vec<BenchmarkStatement> {
        match self {
            Self::Insert => insert_kinds(options),
            Self::FindMin => vec![BenchmarkStatement::FindMin],
            Self::Delete => {
                let mut kinds = vec![BenchmarkStatement::Delete];
                kinds.extend(
                    options
                        .leaves_checks_out()
                        .then_some(BenchmarkStatement::NoUniqueChecks),
                );
                kinds
            }
            Self::Hold => vec![
                BenchmarkStatement::NoAutocommit,
                BenchmarkStatement::ReadRow,
                BenchmarkStatement::Commit,
            ],
            Self::Query(ReadKind::Range, _) => RANGES[..keys(options).len()].to_vec(),
            Self::Query(ReadKind::Point, _) => {
                let mut kinds = vec![BenchmarkStatement::Point, BenchmarkStatement::FindMax];
                kinds.extend(options.is_fixed().then_some(BenchmarkStatement::FindMin));
                kinds
            }
            Self::Settle if options.is_rocksdb() => {
                vec![
                    BenchmarkStatement::Analyze,
                    BenchmarkStatement::FlushMemtable,
                    BenchmarkStatement::PendingCompactions,
                ]
            }
            Self::Settle => vec![
                BenchmarkStatement::Analyze,
                BenchmarkStatement::ShowVariables,
                BenchmarkStatement::SetDirtyPages,
                BenchmarkStatement::SetDirtyPagesLow,
                BenchmarkStatement::SetIdleFlush,
                BenchmarkStatement::ShowDirtyPages,
            ],
        }
    }
}

fn insert_kinds(options: &InsertBenchmarkOptions) -> Vec<BenchmarkStatement> {
    let mut kinds = vec![BenchmarkStatement::Insert];
    if options.step == BenchmarkStep::Load {
        kinds.extend([
            BenchmarkStatement::DropTable,
            BenchmarkStatement::CreateTable,
        ]);
    }
    if options.loads_in_bulk() {
        kinds.extend([
            BenchmarkStatement::BulkLoad,
            BenchmarkStatement::EndBulkLoad,
        ]);
    }
    if options.leaves_checks_out() {
        kinds.push(BenchmarkStatement::NoUniqueChecks);
    }
    if options.adds_keys() {
        // One statement makes all keys, or each has its own.
        let statements = if options.is_rocksdb() {
            keys(options).len()
        } else {
            1
        };
        kinds.extend(&ADD_KEYS[..statements]);
    }
    kinds
}
