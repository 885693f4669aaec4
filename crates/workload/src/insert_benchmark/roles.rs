//! Who does what in a step, and so which kinds of events and statements it has.

use super::options::Options;
use super::schema::keys;
use super::statement::{ADD_KEYS, Kind, RANGES};
use super::step::{Plan, Reads, Step};
use crate::TransactionType;

/// A kind of event, in the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
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

impl Event {
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
pub(super) struct Events(Vec<Event>);

impl Events {
    pub(super) fn number(&self, event: Event) -> TransactionType {
        let place = self.0.iter().position(|&other| other == event);
        place.unwrap_or_default() as TransactionType
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|event| event.name()).collect()
    }
}

/// What a user of a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Insert,
    FindMin,
    Delete,
    Hold,
    /// With its number among the client's.
    Query(Reads, u32),
    Settle,
}

/// The users of a client, in the order of their numbers.
pub(super) fn roles(options: &Options, plan: &Plan) -> Vec<Role> {
    if plan.step == Step::Settle {
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

/// Every kind of event of these roles.
pub(super) fn events(roles: &[Role], options: &Options) -> Events {
    let mut events: Vec<Event> = roles.iter().flat_map(|role| role.events(options)).collect();
    events.sort_unstable();
    events.dedup();
    Events(events)
}

/// Every kind of statement of these roles.
pub(super) fn kinds(roles: &[Role], options: &Options) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = roles.iter().flat_map(|role| role.kinds(options)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

impl Role {
    fn events(self, options: &Options) -> Vec<Event> {
        match self {
            Self::Insert => {
                let mut events = vec![Event::Insert];
                events.extend((options.step == Step::Load).then_some(Event::CreateTable));
                events.extend(options.adds_keys().then_some(Event::AddKeys));
                events.extend(options.sets_up().then_some(Event::SetUp));
                events
            }
            Self::FindMin => vec![Event::FindMin],
            Self::Delete => {
                let mut events = vec![Event::Delete];
                events.extend(options.leaves_checks_out().then_some(Event::SetUp));
                events
            }
            Self::Hold => vec![Event::Hold, Event::Release],
            Self::Query(Reads::Range, _) => vec![Event::RangeQuery],
            Self::Query(Reads::Point, _) => vec![Event::PointQuery, Event::FindMax],
            Self::Settle => vec![Event::Settle],
        }
    }

    fn kinds(self, options: &Options) -> Vec<Kind> {
        match self {
            Self::Insert => insert_kinds(options),
            Self::FindMin => vec![Kind::FindMin],
            Self::Delete => {
                let mut kinds = vec![Kind::Delete];
                kinds.extend(options.leaves_checks_out().then_some(Kind::NoUniqueChecks));
                kinds
            }
            Self::Hold => vec![Kind::NoAutocommit, Kind::ReadRow, Kind::Commit],
            Self::Query(Reads::Range, _) => RANGES[..keys(options).len()].to_vec(),
            Self::Query(Reads::Point, _) => {
                let mut kinds = vec![Kind::Point, Kind::FindMax];
                kinds.extend(options.is_fixed().then_some(Kind::FindMin));
                kinds
            }
            Self::Settle if options.is_rocksdb() => {
                vec![Kind::Analyze, Kind::FlushMemtable, Kind::PendingCompactions]
            }
            Self::Settle => vec![
                Kind::Analyze,
                Kind::ShowVariables,
                Kind::SetDirtyPages,
                Kind::SetDirtyPagesLow,
                Kind::SetIdleFlush,
                Kind::ShowDirtyPages,
            ],
        }
    }
}

fn insert_kinds(options: &Options) -> Vec<Kind> {
    let mut kinds = vec![Kind::Insert];
    if options.step == Step::Load {
        kinds.extend([Kind::DropTable, Kind::CreateTable]);
    }
    if options.loads_in_bulk() {
        kinds.extend([Kind::BulkLoad, Kind::EndBulkLoad]);
    }
    if options.leaves_checks_out() {
        kinds.push(Kind::NoUniqueChecks);
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
