//! One row an option: name, help, how its value is read and written.

use super::Options;
use crate::OptionInfo;
use crate::option_value::{identifier, real, sql_tail, switch, switch_word, whole, words};

/// Reads a value into its place, or says what is allowed.
type Set = fn(&mut Options, &str) -> Result<(), &'static str>;

/// An option of the family.
pub(crate) struct OptionRow {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) is_switch: bool,
    pub(crate) set: Set,
    pub(crate) get: fn(&Options) -> String,
}

/// ids and k are signed 32-bit columns.
const MAX_ID: u32 = i32::MAX as u32;
const COUNT: &str = "a whole number, 0 to 1000000,";

fn count(text: &str) -> Result<u32, &'static str> {
    whole(text, 0, 1_000_000, COUNT)
}

/// A row; `$read` turns `$text` into the value of the field, which has the option's name.
macro_rules! row {
    ($name:ident, $help:literal, |$text:ident| $read:expr) => {
        row!($name, $help, false, |$text| $read, |value| value
            .to_string())
    };
    ($name:ident, $help:literal, switch) => {
        row!($name, $help, true, |text| switch(text), |value| {
            switch_word(*value)
        })
    };
    ($name:ident, $help:literal, $switch:literal, |$text:ident| $read:expr, |$value:ident| $write:expr) => {
        OptionRow {
            name: stringify!($name),
            help: $help,
            is_switch: $switch,
            set: |options, $text| {
                options.$name = $read?;
                Ok(())
            },
            get: |options| {
                let $value = &options.$name;
                $write
            },
        }
    };
}

pub(crate) const ROWS: &[OptionRow] = &[
    row!(tables, "Number of tables, sbtest1 and on", |text| {
        whole(text, 1, 65_535, "a whole number, 1 to 65535,")
    }),
    row!(table_size, "Rows a table", |text| {
        whole(text, 1, MAX_ID, "a whole number, 1 to 2147483647,")
    }),
    row!(range_size, "Rows of a range select", |text| {
        whole(text, 0, MAX_ID, "a whole number, 0 to 2147483647,")
    }),
    row!(point_selects, "Point selects an event", |text| count(text)),
    row!(
        simple_ranges,
        "Simple range selects an event",
        |text| count(text)
    ),
    row!(sum_ranges, "SELECT SUM() ranges an event", |text| count(
        text
    )),
    row!(order_ranges, "SELECT ORDER BY ranges an event", |text| {
        count(text)
    }),
    row!(distinct_ranges, "SELECT DISTINCT ranges an event", |text| {
        count(text)
    }),
    row!(index_updates, "UPDATEs of the indexed k an event", |text| {
        count(text)
    }),
    row!(non_index_updates, "UPDATEs of c an event", |text| count(
        text
    )),
    row!(delete_inserts, "DELETE and INSERT pairs an event", |text| {
        count(text)
    }),
    row!(range_selects, "Whether events have range selects", switch),
    row!(
        skip_trx,
        "Leave out BEGIN and COMMIT: each statement commits alone",
        switch
    ),
    row!(auto_inc, "AUTO_INCREMENT ids", switch),
    row!(
        secondary,
        "A plain key on id instead of the primary key",
        switch
    ),
    row!(
        create_secondary,
        "An index on k, made after the rows",
        switch
    ),
    row!(
        mysql_storage_engine,
        "Storage engine of the tables",
        |text| identifier(text)
    ),
    row!(
        create_table_options,
        "Words that follow at the end of CREATE TABLE",
        |text| sql_tail(text)
    ),
    row!(
        rand_type,
        "Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian",
        |text| {
            words(
                text,
                is_distribution,
                "uniform, gaussian, special, pareto or zipfian",
            )
        }
    ),
    row!(
        rand_spec_iter,
        "gaussian, special: draws in the mean",
        |text| { whole(text, 1, 1000, "a whole number, 1 to 1000,") }
    ),
    row!(
        rand_spec_pct,
        "special: width of the hot band, percent of the table",
        |text| { whole(text, 0, 100, "a whole number, 0 to 100,") }
    ),
    row!(
        rand_spec_res,
        "special: share of the draws in the hot band, percent",
        |text| { whole(text, 0, 100, "a whole number, 0 to 100,") }
    ),
    row!(
        rand_pareto_h,
        "pareto: a share 1-h of the draws in the lowest h",
        |text| { real(text, |h| h > 0.0 && h < 1.0, "a number between 0 and 1") }
    ),
    row!(rand_zipfian_exp, "zipfian: exponent", |text| {
        real(
            text,
            |e| (0.0..=100.0).contains(&e),
            "a number of zero or more (up to 100)",
        )
    }),
    row!(
        random_points,
        "select_random_points: values in the IN list",
        |text| { whole(text, 1, 10_000, "a whole number, 1 to 10000,") }
    ),
    row!(
        number_of_ranges,
        "select_random_ranges: ranges in the query",
        |text| { whole(text, 1, 10_000, "a whole number, 1 to 10000,") }
    ),
    row!(delta, "select_random_ranges: width of a range", |text| {
        whole(text, 0, MAX_ID, "a whole number, 0 to 2147483647,")
    }),
];

fn is_distribution(text: &str) -> bool {
    matches!(
        text,
        "uniform" | "gaussian" | "special" | "pareto" | "zipfian"
    )
}

/// Options that say which rows there are, and how they are kept. The distribution is among them: k is drawn from it.
const SHAPING: &[&str] = &[
    "tables",
    "table_size",
    "auto_inc",
    "secondary",
    "create_secondary",
    "mysql_storage_engine",
    "create_table_options",
    "rand_type",
    "rand_spec_iter",
    "rand_spec_pct",
    "rand_spec_res",
    "rand_pareto_h",
    "rand_zipfian_exp",
];

/// Every option of the family with its default.
pub(crate) fn option_table() -> impl Iterator<Item = (OptionInfo, String)> {
    let defaults = Options::default();
    ROWS.iter().map(move |row| {
        let info = OptionInfo {
            name: row.name,
            help: row.help,
            is_switch: row.is_switch,
            shapes_data: SHAPING.contains(&row.name),
            family: "Options of sysbench workloads",
        };
        (info, (row.get)(&defaults))
    })
}

#[cfg(test)]
mod tests {
    use super::{ROWS, option_table};
    use crate::oltp::Options;

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
        for row in ROWS {
            let mut options = Options::default();
            let before = (row.get)(&options);
            let other = ["2", "off", "on", "0.5", "uniform"]
                .into_iter()
                .find(|value| {
                    (row.set)(&mut options, value).is_ok() && (row.get)(&options) != before
                });
            assert!(other.is_some(), "{}", row.name);
            let changed = ROWS
                .iter()
                .filter(|r| (r.get)(&options) != (r.get)(&Options::default()))
                .count();
            assert_eq!(changed, 1, "{}", row.name);
        }
    }
}
