//! Lists the conditions that must hold in and between the tables.

use super::options::LinkBenchOptions;
use super::schema;
use crate::{Condition, InvariantScope};

/// Each count must be the count of the visible links. The links of each count are looked up by their key: a join of all
/// counts with links that were grouped before took MariaDB 11.8 six times as long, and MySQL 5.5, which has no index on
/// groups, hours.
const COUNTS: &str = "SELECT c.id, c.link_type, c.count, (SELECT COUNT(*) FROM linktable l \
    WHERE l.id1 = c.id AND l.link_type = c.link_type AND l.visibility = 1) AS visible_links FROM counttable c \
    HAVING count <> visible_links";

const COUNTED: &str = "SELECT id1, link_type FROM linktable l WHERE visibility = 1 AND NOT EXISTS \
    (SELECT 1 FROM counttable c WHERE c.id = l.id1 AND c.link_type = l.link_type)";

const VERSIONS: &str = "SELECT link_type, id1, id2, version, visibility FROM linktable WHERE version <> 0 OR visibility NOT IN (0, 1)";

const TYPES: &str =
    "SELECT id, type, version FROM nodetable WHERE type <> 2048 OR version NOT IN (1, 2)";

/// Returns all conditions. With the tool's quirks, a lock wait timeout can leave a count wrong, which is no fault of
/// the server.
pub(super) fn conditions(options: &LinkBenchOptions) -> Vec<Condition> {
    let counts_hold = || match options.is_fixed() {
        true => InvariantScope::Always,
        false => InvariantScope::UnlessQuirk("Q-LB-7"),
    };
    let mut all = vec![
        condition(
            "counts",
            "each count is that of the visible links",
            COUNTS,
            counts_hold(),
        ),
        condition(
            "counted",
            "visible links have a count",
            COUNTED,
            counts_hold(),
        ),
        condition(
            "links",
            "links have version 0 and are visible or hidden",
            VERSIONS,
            InvariantScope::Always,
        ),
        condition(
            "nodes",
            "nodes have type 2048 and version 1 or 2",
            TYPES,
            InvariantScope::Always,
        ),
    ];
    if let Some(sql) = schema::tables_of_another_form(options) {
        let meaning = format!("tables are {}", options.table_compression);
        all.push(condition(
            "compression",
            &meaning,
            &sql,
            InvariantScope::Always,
        ));
    }
    all
}

fn condition(name: &str, meaning: &str, sql: &str, holds: InvariantScope) -> Condition {
    Condition {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        sql: sql.to_owned(),
        holds,
    }
}
