//! Defines who receives the rows of a reply.

use crate::WireError;

/// Takes what a reply is made of, where counting rows is not enough.
///
/// Payloads are handed over undecoded: column definitions and rows as the protocol has them, rows of
/// a query in the text form and rows of an execution in the binary form.
pub trait RowSink {
    /// Whether column definitions and rows are wanted at all.
    const WANTS_ROWS: bool = true;

    /// Begins a result set of so many columns.
    fn start(&mut self, columns: u16) -> Result<(), WireError>;

    /// Takes the next column's definition.
    fn column(&mut self, definition: &[u8]) -> Result<(), WireError>;

    /// Takes the next row.
    fn row(&mut self, payload: &[u8]) -> Result<(), WireError>;
}

/// Wants nothing: rows are counted and passed over.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CountOnly;

impl RowSink for CountOnly {
    const WANTS_ROWS: bool = false;

    fn start(&mut self, _columns: u16) -> Result<(), WireError> {
        Ok(())
    }

    fn column(&mut self, _definition: &[u8]) -> Result<(), WireError> {
        Ok(())
    }

    fn row(&mut self, _payload: &[u8]) -> Result<(), WireError> {
        Ok(())
    }
}
