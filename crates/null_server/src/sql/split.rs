//! Splits a request into its statements.

use super::token::Tokens;

/// Returns the statements between the semicolons; empty ones are left out, but for one if there is no other.
pub(crate) fn statements(sql: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let (mut start, mut holds_something) = (0, false);
    for token in Tokens::of(sql) {
        if !token.is_sign(sql, b';') {
            holds_something = true;
            continue;
        }
        if holds_something {
            parts.push(&sql[start..token.start as usize]);
        }
        (start, holds_something) = (token.end as usize, false);
    }
    if holds_something || parts.is_empty() {
        parts.push(&sql[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(sql: &str) -> Vec<&str> {
        let text = |part| std::str::from_utf8(part).unwrap();
        statements(sql.as_bytes()).into_iter().map(text).collect()
    }

    #[test]
    fn semicolons_outside_of_quotes_and_comments_part_statements() {
        assert_eq!(split("SELECT 1"), ["SELECT 1"]);
        assert_eq!(split("SELECT 1;"), ["SELECT 1"]);
        assert_eq!(
            split("BEGIN;SELECT ';'; COMMIT ; "),
            ["BEGIN", "SELECT ';'", " COMMIT "]
        );
        assert_eq!(split("SELECT /* ; */ 1 -- ;"), ["SELECT /* ; */ 1 -- ;"]);
        assert_eq!(split(""), [""]);
        assert_eq!(split(";;SELECT 1;/* nothing */"), ["SELECT 1"]);
    }
}
