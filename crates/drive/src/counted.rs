//! Writes counts with their nouns.

/// Formats a count and its noun: `1 connection`, `4 connections`.
#[must_use]
#[inline(never)]
pub fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}
