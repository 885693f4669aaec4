//! Collects one column of a Parquet file: its values until they are written, and then its page.

use super::thrift::{Structure, structure, write_varint};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};

// Numbers of the format's enumerations.
const DATA_PAGE: i32 = 0;
pub(super) const PLAIN: i32 = 0;
pub(super) const RLE: i32 = 3;
const OPTIONAL: i32 = 1;
const UTF8: i32 = 0;

/// Kind of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Int,
    Float,
    Text,
    /// Bytes that are compressed already.
    Packed,
}

impl ColumnKind {
    pub(super) fn physical_type(self) -> i32 {
        match self {
            Self::Int => 2,
            Self::Float => 5,
            Self::Text | Self::Packed => 6,
        }
    }

    /// Returns the codec; 2 is gzip.
    pub(super) fn codec(self) -> i32 {
        if self == Self::Packed { 0 } else { 2 }
    }
}

/// A field of a row; it must be of its column's kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FieldValue<'a> {
    Null,
    Int(i64),
    Float(f64),
    Text(&'a str),
    Packed(&'a [u8]),
}

/// One column of the row group that is being filled.
#[derive(Debug)]
pub(super) struct ColumnBuffer {
    pub(super) name: &'static str,
    pub(super) kind: ColumnKind,
    /// Whether values are there, as runs.
    presence: Vec<(bool, u64)>,
    values: Vec<u8>,
}

/// A page with its header.
pub(super) struct DataPage {
    pub(super) bytes: Vec<u8>,
    /// Header included, before compression.
    pub(super) plain_bytes: usize,
}

impl ColumnBuffer {
    pub(super) fn new(&(name, kind): &(&'static str, ColumnKind)) -> Self {
        Self {
            name,
            kind,
            presence: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Returns the number of bytes kept.
    pub(super) fn size(&self) -> usize {
        self.values.len()
    }

    pub(super) fn push(&mut self, value: FieldValue<'_>) {
        match value {
            FieldValue::Null => {}
            FieldValue::Int(value) => self.values.extend(value.to_le_bytes()),
            FieldValue::Float(value) => self.values.extend(value.to_le_bytes()),
            FieldValue::Text(text) => self.push_bytes(text.as_bytes()),
            FieldValue::Packed(bytes) => self.push_bytes(bytes),
        }
        let present = value != FieldValue::Null;
        match self.presence.last_mut() {
            Some((kind, length)) if *kind == present => *length += 1,
            _ => self.presence.push((present, 1)),
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        self.values.extend((bytes.len() as u32).to_le_bytes());
        self.values.extend(bytes);
    }

    /// Empties the column into a page.
    pub(super) fn take_page(&mut self, rows: usize) -> io::Result<DataPage> {
        let mut levels = Vec::new();
        for (present, length) in self.presence.drain(..) {
            write_varint(&mut levels, length << 1); // a run, not a list of bits
            levels.push(present.into());
        }
        let mut body = (levels.len() as u32).to_le_bytes().to_vec();
        body.append(&mut levels);
        body.append(&mut self.values);
        let stored = match self.kind {
            ColumnKind::Packed => None,
            _ => Some(gzip(&body)?),
        };
        let stored = stored.as_ref().unwrap_or(&body);
        let mut bytes = Vec::with_capacity(stored.len() + 32);
        structure(&mut bytes, |header| {
            header.int(1, DATA_PAGE);
            header.int(2, body.len() as i32);
            header.int(3, stored.len() as i32);
            header.structure(5, |page| {
                page.int(1, rows as i32);
                page.int(2, PLAIN);
                page.int(3, RLE); // of the levels that mark nulls
                page.int(4, RLE); // of the levels of repeated fields, of which there are none
            });
        });
        let plain_bytes = bytes.len() + body.len();
        bytes.extend(stored);
        Ok(DataPage { bytes, plain_bytes })
    }

    /// `SchemaElement` of the format.
    pub(super) fn describe(&self, element: &mut Structure<'_>) {
        element.int(1, self.kind.physical_type());
        element.int(3, OPTIONAL);
        element.text(4, self.name);
        if self.kind == ColumnKind::Text {
            element.int(6, UTF8);
        }
    }
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}
