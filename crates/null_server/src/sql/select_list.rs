//! Answers a SELECT of unknown shape with a value for each item of its list.

use super::generated::{GeneratedColumn, GeneratedTable, ServerInfo};
use super::token::{Token, TokenKind};
use super::variables::{MAX_PREPARED, VERSION, system_variable};

/// More columns than any server returns.
const MAX_COLUMNS: usize = 4096;

/// Longest name of a column, and longest text that is given back.
const MAX_NAME: usize = 256;
const MAX_TEXT: usize = 4096;

/// Returns one row, or none if the statement asks one of the server's own schemas. A list is read up to its FROM.
pub(super) fn select(sql: &[u8], tokens: &[Token], server_info: &ServerInfo) -> GeneratedTable {
    let first = tokens
        .iter()
        .position(|token| token.is_word(sql, b"SELECT"))
        .map_or(0, |at| at + 1);
    let list = &tokens[first.min(tokens.len())..];
    let end = list_end(sql, list);
    let items = items(sql, &list[..end]);
    let (columns, row): (Vec<_>, Vec<_>) = items
        .into_iter()
        .take(MAX_COLUMNS)
        .map(|item| column(sql, item, server_info))
        .unzip();
    let rows = match asks_server(sql, &list[end..]) {
        true => Vec::new(),
        false => vec![row],
    };
    GeneratedTable { columns, rows }
}

/// Returns where the list is over.
fn list_end(sql: &[u8], tokens: &[Token]) -> usize {
    let ends = |token: &Token| {
        ["FROM", "LIMIT", "INTO", "WHERE", "FOR", "UNION"]
            .iter()
            .any(|word| token.is_word(sql, word.as_bytes()))
    };
    at_top(sql, tokens, ends).next().unwrap_or(tokens.len())
}

/// Places outside of brackets where something holds.
fn at_top<'a>(
    sql: &'a [u8],
    tokens: &'a [Token],
    holds: impl Fn(&Token) -> bool + 'a,
) -> impl Iterator<Item = usize> + 'a {
    let mut depth = 0_i32;
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        depth += i32::from(token.is_sign(sql, b'(')) - i32::from(token.is_sign(sql, b')'));
        (depth <= 0 && holds(token)).then_some(at)
    })
}

fn items<'a>(sql: &[u8], list: &'a [Token]) -> Vec<&'a [Token]> {
    let commas: Vec<_> = at_top(sql, list, |token| token.is_sign(sql, b',')).collect();
    let starts = std::iter::once(0).chain(commas.iter().map(|comma| comma + 1));
    let ends = commas.iter().copied().chain([list.len()]);
    starts
        .zip(ends)
        .map(|(start, end)| &list[start..end])
        .collect()
}

fn asks_server(sql: &[u8], tail: &[Token]) -> bool {
    const SCHEMAS: [&str; 4] = ["information_schema", "performance_schema", "mysql", "sys"];
    let own = |token: &Token| {
        SCHEMAS
            .iter()
            .any(|name| token.is_word(sql, name.as_bytes()))
    };
    tail.windows(2)
        .any(|pair| own(&pair[0]) && pair[1].is_sign(sql, b'.'))
}

fn column(
    sql: &[u8],
    item: &[Token],
    server_info: &ServerInfo,
) -> (GeneratedColumn, Option<String>) {
    let (expression, alias) = match item {
        [expression @ .., keyword, alias] if keyword.is_word(sql, b"AS") => {
            (expression, Some(*alias))
        }
        [expression @ .., before, alias]
            if alias.kind == TokenKind::Word && ends_expression(sql, *before) =>
        {
            (&item[..=expression.len()], Some(*alias))
        }
        _ => (item, None),
    };
    let text = |from: Option<&Token>, to: Option<&Token>| match (from, to) {
        (Some(from), Some(to)) => {
            let (start, end) = (from.start as usize, to.end as usize);
            String::from_utf8_lossy(&sql[start..end.min(start + MAX_NAME)]).into_owned()
        }
        _ => String::new(),
    };
    let name = match &alias {
        Some(alias) => text(Some(alias), Some(alias)),
        None => text(item.first(), item.last()),
    };
    let value = value(sql, expression, server_info);
    let is_number = value
        .as_deref()
        .is_some_and(|value| value.parse::<i64>().is_ok())
        && !matches!(expression, [one] if one.kind == TokenKind::Word);
    let name = name.trim_matches(['\'', '"', '`']).to_owned();
    (GeneratedColumn { name, is_number }, value)
}

/// Returns whether a word after this one is an alias and not part of the expression.
fn ends_expression(sql: &[u8], token: Token) -> bool {
    token.is_sign(sql, b')')
        || token.kind == TokenKind::Value
        || token.text(sql).first() == Some(&b'@')
}

fn value(sql: &[u8], expression: &[Token], server_info: &ServerInfo) -> Option<String> {
    let word = |at: usize| expression.get(at).map_or(&b""[..], |token| token.text(sql));
    let first = word(0);
    if let Some(name) = first.strip_prefix(b"@@") {
        let name = name.rsplit(|&byte| byte == b'.').next().unwrap_or(name);
        return Some(server_info.filled(system_variable(name)));
    }
    if first.first() == Some(&b'@') || first.eq_ignore_ascii_case(b"NULL") {
        return None;
    }
    Some(match expression {
        [one] if one.kind == TokenKind::Value && first != b"?" => {
            let text = String::from_utf8_lossy(&first[..first.len().min(MAX_TEXT)]);
            text.trim_matches(['\'', '"']).to_owned()
        }
        [_, bracket, ..] if bracket.is_sign(sql, b'(') => function(first, server_info),
        _ => "1".to_owned(),
    })
}

fn function(name: &[u8], server_info: &ServerInfo) -> String {
    let is = |server_info: &str| name.eq_ignore_ascii_case(server_info.as_bytes());
    match () {
        () if is("VERSION") => server_info.version.clone(),
        () if is("DATABASE") || is("SCHEMA") => "sbtest".to_owned(),
        () if is("USER") || is("CURRENT_USER") || is("SESSION_USER") => "app@localhost".to_owned(),
        () if is("NOW") || is("CURRENT_TIMESTAMP") || is("SYSDATE") => {
            "2025-01-01 00:00:00".to_owned()
        }
        () => "1".to_owned(),
    }
}

impl ServerInfo {
    /// Returns a value of the tables of variables with its placeholders filled in.
    pub(super) fn filled(&self, value: &str) -> String {
        match value {
            VERSION => self.version.clone(),
            MAX_PREPARED => self.max_prepared.to_string(),
            plain => plain.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::token::Tokens;

    fn generated(sql: &str) -> GeneratedTable {
        let server_info = ServerInfo {
            version: "8.0.99-x".to_owned(),
            max_prepared: 16_382,
            deprecate_eof: true,
        };
        let tokens: Vec<_> = Tokens::of(sql.as_bytes()).collect();
        select(sql.as_bytes(), &tokens, &server_info)
    }

    fn shown(sql: &str) -> Vec<(String, String)> {
        let generated = generated(sql);
        let names = generated.columns.iter().map(|column| column.name.clone());
        let values = generated.rows[0]
            .iter()
            .map(|value| value.clone().unwrap_or("NULL".to_owned()));
        names.zip(values).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn variables_have_their_values_and_aliases_their_names() {
        assert_eq!(
            shown(
                "SELECT @@session.autocommit AS ac, @@max_allowed_packet, @@GLOBAL.version v, @mine"
            ),
            pairs(&[
                ("ac", "1"),
                ("@@max_allowed_packet", "67108864"),
                ("v", "8.0.99-x"),
                ("@mine", "NULL")
            ])
        );
    }

    #[test]
    fn functions_and_literals_have_plausible_values() {
        assert_eq!(
            shown(
                "SELECT VERSION(), 17, 'x' AS `y`, IF(1, 2, 3) z, COUNT(*) FROM t WHERE a IN (1, 2)"
            ),
            pairs(&[
                ("VERSION()", "8.0.99-x"),
                ("17", "17"),
                ("y", "x"),
                ("z", "1"),
                ("COUNT(*)", "1")
            ])
        );
        assert_eq!(shown("SELECT 1"), pairs(&[("1", "1")]));
        assert!(generated("SELECT 1").columns[0].is_number);
    }

    #[test]
    fn the_servers_own_schemas_are_empty() {
        assert!(
            generated("SELECT a, b FROM information_schema.INNODB_METRICS WHERE c")
                .rows
                .is_empty()
        );
        assert_eq!(generated("SELECT a, b FROM t").rows.len(), 1);
        assert_eq!(generated("SELECT").columns.len(), 1);
    }

    #[test]
    fn long_texts_are_cut() {
        let generated = generated(&format!("SELECT '{}'", "x".repeat(1 << 20)));
        assert_eq!(generated.columns[0].name.len(), MAX_NAME - 1);
        assert_eq!(generated.rows[0][0].as_ref().unwrap().len(), MAX_TEXT - 1);
    }
}
