//! Describes a response compactly enough to be kept until it is due, and encodes it.

use super::template::{Template, put_columns};
use crate::faults::error_text;
use crate::protocol::{begin, finish, put_error, put_middle_eof, put_ok};
use crate::sql::{Effect, GeneratedTable, SHAPES};
use std::rc::Rc;

/// A reply that is not encoded yet.
#[derive(Debug, Clone)]
pub(crate) enum Response {
    Ok {
        affected_rows: u32,
    },
    /// Rows of a known shape.
    Rows {
        row: u8,
        count: u32,
        binary: bool,
    },
    /// A result made for the statement.
    Generated {
        table: Rc<GeneratedTable>,
        binary: bool,
    },
    Error(u16),
    /// The end of what has no rows: the reply to COM_SET_OPTION.
    Eof,
    /// Text without a type: the reply to COM_STATISTICS.
    Text(&'static str),
    /// Whole packets.
    Bytes(Box<[u8]>),
    /// The connection is closed instead.
    Drop,
}

/// Encodes answers.
#[derive(Debug, Default)]
pub(crate) struct ResponseEncoder {
    /// By row of the table of shapes, old or new end of rows, text or binary; made when first needed.
    templates: Vec<[Option<Template>; 4]>,
}

impl ResponseEncoder {
    /// Writes an answer, numbered from 1. A drop has nothing to write.
    pub(crate) fn put(
        &mut self,
        out: &mut Vec<u8>,
        response: &Response,
        status: u16,
        deprecate_eof: bool,
    ) {
        let mut sequence = 1;
        match response {
            Response::Ok { affected_rows } => {
                put_ok(out, &mut sequence, u64::from(*affected_rows), status);
            }
            Response::Rows { row, count, binary } => {
                self.template(*row, *count, deprecate_eof, *binary)
                    .put(out, *count, status);
            }
            Response::Generated { table, binary } => table.put(out, status, deprecate_eof, *binary),
            Response::Error(code) => {
                let (state, text) = error_text(*code);
                put_error(out, &mut sequence, *code, state, &text);
            }
            Response::Eof if deprecate_eof => put_ok(out, &mut sequence, 0, status),
            Response::Eof => put_middle_eof(out, &mut sequence, status),
            Response::Text(text) => {
                let start = begin(out);
                out.extend_from_slice(text.as_bytes());
                finish(out, start, &mut sequence);
            }
            Response::Bytes(bytes) => out.extend_from_slice(bytes),
            Response::Drop => {}
        }
    }

    #[inline]
    fn template(&mut self, row: u8, rows: u32, deprecate_eof: bool, binary: bool) -> &Template {
        let row = usize::from(row);
        if self.templates.len() <= row {
            self.templates.resize_with(SHAPES.len(), Default::default);
        }
        let place = &mut self.templates[row][usize::from(deprecate_eof) * 2 + usize::from(binary)];
        if !place
            .as_ref()
            .is_some_and(|template| template.reaches(rows))
        {
            *place = None;
        }
        place.get_or_insert_with(|| {
            let columns = match SHAPES[row].effect {
                Effect::Rows(columns, _) => columns,
                _ => &[],
            };
            Template::new(columns, deprecate_eof, binary, rows)
        })
    }
}

/// Definitions of a prepared statement's columns, and how many there are.
pub(crate) fn put_result_columns(
    out: &mut Vec<u8>,
    sequence: &mut u8,
    row: u8,
    generated: Option<&GeneratedTable>,
) -> u16 {
    match (SHAPES[usize::from(row)].effect, generated) {
        (Effect::Rows(columns, _), _) => {
            put_columns(out, sequence, columns);
            columns.len() as u16
        }
        (_, Some(table)) => {
            table.put_columns(out, sequence);
            table.column_count()
        }
        _ => 0,
    }
}
