//! Serves the file of a LOAD DATA LOCAL, which exists on no disk.

use dbdyno_workload::{RowForm, RowSource};
use std::io::{self, Read};

/// Provides rows as a file that is generated while it is read.
pub(super) struct RowsFile<'a> {
    rows: &'a mut dyn RowSource,
    form: &'a RowForm,
    /// Called with the number of rows of the next piece; an error ends the file.
    on_rows: &'a mut dyn FnMut(u64) -> io::Result<()>,
    lines: Vec<u8>,
    /// Start of the lines that are not yet read.
    at: usize,
}

impl<'a> RowsFile<'a> {
    pub(super) fn new(
        rows: &'a mut dyn RowSource,
        form: &'a RowForm,
        on_rows: &'a mut dyn FnMut(u64) -> io::Result<()>,
    ) -> Self {
        Self {
            rows,
            form,
            on_rows,
            lines: Vec::new(),
            at: 0,
        }
    }
}

impl Read for RowsFile<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.lines.len() {
            let count = self.rows.next_statement(&mut self.lines);
            if count == 0 {
                self.lines.clear();
                self.at = 0;
                return Ok(0);
            }
            (self.on_rows)(count)?;
            self.at = self.form.cut(&mut self.lines);
        }
        let length = into.len().min(self.lines.len() - self.at);
        into[..length].copy_from_slice(&self.lines[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
