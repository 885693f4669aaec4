//! Answers SHOW statements about the server itself.

use super::generated::{GeneratedTable, ServerInfo};
use super::token::{Token, TokenKind};
use super::variables::{STATUS, VARIABLES};

/// Returns the reply to a SHOW statement.
pub(super) fn show(sql: &[u8], tokens: &[Token], server_info: &ServerInfo) -> GeneratedTable {
    let says = |word: &str| {
        tokens
            .iter()
            .take(4)
            .any(|token| token.is_word(sql, word.as_bytes()))
    };
    if says("VARIABLES") {
        return pairs(VARIABLES, sql, tokens, server_info);
    }
    if says("STATUS") {
        return pairs(STATUS, sql, tokens, server_info);
    }
    if says("WARNINGS") || says("ERRORS") {
        return GeneratedTable::headed(&["Level", "Code", "Message"]);
    }
    if says("ENGINES") {
        let mut engines = GeneratedTable::headed(&["Engine", "Support", "Comment"]);
        let row = ["InnoDB", "DEFAULT", "answers without looking"];
        engines
            .rows
            .push(row.map(|text| Some(text.to_owned())).to_vec());
        return engines;
    }
    GeneratedTable::headed(&["Value"])
}

fn pairs(
    table: &[(&str, &str)],
    sql: &[u8],
    tokens: &[Token],
    server_info: &ServerInfo,
) -> GeneratedTable {
    let filter = Filter::of(sql, tokens);
    let mut generated = GeneratedTable::headed(&["Variable_name", "Value"]);
    generated.rows = table
        .iter()
        .filter(|(name, _)| filter.matches_name(name))
        .map(|(name, value)| vec![Some((*name).to_owned()), Some(server_info.filled(value))])
        .collect();
    generated
}

/// Says which names are asked for: those that fit any of the texts in the statement.
struct Filter<'a> {
    texts: Vec<&'a [u8]>,
}

impl<'a> Filter<'a> {
    fn of(sql: &'a [u8], tokens: &[Token]) -> Self {
        let texts = tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Value)
            .map(|token| token.text(sql))
            .map(|text| text.get(1..text.len() - 1).unwrap_or(text))
            .collect();
        Self { texts }
    }

    fn matches_name(&self, name: &str) -> bool {
        self.texts.is_empty() || self.texts.iter().any(|text| is_like(name.as_bytes(), text))
    }
}

/// Returns whether SQL's LIKE matches, in any case: `%` for anything, `_` for one character.
fn is_like(name: &[u8], pattern: &[u8]) -> bool {
    match (name, pattern) {
        (name, [b'%', b'%', rest @ ..]) => is_like(name, &[b"%", rest].concat()),
        (_, [b'%', rest @ ..]) => (0..=name.len()).any(|skipped| is_like(&name[skipped..], rest)),
        (name, [b'\\', escaped, rest @ ..]) => {
            name.first() == Some(escaped) && is_like(&name[1..], rest)
        }
        ([_, name @ ..], [b'_', rest @ ..]) => is_like(name, rest),
        ([one, name @ ..], [other, rest @ ..]) => {
            one.eq_ignore_ascii_case(other) && is_like(name, rest)
        }
        ([], []) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::token::Tokens;

    fn names(sql: &str) -> Vec<String> {
        let server_info = ServerInfo {
            version: "x".to_owned(),
            max_prepared: 1,
            deprecate_eof: true,
        };
        let tokens: Vec<_> = Tokens::of(sql.as_bytes()).collect();
        let generated = show(sql.as_bytes(), &tokens, &server_info);
        generated
            .rows
            .into_iter()
            .filter_map(|row| row.into_iter().next()?)
            .collect()
    }

    #[test]
    fn variables_are_chosen_by_name_list_or_pattern() {
        assert_eq!(names("SHOW VARIABLES").len(), VARIABLES.len());
        assert_eq!(
            names(
                "SHOW SESSION VARIABLES WHERE Variable_name IN ('autocommit', 'tx_isolation', 'none')"
            ),
            ["autocommit", "tx_isolation"]
        );
        assert_eq!(
            names("SHOW VARIABLES LIKE 't%\\_isolation'"),
            ["transaction_isolation", "tx_isolation"]
        );
        assert_eq!(
            names("SHOW GLOBAL VARIABLES LIKE 'have_backup_locks'"),
            [""; 0]
        );
        assert_eq!(names("SHOW STATUS LIKE 'ssl_cipher'"), ["Ssl_cipher"]);
    }

    #[test]
    fn what_is_not_there_is_an_empty_list() {
        assert_eq!(names("SHOW TABLES"), [""; 0]);
        assert_eq!(names("SHOW WARNINGS"), [""; 0]);
        assert_eq!(names("SHOW ENGINES"), ["InnoDB"]);
    }
}
