//! Fills the dataset of the family.

use super::rows::{COLUMNS, COMMA, RowStream, Sums, head};
use super::starts::{RowStarts, Starts};
use super::{OltpOptions, OltpScript, schema};
use crate::{Check, Population, RowForm, RowSource};
use dbdyno_chance::{RandomKind, RandomSource, Stream};
use dbdyno_wire::BoundRows;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

const CHECKS: &[Check] = &[
    Check {
        name: "rows",
        sql: "COUNT(*)",
    },
    Check {
        // Servers may be set to number rows otherwise than 1, 2, 3; then events would miss them.
        name: "sum_id",
        sql: "COALESCE(SUM(id), 0)",
    },
    Check {
        name: "sum_k",
        sql: "COALESCE(SUM(k), 0)",
    },
    Check {
        name: "sum_crc32_c",
        sql: "COALESCE(SUM(CRC32(c)), 0)",
    },
    Check {
        name: "sum_crc32_pad",
        sql: "COALESCE(SUM(CRC32(pad)), 0)",
    },
];

/// Rows of a part. A part is a range of ids with its own place in the random numbers, so that any connection can fill
/// it at any time. It is small enough to be repeated, and large enough for its overhead not to count.
const ROWS_A_PART: u32 = 25_000;

/// The tables `sbtest1` and on. The same for all scripts: they share their datasets.
///
/// With rng=sysbench the rows are those of a one-worker `prepare` of an upstream build: one stream runs through all
/// tables, for any seed. With rng=dbdyno every part of every table has its own stream, made of the seed and the numbers
/// of table and part. In both modes the content doesn't depend on who fills which part when.
#[derive(Debug)]
pub(crate) struct OltpPopulation {
    options: OltpOptions,
    source: RandomSource,
    parts: TableParts,
    starts: OnceLock<Starts>,
}

/// Says how a table is cut into parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableParts {
    rows: u32,
}

impl TableParts {
    /// Returns how many there are; a table without rows has one, without rows.
    pub(super) fn count(self) -> u32 {
        self.rows.div_ceil(ROWS_A_PART).max(1)
    }

    /// Returns the ids of a part.
    pub(super) fn ids(self, part: u32) -> RangeInclusive<u32> {
        let before = part * ROWS_A_PART;
        before + 1..=self.rows.min(before.saturating_add(ROWS_A_PART))
    }
}

impl OltpPopulation {
    pub(crate) fn new(script: &OltpScript, options: OltpOptions, source: RandomSource) -> Self {
        // The ids that oltp_insert makes up itself could meet those of rows.
        let stays_empty = script.name == "oltp_insert" && !options.auto_inc;
        let rows = if stays_empty { 0 } else { options.table_size };
        Self {
            options,
            source,
            parts: TableParts { rows },
            starts: OnceLock::new(),
        }
    }

    /// Returns the stream from which the rows of a part are drawn, and where in it they start if that is known.
    fn stream(&self, table: u32, part: u32) -> (Stream, Option<RowStarts>) {
        match self.source.kind {
            RandomKind::Dbdyno => {
                let number = u64::from(part) << 32 | u64::from(table);
                (self.source.keyed("sysbench/rows", number), None)
            }
            RandomKind::Sysbench => {
                let starts = || Starts::new(&self.options, self.parts);
                self.starts.get_or_init(starts).of(table, part)
            }
        }
    }
}

impl Population for OltpPopulation {
    fn tables(&self) -> u32 {
        self.options.tables
    }

    fn table_name(&self, table: u32) -> String {
        format!("sbtest{}", table + 1)
    }

    fn rows_total(&self) -> u64 {
        u64::from(self.options.tables) * u64::from(self.parts.rows)
    }

    fn before_rows(&self, table: u32) -> Vec<String> {
        vec![schema::create_table(table + 1, &self.options)]
    }

    fn parts(&self, _table: u32) -> u32 {
        self.parts.count()
    }

    fn rows(&self, table: u32, part: u32) -> Box<dyn RowSource> {
        let (ids, (stream, starts)) = (self.parts.ids(part), self.stream(table, part));
        let kind = self.source.kind;
        let rows = RowStream::new(table + 1, ids, &self.options, stream, kind);
        Box::new(rows.with_starts(starts))
    }

    fn rows_drawing(&self, table: u32, stream: Stream) -> Box<dyn RowSource> {
        let (ids, kind) = (1..=self.parts.rows, self.source.kind);
        let rows = RowStream::of_sysbench(table + 1, ids, &self.options, stream, kind);
        Box::new(rows)
    }

    fn loader_stream(&self) -> Option<Stream> {
        (self.source.kind == RandomKind::Sysbench).then(RandomSource::sysbench_main_thread)
    }

    fn row_form(&self, table: u32) -> Option<RowForm> {
        let (name, head) = (self.table_name(table), head(table + 1, COLUMNS));
        let form = RowForm::new((&name, COLUMNS), &head, COMMA, "binary");
        Some(form.with_long_values().with_leading_numbers(2))
    }

    fn part_condition(&self, _table: u32, part: u32) -> Option<String> {
        let ids = self.parts.ids(part);
        Some(format!("id BETWEEN {} AND {}", ids.start(), ids.end()))
    }

    fn after_rows(&self, table: u32) -> Vec<String> {
        if self.options.create_secondary {
            vec![schema::create_index(table + 1)]
        } else {
            Vec::new()
        }
    }

    fn drop_table(&self, table: u32) -> Vec<String> {
        vec![schema::drop_table(table + 1)]
    }

    fn checks(&self, _table: u32) -> &'static [Check] {
        CHECKS
    }
}

impl RowSource for RowStream {
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        Self::next_statement(self, statement)
    }

    fn bind(&mut self, rows: &mut BoundRows) -> Option<u64> {
        Some(Self::bind(self, rows))
    }

    fn stream(&self) -> Option<Stream> {
        Some(Self::stream(self).clone())
    }

    fn sums(&self) -> Vec<u64> {
        let Sums {
            rows,
            id,
            k,
            crc32_c,
            crc32_pad,
        } = Self::sums(self);
        vec![rows, id, k, crc32_c, crc32_pad]
    }
}

#[cfg(test)]
#[path = "population_tests.rs"]
mod tests;
