//! Lists the statements of a dialect as a table: one row a kind, the same for each table set.

use super::options::TpccOptions;
use crate::{Class, StatementTemplate, StatementType};
use std::fmt;
use std::io::Write;

/// A kind of statement.
pub(crate) struct StatementRow {
    /// As the statement type is called.
    pub(crate) name: &'static str,
    pub(crate) rows: RowHandling,
    /// `?` for values, `#` for what follows the name of a table.
    pub(crate) text: &'static str,
}

/// What becomes of a statement's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowHandling {
    /// The terminal looks at them.
    Kept,
    /// It doesn't, or there are none.
    Unread,
    /// There are none, and the terminal writes the text itself, for its numbers have a form of their own.
    Written,
}

/// Makes an enum of the kinds and the table in the same order.
macro_rules! statement_rows {
    ($($kind:ident $name:literal $rows:ident $text:literal),+ $(,)?) => {
        /// The kinds of statements.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(dead_code, reason = "the ten of the stock go by number, from the first on")]
        #[repr(u16)]
        pub(crate) enum StatementKind { $($kind),+ }

        impl From<StatementKind> for u16 {
            fn from(kind: StatementKind) -> u16 {
                kind as u16
            }
        }

        /// One row a kind. A static: rows are told apart by address.
        static STATEMENT_ROWS: &[StatementRow] = &[
            $(StatementRow { name: $name, rows: RowHandling::$rows, text: $text }),+
        ];
    };
}
pub(crate) use statement_rows;

/// The templates of all table sets: those of the first set, then those of the second. `change` may put another text
/// in the place of a line's.
pub(crate) fn templates(
    lines: &[StatementRow],
    options: &TpccOptions,
    change: impl Fn(&StatementRow) -> String,
) -> Vec<StatementTemplate> {
    let mut templates = Vec::new();
    for set in 0..options.tables {
        let suffix = options.table_suffix(set);
        for line in lines {
            let text = change(line).replace('#', &suffix);
            let place = type_names(lines).iter().position(|name| *name == line.name);
            let statement_type = place.unwrap_or_default() as StatementType;
            templates.push(StatementTemplate {
                keeps_rows: line.rows == RowHandling::Kept,
                is_written: line.rows == RowHandling::Written,
                ..StatementTemplate::new(text, statement_type, class(line.name))
            });
        }
    }
    templates
}

/// The statement types in order: lines of one name are of one type.
pub(crate) fn type_names(lines: &[StatementRow]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for line in lines {
        if !names.contains(&line.name) {
            names.push(line.name);
        }
    }
    names
}

fn class(name: &str) -> Class {
    match name {
        "begin" => Class::Begin,
        "commit" => Class::Commit,
        _ => Class::Work,
    }
}

/// A value written into a text.
pub(crate) enum Word<'a> {
    /// As it is: a number.
    Bare(fmt::Arguments<'a>),
    /// In quotes, with what would end them doubled.
    Quoted(&'a [u8]),
}

/// Writes the text of a template with the words in its `?` places.
pub(crate) fn put_words<'a>(
    template: &str,
    words: impl IntoIterator<Item = &'a Word<'a>>,
    text: &mut Vec<u8>,
) {
    let mut words = words.into_iter();
    for (place, piece) in template.split('?').enumerate() {
        if place > 0 {
            match words.next() {
                Some(Word::Bare(number)) => put(text, *number),
                Some(Word::Quoted(bytes)) => put_quoted(bytes, text),
                None => text.push(b'?'), // to which the server will object
            }
        }
        text.extend_from_slice(piece.as_bytes());
    }
}

fn put_quoted(bytes: &[u8], text: &mut Vec<u8>) {
    text.push(b'\'');
    for &byte in bytes {
        if matches!(byte, b'\'' | b'\\') {
            text.push(byte);
        }
        text.push(byte);
    }
    text.push(b'\'');
}

/// Appends what is formatted; that can't fail.
pub(crate) fn put(text: &mut Vec<u8>, arguments: fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}
