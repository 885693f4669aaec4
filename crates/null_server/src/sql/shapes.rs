//! Lists the statements that are known by name, and the shapes of their replies.
//!
//! Rows are tried from top to bottom, so a workload's own statements stand above the general ones. A new
//! workload is new rows.

use super::pattern::Pattern;
use std::sync::LazyLock;

/// A kind of statement and its reply.
#[derive(Debug)]
pub(crate) struct StatementShape {
    /// Its name in logs and statistics; several rows may share one.
    pub(crate) kind: &'static str,
    /// Which statements are of it, in the words of [`Pattern`].
    pub(crate) pattern: &'static str,
    pub(crate) effect: Effect,
    /// Part of a load, so that faults befall it; what clients say to set themselves up is not.
    pub(crate) is_work: bool,
}

/// Describes what a statement does, as far as a client sees.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect {
    /// So many rows are changed.
    Changes(Count),
    /// So many rows of these columns are returned.
    Rows(&'static [ShapeColumn], Count),
    /// A transaction begins.
    Begins,
    /// The transaction ends, well or not.
    Ends,
    /// Nothing, but `autocommit` may be set.
    Sets,
    /// One row with a value for each item of its list.
    Selects,
    /// What the server says of itself.
    Shows,
}

/// Says how many rows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Count {
    /// Always as many.
    Fixed(u32),
    /// As the two first values say: `BETWEEN a AND b`.
    Width,
    /// One for each value in the statement.
    Values,
    /// One for each group of values in brackets: a multi-row INSERT.
    Groups,
}

/// A column of a known result.
#[derive(Debug)]
pub(crate) struct ShapeColumn {
    pub(crate) name: &'static str,
    /// Empty for an expression.
    pub(crate) table: &'static str,
    pub(crate) content: Content,
}

/// Describes what stands in a column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    /// Groups of eleven digits joined by dashes, as sysbench fills its columns, in ascending order.
    Groups(u32),
    /// Whole numbers one after the other.
    Serial,
    /// One whole number, always.
    Number(i64),
    /// One decimal number, always, with so many digits behind its point.
    Decimal(&'static str, u8),
}

const fn column(name: &'static str, content: Content) -> ShapeColumn {
    ShapeColumn {
        name,
        table: "sbtest",
        content,
    }
}

const fn expression(name: &'static str, content: Content) -> ShapeColumn {
    ShapeColumn {
        name,
        table: "",
        content,
    }
}

const C: &[ShapeColumn] = &[column("c", Content::Groups(10))];
const SUM_K: &[ShapeColumn] = &[expression("SUM(k)", Content::Decimal("501400", 0))];
const COUNT_K: &[ShapeColumn] = &[expression("count(k)", Content::Number(60))];
const WHOLE_ROW: &[ShapeColumn] = &[
    column("id", Content::Serial),
    column("k", Content::Number(5014)),
    column("c", Content::Groups(10)),
    column("pad", Content::Groups(5)),
];

const LOWEST_ID: &[ShapeColumn] = &[expression("min(transactionid)", Content::Number(1))];
const HIGHEST_ID: &[ShapeColumn] = &[expression("max(transactionid)", Content::Number(1_000_000))];
/// Three numbers, which is what queries of the insert benchmark read of a secondary key.
const KEY_ENTRY: &[ShapeColumn] = &[
    expression("first", Content::Serial),
    expression("customerid", Content::Number(50_000)),
    expression("last", Content::Number(250)),
];
const PURCHASE: &[ShapeColumn] = &[
    expression("transactionid", Content::Serial),
    expression("productid", Content::Number(5_000)),
    expression("data", Content::Groups(1)),
];

const fn work(kind: &'static str, pattern: &'static str, effect: Effect) -> StatementShape {
    StatementShape {
        kind,
        pattern,
        effect,
        is_work: true,
    }
}

const fn set_up(kind: &'static str, pattern: &'static str, effect: Effect) -> StatementShape {
    StatementShape {
        kind,
        pattern,
        effect,
        is_work: false,
    }
}

const ONE: Count = Count::Fixed(1);
const TEN: Count = Count::Fixed(10);
const CHANGES_ONE: Effect = Effect::Changes(ONE);
const CHANGES_NONE: Effect = Effect::Changes(Count::Fixed(0));

/// The table. The last row fits everything.
#[rustfmt::skip]
pub(crate) const SHAPES: &[StatementShape] = &[
    // sysbench OLTP
    work("point_select", "SELECT c FROM {} WHERE id=#", Effect::Rows(C, ONE)),
    work("simple_range", "SELECT c FROM {} WHERE id BETWEEN # AND #", Effect::Rows(C, Count::Width)),
    work("sum_range", "SELECT SUM(k) FROM {} WHERE id BETWEEN # AND #", Effect::Rows(SUM_K, ONE)),
    work("order_range", "SELECT c FROM {} WHERE id BETWEEN # AND # ORDER BY c", Effect::Rows(C, Count::Width)),
    work("distinct_range", "SELECT DISTINCT c FROM {} WHERE id BETWEEN # AND # ORDER BY c", Effect::Rows(C, Count::Width)),
    work("index_update", "UPDATE {} SET k=k+1 WHERE id=#", CHANGES_ONE),
    work("non_index_update", "UPDATE {} SET c=# WHERE id=#", CHANGES_ONE),
    work("delete", "DELETE FROM {} WHERE id=#", CHANGES_ONE),
    work("insert", "INSERT INTO {} (id, k, c, pad) VALUES ...", Effect::Changes(Count::Groups)),
    work("random_points", "SELECT id, k, c, pad FROM {} WHERE k IN ( ...", Effect::Rows(WHOLE_ROW, Count::Values)),
    work("random_ranges", "SELECT count(k) FROM {} WHERE k BETWEEN # AND # ...", Effect::Rows(COUNT_K, ONE)),
    // insert benchmark
    work("find_min", "SELECT min(transactionid) FROM {}", Effect::Rows(LOWEST_ID, ONE)),
    work("find_max", "SELECT max(transactionid) FROM {}", Effect::Rows(HIGHEST_ID, ONE)),
    work("range_marketsegment", "SELECT productid, customerid, price FROM {} ...", Effect::Rows(KEY_ENTRY, TEN)),
    work("range_registersegment", "SELECT cashregisterid, customerid, price FROM {} ...", Effect::Rows(KEY_ENTRY, TEN)),
    work("range_pdc", "SELECT price, dateandtime, customerid FROM {} ...", Effect::Rows(KEY_ENTRY, TEN)),
    work("point", "SELECT transactionid, productid, data FROM {} WHERE transactionid IN ( ...", Effect::Rows(PURCHASE, Count::Values)),
    // transactions, of every workload
    work("begin", "BEGIN ...", Effect::Begins),
    work("begin", "START TRANSACTION ...", Effect::Begins),
    work("commit", "COMMIT ...", Effect::Ends),
    work("rollback", "ROLLBACK ...", Effect::Ends),
    // everything that no row above matches
    set_up("variables", "SELECT @ ...", Effect::Selects),
    work("select", "SELECT ...", Effect::Selects),
    work("select", "( SELECT ...", Effect::Selects),
    work("insert", "INSERT ...", Effect::Changes(Count::Groups)),
    work("replace", "REPLACE ...", Effect::Changes(Count::Groups)),
    work("update", "UPDATE ...", CHANGES_ONE),
    work("delete", "DELETE ...", CHANGES_ONE),
    work("call", "CALL ...", CHANGES_NONE),
    set_up("show", "SHOW ...", Effect::Shows),
    set_up("set", "SET ...", Effect::Sets),
    set_up("other", "...", CHANGES_NONE),
];

/// Names of kinds, by the number of their first row.
pub(crate) static KINDS: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let first_of = |kind: &str| SHAPES.iter().position(|shape| shape.kind == kind);
    SHAPES
        .iter()
        .map(|shape| first_of(shape.kind).unwrap_or_default())
        .collect()
});

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    SHAPES
        .iter()
        .map(|shape| Pattern::new(shape.pattern))
        .collect()
});

/// Returns the first row that a statement fits.
pub(super) fn row_of(sql: &[u8], tokens: &[super::Token]) -> usize {
    PATTERNS
        .iter()
        .position(|pattern| pattern.matches(sql, tokens))
        .unwrap_or(SHAPES.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::token::Tokens;

    fn kind(sql: &str) -> &'static str {
        let tokens: Vec<_> = Tokens::of(sql.as_bytes()).collect();
        SHAPES[row_of(sql.as_bytes(), &tokens)].kind
    }

    #[test]
    fn statements_of_workloads_are_known_prepared_and_as_text() {
        for (expected, sql) in [
            ("point_select", "SELECT c FROM sbtest17 WHERE id=?"),
            (
                "simple_range",
                "SELECT c FROM sbtest1 WHERE id BETWEEN 4 AND 103",
            ),
            (
                "sum_range",
                "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?",
            ),
            (
                "order_range",
                "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
            ),
            (
                "distinct_range",
                "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
            ),
            ("index_update", "UPDATE sbtest1 SET k=k+1 WHERE id=5014"),
            (
                "non_index_update",
                "UPDATE sbtest1 SET c='68-96' WHERE id=?",
            ),
            ("delete", "DELETE FROM sbtest1 WHERE id=?"),
            (
                "insert",
                "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)",
            ),
            (
                "insert",
                "INSERT INTO sbtest1(k, c, pad) VALUES(1, 'a', 'b'),(2, 'c', 'd')",
            ),
            (
                "random_points",
                "   SELECT id, k, c, pad\n FROM sbtest1\n WHERE k IN (?, ?, ?)\n  ",
            ),
            (
                "random_ranges",
                " SELECT count(k)\n FROM sbtest1\n WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?",
            ),
            ("find_min", "select min(transactionid) from pi1"),
            (
                "range_pdc",
                "select price, dateandtime, customerid from pi1 force index (pi1_pdc) where price >= 7 limit 10",
            ),
            (
                "point",
                "select transactionid, productid, data from pi1 where transactionid in (1, 2)",
            ),
            ("begin", "BEGIN"),
            ("begin", "start transaction read only"),
            ("commit", "COMMIT"),
            ("rollback", "ROLLBACK"),
            (
                "variables",
                "/* driver */SELECT  @@session.autocommit AS a, @@version",
            ),
            ("select", "SELECT 1"),
            ("other", "CREATE TABLE sbtest1 (id INT)"),
            ("other", ""),
        ] {
            assert_eq!(kind(sql), expected, "{sql}");
        }
    }

    #[test]
    fn the_last_row_fits_everything_and_no_row_is_hidden_by_the_one_above() {
        assert_eq!(SHAPES.last().map(|shape| shape.pattern), Some("..."));
        for (row, shape) in SHAPES.iter().enumerate() {
            let example = shape
                .pattern
                .replace('#', "1")
                .replace("{}", "t")
                .replace("@", "@@v")
                .replace("...", "");
            let tokens: Vec<_> = Tokens::of(example.as_bytes()).collect();
            assert_eq!(
                row_of(example.as_bytes(), &tokens),
                row,
                "{}",
                shape.pattern
            );
        }
    }
}
