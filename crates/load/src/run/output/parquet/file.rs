//! A Parquet file of one flat table, written row by row.
//!
//! Only what a table of seconds needs: four kinds of columns, each of which may be null, plain encoding, one page a
//! column and row group. The crate `parquet` does all of the format, and for that doubles the time of a
//! clean build of this program; here the part needed is the page of code below, and tests read its files
//! with Arrow and DuckDB.
//!
//! Source: <https://github.com/apache/parquet-format>

use super::thrift::{Structure, structure, write_varint};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};

const MAGIC: &[u8] = b"PAR1";

/// Rows are kept in memory up to so many bytes, then written as a row group.
const ROW_GROUP_BYTES: usize = 4 << 20;

// Numbers of the format's enumerations.
const DATA_PAGE: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const OPTIONAL: i32 = 1;
const UTF8: i32 = 0;

/// Kind of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Float,
    Text,
    /// Bytes that are compressed already.
    Packed,
}

impl Kind {
    fn physical_type(self) -> i32 {
        match self {
            Self::Int => 2,
            Self::Float => 5,
            Self::Text | Self::Packed => 6,
        }
    }

    /// 2 is gzip.
    fn codec(self) -> i32 {
        if self == Self::Packed { 0 } else { 2 }
    }
}

/// A field of a row; it must be of its column's kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Int(i64),
    Float(f64),
    Text(&'a str),
    Packed(&'a [u8]),
}

/// One column of the row group that is being filled.
#[derive(Debug)]
struct Column {
    name: &'static str,
    kind: Kind,
    /// Whether values are there, as runs.
    presence: Vec<(bool, u64)>,
    values: Vec<u8>,
}

/// Where a column of a finished row group lies.
#[derive(Debug)]
struct Chunk {
    column: usize,
    offset: usize,
    plain_bytes: usize,
    stored_bytes: usize,
}

#[derive(Debug)]
struct RowGroup {
    rows: usize,
    chunks: Vec<Chunk>,
}

/// The file.
#[derive(Debug)]
pub(super) struct ParquetFile<W: Write> {
    out: W,
    written_bytes: usize,
    columns: Vec<Column>,
    rows: usize,
    row_groups: Vec<RowGroup>,
}

impl<W: Write> ParquetFile<W> {
    pub(super) fn new(mut out: W, columns: &[(&'static str, Kind)]) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self {
            out,
            written_bytes: MAGIC.len(),
            columns: columns.iter().map(Column::new).collect(),
            rows: 0,
            row_groups: Vec::new(),
        })
    }

    /// Adds a row with a value for each column, in their order.
    pub(super) fn row<'v>(&mut self, values: impl Iterator<Item = Value<'v>>) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        self.rows += 1;
        let kept_bytes: usize = self.columns.iter().map(|column| column.values.len()).sum();
        if kept_bytes >= ROW_GROUP_BYTES {
            self.write_row_group()?;
        }
        Ok(())
    }

    /// Writes what is left and the account of the whole: without it nobody can read the file.
    pub(super) fn finish(&mut self, created_by: &str) -> io::Result<()> {
        self.write_row_group()?;
        let mut footer = Vec::new();
        structure(&mut footer, |file| self.describe(file, created_by));
        let length = footer.len() as u32;
        footer.extend(length.to_le_bytes());
        footer.extend(MAGIC);
        self.write(&footer)?;
        self.out.flush()
    }

    fn write_row_group(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows == 0 {
            return Ok(());
        }
        let mut chunks = Vec::with_capacity(self.columns.len());
        for column in 0..self.columns.len() {
            let page = self.columns[column].take_page(rows)?;
            chunks.push(Chunk {
                column,
                offset: self.written_bytes,
                plain_bytes: page.plain_bytes,
                stored_bytes: page.bytes.len(),
            });
            self.write(&page.bytes)?;
        }
        self.row_groups.push(RowGroup { rows, chunks });
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written_bytes += bytes.len();
        self.out.write_all(bytes)
    }

    /// `FileMetaData` of the format.
    fn describe(&self, file: &mut Structure<'_>, created_by: &str) {
        file.int(1, 1); // version
        let root = std::iter::once(None);
        let schema: Vec<_> = root.chain(self.columns.iter().map(Some)).collect();
        file.structures(2, &schema, |element, column| match column {
            None => {
                element.text(4, "seconds");
                element.int(5, self.columns.len() as i32);
            }
            Some(column) => column.describe(element),
        });
        let rows = self.row_groups.iter().map(|group| group.rows).sum();
        file.long(3, rows);
        file.structures(4, &self.row_groups, |element, group| {
            element.structures(1, &group.chunks, |chunk_element, chunk| {
                chunk_element.long(2, chunk.offset);
                chunk_element.structure(3, |data| self.describe_chunk(data, chunk, group.rows));
            });
            element.long(2, group.chunks.iter().map(|chunk| chunk.plain_bytes).sum());
            element.long(3, group.rows);
        });
        file.text(6, created_by);
    }

    /// `ColumnMetaData` of the format.
    fn describe_chunk(&self, data: &mut Structure<'_>, chunk: &Chunk, rows: usize) {
        let column = &self.columns[chunk.column];
        data.int(1, column.kind.physical_type());
        data.ints(2, &[PLAIN, RLE]);
        data.texts(3, &[column.name]);
        data.int(4, column.kind.codec());
        data.long(5, rows);
        data.long(6, chunk.plain_bytes);
        data.long(7, chunk.stored_bytes);
        data.long(9, chunk.offset);
    }
}

/// A page with its header.
struct Page {
    bytes: Vec<u8>,
    /// Header included, before compression.
    plain_bytes: usize,
}

impl Column {
    fn new(&(name, kind): &(&'static str, Kind)) -> Self {
        Self {
            name,
            kind,
            presence: Vec::new(),
            values: Vec::new(),
        }
    }

    fn push(&mut self, value: Value<'_>) {
        match value {
            Value::Null => {}
            Value::Int(value) => self.values.extend(value.to_le_bytes()),
            Value::Float(value) => self.values.extend(value.to_le_bytes()),
            Value::Text(text) => self.push_bytes(text.as_bytes()),
            Value::Packed(bytes) => self.push_bytes(bytes),
        }
        let present = value != Value::Null;
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
    fn take_page(&mut self, rows: usize) -> io::Result<Page> {
        let mut levels = Vec::new();
        for (present, length) in self.presence.drain(..) {
            write_varint(&mut levels, length << 1); // a run, not a list of bits
            levels.push(present.into());
        }
        let mut body = (levels.len() as u32).to_le_bytes().to_vec();
        body.append(&mut levels);
        body.append(&mut self.values);
        let stored = match self.kind {
            Kind::Packed => None,
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
                page.int(3, RLE); // of the levels that tell nulls
                page.int(4, RLE); // of the levels of repeated fields, of which there are none
            });
        });
        let plain_bytes = bytes.len() + body.len();
        bytes.extend(stored);
        Ok(Page { bytes, plain_bytes })
    }

    /// `SchemaElement` of the format.
    fn describe(&self, element: &mut Structure<'_>) {
        element.int(1, self.kind.physical_type());
        element.int(3, OPTIONAL);
        element.text(4, self.name);
        if self.kind == Kind::Text {
            element.int(6, UTF8);
        }
    }
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}
