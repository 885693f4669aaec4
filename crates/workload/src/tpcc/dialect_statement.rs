//! Lists the statements of a dialect as a table.

use super::build::CannedQuestion;
use super::input::UNUSED_ITEM;
use crate::{Class, StatementTemplate};
use dbdyno_wire::{BufferedRows, OkReply, Parameter, Reply, RowsReply};

/// One statement of a dialect.
pub(crate) struct DialectStatement {
    /// Transaction and statement, such as `payment.update_district`.
    pub(crate) name: &'static str,
    pub(crate) class: Class,
    /// Whether the terminal looks at the rows.
    pub(crate) is_read: bool,
    pub(crate) text: &'static str,
}

/// Names statements by their place in the table: `sentences! { enum Says; Begin = "begin", Begin, false, "BEGIN"; }`
/// gives `Says::Begin` and `Says::TABLE`.
macro_rules! sentences {
    ($(#[$about:meta])* $says:ident; $($place:ident = $name:literal, $class:ident, $is_read:literal, $text:expr;)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy)]
        #[repr(u16)]
        enum $says { $($place),* }

        impl $says {
            const TABLE: &'static [$crate::tpcc::dialect_statement::DialectStatement] = &[$(
                $crate::tpcc::dialect_statement::DialectStatement {
                    name: $name,
                    class: $crate::Class::$class,
                    is_read: $is_read,
                    text: $text,
                }
            ),*];
        }

        impl From<$says> for u16 {
            fn from(place: $says) -> u16 {
                place as u16
            }
        }
    };
}
pub(crate) use sentences;

/// The templates of a table of sentences and the names of their types, each a type of its own. Words in braces are
/// filled in by `fill`.
pub(crate) fn templates(
    table: &[DialectStatement],
    fill: impl Fn(&str) -> String,
) -> (Vec<StatementTemplate>, Vec<&'static str>) {
    let template = |(number, sentence): (u8, &DialectStatement)| StatementTemplate {
        keeps_rows: sentence.is_read,
        ..StatementTemplate::new(fill(sentence.text), number, sentence.class)
    };
    let statements = (0..).zip(table).map(template).collect();
    (
        statements,
        table.iter().map(|sentence| sentence.name).collect(),
    )
}

/// Puts values in the place of words in braces.
pub(crate) fn filled_in(text: &str, words: &[(&str, &str)]) -> String {
    let fill = |text: String, (word, value): &(&str, &str)| text.replace(word, value);
    words.iter().fold(text.to_owned(), fill)
}

/// A reply without a server: `row` to a query, but none for the item that no item is; a row changed to anything else.
pub(crate) fn answered(
    question: &CannedQuestion<'_>,
    row: &[Parameter<'_>],
    rows: &mut BufferedRows,
) -> Reply {
    let name = question.statement_type;
    let (_, verb) = name.split_once('.').unwrap_or_default();
    let is_query = ["select_", "count_", "sum_"]
        .iter()
        .any(|start| verb.starts_with(start));
    if !is_query {
        return Reply::Ok(OkReply {
            affected_rows: 1,
            ..OkReply::default()
        });
    }
    let item = question.call.parameters.iter().next();
    let is_missing = verb == "select_item" && item == Some(Parameter::Int(i64::from(UNUSED_ITEM)));
    if !is_missing {
        rows.push(row);
    }
    Reply::Rows(RowsReply {
        rows: rows.len() as u64,
        ..RowsReply::default()
    })
}
