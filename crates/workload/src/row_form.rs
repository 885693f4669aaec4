//! Converts the rows of an INSERT into other forms in which a server takes them.

use dbdyno_wire::{BoundRows, BoundType};
use memchr::memchr2;

/// Sends the rows of a table's INSERTs as the file of a `LOAD DATA LOCAL` or as the values of a prepared statement: so
/// rows are written in one form for every way.
///
/// A file has them as they stand, brackets, quotes and all: the brackets are what lines begin and end with, the last
/// comma included; quotes enclose texts only, so that `NULL` without them is one. Of values the quotes are taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowForm {
    load: String,
    /// Of an INSERT, what stands before its rows.
    head: String,
    /// As what the values of its columns are bound.
    types: Vec<BoundType>,
    /// Bytes between two values.
    comma: usize,
    has_long_values: bool,
}

impl RowForm {
    /// Makes the form for statements that begin with `head`, whose values are separated by `comma`.
    ///
    /// `characters` is what the texts of a file are taken for. With `binary` nothing is converted, and values are bound
    /// as bytes, which costs the server less; JSON columns want to know more.
    pub(crate) fn new(
        (table, columns): (&str, &str),
        head: &str,
        comma: &str,
        characters: &str,
    ) -> Self {
        let load = format!(
            "LOAD DATA LOCAL INFILE 'rows' INTO TABLE {table} CHARACTER SET {characters} \
             FIELDS TERMINATED BY '{comma}' OPTIONALLY ENCLOSED BY '\\'' \
             LINES STARTING BY '(' TERMINATED BY '),' ({columns})"
        );
        let bound_type = match characters {
            "binary" => BoundType::Bytes,
            _ => BoundType::Text,
        };
        Self {
            load,
            head: head.to_owned(),
            types: vec![bound_type; columns.split(',').count()],
            comma: comma.len(),
            has_long_values: false,
        }
    }

    /// Sets it for values of several dozen bytes on the average.
    pub(crate) fn with_long_values(self) -> Self {
        Self {
            has_long_values: true,
            ..self
        }
    }

    /// Sets it for rows that begin with so many whole numbers of 32 bits without sign.
    pub(crate) fn with_leading_numbers(mut self, count: usize) -> Self {
        self.types[..count].fill(BoundType::Number);
        self
    }

    /// Returns whether values are long: a file is read byte by byte, a prepared statement value by value, so that a
    /// server may take one sort of rows at less cost this way and the other that way.
    pub fn has_long_values(&self) -> bool {
        self.has_long_values
    }

    /// Returns the statement that asks for a file.
    pub fn load_statement(&self) -> &str {
        &self.load
    }

    /// Makes lines of a file of an INSERT, and says where they begin in it.
    pub fn cut(&self, insert: &mut Vec<u8>) -> usize {
        insert.push(b',');
        self.head.len()
    }

    /// Counts the values of a row.
    pub fn columns(&self) -> usize {
        self.types.len()
    }

    /// Makes room for the values of so many rows.
    pub fn bound_rows(&self, rows_max: usize) -> BoundRows {
        BoundRows::new(&self.types, rows_max)
    }

    /// Returns the INSERT that has places for so many rows.
    pub fn prepared(&self, rows: usize) -> String {
        let row = format!("({})", vec!["?"; self.columns()].join(","));
        format!("{} {}", self.head.trim_end(), vec![row; rows].join(","))
    }

    /// Reads rows out of an INSERT until there is no place for more, and says where the next one begins; `at` is that
    /// place, or 0. At the end of the statement it's its length.
    pub fn bind(&self, insert: &[u8], at: usize, rows: &mut BoundRows) -> usize {
        let mut at = at.max(self.head.len());
        while at < insert.len() && !rows.is_full() {
            at += 1; // the bracket that opens
            for _ in 0..self.columns() {
                at += put_value(&insert[at..], rows) + self.comma;
            }
            at = at - self.comma + 1; // the bracket that closes
            let between = insert[at..].iter().position(|&byte| byte == b'(');
            at = between.map_or(insert.len(), |length| at + length);
        }
        at
    }
}

/// Binds the value at the front of `text`, and says how many bytes it took there.
#[inline]
fn put_value(text: &[u8], rows: &mut BoundRows) -> usize {
    if let Some(quoted) = text.strip_prefix(b"'") {
        return put_quoted(quoted, rows) + 2;
    }
    // Such values are short: a search made for long ones would take longer.
    let end = text.iter().position(|byte| matches!(byte, b',' | b')'));
    let length = end.unwrap_or(text.len());
    match &text[..length] {
        b"NULL" => rows.push_null(),
        digits if rows.next_type() == BoundType::Number => rows.push_number(number(digits)),
        value => rows.push_text(value),
    }
    length
}

/// Reads a number of the digits that [`put_number`](crate::decimal::put_number) writes.
#[inline]
fn number(digits: &[u8]) -> u32 {
    let add = |number: u32, digit: &u8| number * 10 + u32::from(digit - b'0');
    digits.iter().fold(0, add)
}

/// Binds a text up to the quote that ends it, and gives its length.
#[inline]
fn put_quoted(text: &[u8], rows: &mut BoundRows) -> usize {
    let (mut length, mut has_pairs) = (0, false);
    while let Some(found) = memchr2(b'\'', b'\\', &text[length..]) {
        length += found;
        let is_pair = text[length] == b'\\' || text.get(length + 1) == Some(&b'\'');
        if !is_pair {
            break;
        }
        has_pairs = true;
        length += 2;
    }
    if has_pairs {
        rows.push_text(&plain(&text[..length]));
    } else {
        rows.push_text(&text[..length]);
    }
    length
}

/// Returns a text without what its quotes asked for: its quotes and backslashes stand there twice.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        plain.push(byte);
        if matches!(byte, b'\'' | b'\\') {
            bytes.next();
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Population, population};
    use dbdyno_chance::{RandomKind, RandomSource};
    use std::sync::Arc;

    fn form() -> RowForm {
        RowForm::new(
            ("t", "a, b, c"),
            "INSERT INTO t (a, b, c) VALUES ",
            ",",
            "binary",
        )
    }

    /// Checks what the values of an INSERT come to: the same as rows made of these.
    fn assert_bound(form: &RowForm, insert: &str, expected: &[Option<&str>]) {
        let (mut found, mut wanted) = (form.bound_rows(9), form.bound_rows(9));
        assert_eq!(form.bind(insert.as_bytes(), 0, &mut found), insert.len());
        for value in expected {
            match value {
                Some(text) => wanted.push_text(text.as_bytes()),
                None => wanted.push_null(),
            }
        }
        assert_eq!(format!("{found:?}"), format!("{wanted:?}"), "{insert}");
    }

    #[test]
    fn the_prepared_insert_has_a_place_for_every_value() {
        let prepared = "INSERT INTO t (a, b, c) VALUES (?,?,?),(?,?,?)";
        assert_eq!(form().prepared(2), prepared);
    }

    #[test]
    fn values_lose_their_quotes_and_what_the_quotes_asked_for() {
        let insert = "INSERT INTO t (a, b, c) VALUES (1,NULL,'x'),(-2.50,'NULL','')";
        let expected = [
            Some("1"),
            None,
            Some("x"),
            Some("-2.50"),
            Some("NULL"),
            Some(""),
        ];
        assert_bound(&form(), insert, &expected);
        let insert = r"INSERT INTO t (a, b, c) VALUES ('a''b\\','),(',''''), ('''','\\',7)";
        let expected = [r"a'b\", "),(", "'", "'", r"\", "7"].map(Some);
        assert_bound(&form(), insert, &expected);
    }

    #[test]
    fn reading_goes_on_where_there_was_no_place_left() {
        let insert = b"INSERT INTO t (a, b, c) VALUES (1,2,3),(4,5,6),(7,8,9)";
        let form = form();
        let mut rows = form.bound_rows(2);
        let at = form.bind(insert, 0, &mut rows);
        assert_eq!((rows.len(), &insert[at..]), (2, &b"(7,8,9)"[..]));
        rows.clear();
        assert_eq!(form.bind(insert, at, &mut rows), insert.len());
        assert_eq!(rows.len(), 1);
    }

    fn make_population(
        workload: &str,
        options: &[(&str, &str)],
        kind: RandomKind,
    ) -> Arc<dyn Population> {
        let text = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let options: Vec<_> = options.iter().map(text).collect();
        population(workload, &options, RandomSource { kind, seed: 1 }).unwrap()
    }

    #[test]
    fn rows_that_bind_themselves_are_those_of_the_statements() {
        for kind in [RandomKind::Dbdyno, RandomKind::Sysbench] {
            let made = make_population("sysbench/oltp_read_write", &[("rows", "30000")], kind);
            let form = made.row_form(0).unwrap();
            let (mut themselves, mut as_text) = (made.rows(0, 1), made.rows(0, 1));
            let mut statement = Vec::new();
            while as_text.next_statement(&mut statement) > 0 {
                let (mut at, mut read) = (0, form.bound_rows(7));
                while at < statement.len() {
                    read.clear();
                    at = form.bind(&statement, at, &mut read);
                    let left = read.len();
                    let mut fitting = form.bound_rows(left);
                    assert_eq!(themselves.bind(&mut fitting), Some(left as u64));
                    assert_eq!(fitting.encoded(), read.encoded());
                }
            }
            assert_eq!(themselves.bind(&mut form.bound_rows(1)), Some(0));
            assert_eq!(themselves.sums(), as_text.sums());
        }
    }

    #[test]
    fn every_row_of_tpcc_is_read_out_of_its_statements() {
        let made = make_population("tpcc/standard", &[("warehouses", "1")], RandomKind::Dbdyno);
        for table in 0..made.tables() {
            let (form, mut rows) = (made.row_form(table).unwrap(), made.rows(table, 0));
            let (mut statement, mut bound) = (Vec::new(), form.bound_rows(30_000));
            let count = rows.next_statement(&mut statement);
            assert_eq!(form.bind(&statement, 0, &mut bound), statement.len());
            assert_eq!(bound.len() as u64, count, "{}", made.table_name(table));
        }
    }
}
