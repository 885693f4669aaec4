//! Keeps the rows of a result as text, for the cold path.

use crate::bytes::Bytes;
use crate::row_sink::RowSink;
use crate::value::{ColumnType, binary_value, column_of};
use crate::{QueryResult, Reply, SessionChanges, Value, WireError, limits};

/// Collects the rows of the last result set of a reply.
#[derive(Debug)]
pub(crate) struct TextRows {
    /// The rows come from an execution, in the binary form.
    is_binary: bool,
    columns: Vec<String>,
    types: Vec<ColumnType>,
    rows: Vec<Vec<Value>>,
    /// Memory that columns and rows take, about.
    held_bytes: usize,
}

impl TextRows {
    pub(crate) fn new(is_binary: bool) -> Self {
        Self {
            is_binary,
            columns: Vec::new(),
            types: Vec::new(),
            rows: Vec::new(),
            held_bytes: 0,
        }
    }

    /// Refuses more than this side is ready to keep, before it is copied.
    fn hold(&mut self, payload: &[u8]) -> Result<(), WireError> {
        let values = self.columns.len() + 1;
        self.held_bytes += payload.len() + values * size_of::<Value>();
        match self.held_bytes as u64 > limits::KEPT_BYTES.0 {
            true => Err(WireError::excess(limits::KEPT_BYTES.1)),
            false => Ok(()),
        }
    }

    /// Returns the rows with what the reply says about them.
    pub(crate) fn into_result(
        self,
        reply: Reply,
        session_changes: SessionChanges,
    ) -> Result<QueryResult, WireError> {
        let Self { columns, rows, .. } = self;
        match reply {
            Reply::Error(error) => Err(error.into()),
            Reply::Rows(reply) => Ok(QueryResult {
                columns,
                rows,
                warnings: reply.warnings,
                session_changes,
                ..QueryResult::default()
            }),
            Reply::Ok(ok) => Ok(QueryResult {
                affected_rows: ok.affected_rows,
                last_insert_id: ok.last_insert_id,
                warnings: ok.warnings,
                session_changes,
                ..QueryResult::default()
            }),
        }
    }

    fn text_row(&self, payload: &[u8]) -> Result<Vec<Value>, WireError> {
        let mut bytes = Bytes(payload);
        let value = |_: &String| Ok(bytes.string_or_null()?.map(<[u8]>::to_vec));
        self.columns.iter().map(value).collect()
    }

    /// Reads a zero byte, one bit a column for NULL after two bits not used, and the other values.
    fn binary_row(&self, payload: &[u8]) -> Result<Vec<Value>, WireError> {
        let mut bytes = Bytes(payload);
        bytes.u8()?;
        let nulls = bytes.take((self.types.len() + 9) / 8)?;
        let is_null = |index: usize| nulls[(index + 2) / 8] & (1 << ((index + 2) % 8)) != 0;
        let value = |(index, &column): (usize, &ColumnType)| match is_null(index) {
            true => Ok(None),
            false => binary_value(&mut bytes, column),
        };
        self.types.iter().enumerate().map(value).collect()
    }
}

impl RowSink for TextRows {
    fn start(&mut self, _columns: u16) -> Result<(), WireError> {
        *self = Self::new(self.is_binary);
        Ok(())
    }

    fn column(&mut self, definition: &[u8]) -> Result<(), WireError> {
        self.hold(definition)?;
        let (name, kind) = column_of(definition)?;
        self.types.push(kind);
        self.columns
            .push(String::from_utf8_lossy(name).into_owned());
        Ok(())
    }

    fn row(&mut self, payload: &[u8]) -> Result<(), WireError> {
        self.hold(payload)?;
        let row = if self.is_binary {
            self.binary_row(payload)
        } else {
            self.text_row(payload)
        };
        self.rows.push(row?);
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn definition(name: &[u8], wire_type: u8, flags: u16) -> Vec<u8> {
        let mut out = b"\x03def\x00\x00\x00".to_vec();
        out.push(name.len() as u8);
        out.extend_from_slice(name);
        out.extend_from_slice(&[0, 0x0c, 45, 0, 0, 0, 0, 0, wire_type]);
        out.extend_from_slice(&flags.to_le_bytes());
        out.extend_from_slice(&[0, 0, 0]);
        out
    }

    #[test]
    fn text_rows_keep_null_apart_from_empty() {
        let mut rows = TextRows::new(false);
        rows.start(2).unwrap();
        rows.column(&definition(b"a", 253, 0)).unwrap();
        rows.column(&definition(b"b", 3, 0)).unwrap();
        rows.row(b"\x00\xfb").unwrap();
        assert_eq!(rows.columns, ["a", "b"]);
        assert_eq!(rows.rows, [[Some(Vec::new()), None]]);
    }

    #[test]
    fn binary_rows_read_their_null_bits_two_places_on() {
        let mut rows = TextRows::new(true);
        rows.start(8).unwrap();
        for index in 0..8 {
            rows.column(&definition(&[b'a' + index], 1, 0)).unwrap();
        }
        rows.row(&[0, 0b0000_0100, 0b0000_0001, 1, 2, 3, 4, 5, 255])
            .unwrap();
        let shown: Vec<_> = rows.rows[0].iter().map(|value| value.as_deref()).collect();
        let some = |text: &'static str| Some(text.as_bytes());
        let expected = [
            None,
            some("1"),
            some("2"),
            some("3"),
            some("4"),
            some("5"),
            None,
            some("-1"),
        ];
        assert_eq!(shown, expected);
    }
}
