//! Lists the options, one row each: name, help, how its value is read and written.

use super::OltpOptions as Options;
use crate::option_table::{OptionRow, OptionTable, option_row, option_switch};
use crate::option_value::{identifier, real, sql_tail, whole, words};

/// ids and k are signed 32-bit columns.
const MAX_ID: u32 = i32::MAX as u32;
const COUNT: &str = "a whole number, 0 to 1000000,";

fn count(text: &str) -> Result<u32, &'static str> {
    whole(text, 0, 1_000_000, COUNT)
}

const ROWS: &[OptionRow<Options>] = &[
    option_row!(tables, "Number of tables (sbtest1, sbtest2, ...)", |text| {
        whole(text, 1, 65_535, "a whole number, 1 to 65535,")
    })
    .shapes_data(),
    option_row!(table_size, "Rows per table", |text| {
        whole(text, 1, MAX_ID, "a whole number, 1 to 2147483647,")
    })
    .shapes_data(),
    option_row!(range_size, "Rows of a range select", |text| {
        whole(text, 0, MAX_ID, "a whole number, 0 to 2147483647,")
    }),
    option_row!(point_selects, "Point selects per event", count),
    option_row!(simple_ranges, "Simple range selects per event", count),
    option_row!(sum_ranges, "SELECT SUM() ranges per event", count),
    option_row!(order_ranges, "SELECT ORDER BY ranges per event", count),
    option_row!(distinct_ranges, "SELECT DISTINCT ranges per event", count),
    option_row!(index_updates, "UPDATEs of the indexed k per event", count),
    option_row!(non_index_updates, "UPDATEs of c per event", count),
    option_row!(delete_inserts, "DELETE and INSERT pairs per event", count),
    option_switch!(range_selects, "Whether events have range selects"),
    option_switch!(
        skip_trx,
        "Leave out BEGIN and COMMIT: each statement commits alone"
    ),
    option_switch!(auto_inc, "AUTO_INCREMENT ids").shapes_data(),
    option_switch!(secondary, "A plain key on id instead of the primary key").shapes_data(),
    option_switch!(
        create_secondary,
        "Create an index on k after the rows are inserted"
    )
    .shapes_data(),
    option_row!(
        mysql_storage_engine,
        "Storage engine of the tables",
        identifier
    )
    .shapes_data(),
    option_row!(
        create_table_options,
        "Text added at the end of CREATE TABLE",
        sql_tail
    )
    .shapes_data(),
    // The distribution shapes the rows, too: k is drawn from it.
    option_row!(
        rand_type,
        "Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian",
        |text| {
            words(
                text,
                is_distribution,
                "uniform, gaussian, special, pareto or zipfian",
            )
        }
    )
    .shapes_data(),
    option_row!(
        rand_spec_iter,
        "gaussian, special: number of draws that are averaged",
        |text| { whole(text, 1, 1000, "a whole number, 1 to 1000,") }
    )
    .shapes_data(),
    option_row!(
        rand_spec_pct,
        "special: width of the hot band, percent of the table",
        |text| { whole(text, 0, 100, "a whole number, 0 to 100,") }
    )
    .shapes_data(),
    option_row!(
        rand_spec_res,
        "special: share of the draws in the hot band, percent",
        |text| { whole(text, 0, 100, "a whole number, 0 to 100,") }
    )
    .shapes_data(),
    option_row!(
        rand_pareto_h,
        "pareto: the lowest share h of the ids gets the share 1-h of the draws",
        |text| { real(text, |h| h > 0.0 && h < 1.0, "a number between 0 and 1") }
    )
    .shapes_data(),
    option_row!(rand_zipfian_exp, "zipfian: exponent", |text| {
        real(
            text,
            |e| (0.0..=100.0).contains(&e),
            "a number of zero or more (up to 100)",
        )
    })
    .shapes_data(),
    option_row!(
        random_points,
        "select_random_points: values in the IN list",
        |text| { whole(text, 1, 10_000, "a whole number, 1 to 10000,") }
    )
    .only(&["select_random_points"]),
    option_row!(
        number_of_ranges,
        "select_random_ranges: ranges in the query",
        |text| { whole(text, 1, 10_000, "a whole number, 1 to 10000,") }
    )
    .only(&["select_random_ranges"]),
    option_row!(delta, "select_random_ranges: width of a range", |text| {
        whole(text, 0, MAX_ID, "a whole number, 0 to 2147483647,")
    })
    .only(&["select_random_ranges"]),
];

fn is_distribution(text: &str) -> bool {
    matches!(
        text,
        "uniform" | "gaussian" | "special" | "pareto" | "zipfian"
    )
}

pub(super) const TABLE: OptionTable<Options> = OptionTable {
    family: "Options of sysbench workloads",
    rows: ROWS,
    aliases: &[("rows", "table_size")],
};

#[cfg(test)]
mod tests {
    #[test]
    fn every_option_reads_its_default_back_and_reaches_its_own_place() {
        super::TABLE.assert_sound(&["2", "off", "on", "0.5", "uniform"]);
    }
}
