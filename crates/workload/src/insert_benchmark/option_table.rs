//! Lists the options, one row each: name, help, how its value is read and written.

use super::options::InsertBenchmarkOptions as Options;
use super::step::BenchmarkStep;
use crate::option_table::{OptionRow, OptionTable, option_row, option_switch};
use crate::option_value::{fidelity, identifier, whole};

const ROWS: &[OptionRow<Options>] = &[
    option_row!(
        step,
        "Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts per second and client (qr100)",
        BenchmarkStep::read
    ),
    option_row!(
        nr1,
        "Rows of the load, over all clients; the same as rows",
        rows
    )
    .shapes_data(),
    option_row!(
        nr2,
        "Rows of the writes after it, over all clients: four fifths in l.i1, one fifth in l.i2",
        rows
    ),
    option_row!(clients, "Clients, each with several connections", |text| {
        whole(text, 1, 4_000, "a whole number, 1 to 4000,")
    })
    .shapes_data(),
    option_switch!(
        one_table,
        "One table for all clients, instead of one for each"
    )
    .shapes_data(),
    option_row!(
        step_seconds,
        "Length of a step with queries, in seconds: it inserts the rate times this",
        |text| whole(text, 1, 604_800, "a whole number, 1 to 604800,")
    ),
    option_row!(
        settle_seconds,
        "settle: shortest wait, in seconds; 0: the tool's 60, and one for each million of nr1",
        |text| whole(text, 0, 1200, "a whole number, 0 to 1200,")
    ),
    option_switch!(
        delete_per_insert,
        "After the load, delete as many rows at the low end of the key as are inserted"
    ),
    option_row!(
        query_threads,
        "Connections of each client that query, in qr and qp",
        |text| whole(text, 0, 1000, "a whole number, 0 to 1000,")
    ),
    option_row!(
        rows_per_commit,
        "Rows per insert; 0: the step's own (100, 50 or 5)",
        |text| whole(text, 0, 100_000, "a whole number, 0 to 100000,")
    ),
    option_row!(rows_per_query, "Rows that a query asks for", |text| {
        whole(text, 1, 10_000, "a whole number, 1 to 10000,")
    }),
    option_row!(
        num_secondary_indexes,
        "Secondary keys that l.x creates",
        |text| whole(text, 0, 3, "a whole number, 0 to 3,")
    )
    .shapes_data(),
    option_row!(data_length_min, "Shortest data of a row", length).shapes_data(),
    option_row!(data_length_max, "Longest data of a row", length).shapes_data(),
    option_row!(
        data_random_pct,
        "Percent of the data that can't be compressed, as the tool counts them",
        |text| whole(text, 0, 100, "a whole number, 0 to 100,")
    )
    .shapes_data(),
    option_row!(
        num_partitions,
        "Range partitions of each table; 0: none",
        |text| whole(text, 0, 8192, "a whole number, 0 to 8192,")
    )
    .shapes_data(),
    option_row!(
        rows_per_partition,
        "Keys of a range partition; the last one takes the rest",
        |text| whole(text, 0, u32::MAX, "a whole number").map(u64::from)
    )
    .shapes_data(),
    option_row!(
        table_name,
        "Name of the tables, before their number",
        identifier
    )
    .shapes_data(),
    option_switch!(
        unique_checks,
        "off: sets unique_checks=0 for connections that write (storage engine rocksdb only)"
    ),
    option_switch!(
        bulk_load,
        "Run l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only)"
    ),
    option_row!(
        htap_transaction_seconds,
        "Seconds for which a further connection of each client keeps a read view open; 0: none",
        |text| whole(text, 0, 86_400, "a whole number, 0 to 86400,")
    ),
    option_row!(
        mysql_storage_engine,
        "Storage engine of the tables",
        identifier
    )
    .shapes_data(),
    option_row!(
        fidelity,
        "tool: with its bursts, late starts and quirks; fixed: without them (results can't be compared)",
        fidelity
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

pub(super) const TABLE: OptionTable<Options> = OptionTable {
    family: "Options of the insert benchmark",
    rows: ROWS,
    aliases: &[
        ("rows", "nr1"),
        ("table_size", "nr1"),
        ("storage_engine", "mysql_storage_engine"),
    ],
};

#[cfg(test)]
mod tests {
    #[test]
    fn every_option_reads_its_default_back_and_reaches_its_own_place() {
        super::TABLE.assert_sound(&["2", "on", "off", "fixed", "rocksdb", "qr7"]);
    }
}
