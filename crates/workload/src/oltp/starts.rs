//! Finds where the one stream of sysbench stands when a part of a table, and each of its rows, starts.

use super::OltpOptions;
use super::population::TableParts;
use super::row_values::skip_row;
use dbdyno_chance::{RandomSource, Sampler, Stream};
use std::sync::{Mutex, PoisonError};

/// Rows of which no more than these are remembered at a time: 20 bytes each.
const REMEMBERED_ROWS_MAX: usize = 2_000_000;

/// Finds the starts of parts as they are asked for.
///
/// The draws of sysbench follow each other through all rows of all tables, and how many a row takes depends on what is
/// drawn. So a part can only be begun after all rows before it were skipped: their digits by jumps, their k by drawing.
/// That takes a tenth of the time of making them. It is done once; what was found of each row is kept for the
/// connection that makes it.
#[derive(Debug)]
pub(super) struct Starts {
    ks: Sampler,
    parts: TableParts,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    /// All parts of all tables in their order, as far as known.
    parts: Vec<PartStart>,
    remembered_rows: usize,
}

#[derive(Debug)]
struct PartStart {
    stream: Stream,
    rows: Option<RowStarts>,
}

/// Holds what was found of the rows of a part when they were skipped.
#[derive(Debug)]
pub(super) struct RowStarts {
    ks: Vec<u32>,
    /// The stream after each row, which is where the next one starts.
    ends: Vec<Stream>,
    given: usize,
}

impl RowStarts {
    fn with_capacity(rows: usize) -> Self {
        Self {
            ks: Vec::with_capacity(rows),
            ends: Vec::with_capacity(rows),
            given: 0,
        }
    }

    fn push(&mut self, k: u32, end: &Stream) {
        self.ks.push(k);
        self.ends.push(end.clone());
    }

    /// Returns the k of each of the next rows, and the stream after it: as many as asked for, or as are known.
    #[inline]
    pub(super) fn next(&mut self, rows: usize) -> (&[u32], &[Stream]) {
        let start = self.given;
        self.given = self.ks.len().min(start + rows);
        (&self.ks[start..self.given], &self.ends[start..self.given])
    }
}

impl Starts {
    pub(super) fn new(options: &OltpOptions, parts: TableParts) -> Self {
        let first = PartStart {
            stream: RandomSource::sysbench_main_thread(),
            rows: None,
        };
        Self {
            ks: options.distribution().sampler(1, options.table_size),
            parts,
            known: Mutex::new(Known {
                parts: vec![first],
                remembered_rows: 0,
            }),
        }
    }

    /// Returns where a part starts, and the first time also where its rows do. Others who ask meanwhile wait, for they
    /// would have to skip the same rows.
    pub(super) fn of(&self, table: u32, part: u32) -> (Stream, Option<RowStarts>) {
        let place = table as usize * self.parts.count() as usize + part as usize;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        while known.parts.len() <= place + 1 {
            self.skip_part(&mut known);
        }
        let rows = known.parts[place].rows.take();
        known.remembered_rows -= rows.as_ref().map_or(0, |rows| rows.ks.len());
        (known.parts[place].stream.clone(), rows)
    }

    /// Skips the last part whose start is known.
    fn skip_part(&self, known: &mut Known) {
        let last = known.parts.len() - 1;
        let ids = self.parts.ids(last as u32 % self.parts.count());
        let mut stream = known.parts[last].stream.clone();
        let mut rows = RowStarts::with_capacity(ids.clone().count());
        for _ in ids {
            let k = skip_row(&mut stream, &self.ks);
            rows.push(k, &stream);
        }
        if known.remembered_rows + rows.ks.len() <= REMEMBERED_ROWS_MAX {
            known.remembered_rows += rows.ks.len();
            known.parts[last].rows = Some(rows);
        }
        known.parts.push(PartStart { stream, rows: None });
    }
}
