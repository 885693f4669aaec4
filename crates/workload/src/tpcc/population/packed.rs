//! Packs rows into INSERT statements.

use super::text::RowText;
use crate::RowSource;

/// A statement holds no more bytes than this.
const STATEMENT_BYTES: usize = 524_288;

/// Draws the rows of one part, in the order of the key.
pub(crate) trait RowGenerator: Send {
    /// More bytes than any row has.
    const LONGEST: usize;
    /// Sums that it keeps in addition to count and checksum, at most [`OWN_SUMS`].
    const SUMS: usize;

    /// Writes the next row and adds to the sums; false when there are no more.
    fn write(&mut self, row: &mut RowText<'_>, sums: &mut [u64; OWN_SUMS]) -> bool;
}

/// Places for the sums of a table's own.
pub(crate) const OWN_SUMS: usize = 2;

/// The rows of a part as statements.
pub(crate) struct PackedRows<R> {
    /// `INSERT INTO ... VALUES `.
    head: String,
    rows: R,
    /// The rows have ended; who is asked again would begin anew somewhere.
    has_ended: bool,
    count: u64,
    /// Sum of CRC-32 of the rows' texts: the values as they stand between the brackets.
    crc32: u64,
    own: [u64; OWN_SUMS],
}

impl<R: RowGenerator> PackedRows<R> {
    pub(crate) fn new(head: String, rows: R) -> Self {
        Self {
            head,
            rows,
            has_ended: false,
            count: 0,
            crc32: 0,
            own: [0; OWN_SUMS],
        }
    }

    /// Appends a row; false when there are no more.
    #[inline]
    fn put_row(&mut self, statement: &mut Vec<u8>) -> bool {
        if self.has_ended {
            return false;
        }
        let before = statement.len();
        statement.push(b'(');
        let mut row = RowText::new(statement);
        if !self.rows.write(&mut row, &mut self.own) {
            statement.truncate(before);
            self.has_ended = true;
            return false;
        }
        row.end();
        self.crc32 += u64::from(crc32fast::hash(&statement[before + 1..]));
        self.count += 1;
        statement.extend_from_slice(b"),");
        true
    }
}

impl<R: RowGenerator> RowSource for PackedRows<R> {
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        statement.clear();
        statement.reserve(STATEMENT_BYTES);
        statement.extend_from_slice(self.head.as_bytes());
        let before = self.count;
        while statement.len() + R::LONGEST <= STATEMENT_BYTES && self.put_row(statement) {}
        statement.pop(); // the last comma
        self.count - before
    }

    fn sums(&self) -> Vec<u64> {
        let mut sums = vec![self.count, self.crc32];
        sums.extend_from_slice(&self.own[..R::SUMS]);
        sums
    }
}
