//! Writes counts with their nouns.

/// Formats a count and its noun: `1 connection`, `4 connections`.
#[must_use]
#[inline(never)]
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {}", form_for(count, noun, &format!("{noun}s")))
}

/// Returns the form of a word that agrees with a count.
#[must_use]
pub const fn form_for<'a>(count: u64, singular: &'a str, plural: &'a str) -> &'a str {
    if count == 1 { singular } else { plural }
}
