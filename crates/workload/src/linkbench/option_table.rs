//! One row an option: name, help, how its value is read and written.

use super::options::Options;
use crate::OptionInfo;
use crate::option_value::{identifier, real, switch, switch_word, whole, words};

/// Reads a value into its place, or says what is allowed.
type Set = fn(&mut Options, &str) -> Result<(), &'static str>;

/// An option of the family.
pub(super) struct OptionRow {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) is_switch: bool,
    pub(super) set: Set,
    pub(super) get: fn(&Options) -> String,
}

/// A row; `$read` turns `$text` into the value of the field, which has the option's name.
macro_rules! row {
    ($name:ident, $help:literal, $read:expr) => {
        OptionRow {
            name: stringify!($name),
            help: $help,
            is_switch: false,
            set: |options, text| {
                options.$name = $read(text)?;
                Ok(())
            },
            get: |options| options.$name.to_string(),
        }
    };
}

pub(super) const ROWS: &[OptionRow] = &[
    row!(startid1, "Lowest id of a node", id),
    row!(maxid1, "Id above the highest one; use at least 1000001", id),
    row!(
        link_type_count,
        "Types of links, which share a node's links",
        |text| { whole(text, 1, 16, "a whole number, 1 to 16,") }
    ),
    row!(
        data_file,
        "LinkBench's Distribution.dat, whose law of links a node then holds to the link; empty: dbdyno's curve",
        |text| words(text, |text| !text.contains('\0'), "a path")
    ),
    row!(
        dbid,
        "Schema that statements name; the target's unless given",
        identifier
    ),
    row!(
        id2gen_config,
        "1: a user takes only second ids of its own remainder, so that no two meet",
        |text| whole(text, 0, 1, "0 or 1")
    ),
    row!(
        getlinklist_history,
        "Percent of the list reads that go on behind an earlier one",
        percent
    ),
    row!(range_limit, "Most links a list read gives", |text| {
        whole(text, 1, 1_000_000, "a whole number, 1 to 1000000,")
    }),
    row!(
        fidelity,
        "tool: with the quirks of LinkBench; fixed: without, for results that stand apart",
        |text| words(
            text,
            |text| matches!(text, "tool" | "fixed"),
            "tool or fixed"
        )
    ),
    row!(addlink, "Percent of add_link", percent),
    row!(deletelink, "Percent of delete_link", percent),
    row!(updatelink, "Percent of update_link", percent),
    row!(countlink, "Percent of count_link", percent),
    row!(getlink, "Percent of multiget_link", percent),
    row!(getlinklist, "Percent of get_link_list", percent),
    row!(addnode, "Percent of add_node", percent),
    row!(updatenode, "Percent of update_node", percent),
    row!(deletenode, "Percent of delete_node", percent),
    row!(getnode, "Percent of get_node", percent),
    row!(
        mysql_storage_engine,
        "Storage engine of the tables",
        identifier
    ),
    row!(partitions, "Partitions of linktable; 0: none", |text| {
        whole(text, 0, 1024, "a whole number, 0 to 1024,")
    }),
    OptionRow {
        name: "index_after_load",
        help: "Make the key id1_type when the rows are in",
        is_switch: true,
        set: |options, text| {
            options.index_after_load = switch(text)?;
            Ok(())
        },
        get: |options| switch_word(options.index_after_load),
    },
    row!(
        table_compression,
        "none, row-compressed (see key_block_size) or page-compressed (see page_compression)",
        |text| words(
            text,
            |text| matches!(text, "none" | "row-compressed" | "page-compressed"),
            "none, row-compressed or page-compressed"
        )
    ),
    row!(key_block_size, "row-compressed: KiB a page takes", |text| {
        let size = whole(text, 1, 16, BLOCK_SIZES)?;
        size.is_power_of_two().then_some(size).ok_or(BLOCK_SIZES)
    }),
    row!(
        page_compression,
        "page-compressed: MySQL's algorithm; MariaDB's is the server's innodb_compression_algorithm",
        identifier
    ),
    row!(
        mysql_bulk_insert_batch,
        "Rows a statement when the tables are filled",
        |text| whole(text, 1, 100_000, "a whole number, 1 to 100000,")
    ),
    OptionRow {
        name: "mysql_disable_binlog_load",
        help: "Keep the filling out of the binary log",
        is_switch: true,
        set: |options, text| {
            options.mysql_disable_binlog_load = switch(text)?;
            Ok(())
        },
        get: |options| switch_word(options.mysql_disable_binlog_load),
    },
];

const BLOCK_SIZES: &str = "1, 2, 4, 8 or 16";

/// Ids leave room for the numbers of types and blocks beside them; see the rows of links.
const MOST_ID: u64 = 1 << 36;

fn id(text: &str) -> Result<u64, &'static str> {
    let id = text.parse().ok().filter(|id| (1..=MOST_ID).contains(id));
    id.ok_or("a whole number, 1 to 68719476736,")
}

fn percent(text: &str) -> Result<f64, &'static str> {
    real(
        text,
        |value| (0.0..=100.0).contains(&value),
        "a number, 0 to 100,",
    )
}

/// What shapes the tables and their rows.
const SHAPING: [&str; 11] = [
    "startid1",
    "maxid1",
    "link_type_count",
    "data_file",
    "fidelity",
    "mysql_storage_engine",
    "partitions",
    "index_after_load",
    "table_compression",
    "key_block_size",
    "page_compression",
];

/// Every option of the family with its default.
pub(super) fn option_table() -> Vec<(OptionInfo, String)> {
    let defaults = Options::default();
    let described = |row: &OptionRow| {
        let info = OptionInfo {
            name: row.name,
            help: row.help,
            is_switch: row.is_switch,
            shapes_data: SHAPING.contains(&row.name),
            family: "Options of LinkBench",
        };
        (info, (row.get)(&defaults))
    };
    ROWS.iter().map(described).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_reads_back_as_itself() {
        let mut options = Options::default();
        for (row, (_, value)) in ROWS.iter().zip(option_table()) {
            (row.set)(&mut options, &value).unwrap();
        }
        assert_eq!(options, Options::default());
    }

    #[test]
    fn every_option_reaches_its_own_place() {
        let tried = ["1", "2", "on", "0.5", "fixed", "row-compressed", "zlib"];
        for row in ROWS {
            let mut options = Options::default();
            let before = (row.get)(&options);
            let reaches = |value: &str, options: &mut Options| {
                (row.set)(options, value).is_ok() && (row.get)(options) != before
            };
            assert!(
                tried.iter().any(|value| reaches(value, &mut options)),
                "{}",
                row.name
            );
            let defaults = Options::default();
            let changed = ROWS
                .iter()
                .filter(|r| (r.get)(&options) != (r.get)(&defaults));
            assert_eq!(changed.count(), 1, "{}", row.name);
        }
    }
}
