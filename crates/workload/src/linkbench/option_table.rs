//! Lists the options, one row each: name, help, how its value is read and written.

use super::options::LinkBenchOptions as Options;
use crate::option_table::{OptionRow, OptionTable, option_row, option_switch};
use crate::option_value::{fidelity, identifier, real, whole, words};

const ROWS: &[OptionRow<Options>] = &[
    option_row!(startid1, "Lowest id of a node", id).shapes_data(),
    option_row!(maxid1, "Id above the highest one; use at least 1000001", id).shapes_data(),
    option_row!(
        link_type_count,
        "Number of link types, among which a node's links are divided",
        |text| { whole(text, 1, 16, "a whole number, 1 to 16,") }
    ).shapes_data(),
    option_row!(
        data_file,
        "LinkBench's Distribution.dat: each node gets exactly the tool's number of links; empty: dbdyno's curve",
        |text| words(text, |text| !text.contains('\0'), "a path")
    ).shapes_data(),
    option_row!(
        dbid,
        "Schema named in statements; default in a study: the target's",
        identifier
    ),
    option_row!(
        id2gen_config,
        "1: the second ids of each user have their own remainder, so that no two users use the same",
        |text| whole(text, 0, 1, "0 or 1")
    ),
    option_row!(
        getlinklist_history,
        "Percent of the list reads that continue an earlier one",
        percent
    ),
    option_row!(range_limit, "Maximum number of links that a list read returns", |text| {
        whole(text, 1, 1_000_000, "a whole number, 1 to 1000000,")
    }),
    option_row!(
        fidelity,
        "tool: with the quirks of LinkBench; fixed: without them (results can't be compared)",
        fidelity
    ).shapes_data(),
    option_row!(addlink, "Percent of add_link", percent),
    option_row!(deletelink, "Percent of delete_link", percent),
    option_row!(updatelink, "Percent of update_link", percent),
    option_row!(countlink, "Percent of count_link", percent),
    option_row!(getlink, "Percent of multiget_link", percent),
    option_row!(getlinklist, "Percent of get_link_list", percent),
    option_row!(addnode, "Percent of add_node", percent),
    option_row!(updatenode, "Percent of update_node", percent),
    option_row!(deletenode, "Percent of delete_node", percent),
    option_row!(getnode, "Percent of get_node", percent),
    option_row!(
        mysql_storage_engine,
        "Storage engine of the tables",
        identifier
    ).shapes_data(),
    option_row!(partitions, "Partitions of linktable; 0: none", |text| {
        whole(text, 0, 1024, "a whole number, 0 to 1024,")
    }).shapes_data(),
    option_switch!(
        index_after_load,
        "Create the key id1_type after the rows are inserted"
    ).shapes_data(),
    option_row!(
        table_compression,
        "none, row-compressed (see key_block_size) or page-compressed (see page_compression)",
        |text| words(
            text,
            |text| matches!(text, "none" | "row-compressed" | "page-compressed"),
            "none, row-compressed or page-compressed"
        )
    ).shapes_data(),
    option_row!(key_block_size, "row-compressed: KiB per page", |text| {
        let size = whole(text, 1, 16, BLOCK_SIZES)?;
        size.is_power_of_two().then_some(size).ok_or(BLOCK_SIZES)
    }).shapes_data(),
    option_row!(
        page_compression,
        "page-compressed: MySQL's algorithm; MariaDB's is the server's innodb_compression_algorithm",
        identifier
    ).shapes_data(),
    option_row!(
        mysql_bulk_insert_batch,
        "Rows per statement when the tables are filled",
        |text| whole(text, 1, 100_000, "a whole number, 1 to 100000,")
    ),
    option_switch!(
        mysql_disable_binlog_load,
        "Do not write the filling to the binary log"
    ),
];

const BLOCK_SIZES: &str = "1, 2, 4, 8 or 16";

/// Ids leave room for the numbers of types and blocks next to them; see the rows of links.
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

pub(super) const TABLE: OptionTable<Options> = OptionTable {
    family: "Options of LinkBench",
    rows: ROWS,
    aliases: &[],
};

#[cfg(test)]
mod tests {
    #[test]
    fn every_option_reads_its_default_back_and_reaches_its_own_place() {
        super::TABLE.assert_sound(&["1", "2", "on", "0.5", "fixed", "row-compressed", "zlib"]);
    }
}
