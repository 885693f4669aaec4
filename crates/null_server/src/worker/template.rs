//! Encodes results of known shapes once and repeats them.

use crate::protocol::{
    ColumnDefinition, begin, finish, put_column, put_end_of_rows, put_length, put_middle_eof,
    put_string, wire_type,
};
use crate::sql::{Content, ShapeColumn};

/// Rows after which the sequence number, a byte, begins again, so that all rows are repetitions of these.
const BLOCK_ROWS: u32 = 256;

const GROUP_DIGITS: usize = 11;

/// Everything of a result but its length and the server's state.
#[derive(Debug)]
pub(crate) struct Template {
    /// Column count and definitions.
    head: Vec<u8>,
    /// Rows with sequence numbers, all of the same length.
    block: Vec<u8>,
    row_bytes: usize,
    first_sequence: u8,
    deprecate_eof: bool,
}

impl Template {
    pub(crate) fn new(
        columns: &[ShapeColumn],
        deprecate_eof: bool,
        binary: bool,
        rows: u32,
    ) -> Self {
        let (mut head, mut sequence) = (Vec::new(), 1);
        let start = begin(&mut head);
        put_length(&mut head, columns.len() as u64);
        finish(&mut head, start, &mut sequence);
        put_columns(&mut head, &mut sequence, columns);
        if !deprecate_eof {
            put_middle_eof(&mut head, &mut sequence, 0);
        }
        let first_sequence = sequence;
        let mut block = Vec::new();
        for row in 0..rows.min(BLOCK_ROWS) {
            put_row(&mut block, &mut sequence, columns, binary, row);
        }
        let row_bytes = block.len() / rows.clamp(1, BLOCK_ROWS) as usize;
        Self {
            head,
            block,
            row_bytes,
            first_sequence,
            deprecate_eof,
        }
    }

    /// Returns whether it was made for as many rows.
    pub(crate) fn reaches(&self, rows: u32) -> bool {
        self.block.len() >= rows.min(BLOCK_ROWS) as usize * self.row_bytes
            && (rows == 0 || self.row_bytes > 0)
    }

    /// Writes a result of so many rows.
    #[inline]
    pub(crate) fn put(&self, out: &mut Vec<u8>, rows: u32, status: u16) {
        out.extend_from_slice(&self.head);
        if !self.deprecate_eof {
            let end = out.len();
            out[end - 2..].copy_from_slice(&status.to_le_bytes());
        }
        let mut left = rows;
        while left >= BLOCK_ROWS {
            out.extend_from_slice(&self.block);
            left -= BLOCK_ROWS;
        }
        out.extend_from_slice(&self.block[..left as usize * self.row_bytes]);
        let sequence = self.first_sequence.wrapping_add(rows as u8);
        put_end_of_rows(out, sequence, status, self.deprecate_eof);
    }
}

/// Definitions of a shape's columns.
pub(crate) fn put_columns(out: &mut Vec<u8>, sequence: &mut u8, columns: &[ShapeColumn]) {
    for column in columns {
        let (wire_type, length, decimals) = match column.content {
            Content::Groups(groups) => {
                (wire_type::STRING, groups * (GROUP_DIGITS as u32 + 1) * 4, 0)
            }
            Content::Serial | Content::Number(_) => (wire_type::LONGLONG, 21, 0),
            Content::Decimal(_, decimals) => (wire_type::NEWDECIMAL, 33, decimals),
        };
        let definition = ColumnDefinition {
            table: column.table,
            name: column.name,
            wire_type,
            length,
            decimals,
        };
        put_column(out, sequence, &definition);
    }
}

fn put_row(out: &mut Vec<u8>, sequence: &mut u8, columns: &[ShapeColumn], binary: bool, row: u32) {
    let start = begin(out);
    if binary {
        out.resize(out.len() + 1 + (columns.len() + 9) / 8, 0); // none is NULL
    }
    for (index, column) in columns.iter().enumerate() {
        match column.content {
            Content::Groups(groups) => put_string(out, &digits(groups, row, index)),
            Content::Serial => put_number(out, 1001 + i64::from(row), binary),
            Content::Number(number) => put_number(out, number, binary),
            Content::Decimal(text, _) => put_string(out, text.as_bytes()),
        }
    }
    finish(out, start, sequence);
}

fn put_number(out: &mut Vec<u8>, number: i64, binary: bool) {
    match binary {
        true => out.extend_from_slice(&number.to_le_bytes()),
        false => put_string(out, number.to_string().as_bytes()),
    }
}

/// Groups of digits that look random but always are the same; the first ones ascend from row to row.
fn digits(groups: u32, row: u32, column: usize) -> Vec<u8> {
    let mut state = u64::from(row) << 8 | column as u64;
    let mut text = Vec::new();
    for group in 0..groups {
        if group > 0 {
            text.push(b'-');
        }
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mut number = (state >> 20) % 10_u64.pow(GROUP_DIGITS as u32);
        if group == 0 {
            let tail = 10_u64.pow(GROUP_DIGITS as u32 - 3);
            number = number % tail + u64::from(100 + 3 * row) * tail;
        }
        text.extend_from_slice(format!("{number:0GROUP_DIGITS$}").as_bytes());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{HEADER_BYTES, PacketHeader};

    const COLUMNS: &[ShapeColumn] = &[
        ShapeColumn {
            name: "id",
            table: "t",
            content: Content::Serial,
        },
        ShapeColumn {
            name: "c",
            table: "t",
            content: Content::Groups(10),
        },
    ];

    /// Payloads of a reply, whose sequence numbers are checked.
    fn payloads(mut reply: &[u8]) -> Vec<Vec<u8>> {
        let (mut found, mut expected) = (Vec::new(), 1_u8);
        while let Some(header) = PacketHeader::of(reply) {
            assert_eq!(header.sequence, expected);
            expected = expected.wrapping_add(1);
            found.push(reply[HEADER_BYTES..HEADER_BYTES + header.length].to_vec());
            reply = &reply[HEADER_BYTES + header.length..];
        }
        assert!(reply.is_empty());
        found
    }

    #[test]
    fn results_of_any_length_are_numbered_through() {
        for deprecate_eof in [false, true] {
            let template = Template::new(COLUMNS, deprecate_eof, false, 1000);
            for rows in [0, 1, 100, 255, 256, 257, 1000] {
                let mut out = Vec::new();
                template.put(&mut out, rows, 0x0203);
                let payloads = payloads(&out);
                let others = if deprecate_eof { 4 } else { 5 };
                assert_eq!(payloads.len(), rows as usize + others);
                let end = payloads.last().unwrap();
                let expected: &[u8] = match deprecate_eof {
                    true => &[0xfe, 0, 0, 3, 2, 0, 0],
                    false => &[0xfe, 0, 0, 3, 2],
                };
                assert_eq!(end, expected);
            }
        }
    }

    #[test]
    fn rows_ascend_and_look_like_those_of_sysbench() {
        let text: Vec<_> = (0..256).map(|row| digits(10, row, 0)).collect();
        assert!(text.is_sorted_by(|one, other| one < other));
        for value in &text {
            assert_eq!(value.len(), 119);
            let groups: Vec<_> = value.split(|&byte| byte == b'-').collect();
            assert!(groups.len() == 10 && groups.iter().all(|group| group.len() == 11));
        }
    }

    #[test]
    fn a_template_knows_how_far_it_reaches() {
        let one = Template::new(COLUMNS, true, false, 1);
        assert!(one.reaches(0) && one.reaches(1) && !one.reaches(2));
        assert!(!Template::new(COLUMNS, true, false, 0).reaches(1));
        assert!(Template::new(COLUMNS, true, false, 300).reaches(5000));
    }
}
