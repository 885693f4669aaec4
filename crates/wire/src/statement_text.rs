//! Writes statements as text, with their values filled in.

use crate::bytes::put_decimal;
use crate::{Parameter, Parameters};

/// A statement cut at its `?` places, ready to be filled many times.
///
/// Quotes and backslashes in a value are doubled; see
/// [`Session::escape_by_backslash`](crate::Session::escape_by_backslash).
///
/// ```
/// use dbdyno_wire::{Parameters, StatementText};
///
/// let text = StatementText::new("UPDATE t SET c=? WHERE id=?");
/// let mut parameters = Parameters::new();
/// parameters.push_text(b"it's");
/// parameters.push_int(-7);
/// let mut sql = Vec::new();
/// text.write_with(&parameters, &mut sql);
/// assert_eq!(sql, b"UPDATE t SET c='it''s' WHERE id=-7");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementText {
    sql: Vec<u8>,
    /// Where the `?` stand in `sql`, in rising order.
    places: Vec<usize>,
}

impl StatementText {
    /// Finds the `?` places outside quotes and comments.
    #[must_use]
    pub fn new(sql: &str) -> Self {
        let sql = sql.as_bytes().to_vec();
        let mut places = Vec::new();
        let mut at = 0;
        while at < sql.len() {
            if sql[at] == b'?' {
                places.push(at);
            }
            at += opaque_length(&sql[at..]).max(1);
        }
        Self { sql, places }
    }

    /// Counts the `?` places.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        self.places.len()
    }

    /// Appends the statement with `parameters` as literals in its places. A place without a value keeps
    /// its `?`, to which the server will object; values beyond the last place are left out.
    pub fn write_with(&self, parameters: &Parameters, out: &mut Vec<u8>) {
        debug_assert_eq!(
            parameters.len(),
            self.places.len(),
            "there are different numbers of values and parameters"
        );
        let mut written = 0;
        for (&place, value) in self.places.iter().zip(parameters.iter()) {
            out.extend_from_slice(&self.sql[written..place]);
            put_literal(out, value);
            written = place + 1;
        }
        out.extend_from_slice(&self.sql[written..]);
    }
}

/// Returns the length of the quoted string or comment at the front of `sql`, in which no `?`, `:` or `;` means
/// anything; 0 if there is none.
#[must_use]
pub fn opaque_length(sql: &[u8]) -> usize {
    let after = |found: Option<usize>| found.unwrap_or(sql.len());
    match sql {
        [quote @ (b'\'' | b'"' | b'`'), ..] => quoted_length(sql, *quote),
        [b'#', ..] => after(sql.iter().position(|&byte| byte == b'\n')),
        [b'-', b'-'] => sql.len(),
        // As the server reads it, `--` opens a comment only before white space: `5--?` is a sum.
        [b'-', b'-', next, ..] if next.is_ascii_whitespace() || next.is_ascii_control() => {
            after(sql.iter().position(|&byte| byte == b'\n'))
        }
        // What stands in `/*! */` and `/*M! */` is executed, so only their marks are passed over.
        [b'/', b'*', b'!', ..] | [b'/', b'*', b'M', b'!', ..] => 3,
        [b'/', b'*', rest @ ..] => after(
            rest.windows(2)
                .position(|pair| pair == b"*/")
                .map(|end| end + 4),
        ),
        _ => 0,
    }
}

/// Returns the length of a quoted string with its quotes. A doubled quote reads as two strings side by side, which
/// comes to the same.
fn quoted_length(sql: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < sql.len() {
        match sql[at] {
            b'\\' if quote != b'`' => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    sql.len()
}

fn put_literal(out: &mut Vec<u8>, value: Parameter<'_>) {
    match value {
        Parameter::Int(number) => put_decimal(out, number),
        // With an exponent, so that the server reads it as a double as it was; it knows no infinity.
        Parameter::Double(number) => out.extend_from_slice(format!("{number:e}").as_bytes()),
        Parameter::Null => out.extend_from_slice(b"NULL"),
        Parameter::Text(text) => {
            out.push(b'\'');
            put_escaped(out, text);
            out.push(b'\'');
        }
    }
}

/// Appends text with quotes and backslashes doubled: runs without either are copied whole.
fn put_escaped(out: &mut Vec<u8>, mut text: &[u8]) {
    while let Some(at) = text.iter().position(|&byte| matches!(byte, b'\'' | b'\\')) {
        out.extend_from_slice(&text[..=at]);
        out.push(text[at]);
        text = &text[at + 1..];
    }
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(sql: &str) -> String {
        let text = StatementText::new(sql);
        let mut parameters = Parameters::new();
        for number in 1..=text.parameter_count() {
            parameters.push_int(number as i64);
        }
        let mut out = Vec::new();
        text.write_with(&parameters, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn places_are_found_outside_quotes_and_comments_only() {
        let cases = [
            ("SELECT ?", "SELECT 1"),
            ("?,?", "1,2"),
            ("'?' ?", "'?' 1"),
            (r"'\'?' ?", r"'\'?' 1"),
            ("'a''?' ?", "'a''?' 1"),
            (r#""?\"?" ?"#, r#""?\"?" 1"#),
            (r"`?\` ?", r"`?\` 1"),
            ("-- ?\n?", "-- ?\n1"),
            ("5--?", "5--1"),
            ("# ?\n?", "# ?\n1"),
            ("/* ? */ ?", "/* ? */ 1"),
            ("/**/?", "/**/1"),
            ("/*! ? */ ?", "/*! 1 */ 2"),
            ("/*M! ? */", "/*M! 1 */"),
            ("a/?*?", "a/1*2"),
            ("'? open", "'? open"),
            ("/* ? open", "/* ? open"),
            ("", ""),
        ];
        for (sql, expected) in cases {
            assert_eq!(filled(sql), expected, "{sql}");
        }
    }

    #[test]
    fn literals_are_escaped() {
        let text = StatementText::new("(?, ?, ?, ?, ?)");
        let mut parameters = Parameters::new();
        parameters.push_text(br"'\'x\");
        parameters.push_null();
        parameters.push_int(i64::MIN);
        parameters.push_text(b"?");
        parameters.push_double(-0.25);
        let mut out = Vec::new();
        text.write_with(&parameters, &mut out);
        let expected = r"('''\\''x\\', NULL, -9223372036854775808, '?', -2.5e-1)";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
