//! Keeps the rows of a query as they came.

use dbdyno_wire::{RowSink, WireError};

/// Memory kept from result to result; more was for a large one.
const KEPT_BYTES: usize = 64 * 1024;

/// Memory for the rows of one answer.
const ROWS_BYTES: (usize, &str) = (256 << 20, "256 MiB of rows in one answer");

/// Bytes of the length that stands before each row.
const LENGTH_BYTES: usize = 4;

/// The rows of the last query, undecoded, one behind the other, and which is next.
#[derive(Debug, Default)]
pub(super) struct StoredRows {
    bytes: Vec<u8>,
    next: usize,
    columns: u16,
    /// Whether the server began to send rows.
    pub(super) began: bool,
}

impl StoredRows {
    /// Forgets the rows.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        if self.bytes.capacity() > KEPT_BYTES {
            self.bytes = Vec::new();
        }
        self.next = 0;
        self.columns = 0;
        self.began = false;
    }

    /// Returns the next row.
    pub(super) fn next(&mut self) -> Option<ResultRow<'_>> {
        let rest = &self.bytes[self.next..];
        let (length, rest) = rest.split_first_chunk::<LENGTH_BYTES>()?;
        let length = u32::from_le_bytes(*length) as usize;
        self.next += LENGTH_BYTES + length;
        Some(ResultRow {
            rest: &rest[..length],
            left: self.columns,
        })
    }
}

impl RowSink for StoredRows {
    fn start(&mut self, columns: u16) -> Result<(), WireError> {
        self.clear();
        self.columns = columns;
        self.began = true;
        Ok(())
    }

    fn column(&mut self, _definition: &[u8]) -> Result<(), WireError> {
        Ok(())
    }

    fn row(&mut self, payload: &[u8]) -> Result<(), WireError> {
        let too_long = |_| WireError::Protocol("a row of 4 GiB".to_owned());
        let length = u32::try_from(payload.len()).map_err(too_long)?;
        if self.bytes.len() + payload.len() + LENGTH_BYTES > ROWS_BYTES.0 {
            return Err(WireError::Excess {
                limit: ROWS_BYTES.1,
                peer: "the server".to_owned(),
            });
        }
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(payload);
        Ok(())
    }
}

/// Counts nothing and keeps nothing, but knows whether rows began.
#[derive(Debug, Default)]
pub(super) struct RowDetector {
    pub(super) began: bool,
}

impl RowSink for RowDetector {
    const WANTS_ROWS: bool = false;

    fn start(&mut self, _columns: u16) -> Result<(), WireError> {
        self.began = true;
        Ok(())
    }

    fn column(&mut self, _definition: &[u8]) -> Result<(), WireError> {
        Ok(())
    }

    fn row(&mut self, _payload: &[u8]) -> Result<(), WireError> {
        Ok(())
    }
}

/// A row, its values in order: text, or `None` for NULL.
#[derive(Debug, Clone)]
pub struct ResultRow<'a> {
    rest: &'a [u8],
    left: u16,
}

impl<'a> Iterator for ResultRow<'a> {
    type Item = Option<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (&first, rest) = self.rest.split_first()?;
        let (length, rest) = match first {
            0xfb => {
                self.rest = rest;
                return Some(None);
            }
            0xfc => number::<2>(rest)?,
            0xfd => number::<3>(rest)?,
            0xfe => number::<8>(rest)?,
            small => (usize::from(small), rest),
        };
        let (value, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        Some(Some(value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(usize::from(self.left)))
    }
}

/// Returns a little-endian number of so many bytes, and what follows.
fn number<const BYTES: usize>(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<BYTES>()?;
    let mut raw = [0; 8];
    raw[..BYTES].copy_from_slice(head);
    Some((usize::try_from(u64::from_le_bytes(raw)).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_in_order_with_null_apart_from_empty() {
        let mut rows = StoredRows::default();
        rows.start(3).unwrap();
        rows.row(b"\x01a\xfb\x00").unwrap();
        let long = [&b"\xfc\x2c\x01"[..], &[b'x'; 300], b"\xfb\xfb"].concat();
        rows.row(&long).unwrap();
        let first: Vec<_> = rows.next().unwrap().collect();
        assert_eq!(first, [Some(&b"a"[..]), None, Some(&b""[..])]);
        let second: Vec<_> = rows.next().unwrap().collect();
        assert_eq!(second, [Some(&[b'x'; 300][..]), None, None]);
        assert!(rows.next().is_none());
    }

    #[test]
    fn a_row_cut_short_ends_where_it_ends() {
        let mut rows = StoredRows::default();
        rows.start(2).unwrap();
        rows.row(b"\x01a\x05bc").unwrap();
        assert_eq!(rows.next().unwrap().count(), 1);
    }
}
