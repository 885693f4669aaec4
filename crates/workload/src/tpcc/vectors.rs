//! Reads the published test vectors, for the tests of this family.

use serde_json::Value;
use std::path::Path;

/// Reads a file of `contract/vectors`.
pub(super) fn vectors(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../contract/vectors")
        .join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}
