//! Splits SQL into words, values and signs. Blanks and comments are left out, those for certain versions too.

/// Describes what a piece of SQL is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A keyword, name or variable; of a quoted name what is between the quotes.
    Word,
    /// A number, a string, or a place (`?`) for one.
    Value,
    /// One character of anything else.
    Sign,
}

/// A piece of a statement and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    pub(crate) fn text(self, sql: &[u8]) -> &[u8] {
        &sql[self.start as usize..self.end as usize]
    }

    pub(crate) fn is_word(self, sql: &[u8], word: &[u8]) -> bool {
        self.kind == TokenKind::Word && self.text(sql).eq_ignore_ascii_case(word)
    }

    pub(crate) fn is_sign(self, sql: &[u8], sign: u8) -> bool {
        self.kind == TokenKind::Sign && sql[self.start as usize] == sign
    }
}

/// Hands out the tokens of a statement.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    sql: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn of(sql: &'a [u8]) -> Self {
        Self { sql, at: 0 }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.sql.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.at < self.sql.len() && belongs(self.sql[self.at]) {
            self.at += 1;
        }
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace());
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => self.skip_past(b"*/"),
                (b'#', _) => self.skip_past(b"\n"),
                (b'-', b'-') if self.peek(2).is_ascii_whitespace() => self.skip_past(b"\n"),
                _ => return,
            }
        }
    }

    fn skip_past(&mut self, end: &[u8]) {
        let from = self.at + 2.min(end.len());
        let rest = self.sql.get(from..).unwrap_or_default();
        self.at = match rest.windows(end.len()).position(|bytes| bytes == end) {
            Some(found) => from + found + end.len(),
            None => self.sql.len(),
        };
    }

    /// Passes over a quoted text; a doubled quote and, but for names, one after a backslash are part of it.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.sql.len() {
            match self.sql[self.at] {
                b'\\' if quote != b'`' => self.at += 1,
                byte if byte == quote && self.peek(1) == quote => self.at += 1,
                byte if byte == quote => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at = (self.at + 1).min(self.sql.len());
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks_and_comments();
        let start = self.at;
        let first = *self.sql.get(start)?;
        let mut inset = 0;
        let kind = match first {
            b'0'..=b'9' => {
                self.skip_while(|byte| is_word_byte(byte) || byte == b'.');
                TokenKind::Value
            }
            b'\'' | b'"' => {
                self.skip_quoted(first);
                TokenKind::Value
            }
            b'?' => {
                self.at += 1;
                TokenKind::Value
            }
            b'`' => {
                self.skip_quoted(first);
                inset = 1;
                TokenKind::Word
            }
            b'@' => {
                self.skip_while(|byte| is_word_byte(byte) || matches!(byte, b'@' | b'.'));
                TokenKind::Word
            }
            byte if is_word_byte(byte) => {
                self.skip_while(is_word_byte);
                TokenKind::Word
            }
            _ => {
                self.at += 1;
                TokenKind::Sign
            }
        };
        let (start, end) = (start + inset, (self.at - inset).max(start + inset));
        Some(Token {
            kind,
            start: start as u32,
            end: end as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::TokenKind::{Sign, Value, Word};
    use super::*;

    fn cut(sql: &str) -> Vec<(TokenKind, &str)> {
        Tokens::of(sql.as_bytes())
            .map(|token| (token.kind, &sql[token.start as usize..token.end as usize]))
            .collect()
    }

    #[test]
    fn words_values_and_signs_are_told_apart() {
        assert_eq!(
            cut("SELECT c FROM `sb test`.t1 WHERE id>=-12.5e3"),
            [
                (Word, "SELECT"),
                (Word, "c"),
                (Word, "FROM"),
                (Word, "sb test"),
                (Sign, "."),
                (Word, "t1"),
                (Word, "WHERE"),
                (Word, "id"),
                (Sign, ">"),
                (Sign, "="),
                (Sign, "-"),
                (Value, "12.5e3"),
            ]
        );
        assert_eq!(cut("@@session.x @y"), [(Word, "@@session.x"), (Word, "@y")]);
    }

    #[test]
    fn quotes_hide_what_is_in_them() {
        assert_eq!(
            cut(r"'it''s' 'a\'?' "),
            [(Value, "'it''s'"), (Value, r"'a\'?'")]
        );
        assert_eq!(cut("\"?\" ?"), [(Value, "\"?\""), (Value, "?")]);
        assert_eq!(cut("'never closed"), [(Value, "'never closed")]);
        assert_eq!(cut("`"), [(Word, "")]);
    }

    #[test]
    fn comments_are_left_out() {
        let sql = "/* driver */ SELECT 1 -- one ?\n, 2 # two ?\n, 3 /*! ENGINE=x */ /* open";
        let texts: Vec<_> = cut(sql).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["SELECT", "1", ",", "2", ",", "3"]);
        assert_eq!(cut("1--2").len(), 4); // no comment without a blank
    }
}
