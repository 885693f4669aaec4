//! Writes a Parquet file of one flat table, row by row.
//!
//! It supports only what a table of seconds needs: four kinds of columns, each of which may be null, plain encoding,
//! one page per column and row group. The crate `parquet` supports the whole format, but doubles the time of a
//! clean build of this program; tests read the files written here with Arrow and DuckDB.
//!
//! Source: <https://github.com/apache/parquet-format>

use super::column::{ColumnBuffer, ColumnKind, FieldValue, PLAIN, RLE};
use super::thrift::{Structure, structure};
use std::io::{self, Write};

const MAGIC: &[u8] = b"PAR1";

/// Bytes of rows kept in memory, then written as a row group.
const ROW_GROUP_BYTES: usize = 4 << 20;

/// Says where a column of a finished row group lies.
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

/// Writes the file.
#[derive(Debug)]
pub(super) struct ParquetFile<W: Write> {
    out: W,
    written_bytes: usize,
    columns: Vec<ColumnBuffer>,
    rows: usize,
    row_groups: Vec<RowGroup>,
}

impl<W: Write> ParquetFile<W> {
    pub(super) fn new(mut out: W, columns: &[(&'static str, ColumnKind)]) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self {
            out,
            written_bytes: MAGIC.len(),
            columns: columns.iter().map(ColumnBuffer::new).collect(),
            rows: 0,
            row_groups: Vec::new(),
        })
    }

    /// Adds a row with a value for each column, in their order.
    pub(super) fn row<'v>(
        &mut self,
        values: impl Iterator<Item = FieldValue<'v>>,
    ) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        self.rows += 1;
        let kept_bytes: usize = self.columns.iter().map(ColumnBuffer::size).sum();
        if kept_bytes >= ROW_GROUP_BYTES {
            self.write_row_group()?;
        }
        Ok(())
    }

    /// Writes the remaining rows and the footer: without it nobody can read the file.
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

    /// Writes `FileMetaData` of the format.
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

    /// Writes `ColumnMetaData` of the format.
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
