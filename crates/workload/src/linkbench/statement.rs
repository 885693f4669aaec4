//! Lists the statements, word by word as the tool sends them; `{db}` stands for the schema.

use crate::{Class, StatementTemplate};

/// Connections of a user: the one that changes things is opened first.
const WRITE: u8 = 0;
const READ: u8 = 1;

/// Places of the statements.
pub(super) mod at {
    pub(crate) const INSERT_LINK: u16 = 0;
    pub(crate) const RAISE_COUNT_COMMIT: u16 = 1;
    pub(crate) const RAISE_COUNT: u16 = 2;
    pub(crate) const UPDATE_LINK: u16 = 3;
    pub(crate) const FIND_LINK: u16 = 4;
    pub(crate) const HIDE_LINK: u16 = 5;
    pub(crate) const LOWER_COUNT: u16 = 6;
    pub(crate) const COMMIT: u16 = 7;
    pub(crate) const COUNT_LINK: u16 = 8;
    pub(crate) const MULTIGET_LINK: u16 = 9;
    pub(crate) const GET_LINK_LIST: u16 = 10;
    pub(crate) const GET_LINK_LIST_HISTORY: u16 = 11;
    pub(crate) const GET_NODE: u16 = 12;
    pub(crate) const ADD_NODE: u16 = 13;
    pub(crate) const UPDATE_NODE: u16 = 14;
    pub(crate) const DELETE_NODE: u16 = 15;
}

/// Names of the statement types: one a statement, for each is timed separately.
pub(super) const NAMES: [&str; 16] = [
    "insert_link",
    "raise_count_commit",
    "raise_count",
    "update_link",
    "find_link",
    "hide_link",
    "lower_count",
    "commit",
    "count_link",
    "multiget_link",
    "get_link_list",
    "get_link_list_history",
    "get_node",
    "add_node",
    "update_node",
    "delete_node",
];

/// Says how a statement is handled.
#[derive(Clone, Copy, PartialEq)]
enum RequestHandling {
    /// Changes something, with plain numbers.
    Change,
    /// The same, and its packet ends the transaction.
    Last,
    /// Its text is written by the user.
    WrittenChange,
    WrittenLast,
    /// Reads, and the user looks at the rows.
    LookedAt,
    /// Reads, and the rows are passed over.
    PassedOver,
    WrittenRead,
    /// Reads on the connection that changes things, and locks.
    Locking,
}

use RequestHandling::*;

const INSERT_LINK: &str = "INSERT INTO {db}.linktable(id1, id2, link_type, visibility, data, time, version) \
    VALUES (?, ?, ?, 1, ?, ?, 0) ON DUPLICATE KEY UPDATE visibility = VALUES(visibility)";
const RAISE_COUNT: &str = "INSERT INTO {db}.counttable(id, link_type, count, time, version) \
    VALUES (?, ?, 1, ?, 0) ON DUPLICATE KEY UPDATE count = count + 1, version = version + 1 , time = ?;";
const RAISE_COUNT_COMMIT: &str = "INSERT INTO {db}.counttable(id, link_type, count, time, version) \
    VALUES (?, ?, 1, ?, 0) ON DUPLICATE KEY UPDATE count = count + 1, version = version + 1 , time = ?; commit;";
const UPDATE_LINK: &str = "UPDATE {db}.linktable SET visibility = 1, data = ?, time = ?, version = 0 \
    WHERE id1 = ? AND id2 = ? AND link_type = ?; commit;";
const FIND_LINK: &str =
    "SELECT visibility FROM {db}.linktable WHERE id1 = ? AND id2 = ? AND link_type = ? FOR UPDATE;";
const HIDE_LINK: &str =
    "UPDATE {db}.linktable SET visibility = 0 WHERE id1 = ? AND id2 = ? AND link_type = ?;";
const LOWER_COUNT: &str = "INSERT INTO {db}.counttable (id, link_type, count, time, version) \
    VALUES (?, ?, 0, ?, 0) ON DUPLICATE KEY UPDATE count = IF (count = 0, 0, count - 1), time = ?, version = version + 1;";
const COUNT_LINK: &str = " select count from {db}.counttable where id = ? and link_type = ?;";
const MULTIGET_LINK: &str = " select id1, id2, link_type, visibility, data, time,  version \
    from {db}.linktable where id1 = ? and link_type = ? and id2 in (?);";
const GET_LINK_LIST: &str = " select id1, id2, link_type, visibility, data, time, version \
    from {db}.linktable FORCE INDEX(`id1_type`)  where id1 = ? and link_type = ? and time >= 0 and time <= ? \
    and visibility = 1 order by time desc  limit 0,?;";
const GET_LINK_LIST_HISTORY: &str = " select id1, id2, link_type, visibility, data, time, version \
    from {db}.linktable FORCE INDEX(`id1_type`)  where id1 = ? and link_type = ? and time >= 0 and time <= ? \
    and visibility = 1 order by time desc  limit 1,?;";
const GET_NODE: &str = "SELECT id, type, version, time, data FROM `{db}`.`nodetable` WHERE id=?;";
const ADD_NODE: &str =
    "INSERT INTO `{db}`.`nodetable` (type, version, time, data) VALUES (2048,1,?,?); commit;";
const UPDATE_NODE: &str =
    "UPDATE `{db}`.`nodetable` SET version=2, time=?, data=? WHERE id=? AND type=2048; commit;";
const DELETE_NODE: &str = "DELETE FROM `{db}`.`nodetable` WHERE id=? and type =2048; commit;";

/// In the order of [`at`].
const STATEMENTS: [(&str, RequestHandling); 16] = [
    (INSERT_LINK, WrittenChange),
    (RAISE_COUNT_COMMIT, Last),
    (RAISE_COUNT, Change),
    (UPDATE_LINK, WrittenLast),
    (FIND_LINK, Locking),
    (HIDE_LINK, Change),
    (LOWER_COUNT, Change),
    ("commit", Last),
    (COUNT_LINK, PassedOver),
    (MULTIGET_LINK, WrittenRead),
    (GET_LINK_LIST, LookedAt),
    (GET_LINK_LIST_HISTORY, LookedAt),
    (GET_NODE, PassedOver),
    (ADD_NODE, WrittenLast),
    (UPDATE_NODE, WrittenLast),
    (DELETE_NODE, Last),
];

/// Returns all statements. None is ever prepared: the tool doesn't either, and two in one packet can't be.
pub(super) fn templates(schema: &str) -> Vec<StatementTemplate> {
    let template = |(number, (text, kind)): (u8, &(&str, RequestHandling))| {
        let class = match kind {
            Last | WrittenLast => Class::Commit,
            _ => Class::Work,
        };
        StatementTemplate {
            text_only: true,
            is_written: matches!(kind, WrittenChange | WrittenLast | WrittenRead),
            keeps_rows: matches!(kind, LookedAt | Locking),
            lane: match kind {
                LookedAt | PassedOver | WrittenRead => READ,
                Change | Last | WrittenChange | WrittenLast | Locking => WRITE,
            },
            ..StatementTemplate::new(text.replace("{db}", schema), number, class)
        }
    };
    (0..).zip(&STATEMENTS).map(template).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_stands_at_its_own_place() {
        let templates = templates("linkdb");
        assert_eq!(templates.len(), NAMES.len());
        let starts_at = |place: u16, start: &str| {
            let text = &templates[usize::from(place)].text;
            assert!(text.trim_start().starts_with(start), "{text}");
        };
        starts_at(
            at::UPDATE_LINK,
            "UPDATE linkdb.linktable SET visibility = 1",
        );
        starts_at(at::HIDE_LINK, "UPDATE linkdb.linktable SET visibility = 0");
        starts_at(at::LOWER_COUNT, "INSERT INTO linkdb.counttable (id");
        starts_at(at::COMMIT, "commit");
        starts_at(at::COUNT_LINK, "select count from");
        starts_at(at::DELETE_NODE, "DELETE FROM `linkdb`.`nodetable`");
        assert!(templates.iter().all(|template| !template.can_be_prepared()));
    }

    #[test]
    fn what_changes_nothing_and_locks_nothing_goes_over_the_second_connection() {
        for template in templates("linkdb") {
            let words = template.text.trim_start().to_ascii_lowercase();
            let reads = words.starts_with("select") && !words.contains("for update");
            assert_eq!(template.lane == READ, reads, "{words}");
            let ends = words.contains("commit");
            assert_eq!(template.class == Class::Commit, ends, "{words}");
        }
    }
}
