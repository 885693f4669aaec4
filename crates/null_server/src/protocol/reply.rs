//! Encodes the parts of a reply.

use super::packet::finish;
use super::{put_length, put_string, wire_type};
use dbdyno_wire::packet::begin;

const UTF8MB4_GENERAL_CI: u16 = 45;
const BINARY: u16 = 63;

/// Describes a column to a client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnDefinition<'a> {
    /// Table that it is from; empty for an expression.
    pub(crate) table: &'a str,
    pub(crate) name: &'a str,
    pub(crate) wire_type: u8,
    /// Longest value in bytes.
    pub(crate) length: u32,
    pub(crate) decimals: u8,
}

/// Appends OK, without rows.
pub(crate) fn put_ok(out: &mut Vec<u8>, sequence: &mut u8, affected_rows: u64, status: u16) {
    let start = begin(out);
    out.push(0);
    put_length(out, affected_rows);
    put_length(out, 0); // no last insert id
    out.extend_from_slice(&status.to_le_bytes());
    out.extend_from_slice(&[0, 0]); // warnings
    finish(out, start, sequence);
}

/// Appends an error with its SQL state.
pub(crate) fn put_error(out: &mut Vec<u8>, sequence: &mut u8, code: u16, state: &str, text: &str) {
    let start = begin(out);
    out.push(0xff);
    out.extend_from_slice(&code.to_le_bytes());
    out.push(b'#');
    out.extend_from_slice(state.as_bytes());
    out.extend_from_slice(text.as_bytes());
    finish(out, start, sequence);
}

/// Appends the EOF that old clients want between definitions and rows.
pub(crate) fn put_middle_eof(out: &mut Vec<u8>, sequence: &mut u8, status: u16) {
    let start = begin(out);
    out.extend_from_slice(&[0xfe, 0, 0]);
    out.extend_from_slice(&status.to_le_bytes());
    finish(out, start, sequence);
}

/// Appends the end of rows: an EOF, or for newer clients an OK packet with the EOF's header.
#[inline]
pub(crate) fn put_end_of_rows(out: &mut Vec<u8>, sequence: u8, status: u16, deprecate_eof: bool) {
    let [low, high] = status.to_le_bytes();
    if deprecate_eof {
        out.extend_from_slice(&[7, 0, 0, sequence, 0xfe, 0, 0, low, high, 0, 0]);
    } else {
        out.extend_from_slice(&[5, 0, 0, sequence, 0xfe, 0, 0, low, high]);
    }
}

/// Appends one column's definition.
pub(crate) fn put_column(out: &mut Vec<u8>, sequence: &mut u8, column: &ColumnDefinition<'_>) {
    let is_text = matches!(column.wire_type, wire_type::STRING | wire_type::VAR_STRING);
    let collation = if is_text { UTF8MB4_GENERAL_CI } else { BINARY };
    let of_table = !column.table.is_empty();
    let start = begin(out);
    put_string(out, b"def");
    put_string(out, if of_table { b"sbtest" } else { b"" });
    put_string(out, column.table.as_bytes());
    put_string(out, column.table.as_bytes());
    put_string(out, column.name.as_bytes());
    put_string(
        out,
        if of_table {
            column.name.as_bytes()
        } else {
            b""
        },
    );
    out.push(0x0c); // length of what follows
    out.extend_from_slice(&collation.to_le_bytes());
    out.extend_from_slice(&column.length.to_le_bytes());
    out.push(column.wire_type);
    out.extend_from_slice(&u16::from(of_table).to_le_bytes()); // NOT NULL
    out.push(column.decimals);
    out.extend_from_slice(&[0, 0]);
    finish(out, start, sequence);
}

/// Appends the head of a prepared statement; definitions follow it. Returns where its number stands, which differs from
/// connection to connection.
pub(crate) fn put_prepared(
    out: &mut Vec<u8>,
    sequence: &mut u8,
    columns: u16,
    parameters: u16,
) -> usize {
    let start = begin(out);
    out.push(0);
    let number_at = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&columns.to_le_bytes());
    out.extend_from_slice(&parameters.to_le_bytes());
    out.extend_from_slice(&[0, 0, 0]); // a filler, warnings
    finish(out, start, sequence);
    number_at
}
