//! Encodes a result that was generated for one statement, value by value.

use crate::protocol::{
    ColumnDefinition, begin, finish, put_column, put_end_of_rows, put_length, put_middle_eof,
    put_string, wire_type,
};

/// Holds what is known only once the server runs.
#[derive(Debug, Clone)]
pub(crate) struct ServerInfo {
    pub(crate) version: String,
    pub(crate) max_prepared: u32,
    /// Whether clients are offered the new end of rows.
    pub(crate) deprecate_eof: bool,
}

/// Column names and rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GeneratedTable {
    pub(super) columns: Vec<GeneratedColumn>,
    pub(super) rows: Vec<Vec<Option<String>>>,
}

/// A column of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GeneratedColumn {
    pub(super) name: String,
    /// Its values are whole numbers, not text.
    pub(super) is_number: bool,
}

impl GeneratedTable {
    /// Makes a table of text columns without rows.
    pub(super) fn headed(names: &[&str]) -> Self {
        let column = |&name: &&str| GeneratedColumn {
            name: name.to_owned(),
            is_number: false,
        };
        Self {
            columns: names.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn column_count(&self) -> u16 {
        self.columns.len() as u16
    }

    pub(crate) fn put_columns(&self, out: &mut Vec<u8>, sequence: &mut u8) {
        for column in &self.columns {
            let (wire_type, length) = match column.is_number {
                true => (wire_type::LONGLONG, 21),
                false => (wire_type::VAR_STRING, 1024),
            };
            let definition = ColumnDefinition {
                table: "",
                name: &column.name,
                wire_type,
                length,
                decimals: 0,
            };
            put_column(out, sequence, &definition);
        }
    }

    /// Appends the whole reply.
    pub(crate) fn put(&self, out: &mut Vec<u8>, status: u16, deprecate_eof: bool, binary: bool) {
        let mut sequence = 1;
        let start = begin(out);
        put_length(out, self.columns.len() as u64);
        finish(out, start, &mut sequence);
        self.put_columns(out, &mut sequence);
        if !deprecate_eof {
            put_middle_eof(out, &mut sequence, status);
        }
        for row in &self.rows {
            let start = begin(out);
            match binary {
                true => self.put_binary(out, row),
                false => row.iter().for_each(|value| put_text(out, value.as_deref())),
            }
            finish(out, start, &mut sequence);
        }
        put_end_of_rows(out, sequence, status, deprecate_eof);
    }

    fn put_binary(&self, out: &mut Vec<u8>, row: &[Option<String>]) {
        out.push(0);
        let nulls_at = out.len();
        out.resize(nulls_at + (row.len() + 9) / 8, 0);
        for (index, (value, column)) in row.iter().zip(&self.columns).enumerate() {
            match value {
                None => out[nulls_at + (index + 2) / 8] |= 1 << ((index + 2) % 8),
                Some(text) if column.is_number => {
                    let number: i64 = text.parse().unwrap_or(1);
                    out.extend_from_slice(&number.to_le_bytes());
                }
                Some(text) => put_string(out, text.as_bytes()),
            }
        }
    }
}

fn put_text(out: &mut Vec<u8>, value: Option<&str>) {
    match value {
        None => out.push(0xfb),
        Some(text) => put_string(out, text.as_bytes()),
    }
}
