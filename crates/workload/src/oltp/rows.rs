//! Writes the rows of a table as multi-row INSERT statements.

use super::OltpOptions;
use super::row_values::{DrawnRows, RowDrawer, c_of, pad_of};
use super::starts::RowStarts;
use crate::decimal::put_number;
use crate::growing_insert::{STATEMENT_BYTES, row_fits};
use dbdyno_chance::{RandomKind, Stream};
use dbdyno_wire::BoundRows;
use std::ops::RangeInclusive;

/// All columns, in the order in which they are written.
pub(crate) const COLUMNS: &str = "id, k, c, pad";

/// Separator of two values.
pub(crate) const COMMA: &str = ", ";

/// Draws rows that follow each other in one table, packs them, and keeps the sums by which they can be checked.
#[derive(Debug)]
pub(crate) struct RowStream {
    draws: RowDrawer,
    /// `INSERT INTO ... VALUES`.
    head: String,
    with_id: bool,
    /// The ids of the rows that are not yet drawn.
    ids: RangeInclusive<u32>,
    /// The row that didn't fit any more; empty if there is none.
    row: Vec<u8>,
    sums: Sums,
}

/// Sums over all rows handed out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) rows: u64,
    pub(crate) id: u64,
    pub(crate) k: u64,
    pub(crate) crc32_c: u64,
    pub(crate) crc32_pad: u64,
}

impl RowStream {
    /// Makes rows of table `number`, from 1, drawn from `stream`, as sysbench's `prepare` sends them: ids are left to
    /// the server, if it numbers them.
    pub(crate) fn of_sysbench(
        number: u32,
        ids: RangeInclusive<u32>,
        options: &OltpOptions,
        stream: Stream,
        kind: RandomKind,
    ) -> Self {
        let columns = if options.auto_inc {
            "k, c, pad"
        } else {
            COLUMNS
        };
        Self {
            with_id: !options.auto_inc,
            head: head(number, columns),
            ..Self::new(number, ids, options, stream, kind)
        }
    }

    /// Makes the same rows with their ids, so that any connection may send them at any time.
    pub(crate) fn new(
        number: u32,
        ids: RangeInclusive<u32>,
        options: &OltpOptions,
        stream: Stream,
        kind: RandomKind,
    ) -> Self {
        let ks = options.distribution().sampler(1, options.table_size);
        Self {
            draws: RowDrawer::new(&stream, ks, kind),
            head: head(number, COLUMNS),
            with_id: true,
            ids,
            row: Vec::new(),
            sums: Sums::default(),
        }
    }

    /// Spares it to search for the starts of rows that are known.
    pub(crate) fn with_starts(self, starts: Option<RowStarts>) -> Self {
        Self {
            draws: self.draws.with_starts(starts),
            ..self
        }
    }

    /// Replaces `statement` by the next INSERT and gives its count of rows; 0 when there are no more.
    pub(crate) fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        statement.clear();
        statement.reserve(STATEMENT_BYTES);
        statement.extend_from_slice(self.head.as_bytes());
        statement.append(&mut self.row);
        let mut rows = u64::from(statement.len() > self.head.len());
        loop {
            let end = statement.len();
            if rows > 0 {
                statement.push(b',');
            }
            let start = statement.len();
            if !self.put_row(statement) {
                statement.truncate(end);
                break;
            }
            if rows > 0 && !row_fits(end, statement.len() - start) {
                self.row.extend_from_slice(&statement[start..]);
                statement.truncate(end);
                break;
            }
            rows += 1;
        }
        rows
    }

    /// Appends rows until there is no place for more, and gives their count.
    pub(crate) fn bind(&mut self, rows: &mut BoundRows) -> u64 {
        let before = rows.len();
        while !rows.is_full()
            && let Some(drawn) = self.draw(rows.rows_left())
        {
            rows.push_encoded(drawn.rows);
        }
        (rows.len() - before) as u64
    }

    /// Returns the sums over the rows drawn so far.
    pub(crate) fn sums(&self) -> Sums {
        self.sums
    }

    /// Returns the stream after the rows drawn so far.
    pub(crate) fn stream(&self) -> &Stream {
        self.draws.stream()
    }

    /// Draws the next rows, with their ids: at most `rows_max`, `None` if there are no more.
    #[inline]
    fn draw(&mut self, rows_max: usize) -> Option<DrawnRows<'_>> {
        let (first_id, last_id) = (*self.ids.start(), *self.ids.end());
        let left = if self.ids.is_empty() {
            return None;
        } else {
            (last_id - first_id) as usize + 1
        };
        let drawn = self.draws.next(rows_max.min(left));
        for (row, id) in drawn.rows.iter_mut().zip(self.ids.by_ref()) {
            row[..4].copy_from_slice(&id.to_le_bytes());
            self.sums.id += u64::from(id);
        }
        let total = |values: &[u32]| values.iter().copied().map(u64::from).sum::<u64>();
        self.sums.rows += drawn.rows.len() as u64;
        self.sums.k += total(drawn.ks);
        self.sums.crc32_c += total(drawn.crc32_c);
        self.sums.crc32_pad += total(drawn.crc32_pad);
        Some(drawn)
    }

    /// Appends the next row; false if there is none.
    fn put_row(&mut self, out: &mut Vec<u8>) -> bool {
        let (with_id, id) = (self.with_id, *self.ids.start());
        let Some(drawn) = self.draw(1) else {
            return false;
        };
        let (row, k) = (&drawn.rows[0], drawn.ks[0]);
        out.push(b'(');
        if with_id {
            put_number(out, id);
            out.extend_from_slice(COMMA.as_bytes());
        }
        put_number(out, k);
        out.extend_from_slice(b", '");
        out.extend_from_slice(c_of(row));
        out.extend_from_slice(b"', '");
        out.extend_from_slice(pad_of(row));
        out.extend_from_slice(b"')");
        true
    }
}

/// Returns what stands before the rows of table `number`.
pub(crate) fn head(number: u32, columns: &str) -> String {
    format!("INSERT INTO sbtest{number}({columns}) VALUES")
}

#[cfg(test)]
mod tests {
    use super::RowStream;
    use crate::growing_insert::STATEMENT_BYTES;
    use crate::oltp::OltpOptions;
    use dbdyno_chance::{RandomKind, RandomSource};

    fn rows(options: &OltpOptions, kind: RandomKind) -> RowStream {
        let stream = RandomSource { kind, seed: 1 }.worker("rows", 0);
        RowStream::of_sysbench(3, 1..=options.table_size, options, stream, kind)
    }

    fn statements(mut rows: RowStream) -> (Vec<String>, RowStream) {
        let mut all = Vec::new();
        let mut statement = Vec::new();
        while rows.next_statement(&mut statement) > 0 {
            all.push(String::from_utf8(statement.clone()).unwrap());
        }
        (all, rows)
    }

    /// Returns the rows of a statement as id (if any), k, c and pad.
    fn parsed(statement: &str) -> Vec<Vec<String>> {
        let (_, list) = statement.split_once("VALUES").unwrap();
        list.trim_start_matches('(')
            .trim_end_matches(')')
            .split("),(")
            .map(|row| {
                row.split(", ")
                    .map(|v| v.trim_matches('\'').to_owned())
                    .collect()
            })
            .collect()
    }

    #[test]
    fn all_rows_are_given_once_in_full_statements() {
        let options = OltpOptions {
            table_size: 6000,
            auto_inc: false,
            ..OltpOptions::default()
        };
        let (statements, _) = statements(rows(&options, RandomKind::Dbdyno));
        assert_eq!(statements.len(), 3);
        assert!(statements.iter().all(|s| s.len() < STATEMENT_BYTES));
        assert!(
            statements[..2]
                .iter()
                .all(|s| s.len() > STATEMENT_BYTES - 250)
        );
        let ids: Vec<String> = statements
            .iter()
            .flat_map(|s| parsed(s))
            .map(|row| row[0].clone())
            .collect();
        assert_eq!(ids, (1..=6000).map(|id| id.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn the_sums_are_those_of_the_rows_in_the_statements() {
        let options = OltpOptions {
            table_size: 4000,
            ..OltpOptions::default()
        };
        for kind in [RandomKind::Sysbench, RandomKind::Dbdyno] {
            let (statements, source) = statements(rows(&options, kind));
            let (mut rows, mut k, mut c, mut pad) = (0, 0, 0, 0);
            for row in statements.iter().flat_map(|statement| parsed(statement)) {
                rows += 1;
                k += row[0].parse::<u64>().unwrap();
                c += u64::from(crc32fast::hash(row[1].as_bytes()));
                pad += u64::from(crc32fast::hash(row[2].as_bytes()));
            }
            let sums = source.sums();
            assert_eq!(
                (sums.rows, sums.k, sums.crc32_c, sums.crc32_pad),
                (rows, k, c, pad)
            );
            assert_eq!(rows, 4000);
        }
    }

    #[test]
    fn the_checksum_is_the_servers_crc32() {
        // SELECT CRC32('MySQL') in the manual of MySQL.
        assert_eq!(crc32fast::hash(b"MySQL"), 3_259_397_556);
    }

    #[test]
    fn a_table_without_rows_needs_no_statement() {
        let options = OltpOptions::default();
        let stream = RandomSource::sysbench_main_thread();
        let rows = 0;
        let empty = RowStream::new(1, 1..=rows, &options, stream, RandomKind::Sysbench);
        assert!(statements(empty).0.is_empty());
    }
}
