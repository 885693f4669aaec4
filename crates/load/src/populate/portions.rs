//! Splits a part of a table into several transactions, for storage engines that limit how much one of them
//! may change.
//!
//! Each portion is a step of the ledger of its own: its entry, its rows and its sums are in one transaction, so that a
//! portion is in as a whole or not at all, whatever becomes of connections. The sums of an entry are those of the part up
//! to the end of the portion, so they tell where the next one begins.

use super::filling::Filling;
use super::hand::{Hand, Hitch, Step};
use super::line::Line;
use super::queue::Unit;
use super::way::{Carrier, Way};
use crate::trouble::Trouble;
use dbdyno_wire::BoundRows;
use dbdyno_workload::RowSource;
use std::sync::atomic::Ordering;

/// Rows that are made at a time where they are only to be left out.
const ROWS_LEFT_OUT: u64 = 1000;

/// The rows of a part from some place on.
struct Rest {
    /// Rows of the part that come before.
    place: u64,
    rows: Box<dyn RowSource>,
}

impl Filling<'_> {
    /// Fills a part in portions of about `most` rows, and gives its sums.
    pub(super) fn load_portions(
        &self,
        hand: &mut Hand<'_>,
        unit: Unit,
        way: &Way,
        most: u64,
    ) -> Result<Vec<u64>, Trouble> {
        let (mut sums, mut rest, mut is_last) = (Vec::new(), None, false);
        for number in 0_u32.. {
            if is_last {
                break;
            }
            let step = self.portion_step(unit, number);
            let place = rows_in(&sums);
            sums = match self.was_done(&step.entry) {
                Some(done) => {
                    let rows = rows_in(done).saturating_sub(place);
                    self.rows_done.fetch_add(rows, Ordering::Relaxed);
                    done.clone()
                }
                None => {
                    let mut counted = 0;
                    let mut work = |line: &mut Line| {
                        self.rows_done.fetch_sub(counted, Ordering::Relaxed);
                        counted = 0;
                        let mut from_here = self.rest_at(rest.take(), unit, way, place)?;
                        let mut portion = Portion::of(&mut *from_here.rows, most);
                        counted = self.send_rows(line, &mut portion, unit.0, way)?;
                        is_last = portion.is_last;
                        from_here.place = place + counted;
                        let sums = from_here.rows.sums();
                        rest = Some(from_here);
                        Ok(sums)
                    };
                    hand.write(
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

    fn portion_step(&self, (table, part): Unit, number: u32) -> Step {
        Step {
            entry: format!("rows {} {part} {number}", self.population.table_name(table)),
            what: self.table(table),
        }
    }

    /// The rows from a place on: those at hand, if they are just there, or made anew.
    fn rest_at(
        &self,
        rest: Option<Rest>,
        (table, part): Unit,
        way: &Way,
        place: u64,
    ) -> Result<Rest, Hitch> {
        if let Some(rest) = rest.filter(|rest| rest.place == place) {
            return Ok(rest);
        }
        let mut rows = self.population.rows(table, part);
        if leave_out(&mut *rows, way, place) != place {
            return Err(Trouble::world(format!(
                "{} was begun in portions that end elsewhere",
                self.table(table)
            ))
            .hint(
                "drop the tables with dbdyno-load cleanup and the same options, and fill them anew",
            )
            .into());
        }
        Ok(Rest { place, rows })
    }
}

/// Rows are the first of the sums.
fn rows_in(sums: &[u64]) -> u64 {
    sums.first().copied().unwrap_or_default()
}

/// Makes rows and throws them away, and says how many: more than asked for where a statement ends later.
fn leave_out(source: &mut dyn RowSource, way: &Way, rows: u64) -> u64 {
    let (mut left_out, mut statement) = (0, Vec::new());
    while left_out < rows {
        let most = (rows - left_out).min(ROWS_LEFT_OUT);
        let bound = match &way.carrier {
            Carrier::Prepared(form) => source.bind(&mut form.bound_rows(most as usize)),
            Carrier::Statements | Carrier::File(_) => None,
        };
        match bound.unwrap_or_else(|| source.next_statement(&mut statement)) {
            0 => break,
            count => left_out += count,
        }
    }
    left_out
}

/// Rows of a part until a portion is full. It ends between two statements, so the last one may go beyond.
struct Portion<'a> {
    source: &'a mut dyn RowSource,
    most: u64,
    given: u64,
    /// Whether the rows bind themselves; known with the first of them.
    binds: bool,
    /// Whether the part has no more rows.
    is_last: bool,
}

impl<'a> Portion<'a> {
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

impl RowSource for Portion<'_> {
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
    use crate::order::Generator;
    use dbdyno_workload::{Population, RandomSource, population};
    use std::sync::Arc;

    fn table(rows: u64) -> Arc<dyn Population> {
        let options = [("table_size".to_owned(), rows.to_string())];
        let source = RandomSource {
            kind: Generator::Dbdyno.into(),
            seed: 1,
        };
        population("sysbench/oltp_read_write", &options, source).unwrap()
    }

    fn ways(population: &dyn Population) -> [Way; 2] {
        let way = |carrier| Way {
            is_alone: false,
            carrier,
        };
        let form = population.row_form(0).unwrap();
        [way(Carrier::Statements), way(Carrier::Prepared(form))]
    }

    /// Takes all rows of a portion as the way does.
    fn take(portion: &mut Portion<'_>, way: &Way) -> u64 {
        let mut statement = Vec::new();
        loop {
            let count = match &way.carrier {
                Carrier::Prepared(form) => portion.bind(&mut form.bound_rows(100)),
                _ => Some(portion.next_statement(&mut statement)),
            };
            if count.unwrap() == 0 {
                return portion.given;
            }
        }
    }

    #[test]
    fn portions_give_every_row_once_and_the_last_one_says_so() {
        let population = table(20_000);
        let mut whole = population.rows(0, 0);
        leave_out(&mut *whole, &ways(&*population)[0], u64::MAX);
        for way in &ways(&*population) {
            let mut rows = population.rows(0, 0);
            let mut sizes = Vec::new();
            loop {
                let mut portion = Portion::of(&mut *rows, 3_000);
                sizes.push(take(&mut portion, way));
                if portion.is_last {
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
        for way in &ways(&*population) {
            let mut whole = population.rows(0, 0);
            let first = take(&mut Portion::of(&mut *whole, 3_000), way);
            let mut again = population.rows(0, 0);
            assert_eq!(leave_out(&mut *again, way, first), first);
            assert_eq!(again.sums(), whole.sums());
            take(&mut Portion::of(&mut *whole, 3_000), way);
            take(&mut Portion::of(&mut *again, 3_000), way);
            assert_eq!(again.sums(), whole.sums());
        }
    }
}
