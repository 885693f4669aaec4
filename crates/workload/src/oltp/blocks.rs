//! Holds what the users of a workload share: the blocks of an event and everything computed in advance.

use super::script::Part;
use super::statement::OltpStatement;
use super::{OltpOptions, OltpScript};
use dbdyno_chance::{Distribution, RandomKind, Sampler};

/// A part of an event with its numbers filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventBlock {
    pub(crate) part: Part,
    /// How often its statements are sent.
    pub(crate) repeat: u32,
    /// Whether a table is drawn on entering, which happens even if nothing is sent then.
    pub(crate) draws_table: bool,
    /// Place of its statement for the first table; the other tables follow.
    pub(crate) statement: u16,
    /// The same for the INSERT of a delete-and-insert pair.
    pub(crate) insert: u16,
}

/// The shared part of all users.
#[derive(Debug)]
pub(crate) struct EventPlan {
    pub(crate) blocks: Vec<EventBlock>,
    pub(crate) kind: RandomKind,
    /// Draws a table number, from 1; always uniform.
    pub(crate) tables: Sampler,
    /// Draws an id or a k.
    pub(crate) ids: Sampler,
    /// From the lower to the upper end of a range.
    pub(crate) range_reach: i64,
    pub(crate) auto_inc: bool,
    pub(crate) random_points: u32,
    pub(crate) number_of_ranges: u32,
    pub(crate) delta: i64,
}

impl EventPlan {
    /// Creates it; `first_statement` knows where the statements of a kind begin.
    pub(crate) fn new(
        script: &OltpScript,
        options: &OltpOptions,
        kind: RandomKind,
        first_statement: impl Fn(OltpStatement) -> u16,
    ) -> Self {
        let blocks = script
            .event
            .iter()
            .filter(|part| !kind_of(**part).switched_off(options))
            .map(|part| block(*part, options, &first_statement))
            .collect();
        Self {
            blocks,
            kind,
            tables: Distribution::Uniform.sampler(1, options.tables),
            ids: options.distribution().sampler(1, options.table_size),
            range_reach: i64::from(options.range_size) - 1,
            auto_inc: options.auto_inc,
            random_points: options.random_points,
            number_of_ranges: options.number_of_ranges,
            delta: i64::from(options.delta),
        }
    }
}

fn block(
    part: Part,
    options: &OltpOptions,
    first_statement: &impl Fn(OltpStatement) -> u16,
) -> EventBlock {
    let insert = match part {
        Part::DeleteInserts => first_statement(OltpStatement::Insert),
        _ => 0,
    };
    EventBlock {
        part,
        repeat: repeat(part, options),
        draws_table: !matches!(
            part,
            Part::Bare(_) | Part::RandomPoints | Part::RandomRanges
        ),
        statement: first_statement(kind_of(part)),
        insert,
    }
}

/// Returns the kind of the part's (first) statement.
fn kind_of(part: Part) -> OltpStatement {
    match part {
        Part::Bare(kind) | Part::ById(kind) | Part::Range(kind) => kind,
        Part::NonIndexUpdates => OltpStatement::NonIndexUpdate,
        Part::DeleteInserts | Part::Delete => OltpStatement::Delete,
        Part::Insert => OltpStatement::Insert,
        Part::RandomPoints => OltpStatement::RandomPoints,
        Part::RandomRanges => OltpStatement::RandomRanges,
    }
}

fn repeat(part: Part, options: &OltpOptions) -> u32 {
    match part {
        Part::ById(OltpStatement::PointSelect) => options.point_selects,
        Part::ById(_) => options.index_updates,
        Part::Range(OltpStatement::SimpleRange) => options.simple_ranges,
        Part::Range(OltpStatement::SumRange) => options.sum_ranges,
        Part::Range(OltpStatement::OrderRange) => options.order_ranges,
        Part::Range(_) => options.distinct_ranges,
        Part::NonIndexUpdates => options.non_index_updates,
        Part::DeleteInserts => options.delete_inserts,
        Part::Bare(_) | Part::Delete | Part::Insert | Part::RandomPoints | Part::RandomRanges => 1,
    }
}
