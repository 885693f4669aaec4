//! Writes lines of JSON, each complete before the next begins.

use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// Writes records. Each is flushed, so that a reader sees it in the second it belongs to.
pub(crate) struct RecordWriter<W: Write> {
    out: BufWriter<W>,
}

impl<W: Write> RecordWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self {
            out: BufWriter::with_capacity(1 << 16, out),
        }
    }

    /// Writes one record.
    pub(crate) fn write(&mut self, record: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, record)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

/// Whether the reader at the other end has gone.
pub(crate) fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
