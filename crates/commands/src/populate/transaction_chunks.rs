//! Splits a part of a table into several transactions, for storage engines that limit the changes of
//! one transaction.
//!
//! Each chunk has its own step in the step log: its entry, its rows and its sums are in one transaction, so that a
//! chunk is committed as a whole or not at all, even if connections are lost. The sums of an entry cover the part up
//! to the end of the chunk, so they show where the next one begins.

use super::connection::{LoaderConnection, LoggedStep, StepError};
use super::load_method::{LoadMethod, RowTransport};
use super::part_queue::TablePart;
use super::populator::Populator;
use super::row_sender::RowSender;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use dbdyno_wire::BoundRows;
use dbdyno_workload::RowSource;
use std::sync::atomic::Ordering;

/// Rows that are generated at a time if they are only skipped.
const ROWS_SKIPPED_AT_ONCE: u64 = 1000;

/// Holds the rows of a part from some place on.
struct RemainingRows {
    /// Earlier rows of the part.
    place: u64,
    rows: Box<dyn RowSource>,
}

impl Populator<'_> {
    /// Fills a part in chunks of about `most` rows, and returns its sums.
    pub(super) fn load_in_chunks(
        &self,
        connection: &mut LoaderConnection<'_>,
        unit: TablePart,
        method: &LoadMethod,
        most: u64,
    ) -> Result<Vec<u64>, CliError> {
        let (mut sums, mut rest, mut is_last) = (Vec::new(), None, false);
        for number in 0_u32.. {
            if is_last {
                break;
            }
            let step = self.chunk_step(unit, number);
            let place = rows_in(&sums);
            sums = match self.sums_when_done(&step.entry) {
                Some(done) => {
                    self.count_earlier_rows(rows_in(done).saturating_sub(place));
                    done.clone()
                }
                None => {
                    let mut counted = 0;
                    let mut work = |sender: &mut RowSender| {
                        self.rows_done.fetch_sub(counted, Ordering::Relaxed);
                        counted = 0;
                        let mut from_here =
                            self.remaining_rows_at(rest.take(), unit, method, place)?;
                        let mut chunk = TransactionChunk::of(&mut *from_here.rows, most);
                        counted = self.send_rows(sender, &mut chunk, unit.0, method)?;
                        is_last = chunk.is_last;
                        from_here.place = place + counted;
                        let sums = from_here.rows.sums();
                        rest = Some(from_here);
                        Ok(sums)
                    };
                    connection.write(
                        &step,
                        self.earlier.is_some(),
                        &mut |session| self.undone_by_server(session, unit.0),
                        &mut work,
                    )?
                }
            };
        }
        Ok(sums)
    }

    fn chunk_step(&self, (table, part): TablePart, number: u32) -> LoggedStep {
        LoggedStep {
            entry: format!("rows {} {part} {number}", self.population.table_name(table)),
            what: self.table(table),
        }
    }

    /// Returns the rows from a place on: the open ones, if they are just there, or new ones.
    fn remaining_rows_at(
        &self,
        rest: Option<RemainingRows>,
        (table, part): TablePart,
        method: &LoadMethod,
        place: u64,
    ) -> Result<RemainingRows, StepError> {
        if let Some(rest) = rest.filter(|rest| rest.place == place) {
            return Ok(rest);
        }
        let mut rows = self.population.rows(table, part);
        if skip_rows(&mut *rows, method, place) != place {
            return Err(CliError::world(ErrorCode::FillingOfOtherOptions, format!(
                "{} was started with transactions that end at other rows",
                self.table(table)
            ))
            .hint(
                "drop the tables with dbdyno-load cleanup and the same options, and fill them again",
            )
            .into());
        }
        Ok(RemainingRows { place, rows })
    }
}

/// Returns the rows, the first of the sums.
fn rows_in(sums: &[u64]) -> u64 {
    sums.first().copied().unwrap_or_default()
}

/// Generates rows and discards them, and returns how many: more than asked for if a statement ends later.
fn skip_rows(source: &mut dyn RowSource, method: &LoadMethod, rows: u64) -> u64 {
    let (mut skipped, mut statement) = (0, Vec::new());
    while skipped < rows {
        let most = (rows - skipped).min(ROWS_SKIPPED_AT_ONCE);
        let bound = match &method.transport {
            RowTransport::Prepared(form) => source.bind(&mut form.bound_rows(most as usize)),
            RowTransport::Statements | RowTransport::File(_) => None,
        };
        match bound.unwrap_or_else(|| source.next_statement(&mut statement)) {
            0 => break,
            count => skipped += count,
        }
    }
    skipped
}

/// Provides rows of a part until a chunk is full. It ends between two statements, so the last one may exceed the limit.
struct TransactionChunk<'a> {
    source: &'a mut dyn RowSource,
    most: u64,
    given: u64,
    /// Whether the rows bind themselves; known with the first row.
    binds: bool,
    /// Whether the part has no more rows.
    is_last: bool,
}

impl<'a> TransactionChunk<'a> {
    fn of(source: &'a mut dyn RowSource, most: u64) -> Self {
        Self {
            source,
            most,
            given: 0,
            binds: false,
            is_last: false,
        }
    }

    fn is_full(&self) -> bool {
        self.given >= self.most
    }

    fn count(&mut self, rows: u64) -> u64 {
        self.given += rows;
        self.is_last = rows == 0;
        rows
    }
}

impl RowSource for TransactionChunk<'_> {
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        if self.is_full() {
            return 0;
        }
        let rows = self.source.next_statement(statement);
        self.count(rows)
    }

    fn bind(&mut self, rows: &mut BoundRows) -> Option<u64> {
        if self.is_full() {
            return self.binds.then_some(0);
        }
        let count = self.source.bind(rows)?;
        self.binds = true;
        Some(self.count(count))
    }

    fn sums(&self) -> Vec<u64> {
        self.source.sums()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::{Population, RandomKind, RandomSource, population};
    use std::sync::Arc;

    fn table(rows: u64) -> Arc<dyn Population> {
        let options = [("table_size".to_owned(), rows.to_string())];
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed: 1,
        };
        population("sysbench/oltp_read_write", &options, source).unwrap()
    }

    fn methods(population: &dyn Population) -> [LoadMethod; 2] {
        let method = |transport| LoadMethod {
            is_exclusive: false,
            transport,
        };
        let form = population.row_form(0).unwrap();
        [
            method(RowTransport::Statements),
            method(RowTransport::Prepared(form)),
        ]
    }

    /// Takes all rows of a chunk as the method does.
    fn take(chunk: &mut TransactionChunk<'_>, method: &LoadMethod) -> u64 {
        let mut statement = Vec::new();
        loop {
            let count = match &method.transport {
                RowTransport::Prepared(form) => chunk.bind(&mut form.bound_rows(100)),
                _ => Some(chunk.next_statement(&mut statement)),
            };
            if count.unwrap() == 0 {
                return chunk.given;
            }
        }
    }

    #[test]
    fn portions_give_every_row_once_and_the_last_one_says_so() {
        let population = table(20_000);
        let mut whole = population.rows(0, 0);
        skip_rows(&mut *whole, &methods(&*population)[0], u64::MAX);
        for method in &methods(&*population) {
            let mut rows = population.rows(0, 0);
            let mut sizes = Vec::new();
            loop {
                let mut chunk = TransactionChunk::of(&mut *rows, 3_000);
                sizes.push(take(&mut chunk, method));
                if chunk.is_last {
                    break;
                }
            }
            assert!(sizes.len() > 3, "{sizes:?}");
            assert_eq!(sizes.iter().sum::<u64>(), rows_in(&whole.sums()));
            assert_eq!(rows.sums(), whole.sums());
        }
    }

    #[test]
    fn rows_that_are_left_out_count_in_the_sums_as_if_they_had_gone() {
        let population = table(20_000);
        for method in &methods(&*population) {
            let mut whole = population.rows(0, 0);
            let first = take(&mut TransactionChunk::of(&mut *whole, 3_000), method);
            let mut again = population.rows(0, 0);
            assert_eq!(skip_rows(&mut *again, method, first), first);
            assert_eq!(again.sums(), whole.sums());
            take(&mut TransactionChunk::of(&mut *whole, 3_000), method);
            take(&mut TransactionChunk::of(&mut *again, 3_000), method);
            assert_eq!(again.sums(), whole.sums());
        }
    }
}
