//! The rows of a table as multi-row INSERT statements.

use super::Options;
use super::text::{C_LENGTH, PAD_LENGTH, fill};
use dbdyno_chance::{RandomKind, Sampler, Stream};
use std::io::Write;

/// A statement is sent when the next row, with its comma and one spare byte, would pass this many bytes.
pub(crate) const STATEMENT_BYTES: usize = 524_288;

/// Draws the rows of one table, packs them, and keeps the sums by which the table can be checked.
#[derive(Debug)]
pub(crate) struct RowStream {
    stream: Stream,
    kind: RandomKind,
    ks: Sampler,
    /// `INSERT INTO ... VALUES`.
    head: String,
    with_id: bool,
    /// Rows drawn so far.
    drawn: u32,
    table_size: u32,
    /// The row that didn't fit any more, or the one just drawn; empty if there is none.
    row: Vec<u8>,
    sums: Sums,
}

/// Sums over all rows handed out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) rows: u64,
    pub(crate) k: u64,
    pub(crate) crc32_c: u64,
    pub(crate) crc32_pad: u64,
}

impl RowStream {
    /// The rows of table `number`, from 1, drawn from `stream`.
    pub(crate) fn new(
        number: u32,
        table_size: u32,
        options: &Options,
        stream: Stream,
        kind: RandomKind,
    ) -> Self {
        let columns = if options.auto_inc {
            "k, c, pad"
        } else {
            "id, k, c, pad"
        };
        Self {
            stream,
            kind,
            ks: options.distribution().over(1, options.table_size),
            head: format!("INSERT INTO sbtest{number}({columns}) VALUES"),
            with_id: !options.auto_inc,
            drawn: 0,
            table_size,
            row: Vec::with_capacity(256),
            sums: Sums::default(),
        }
    }

    /// Replaces `statement` by the next INSERT and gives its count of rows; 0 when there are no more.
    pub(crate) fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        statement.clear();
        statement.extend_from_slice(self.head.as_bytes());
        let mut rows = 0;
        while self.have_row() && (rows == 0 || fits(statement.len(), self.row.len())) {
            if rows > 0 {
                statement.push(b',');
            }
            statement.append(&mut self.row);
            rows += 1;
        }
        rows
    }

    /// The sums over the rows drawn so far.
    pub(crate) fn sums(&self) -> Sums {
        self.sums
    }

    /// The stream after the rows drawn so far.
    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Draws the next row unless one is waiting; false when the table is full.
    #[inline]
    fn have_row(&mut self) -> bool {
        if self.row.is_empty() && self.drawn < self.table_size {
            self.draw_row();
        }
        !self.row.is_empty()
    }

    fn draw_row(&mut self) {
        let (mut c, mut pad) = ([0; C_LENGTH], [0; PAD_LENGTH]);
        fill(&mut self.stream, self.kind, &mut c);
        fill(&mut self.stream, self.kind, &mut pad);
        let k = self.ks.draw(&mut self.stream);
        self.drawn += 1;
        self.write_row(k, &c, &pad);
        self.sums.rows += 1;
        self.sums.k += u64::from(k);
        self.sums.crc32_c += u64::from(crc32fast::hash(&c));
        self.sums.crc32_pad += u64::from(crc32fast::hash(&pad));
    }

    fn write_row(&mut self, k: u32, c: &[u8], pad: &[u8]) {
        let row = &mut self.row;
        row.push(b'(');
        if self.with_id {
            write_number(row, self.drawn);
            row.extend_from_slice(b", ");
        }
        write_number(row, k);
        row.extend_from_slice(b", '");
        row.extend_from_slice(c);
        row.extend_from_slice(b"', '");
        row.extend_from_slice(pad);
        row.extend_from_slice(b"')");
    }
}

fn write_number(out: &mut Vec<u8>, number: u32) {
    // Writing to a Vec doesn't fail.
    let _ = write!(out, "{number}");
}

/// sysbench's rule, with the comma and the byte for a final NUL.
fn fits(statement_bytes: usize, row_bytes: usize) -> bool {
    statement_bytes + row_bytes + 1 < STATEMENT_BYTES
}
