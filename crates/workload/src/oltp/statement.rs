//! Lists the statements of the family.

use super::OltpOptions;
use crate::Class;

/// A kind of statement; most exist once a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OltpStatement {
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
    RandomPoints,
    RandomRanges,
}

impl OltpStatement {
    /// Returns the name in reports.
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Commit => "commit",
            Self::PointSelect => "point_select",
            Self::SimpleRange => "simple_range",
            Self::SumRange => "sum_range",
            Self::OrderRange => "order_range",
            Self::DistinctRange => "distinct_range",
            Self::IndexUpdate => "index_update",
            Self::NonIndexUpdate => "non_index_update",
            Self::Delete => "delete",
            Self::Insert => "insert",
            Self::RandomPoints => "random_points",
            Self::RandomRanges => "random_ranges",
        }
    }

    pub(crate) fn class(self) -> Class {
        match self {
            Self::Begin => Class::Begin,
            Self::Commit => Class::Commit,
            _ => Class::Work,
        }
    }

    /// Counts the statements of the kind.
    pub(crate) fn count(self, tables: u32) -> u32 {
        match self {
            Self::Begin | Self::Commit | Self::RandomPoints | Self::RandomRanges => 1,
            _ => tables,
        }
    }

    /// Says whether it is left out, prepared or sent, by an option.
    pub(crate) fn switched_off(self, options: &OltpOptions) -> bool {
        match self {
            Self::Begin | Self::Commit => options.skip_trx,
            Self::SimpleRange | Self::SumRange | Self::OrderRange | Self::DistinctRange => {
                !options.range_selects
            }
            _ => false,
        }
    }

    /// Returns the text for table `number`, from 1, to the blank as the scripts have it.
    pub(crate) fn text(self, number: u32, options: &OltpOptions) -> String {
        let n = number;
        match self {
            Self::Begin => "BEGIN".to_owned(),
            Self::Commit => "COMMIT".to_owned(),
            Self::PointSelect => format!("SELECT c FROM sbtest{n} WHERE id=?"),
            Self::SimpleRange => format!("SELECT c FROM sbtest{n} WHERE id BETWEEN ? AND ?"),
            Self::SumRange => format!("SELECT SUM(k) FROM sbtest{n} WHERE id BETWEEN ? AND ?"),
            Self::OrderRange => {
                format!("SELECT c FROM sbtest{n} WHERE id BETWEEN ? AND ? ORDER BY c")
            }
            Self::DistinctRange => {
                format!("SELECT DISTINCT c FROM sbtest{n} WHERE id BETWEEN ? AND ? ORDER BY c")
            }
            Self::IndexUpdate => format!("UPDATE sbtest{n} SET k=k+1 WHERE id=?"),
            Self::NonIndexUpdate => format!("UPDATE sbtest{n} SET c=? WHERE id=?"),
            Self::Delete => format!("DELETE FROM sbtest{n} WHERE id=?"),
            Self::Insert => format!("INSERT INTO sbtest{n} (id, k, c, pad) VALUES (?, ?, ?, ?)"),
            Self::RandomPoints => random_points(options.random_points),
            Self::RandomRanges => random_ranges(options.number_of_ranges),
        }
    }
}

/// Returns the script's text with its indentation, which the server sees.
fn random_points(count: u32) -> String {
    let places = vec!["?"; count as usize].join(", ");
    format!(
        "        SELECT id, k, c, pad\n          FROM sbtest1\n          WHERE k IN ({places})\n        "
    )
}

fn random_ranges(count: u32) -> String {
    let ranges = vec!["k BETWEEN ? AND ?"; count as usize].join(" OR ");
    format!("        SELECT count(k)\n          FROM sbtest1\n          WHERE {ranges}")
}
