//! Lists the statements. All travel as text, as those of the tool do, one a packet; what a value may be in
//! stands as `?`.

use super::options::InsertBenchmarkOptions;
use super::schema::{self, keys, table};
use crate::{Class, StatementTemplate, StatementType};
use std::iter::repeat_n;

/// Kinds of statements, in the order of their names: those of a table first, then those of none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BenchmarkStatement {
    DropTable,
    CreateTable,
    Insert,
    Delete,
    FindMin,
    FindMax,
    RangeMarketsegment,
    RangeRegistersegment,
    RangePdc,
    Point,
    ReadRow,
    Analyze,
    AddKeys1,
    AddKeys2,
    AddKeys3,
    // a statement without a table
    Commit,
    NoAutocommit,
    NoUniqueChecks,
    BulkLoad,
    EndBulkLoad,
    ShowVariables,
    SetDirtyPages,
    SetDirtyPagesLow,
    SetIdleFlush,
    ShowDirtyPages,
    FlushMemtable,
    PendingCompactions,
}

/// Kinds that stand once for each table.
const OF_TABLE: u16 = BenchmarkStatement::Commit as u16;

const NAMES: [&str; 27] = [
    "drop_table",
    "create_table",
    "insert",
    "delete",
    "find_min",
    "find_max",
    "range_marketsegment",
    "range_registersegment",
    "range_pdc",
    "point",
    "read_row",
    "analyze",
    "add_keys",
    "add_keys_2",
    "add_keys_3",
    "commit",
    "set_autocommit",
    "set_unique_checks",
    "set_bulk_load",
    "end_bulk_load",
    "show_variables",
    "set_dirty_pages",
    "set_dirty_pages_lwm",
    "set_idle_flush",
    "show_dirty_pages",
    "flush_memtable",
    "pending_compactions",
];

/// The ranges, in the order of the keys they are read from.
pub(super) const RANGES: [BenchmarkStatement; 3] = [
    BenchmarkStatement::RangeMarketsegment,
    BenchmarkStatement::RangeRegistersegment,
    BenchmarkStatement::RangePdc,
];

/// The statements that make keys.
pub(super) const ADD_KEYS: [BenchmarkStatement; 3] = [
    BenchmarkStatement::AddKeys1,
    BenchmarkStatement::AddKeys2,
    BenchmarkStatement::AddKeys3,
];

/// Returns the place of a table's statement, or of one that is of no table.
pub(super) fn place(kind: BenchmarkStatement, table: u32, tables: u32) -> u16 {
    let kind = kind as u16;
    match kind < OF_TABLE {
        true => table as u16 * OF_TABLE + kind,
        false => tables as u16 * OF_TABLE + kind - OF_TABLE,
    }
}

/// Returns the number of the kind that stands at a place.
pub(super) fn kind_at(place: u16, tables: u32) -> usize {
    let of_no_table = place.checked_sub(tables as u16 * OF_TABLE);
    usize::from(of_no_table.map_or(place % OF_TABLE, |place| place + OF_TABLE))
}

/// Returns names of kinds.
pub(super) fn names(kinds: &[BenchmarkStatement]) -> Vec<&'static str> {
    kinds.iter().map(|kind| NAMES[*kind as usize]).collect()
}

/// Returns every statement: those of each table, and then the others. Those of `kinds` are sent, and numbered by their
/// place there.
pub(super) fn templates(
    options: &InsertBenchmarkOptions,
    kinds: &[BenchmarkStatement],
) -> Vec<StatementTemplate> {
    let tables = (0..options.tables()).flat_map(|number| of_table(options, number));
    let mut all: Vec<_> = tables.chain(of_no_table()).collect();
    for template in &mut all {
        let kind = template.statement_type;
        let place = kinds.iter().position(|sent| *sent as StatementType == kind);
        template.statement_type = place.unwrap_or_default() as StatementType;
    }
    all
}

/// Says how a statement is handled.
#[derive(Clone, Copy, PartialEq)]
enum StatementHandling {
    /// Written by its user.
    Written,
    /// The user looks at the rows.
    Kept,
    Plain,
}

fn template(text: String, kind: BenchmarkStatement, way: StatementHandling) -> StatementTemplate {
    let class = match kind {
        BenchmarkStatement::Commit => Class::Commit,
        _ => Class::Work,
    };
    StatementTemplate {
        text_only: true,
        is_written: way == StatementHandling::Written,
        keeps_rows: way == StatementHandling::Kept,
        ..StatementTemplate::new(text, kind as StatementType, class)
    }
}

/// Returns what an insert begins with; the rows follow.
pub(super) fn insert_head(options: &InsertBenchmarkOptions, number: u32) -> String {
    format!(
        "insert into {} (dateandtime,cashregisterid,customerid,productid,price,data) values ",
        table(options, number)
    )
}

fn of_table(options: &InsertBenchmarkOptions, number: u32) -> Vec<StatementTemplate> {
    use BenchmarkStatement as Kind;
    use StatementHandling::{Kept, Plain, Written};
    let name = table(options, number);
    let rows = options.rows_per_query;
    let range = |place: usize, above: &str| {
        let (key, columns) = schema::KEYS[place];
        let first = columns.split(',').next().unwrap_or_default();
        let force = match place < keys(options).len() {
            true => format!(" force index ({name}_{key})"),
            false => String::new(), // never sent
        };
        format!(
            "select {columns} from {name}{force} where {first} {above} ? order by {columns} limit {rows}"
        )
    };
    let ids = vec!["?"; rows as usize].join(", ");
    let mut all = [
        (schema::drop_table(options, number), Kind::DropTable, Plain),
        (
            schema::create_table(options, number),
            Kind::CreateTable,
            Plain,
        ),
        (
            format!("{}(?,?,?,?,?,?), ...", insert_head(options, number)),
            Kind::Insert,
            Written,
        ),
        (
            format!(
                "delete from {name} where transactionid >= ? order by transactionid asc limit ?"
            ),
            Kind::Delete,
            Plain,
        ),
        (
            format!("select min(transactionid) from {name}"),
            Kind::FindMin,
            Kept,
        ),
        (
            format!("select max(transactionid) from {name}"),
            Kind::FindMax,
            Kept,
        ),
        (range(0, ">="), Kind::RangeMarketsegment, Plain),
        (range(1, ">"), Kind::RangeRegistersegment, Plain),
        (range(2, ">="), Kind::RangePdc, Plain),
        (
            format!(
                "select transactionid, productid, data from {name} where transactionid in ({ids})"
            ),
            Kind::Point,
            Plain,
        ),
        (
            format!("select * from {name} limit 1"),
            Kind::ReadRow,
            Plain,
        ),
        (format!("analyze table {name}"), Kind::Analyze, Plain),
    ]
    .map(|(text, kind, handling)| template(text, kind, handling))
    .to_vec();
    let made = schema::add_keys(options, number);
    let never = repeat_n(String::new(), ADD_KEYS.len() - made.len());
    let keys = made.into_iter().chain(never).zip(ADD_KEYS);
    all.extend(keys.map(|(text, kind)| template(text, kind, Plain)));
    all
}

fn of_no_table() -> Vec<StatementTemplate> {
    [
        ("commit", BenchmarkStatement::Commit, StatementHandling::Plain),
        ("set autocommit=0", BenchmarkStatement::NoAutocommit, StatementHandling::Plain),
        ("set unique_checks=0", BenchmarkStatement::NoUniqueChecks, StatementHandling::Plain),
        ("set rocksdb_bulk_load=1", BenchmarkStatement::BulkLoad, StatementHandling::Plain),
        ("set rocksdb_bulk_load=0", BenchmarkStatement::EndBulkLoad, StatementHandling::Plain),
        (
            "show global variables where variable_name in \
             ('innodb_max_dirty_pages_pct', 'innodb_max_dirty_pages_pct_lwm', 'innodb_idle_flush_pct')",
            BenchmarkStatement::ShowVariables,
            StatementHandling::Kept,
        ),
        (
            "set global innodb_max_dirty_pages_pct=?",
            BenchmarkStatement::SetDirtyPages,
            StatementHandling::Plain,
        ),
        (
            "set global innodb_max_dirty_pages_pct_lwm=?",
            BenchmarkStatement::SetDirtyPagesLow,
            StatementHandling::Plain,
        ),
        (
            "set global innodb_idle_flush_pct=?",
            BenchmarkStatement::SetIdleFlush,
            StatementHandling::Plain,
        ),
        (
            "show global status where variable_name in \
             ('Innodb_buffer_pool_pages_dirty', 'Innodb_buffer_pool_pages_total')",
            BenchmarkStatement::ShowDirtyPages,
            StatementHandling::Kept,
        ),
        (
            "set global rocksdb_force_flush_memtable_and_lzero_now=1",
            BenchmarkStatement::FlushMemtable,
            StatementHandling::Plain,
        ),
        (
            "select coalesce(sum(value), 0) from information_schema.rocksdb_cfstats \
             where stat_type in ('COMPACTION_PENDING', 'MEM_TABLE_FLUSH_PENDING')",
            BenchmarkStatement::PendingCompactions,
            StatementHandling::Kept,
        ),
    ]
    .map(|(text, kind, way)| template(text.to_owned(), kind, way))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_stands_at_its_own_place() {
        let options = InsertBenchmarkOptions {
            clients: 3,
            mysql_storage_engine: "rocksdb".to_owned(),
            ..InsertBenchmarkOptions::default()
        };
        let templates = templates(
            &options,
            &[BenchmarkStatement::Delete, BenchmarkStatement::Commit],
        );
        let text = |kind, table| &templates[usize::from(place(kind, table, 3))].text;
        assert_eq!(templates.len(), 3 * usize::from(OF_TABLE) + 12);
        assert!(text(BenchmarkStatement::FindMin, 0).ends_with("min(transactionid) from pi1"));
        assert!(text(BenchmarkStatement::Delete, 2).starts_with("delete from pi3 where"));
        assert!(text(BenchmarkStatement::AddKeys3, 1).contains("add index pi2_pdc"));
        assert_eq!(text(BenchmarkStatement::Commit, 2), "commit");
        assert!(text(BenchmarkStatement::PendingCompactions, 0).contains("rocksdb_cfstats"));
        assert_eq!(
            names(&[BenchmarkStatement::Delete, BenchmarkStatement::Commit]),
            ["delete", "commit"]
        );
        let commit = &templates[usize::from(place(BenchmarkStatement::Commit, 0, 3))];
        assert_eq!(commit.statement_type, 1);
        for (number, template) in templates.iter().enumerate() {
            let kind = match number / usize::from(OF_TABLE) {
                0..3 => number % usize::from(OF_TABLE),
                _ => number - 2 * usize::from(OF_TABLE),
            };
            assert_eq!(kind_at(number as u16, 3), kind, "{}", template.text);
            assert!(!template.can_be_prepared());
        }
    }

    #[test]
    fn ranges_are_read_from_the_key_that_covers_them() {
        let templates = templates(&InsertBenchmarkOptions::default(), &[]);
        let text = |kind| templates[usize::from(place(kind, 0, 1))].text.as_str();
        assert_eq!(
            text(BenchmarkStatement::RangeMarketsegment),
            "select productid, customerid, price from pi1 force index (pi1_marketsegment) \
             where productid >= ? order by productid, customerid, price limit 10"
        );
        assert_eq!(
            text(BenchmarkStatement::RangeRegistersegment),
            "select cashregisterid, customerid, price from pi1 force index (pi1_registersegment) \
             where cashregisterid > ? order by cashregisterid, customerid, price limit 10"
        );
        assert_eq!(
            text(BenchmarkStatement::RangePdc),
            "select price, dateandtime, customerid from pi1 force index (pi1_pdc) \
             where price >= ? order by price, dateandtime, customerid limit 10"
        );
    }
}
