//! Reads the published test vectors, for the tests of this family.

use serde_json::Value;
use std::path::Path;

/// The file of `data/workloads`, or nothing, with a word, where the vectors are not beside the repository.
pub(super) fn vectors(file: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/workloads")
        .join(file);
    let Ok(text) = std::fs::read_to_string(path) else {
        skipped();
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn skipped() {
    println!("skipped: the test vectors are not beside this repository");
}
