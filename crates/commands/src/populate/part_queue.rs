//! Chooses which part is filled next.

use dbdyno_workload::Population;
use std::sync::{Mutex, PoisonError};

/// Identifies a table, and a part of it.
pub(super) type TablePart = (u32, u32);

/// Hands out the parts that wait to be filled, so that connections keep out of each other's way.
#[derive(Debug)]
pub(super) struct PartQueue {
    tables: Mutex<Vec<TableParts>>,
}

/// Holds the parts of one table.
#[derive(Debug)]
struct TableParts {
    next: u32,
    parts: u32,
    in_progress: u32,
    /// How many connections may work on it at a time.
    limit: u32,
}

impl TableParts {
    fn has_place(&self) -> bool {
        self.next < self.parts && self.in_progress < self.limit
    }
}

impl PartQueue {
    /// Creates the queue of all parts; `is_exclusive` marks tables of which only one part can be filled at once.
    pub(super) fn new(population: &dyn Population, is_exclusive: impl Fn(u32) -> bool) -> Self {
        let table_parts = |table| TableParts {
            next: 0,
            parts: population.parts(table),
            in_progress: 0,
            limit: if is_exclusive(table) { 1 } else { u32::MAX },
        };
        Self {
            tables: Mutex::new((0..population.tables()).map(table_parts).collect()),
        }
    }

    /// Takes the next part: of the table on which the fewest work, and of those the one with the most remaining parts.
    ///
    /// Parts of a table come in the order of their keys, so that a table with one connection grows at its end
    /// only. `None`: no part can be worked on now, and the connections at work will take the rest.
    pub(super) fn take(&self) -> Option<TablePart> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let open = (0_u32..).zip(tables.iter_mut());
        let (table, table_parts) = open
            .filter(|(_, table_parts)| table_parts.has_place())
            .min_by_key(|(_, table_parts)| {
                (
                    table_parts.in_progress,
                    u32::MAX - (table_parts.parts - table_parts.next),
                )
            })?;
        let part = table_parts.next;
        table_parts.next += 1;
        table_parts.in_progress += 1;
        Some((table, part))
    }

    /// Marks a part as done.
    pub(super) fn done(&self, (table, _): TablePart) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables[table as usize].in_progress -= 1;
    }

    /// Closes the queue: no connection takes another part.
    pub(super) fn close(&self) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables
            .iter_mut()
            .for_each(|table_parts| table_parts.next = table_parts.parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::{RandomKind, RandomSource, population};

    fn queue(tables: u32, rows: u32, is_exclusive: bool) -> PartQueue {
        let options = [("tables", tables), ("rows", rows)];
        let options: Vec<_> = options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.to_string()))
            .collect();
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed: 1,
        };
        let population = population("sysbench/oltp_read_write", &options, source).unwrap();
        PartQueue::new(&*population, |_| is_exclusive)
    }

    #[test]
    fn connections_are_spread_over_the_tables_before_they_share_one() {
        let queue = queue(2, 75_000, false);
        let taken: Vec<_> = (0..3).filter_map(|_| queue.take()).collect();
        assert_eq!(taken, [(0, 0), (1, 0), (0, 1)]);
        queue.done((1, 0));
        assert_eq!(queue.take(), Some((1, 1)));
    }

    #[test]
    fn every_part_is_handed_out_once() {
        let queue = queue(3, 60_000, false);
        let mut all = Vec::new();
        while let Some(unit) = queue.take() {
            all.push(unit);
            queue.done(unit);
        }
        all.sort_unstable();
        let expected: Vec<TablePart> = (0..3)
            .flat_map(|table| (0..3).map(move |part| (table, part)))
            .collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn a_table_that_takes_one_at_a_time_has_no_second() {
        let queue = queue(2, 75_000, true);
        assert_eq!(
            (queue.take(), queue.take(), queue.take()),
            (Some((0, 0)), Some((1, 0)), None)
        );
        queue.done((0, 0));
        assert_eq!(queue.take(), Some((0, 1)));
    }

    #[test]
    fn a_closed_queue_hands_out_nothing() {
        let queue = queue(2, 75_000, false);
        queue.close();
        assert_eq!(queue.take(), None);
    }
}
