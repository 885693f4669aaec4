//! Turns a statement's text into a plan for its response.

use super::generated::ServerInfo;
use super::parameters::decimal;
use super::shapes::{SHAPES, row_of};
use super::token::{Token, TokenKind, Tokens};
use super::{Count, Effect, GeneratedTable, select_list, show};
use std::rc::Rc;

/// Tokens looked at: enough for every statement but a bulk INSERT, whose tail says nothing new.
const MAX_TOKENS: usize = 1024;

/// Describes the answer, except for what only an execution's values decide.
#[derive(Debug, Clone)]
pub(crate) enum ResponsePlan {
    /// OK with so many affected rows.
    Changes(Count),
    /// Rows of the shape's own columns.
    Rows(Count),
    Begins,
    Ends,
    /// `autocommit` is switched.
    Autocommit(bool),
    /// A result made for this statement.
    Generated(Rc<GeneratedTable>),
}

/// A statement that was looked at.
#[derive(Debug, Clone)]
pub(crate) struct ParsedStatement {
    /// Row of the table of shapes.
    pub(crate) row: u8,
    pub(crate) plan: ResponsePlan,
    pub(crate) is_work: bool,
    /// How many rows, as far as the text alone shows.
    pub(crate) count: u32,
}

/// Reads a statement. `tokens` is room to work in.
pub(crate) fn parse_statement(
    sql: &[u8],
    tokens: &mut Vec<Token>,
    server_info: &ServerInfo,
) -> ParsedStatement {
    tokens.clear();
    tokens.extend(Tokens::of(sql).take(MAX_TOKENS));
    if tokens.last().is_some_and(|token| token.is_sign(sql, b';')) {
        tokens.pop();
    }
    let row = row_of(sql, tokens);
    let shape = &SHAPES[row];
    let plan = match shape.effect {
        Effect::Changes(count) => ResponsePlan::Changes(count),
        Effect::Rows(_, count) => ResponsePlan::Rows(count),
        Effect::Begins => ResponsePlan::Begins,
        Effect::Ends => ResponsePlan::Ends,
        Effect::Sets => autocommit(sql, tokens).map_or(
            ResponsePlan::Changes(Count::Fixed(0)),
            ResponsePlan::Autocommit,
        ),
        Effect::Selects => {
            ResponsePlan::Generated(Rc::new(select_list::select(sql, tokens, server_info)))
        }
        Effect::Shows => ResponsePlan::Generated(Rc::new(show::show(sql, tokens, server_info))),
    };
    let count = match plan {
        ResponsePlan::Changes(count) | ResponsePlan::Rows(count) => rows(count, sql, tokens),
        _ => 0,
    };
    ParsedStatement {
        row: row as u8,
        plan,
        is_work: shape.is_work,
        count,
    }
}

fn rows(count: Count, sql: &[u8], tokens: &[Token]) -> u32 {
    match count {
        Count::Fixed(count) => count,
        Count::Width => width_of_text(sql, tokens),
        Count::Values => tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Value)
            .count() as u32,
        Count::Groups => groups(sql),
    }
}

/// Counts rows of `BETWEEN a AND b`; 0 where a place stands for a value.
fn width_of_text(sql: &[u8], tokens: &[Token]) -> u32 {
    let mut values = tokens.iter().enumerate().filter_map(|(at, token)| {
        let negative = at > 0 && tokens[at - 1].is_sign(sql, b'-');
        let text = token.text(sql);
        let digits = text
            .strip_prefix(b"'")
            .and_then(|text| text.strip_suffix(b"'"))
            .unwrap_or(text);
        let number = || decimal(digits).map(|number| if negative { -number } else { number });
        (token.kind == TokenKind::Value).then(number)
    });
    match (values.next().flatten(), values.next().flatten()) {
        (Some(low), Some(high)) => width([low, high]),
        _ => 0,
    }
}

/// Counts rows between two values, both included, and never more than a client could be meant to read.
pub(crate) fn width([low, high]: [i64; 2]) -> u32 {
    const MOST: i64 = 100_000;
    high.saturating_sub(low).saturating_add(1).clamp(0, MOST) as u32
}

/// Groups in brackets after VALUES, which for a bulk INSERT may be half a megabyte of them.
fn groups(sql: &[u8]) -> u32 {
    let mut tokens = Tokens::of(sql);
    let values = |token: &Token| token.is_word(sql, b"VALUES") || token.is_word(sql, b"VALUE");
    if !tokens.any(|token| values(&token)) {
        return 1;
    }
    let (mut depth, mut groups) = (0_i32, 0);
    for token in tokens {
        if token.is_sign(sql, b'(') {
            groups += u32::from(depth == 0);
            depth += 1;
        } else if token.is_sign(sql, b')') {
            depth -= 1;
        } else if depth == 0 && token.kind == TokenKind::Word {
            break; // ON DUPLICATE KEY UPDATE
        }
    }
    groups.max(1)
}

/// Returns what a SET statement makes of `autocommit`, if it speaks of it.
fn autocommit(sql: &[u8], tokens: &[Token]) -> Option<bool> {
    let names = ["autocommit", "@@autocommit", "@@session.autocommit"];
    let at = tokens
        .iter()
        .position(|token| names.iter().any(|name| token.is_word(sql, name.as_bytes())))?;
    let value = tokens[at + 1..]
        .iter()
        .find(|token| token.kind != TokenKind::Sign)?;
    Some(value.text(sql) == b"1" || value.is_word(sql, b"ON") || value.is_word(sql, b"TRUE"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sql: &str) -> ParsedStatement {
        let server_info = ServerInfo {
            version: "x".to_owned(),
            max_prepared: 1,
            deprecate_eof: true,
        };
        parse_statement(sql.as_bytes(), &mut Vec::new(), &server_info)
    }

    #[test]
    fn a_range_has_as_many_rows_as_its_values_say() {
        let rows =
            |values: &str| read(&format!("SELECT c FROM sbtest1 WHERE id BETWEEN {values}")).count;
        assert_eq!(rows("4 AND 103"), 100);
        assert_eq!(rows("-4 AND 5"), 10);
        assert_eq!(rows("'10' AND '10'"), 1);
        assert_eq!(rows("9 AND 3"), 0);
        assert_eq!(rows("1 AND 9223372036854775807"), 100_000);
        assert_eq!(rows("? AND ?"), 0);
    }

    #[test]
    fn rows_of_an_insert_are_counted_and_of_a_list_too() {
        assert_eq!(
            read("INSERT INTO t (id, k, c, pad) VALUES (1, 2, '),(', f(3))").count,
            1
        );
        assert_eq!(
            read("INSERT INTO t(k) VALUES(1),(2), (3) ON DUPLICATE KEY UPDATE k=(4)").count,
            3
        );
        assert_eq!(read("INSERT INTO t SELECT 1").count, 1);
        assert_eq!(
            read("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (?, ?, ?)").count,
            3
        );
    }

    #[test]
    fn autocommit_is_noticed_however_it_is_set() {
        let set = |sql: &str| match read(sql).plan {
            ResponsePlan::Autocommit(on) => Some(on),
            _ => None,
        };
        assert_eq!(set("SET autocommit=0"), Some(false));
        assert_eq!(set("SET SESSION autocommit = ON"), Some(true));
        assert_eq!(set("set @@session.autocommit := 1;"), Some(true));
        assert_eq!(set("SET NAMES utf8mb4"), None);
    }
}
