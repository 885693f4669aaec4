//! Caches prepared statements: each is parsed once per worker and kept by number on each connection.

use super::response::put_result_columns;
use crate::protocol::{
    ColumnDefinition, put_column, put_middle_eof, put_prepared, status, wire_type,
};
use crate::sql::{ParameterTypes, ParsedStatement, ResponsePlan, count_places};
use std::collections::HashMap;
use std::rc::Rc;

/// A statement as all connections of a worker share it.
#[derive(Debug)]
pub(crate) struct CachedStatement {
    pub(crate) text: Box<[u8]>,
    pub(crate) parsed: ParsedStatement,
    pub(crate) parameter_count: u16,
    /// The reply to preparing it, for clients with the old and the new end of rows.
    replies: [Box<[u8]>; 2],
    /// Where the statement's number stands in it.
    number_at: usize,
}

impl CachedStatement {
    fn new(text: &[u8], parsed: ParsedStatement) -> Self {
        let parameter_count = count_places(text);
        let (old, number_at) = reply(&parsed, parameter_count, false);
        let (new, _) = reply(&parsed, parameter_count, true);
        Self {
            text: text.into(),
            parsed,
            parameter_count,
            replies: [old, new],
            number_at,
        }
    }

    /// Returns the reply to preparing it as statement `number`.
    pub(crate) fn reply(&self, number: u32, deprecate_eof: bool) -> Box<[u8]> {
        let mut reply = self.replies[usize::from(deprecate_eof)].clone();
        reply[self.number_at..self.number_at + 4].copy_from_slice(&number.to_le_bytes());
        reply
    }
}

fn reply(parsed: &ParsedStatement, parameters: u16, deprecate_eof: bool) -> (Box<[u8]>, usize) {
    let generated = match &parsed.plan {
        ResponsePlan::Generated(table) => Some(table.as_ref()),
        _ => None,
    };
    let columns = put_result_columns(&mut Vec::new(), &mut 0, parsed.row, generated);
    let (mut out, mut sequence) = (Vec::new(), 1);
    let number_at = put_prepared(&mut out, &mut sequence, columns, parameters);
    let place = ColumnDefinition {
        table: "",
        name: "?",
        wire_type: wire_type::VAR_STRING,
        length: 0,
        decimals: 0,
    };
    for _ in 0..parameters {
        put_column(&mut out, &mut sequence, &place);
    }
    let end = |out: &mut Vec<u8>, sequence: &mut u8, count: u16| {
        if count > 0 && !deprecate_eof {
            put_middle_eof(out, sequence, status::AUTOCOMMIT);
        }
    };
    end(&mut out, &mut sequence, parameters);
    put_result_columns(&mut out, &mut sequence, parsed.row, generated);
    end(&mut out, &mut sequence, columns);
    (out.into(), number_at)
}

/// All statements that a worker's connections keep, by text.
#[derive(Debug, Default)]
pub(crate) struct StatementCache {
    statements: HashMap<Box<[u8]>, Rc<CachedStatement>>,
}

impl StatementCache {
    /// More texts than a load has; when they are reached, those that nobody keeps are thrown away.
    const MAX_STATEMENTS: usize = 16_384;

    pub(crate) fn find(
        &mut self,
        text: &[u8],
        read: impl FnOnce() -> ParsedStatement,
    ) -> Rc<CachedStatement> {
        if let Some(statement) = self.statements.get(text) {
            return Rc::clone(statement);
        }
        if self.statements.len() >= Self::MAX_STATEMENTS {
            self.statements
                .retain(|_, prepared_statement| Rc::strong_count(prepared_statement) > 1);
        }
        let statement = Rc::new(CachedStatement::new(text, read()));
        self.statements.insert(text.into(), Rc::clone(&statement));
        statement
    }
}

/// A connection's statements; the number of one is its place plus 1.
#[derive(Debug, Default)]
pub(crate) struct PreparedStatements {
    places: Vec<Option<PreparedStatement>>,
    pub(crate) count: u32,
}

/// A statement and what its first execution said of its values.
#[derive(Debug)]
pub(crate) struct PreparedStatement {
    pub(crate) statement: Rc<CachedStatement>,
    pub(crate) types: ParameterTypes,
}

impl PreparedStatements {
    /// Keeps a statement and gives its number.
    pub(crate) fn keep(&mut self, statement: Rc<CachedStatement>) -> u32 {
        let prepared_statement = Some(PreparedStatement {
            statement,
            types: [0; 2],
        });
        let free = match self.count as usize == self.places.len() {
            true => None,
            false => self.places.iter().position(Option::is_none),
        };
        self.count += 1;
        match free {
            Some(place) => {
                self.places[place] = prepared_statement;
                place as u32 + 1
            }
            None => {
                self.places.push(prepared_statement);
                self.places.len() as u32
            }
        }
    }

    #[inline]
    pub(crate) fn find(&mut self, number: u32) -> Option<&mut PreparedStatement> {
        let place = (number as usize).checked_sub(1)?;
        self.places.get_mut(place)?.as_mut()
    }

    /// Forgets a statement; false if there is none of this number.
    pub(crate) fn close(&mut self, number: u32) -> bool {
        let place = (number as usize).checked_sub(1);
        let prepared_statement = place.and_then(|place| self.places.get_mut(place)?.take());
        self.count -= u32::from(prepared_statement.is_some());
        prepared_statement.is_some()
    }

    /// Forgets all and says how many there were.
    pub(crate) fn clear(&mut self) -> u32 {
        self.places = Vec::new();
        std::mem::take(&mut self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::{ServerInfo, parse_statement};

    fn statement(text: &str) -> Rc<CachedStatement> {
        let server_info = ServerInfo {
            version: "x".to_owned(),
            max_prepared: 1,
            deprecate_eof: true,
        };
        let read = || parse_statement(text.as_bytes(), &mut Vec::new(), &server_info);
        StatementCache::default().find(text.as_bytes(), read)
    }

    #[test]
    fn numbers_of_closed_statements_are_given_again() {
        let one = statement("SELECT 1");
        let mut prepared = PreparedStatements::default();
        assert_eq!([1, 2, 3].map(|_| prepared.keep(Rc::clone(&one))), [1, 2, 3]);
        assert!(prepared.close(2) && !prepared.close(2) && !prepared.close(0));
        assert!(prepared.find(2).is_none() && prepared.find(3).is_some());
        assert_eq!(prepared.keep(one), 2);
        assert_eq!(prepared.clear(), 3);
    }

    #[test]
    fn the_reply_to_preparing_counts_columns_and_places() {
        let range = statement("SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?");
        let reply = range.reply(7, true);
        assert_eq!(
            reply[..16],
            [12, 0, 0, 1, 0, 7, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0]
        );
        let packets = |mut reply: &[u8]| {
            let mut count = 0;
            while let Some(header) = crate::protocol::PacketHeader::of(reply) {
                reply = &reply[4 + header.length..];
                count += 1;
            }
            count
        };
        assert_eq!(packets(&reply), 4);
        assert_eq!(packets(&range.reply(7, false)), 6);
        assert_eq!(packets(&statement("COMMIT").reply(1, false)), 1);
        assert_eq!(packets(&statement("SELECT a, b").reply(1, true)), 3);
    }
}
