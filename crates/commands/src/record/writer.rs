//! Writes lines of JSON, each complete before the next begins.

use serde::Serialize;
use std::io::{self, Write};

/// Writes records. Each is written as a whole, so that a reader sees it in the second it belongs to, and so that
/// standard output may have other writers.
pub(crate) struct RecordWriter<W: Write> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> RecordWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self {
            out,
            line: Vec::new(),
        }
    }

    /// Writes one record.
    pub(crate) fn write(&mut self, record: &impl Serialize) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, record)?;
        self.line.push(b'\n');
        self.out.write_all(&self.line)?;
        self.out.flush()
    }
}

/// Returns whether the reader at the other end has gone.
pub(crate) fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
