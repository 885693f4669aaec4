//! Buffers rows of a reply that the client must look at, without a copy of each value.

use crate::bytes::{Bytes, Truncated, put_string};
use crate::row_sink::RowSink;
use crate::value::{ColumnType, binary_value, column_of};
use crate::{Parameter, Parameters, WireError, limits};

/// Holds the rows of the last result set of a reply as the protocol has them, and decodes them on access.
///
/// One is reused for reply after reply: once its buffers have grown, keeping rows allocates nothing. A value that isn't
/// there (no such row, no such column, NULL) reads as `None`, for any reason. A server that answers in another shape
/// than the statement asks for is a defect which counts show, not a reason to stop here.
#[derive(Debug, Default, Clone)]
pub struct BufferedRows {
    /// The rows come from an execution, in the binary form.
    is_binary: bool,
    types: Vec<ColumnType>,
    payloads: Vec<u8>,
    /// Where each row ends in `payloads`.
    ends: Vec<usize>,
}

impl BufferedRows {
    /// Forgets the rows and says in which form the next ones come.
    pub fn expect(&mut self, is_binary: bool) {
        self.is_binary = is_binary;
        self.types.clear();
        self.payloads.clear();
        self.ends.clear();
    }

    /// Counts the rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns a whole number; of a decimal or floating-point number the whole part.
    #[must_use]
    pub fn int(&self, row: usize, column: usize) -> Option<i64> {
        match self.cell(row, column)? {
            Cell::Int(value) => Some(value),
            Cell::Double(value) => Some(value as i64),
            Cell::Text(text) => {
                let text = std::str::from_utf8(text).ok()?;
                let whole = text.split('.').next().unwrap_or_default();
                whole.parse().ok()
            }
            Cell::Time => None,
        }
    }

    /// Returns a number of any kind.
    #[must_use]
    pub fn number(&self, row: usize, column: usize) -> Option<f64> {
        match self.cell(row, column)? {
            Cell::Int(value) => Some(value as f64),
            Cell::Double(value) => Some(value),
            Cell::Text(text) => std::str::from_utf8(text).ok()?.parse().ok(),
            Cell::Time => None,
        }
    }

    /// Returns text or bytes, and in the text protocol a value of any type.
    #[must_use]
    pub fn text(&self, row: usize, column: usize) -> Option<&[u8]> {
        match self.cell(row, column)? {
            Cell::Text(text) => Some(text),
            Cell::Int(_) | Cell::Double(_) | Cell::Time => None,
        }
    }

    /// Returns a value of any type in the words of the text protocol.
    #[must_use]
    pub fn words(&self, row: usize, column: usize) -> Option<Vec<u8>> {
        if !self.is_binary {
            return self.text(row, column).map(<[u8]>::to_vec);
        }
        let mut bytes = self.at(row, column)?;
        binary_value(&mut bytes, *self.types.get(column)?).ok()?
    }

    /// Appends a value to those of another statement. What the protocol brings as a number goes on as one, everything
    /// else in the words of the text protocol: a text that looks like a number stays text, or an index over a column of
    /// texts would be of no use to the server. Numbers without a sign that are too large for one with a sign go on as
    /// text, too.
    pub fn hand_on(&self, row: usize, column: usize, to: &mut Parameters) {
        match self.cell(row, column) {
            Some(Cell::Int(value)) if value >= 0 || !self.types[column].is_unsigned => {
                to.push_int(value)
            }
            Some(Cell::Double(value)) => to.push_double(value),
            Some(Cell::Text(text)) => to.push_text(text),
            Some(Cell::Int(_) | Cell::Time) => match self.words(row, column) {
                Some(words) => to.push_text(&words),
                None => to.push_null(),
            },
            None => to.push_null(),
        }
    }

    /// Appends a row as the text protocol has it, for replies that no server gave.
    pub fn push(&mut self, row: &[Parameter<'_>]) {
        for value in row {
            match value {
                Parameter::Null => self.payloads.push(0xfb),
                Parameter::Int(value) => {
                    put_string(&mut self.payloads, value.to_string().as_bytes())
                }
                Parameter::Double(value) => {
                    put_string(&mut self.payloads, value.to_string().as_bytes())
                }
                Parameter::Text(text) => put_string(&mut self.payloads, text),
            }
        }
        self.ends.push(self.payloads.len());
    }

    fn row_bytes(&self, row: usize) -> Option<Bytes<'_>> {
        let end = *self.ends.get(row)?;
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(Bytes(&self.payloads[start..end]))
    }

    /// Returns the row from the column on; `None` for NULL.
    fn at(&self, row: usize, column: usize) -> Option<Bytes<'_>> {
        let mut bytes = self.row_bytes(row)?;
        if !self.is_binary {
            for _ in 0..column {
                bytes.string_or_null().ok()?;
            }
            return Some(bytes);
        }
        bytes.u8().ok()?;
        let nulls = bytes.take((self.types.len() + 9) / 8).ok()?;
        let is_null = |index: usize| nulls[(index + 2) / 8] & (1 << ((index + 2) % 8)) != 0;
        for (index, kind) in self.types.get(..column)?.iter().enumerate() {
            if !is_null(index) {
                pass(&mut bytes, *kind).ok()?;
            }
        }
        (column < self.types.len() && !is_null(column)).then_some(bytes)
    }

    fn cell(&self, row: usize, column: usize) -> Option<Cell<'_>> {
        let mut bytes = self.at(row, column)?;
        if !self.is_binary {
            return bytes.string_or_null().ok()?.map(Cell::Text);
        }
        let kind = *self.types.get(column)?;
        Some(match kind.width() {
            Some(width) if kind.is_float() => Cell::Double(double(bytes.take(width).ok()?)),
            Some(width) => Cell::Int(kind.whole(bytes.take(width).ok()?)),
            None if kind.is_time() => Cell::Time,
            None => Cell::Text(bytes.string().ok()?),
        })
    }
}

/// One value, read no further than needed.
enum Cell<'a> {
    Int(i64),
    Double(f64),
    Text(&'a [u8]),
    /// A point in time or a span of it, which nobody computes with.
    Time,
}

fn double(raw: &[u8]) -> f64 {
    match *raw {
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => raw.try_into().map_or(0.0, f64::from_le_bytes),
    }
}

/// Goes past one value of a binary row.
fn pass(bytes: &mut Bytes<'_>, kind: ColumnType) -> Result<(), Truncated> {
    match kind.width() {
        Some(width) => bytes.take(width).map(drop),
        None => bytes.string().map(drop), // times, too, begin with their length
    }
}

impl RowSink for BufferedRows {
    fn start(&mut self, _columns: u16) -> Result<(), WireError> {
        self.expect(self.is_binary);
        Ok(())
    }

    fn column(&mut self, definition: &[u8]) -> Result<(), WireError> {
        if self.is_binary {
            self.types.push(column_of(definition)?.1);
        }
        Ok(())
    }

    #[inline]
    fn row(&mut self, payload: &[u8]) -> Result<(), WireError> {
        let held = self.payloads.len() + payload.len() + self.ends.len() * size_of::<usize>();
        if held as u64 > limits::KEPT_BYTES_HOT.0 {
            return Err(WireError::excess(limits::KEPT_BYTES_HOT.1));
        }
        self.payloads.extend_from_slice(payload);
        self.ends.push(self.payloads.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_rows::tests::definition;

    #[test]
    fn text_rows_are_read_where_they_are_looked_at() {
        let mut rows = BufferedRows::default();
        rows.push(&[
            Parameter::Int(3001),
            Parameter::Null,
            Parameter::Text(b"0.1250"),
        ]);
        rows.push(&[
            Parameter::Int(-7),
            Parameter::Text(b""),
            Parameter::Double(2.5),
        ]);
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (rows.int(0, 0), rows.int(0, 1), rows.int(0, 2)),
            (Some(3001), None, Some(0))
        );
        assert_eq!(rows.number(0, 2), Some(0.125));
        assert_eq!(rows.int(1, 0), Some(-7));
        assert_eq!(rows.text(1, 1), Some(&b""[..]));
        assert_eq!((rows.int(2, 0), rows.int(0, 3)), (None, None));
        rows.expect(false);
        assert!(rows.is_empty());
    }

    #[test]
    fn binary_rows_know_their_widths_and_nulls() {
        let mut rows = BufferedRows::default();
        rows.expect(true);
        rows.start(4).unwrap();
        for (name, kind) in [(b"a", 3), (b"b", 12), (b"c", 246), (b"d", 5)] {
            rows.column(&definition(name, kind, 0)).unwrap();
        }
        let mut payload = vec![0, 0b0000_0000];
        payload.extend_from_slice(&(-5_i32).to_le_bytes());
        payload.extend_from_slice(&[4, 0xe8, 7, 2, 29]);
        payload.extend_from_slice(&[4, b'1', b'.', b'2', b'5']);
        payload.extend_from_slice(&1.5_f64.to_le_bytes());
        rows.row(&payload).unwrap();
        rows.row(&[0, 0b0001_0100, 4, 0xe8, 7, 2, 29, 0, 0, 0, 0, 0, 0, 0, 0])
            .unwrap();
        assert_eq!(rows.int(0, 0), Some(-5));
        assert_eq!(
            rows.words(0, 1).as_deref(),
            Some(&b"2024-02-29 00:00:00"[..])
        );
        assert_eq!(
            (rows.number(0, 2), rows.number(0, 3)),
            (Some(1.25), Some(1.5))
        );
        assert_eq!((rows.int(1, 0), rows.number(1, 2)), (None, None));
        assert_eq!(rows.number(1, 3), Some(0.0));
        let mut values = Parameters::new();
        (0..4).for_each(|column| rows.hand_on(0, column, &mut values));
        rows.hand_on(1, 0, &mut values);
        let expected = [
            Parameter::Int(-5),
            Parameter::Text(b"2024-02-29 00:00:00"),
            Parameter::Text(b"1.25"),
            Parameter::Double(1.5),
            Parameter::Null,
        ];
        assert_eq!(values.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn numbers_that_need_all_bits_are_handed_on_as_they_are() {
        let mut rows = BufferedRows::default();
        rows.expect(true);
        rows.start(2).unwrap();
        for name in [b"a", b"b"] {
            rows.column(&definition(name, 8, 0x20)).unwrap();
        }
        let values = [u64::MAX - 6, 7].map(u64::to_le_bytes).concat();
        rows.row(&[vec![0, 0], values].concat()).unwrap();
        let mut values = Parameters::new();
        (0..2).for_each(|column| rows.hand_on(0, column, &mut values));
        let expected = [Parameter::Text(b"18446744073709551609"), Parameter::Int(7)];
        assert_eq!(values.iter().collect::<Vec<_>>(), expected);
    }
}
