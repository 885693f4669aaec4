//! Lists the scripts, a row each.

use super::statement::OltpStatement;

/// A script of sysbench, as data.
#[derive(Debug)]
pub(crate) struct OltpScript {
    /// Its name in sysbench.
    pub(crate) name: &'static str,
    /// Name of its one transaction type.
    pub(crate) transaction_type: &'static str,
    /// Kinds of statements in the order in which they are prepared.
    pub(crate) prepares: &'static [OltpStatement],
    /// Parts of an event, in order.
    pub(crate) event: &'static [Part],
    /// Sends its statements as text even where others are prepared.
    pub(crate) text_only: bool,
}

/// A part of an event. Unless said otherwise it goes to one table, drawn anew, and its statements are repeated as
/// often as an option says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// One statement without table and values: BEGIN, COMMIT.
    Bare(OltpStatement),
    /// Statements that find rows by one id: point selects, index updates.
    ById(OltpStatement),
    /// A range block.
    Range(OltpStatement),
    /// UPDATE of c.
    NonIndexUpdates,
    /// DELETE and INSERT of the same id.
    DeleteInserts,
    /// One DELETE.
    Delete,
    /// One INSERT of a new row.
    Insert,
    /// One SELECT with many points of k, in the user's segment of table 1.
    RandomPoints,
    /// One SELECT with many ranges of k, in the user's segment of table 1.
    RandomRanges,
}

use OltpStatement::{
    Begin, Commit, Delete, DistinctRange, IndexUpdate, Insert, NonIndexUpdate, OrderRange,
    PointSelect, RandomPoints, RandomRanges, SimpleRange, SumRange,
};

/// Settings that most scripts have in common.
const PLAIN: OltpScript = OltpScript {
    name: "",
    transaction_type: "",
    prepares: &[],
    event: &[],
    text_only: false,
};

const SCRIPTS: &[OltpScript] = &[
    OltpScript {
        name: "oltp_read_write",
        transaction_type: "read_write",
        prepares: &[
            Begin,
            Commit,
            PointSelect,
            SimpleRange,
            SumRange,
            OrderRange,
            DistinctRange,
            IndexUpdate,
            NonIndexUpdate,
            Delete,
            Insert,
        ],
        event: &[
            Part::Bare(Begin),
            Part::ById(PointSelect),
            Part::Range(SimpleRange),
            Part::Range(SumRange),
            Part::Range(OrderRange),
            Part::Range(DistinctRange),
            Part::ById(IndexUpdate),
            Part::NonIndexUpdates,
            Part::DeleteInserts,
            Part::Bare(Commit),
        ],
        ..PLAIN
    },
    OltpScript {
        name: "oltp_read_only",
        transaction_type: "read_only",
        prepares: &[
            PointSelect,
            Begin,
            Commit,
            SimpleRange,
            SumRange,
            OrderRange,
            DistinctRange,
        ],
        event: &[
            Part::Bare(Begin),
            Part::ById(PointSelect),
            Part::Range(SimpleRange),
            Part::Range(SumRange),
            Part::Range(OrderRange),
            Part::Range(DistinctRange),
            Part::Bare(Commit),
        ],
        ..PLAIN
    },
    OltpScript {
        name: "oltp_write_only",
        transaction_type: "write_only",
        prepares: &[Begin, Commit, IndexUpdate, NonIndexUpdate, Delete, Insert],
        event: &[
            Part::Bare(Begin),
            Part::ById(IndexUpdate),
            Part::NonIndexUpdates,
            Part::DeleteInserts,
            Part::Bare(Commit),
        ],
        ..PLAIN
    },
    OltpScript {
        name: "oltp_point_select",
        transaction_type: "point_select",
        prepares: &[PointSelect],
        event: &[Part::ById(PointSelect)],
        ..PLAIN
    },
    OltpScript {
        name: "oltp_update_index",
        transaction_type: "update_index",
        prepares: &[IndexUpdate],
        event: &[Part::ById(IndexUpdate)],
        ..PLAIN
    },
    OltpScript {
        name: "oltp_update_non_index",
        transaction_type: "update_non_index",
        prepares: &[NonIndexUpdate],
        event: &[Part::NonIndexUpdates],
        ..PLAIN
    },
    OltpScript {
        name: "oltp_delete",
        transaction_type: "delete",
        prepares: &[Delete],
        event: &[Part::Delete],
        ..PLAIN
    },
    OltpScript {
        name: "oltp_insert",
        transaction_type: "insert",
        prepares: &[Insert],
        event: &[Part::Insert],
        text_only: true,
    },
    OltpScript {
        name: "select_random_points",
        transaction_type: "random_points",
        prepares: &[RandomPoints],
        event: &[Part::RandomPoints],
        ..PLAIN
    },
    OltpScript {
        name: "select_random_ranges",
        transaction_type: "random_ranges",
        prepares: &[RandomRanges],
        event: &[Part::RandomRanges],
        ..PLAIN
    },
];

impl OltpScript {
    /// Works on `sbtest1` alone, so that `tables` must be 1.
    pub(crate) fn is_single_table(&self) -> bool {
        matches!(self.event, [Part::RandomPoints | Part::RandomRanges])
    }
}

/// Returns the script of that name.
pub(crate) fn script_named(name: &str) -> Option<&'static OltpScript> {
    SCRIPTS.iter().find(|script| script.name == name)
}

/// Returns the names of all scripts.
pub(crate) fn script_names() -> impl Iterator<Item = &'static str> {
    SCRIPTS.iter().map(|script| script.name)
}
