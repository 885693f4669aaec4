//! Statements sent as text, with their values written in.

use crate::Parameters;

/// A statement cut at its `?` places, ready to be filled many times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementText {
    sql: Vec<u8>,
    places: Vec<usize>,
}

impl StatementText {
    /// Finds the `?` places outside quotes and comments.
    #[must_use]
    pub fn new(_sql: &str) -> Self {
        todo!()
    }

    /// Count of `?` places.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        self.places.len()
    }

    /// Appends the statement with `parameters` as literals in its places.
    pub fn write_with(&self, _parameters: &Parameters, _out: &mut Vec<u8>) {
        todo!()
    }
}
