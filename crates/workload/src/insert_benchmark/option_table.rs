//! One row an option: name, help, how its value is read and written.

use super::options::Options;
use super::step::Step;
use crate::OptionInfo;
use crate::option_value::{identifier, switch, switch_word, whole, words};

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

/// A row; `$read` turns the text into the value of the field, which has the option's name. `on_off` makes a switch.
macro_rules! row {
    ($name:ident, $help:literal, on_off) => {
        OptionRow {
            name: stringify!($name),
            help: $help,
            is_switch: true,
            set: |options, text| {
                options.$name = switch(text)?;
                Ok(())
            },
            get: |options| switch_word(options.$name),
        }
    };
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
    row!(
        step,
        "Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts a second and client (qr100)",
        Step::read
    ),
    row!(
        nr1,
        "Rows of the load, over all clients; rows means the same",
        rows
    ),
    row!(
        nr2,
        "Rows of the writes after it, over all clients: four fifths in l.i1, one in l.i2",
        rows
    ),
    row!(clients, "Clients, each with several connections", |text| {
        whole(text, 1, 4_000, "a whole number, 1 to 4000,")
    }),
    row!(
        one_table,
        "All clients on one table, instead of one table each",
        on_off
    ),
    row!(
        step_seconds,
        "Seconds that a step with queries is made for: its inserts are the rate times this",
        |text| whole(text, 1, 604_800, "a whole number, 1 to 604800,")
    ),
    row!(
        settle_seconds,
        "settle: seconds to wait at least; 0: the tool's 60 and one for each million of nr1",
        |text| whole(text, 0, 1200, "a whole number, 0 to 1200,")
    ),
    row!(
        delete_per_insert,
        "Delete as many rows at the low end of the key as are inserted, after the load",
        on_off
    ),
    row!(
        query_threads,
        "Connections of each client that query, in qr and qp",
        |text| whole(text, 0, 1000, "a whole number, 0 to 1000,")
    ),
    row!(
        rows_per_commit,
        "Rows of an insert; 0: the step's own, 100, 50 or 5",
        |text| whole(text, 0, 100_000, "a whole number, 0 to 100000,")
    ),
    row!(rows_per_query, "Rows that a query asks for", |text| {
        whole(text, 1, 10_000, "a whole number, 1 to 10000,")
    }),
    row!(
        num_secondary_indexes,
        "Secondary keys that l.x makes",
        |text| whole(text, 0, 3, "a whole number, 0 to 3,")
    ),
    row!(data_length_min, "Shortest data of a row", length),
    row!(data_length_max, "Longest data of a row", length),
    row!(
        data_random_pct,
        "Percent of the data that can't be compressed, as the tool counts them",
        |text| whole(text, 0, 100, "a whole number, 0 to 100,")
    ),
    row!(
        num_partitions,
        "Range partitions of each table; 0: none",
        |text| whole(text, 0, 8192, "a whole number, 0 to 8192,")
    ),
    row!(
        rows_per_partition,
        "Keys of a range partition; the last one takes the rest",
        |text| whole(text, 0, u32::MAX, "a whole number").map(u64::from)
    ),
    row!(
        table_name,
        "Name of the tables, which their number follows",
        identifier
    ),
    row!(
        unique_checks,
        "off: sets unique_checks=0 for connections that write (storage engine rocksdb only)",
        on_off
    ),
    row!(
        bulk_load,
        "l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only)",
        on_off
    ),
    row!(
        htap_transaction_seconds,
        "Seconds for which one more connection of each client keeps read views open; 0: none",
        |text| whole(text, 0, 86_400, "a whole number, 0 to 86400,")
    ),
    row!(
        mysql_storage_engine,
        "Storage engine of the tables",
        identifier
    ),
    row!(
        fidelity,
        "tool: with its bursts, late starts and quirks; fixed: evenly and without, for results that stand apart",
        |text| words(
            text,
            |text| matches!(text, "tool" | "fixed"),
            "tool or fixed"
        )
    ),
];

/// Rows are numbered by a BIGINT, and sums over them kept in 64 bits.
const MOST_ROWS: u64 = 1 << 40;

fn rows(text: &str) -> Result<u64, &'static str> {
    let rows = text.parse().ok().filter(|rows| *rows <= MOST_ROWS);
    rows.ok_or("a whole number, 0 to 1099511627776,")
}

fn length(text: &str) -> Result<u32, &'static str> {
    whole(text, 0, 4000, "a whole number, 0 to 4000,")
}

/// What shapes the tables and their rows.
const SHAPING: [&str; 11] = [
    "nr1",
    "clients",
    "one_table",
    "num_secondary_indexes",
    "data_length_min",
    "data_length_max",
    "data_random_pct",
    "num_partitions",
    "rows_per_partition",
    "table_name",
    "mysql_storage_engine",
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
            family: "Options of the insert benchmark",
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
        let tried = ["2", "on", "off", "fixed", "rocksdb", "qr7"];
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

    #[test]
    fn what_shapes_the_data_is_the_name_of_an_option() {
        for name in SHAPING {
            assert!(ROWS.iter().any(|row| row.name == name), "{name}");
        }
    }
}
