//! Defines what the agent answers.

use serde_json::{Value, json};

/// Holds the answer to a request.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) value: Value,
    pub(crate) body: Vec<u8>,
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self {
            value,
            body: Vec::new(),
        }
    }
}

impl From<()> for Answer {
    fn from((): ()) -> Self {
        json!({}).into()
    }
}
