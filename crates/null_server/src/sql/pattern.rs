//! Matches statements against the patterns of the table of shapes.
//!
//! A word stands for itself in any case, a sign for itself, and `#` for a value (a minus sign before it is part of it),
//! `{}` for a name with or without its schema, `@` for a variable, `...` at the end for anything that follows.

use super::token::{Token, TokenKind, Tokens};

#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternPiece {
    Word(&'static [u8]),
    Sign(u8),
    Value,
    Name,
    Variable,
    Rest,
}

/// A pattern, taken apart once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<PatternPiece>);

impl Pattern {
    pub(crate) fn new(text: &'static str) -> Self {
        let bytes = text.strip_suffix("...").unwrap_or(text).as_bytes();
        let mut pieces = Vec::new();
        let parts = bytes
            .split(u8::is_ascii_whitespace)
            .flat_map(|part| part.split_inclusive(|&byte| byte == b'#'));
        for part in parts {
            match part.strip_suffix(b"#").unwrap_or(part) {
                b"{}" => pieces.push(PatternPiece::Name),
                b"@" => pieces.push(PatternPiece::Variable),
                part => pieces.extend(Tokens::of(part).map(|token| piece(token, part))),
            }
            if part.ends_with(b"#") {
                pieces.push(PatternPiece::Value);
            }
        }
        if text.ends_with("...") {
            pieces.push(PatternPiece::Rest);
        }
        Self(pieces)
    }

    /// Returns whether the tokens of a statement match the pattern, a semicolon at the end apart.
    pub(crate) fn matches(&self, sql: &[u8], tokens: &[Token]) -> bool {
        let mut at = 0;
        for piece in &self.0 {
            let Some(&token) = tokens.get(at) else {
                return *piece == PatternPiece::Rest;
            };
            at += match piece {
                PatternPiece::Rest => return true,
                PatternPiece::Word(word) if is_like(sql, token, word) => 1,
                PatternPiece::Sign(sign) if token.is_sign(sql, *sign) => 1,
                PatternPiece::Value => match value_length(sql, &tokens[at..]) {
                    0 => return false,
                    length => length,
                },
                PatternPiece::Name if token.kind == TokenKind::Word => {
                    name_length(sql, &tokens[at..])
                }
                PatternPiece::Variable if is_variable(sql, token) => 1,
                _ => return false,
            };
        }
        at == tokens.len()
    }
}

fn piece(token: Token, part: &'static [u8]) -> PatternPiece {
    match token.kind {
        TokenKind::Sign => PatternPiece::Sign(part[token.start as usize]),
        TokenKind::Word | TokenKind::Value => {
            PatternPiece::Word(&part[token.start as usize..token.end as usize])
        }
    }
}

fn is_like(sql: &[u8], token: Token, word: &[u8]) -> bool {
    token.kind != TokenKind::Sign && token.text(sql).eq_ignore_ascii_case(word)
}

/// Tokens of a value at the front: 1, with a minus sign 2, 0 if there is none.
fn value_length(sql: &[u8], tokens: &[Token]) -> usize {
    match tokens {
        [token, ..] if token.kind == TokenKind::Value => 1,
        [sign, token, ..] if sign.is_sign(sql, b'-') && token.kind == TokenKind::Value => 2,
        _ => 0,
    }
}

fn name_length(sql: &[u8], tokens: &[Token]) -> usize {
    match tokens {
        [_, dot, name, ..] if dot.is_sign(sql, b'.') && name.kind == TokenKind::Word => 3,
        _ => 1,
    }
}

fn is_variable(sql: &[u8], token: Token) -> bool {
    token.kind == TokenKind::Word && token.text(sql).first() == Some(&b'@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &'static str, sql: &str) -> bool {
        let tokens: Vec<_> = Tokens::of(sql.as_bytes()).collect();
        Pattern::new(pattern).matches(sql.as_bytes(), &tokens)
    }

    #[test]
    fn blanks_case_and_names_may_differ() {
        let pattern = "SELECT c FROM {} WHERE id=#";
        for sql in [
            "SELECT c FROM sbtest1 WHERE id=?",
            "select C\n from `db`.`sbtest1` where id = -5",
            "SELECT c FROM t WHERE id='7'",
        ] {
            assert!(matches(pattern, sql), "{sql}");
        }
        for sql in [
            "SELECT c FROM t WHERE id=? FOR UPDATE",
            "SELECT c FROM t WHERE id=",
            "SELECT c FROM t, u WHERE id=?",
            "SELECT pad FROM t WHERE id=?",
        ] {
            assert!(!matches(pattern, sql), "{sql}");
        }
    }

    #[test]
    fn three_dots_stand_for_anything_and_for_nothing() {
        assert!(matches("COMMIT...", "COMMIT"));
        assert!(matches("COMMIT ...", "commit and chain"));
        assert!(!matches("COMMIT ...", "COMMITTED"));
        assert!(matches("SELECT @ ...", "SELECT @@version, 1"));
        assert!(!matches("SELECT @ ...", "SELECT version()"));
    }
}
