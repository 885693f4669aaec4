//! Generates the rows of one part of a table.

use super::generator::{Generator, GeneratorStates};
use super::population::SqlTable;
use crate::RowSource;
use dbdyno_chance::RandomSource;
use dbdyno_wire::{Parameter, Parameters};
use std::sync::Arc;

/// Parts are filled side by side; their bounds, and so the rows, don't depend on how many connections there are.
pub(super) const ROWS_A_PART: u64 = 50_000;

/// A statement takes no further row once it has so many bytes: well below any server's max_allowed_packet.
const STATEMENT_BYTES: usize = 512 << 10;

/// Rows still to be given, with the sums over those given.
#[derive(Debug)]
pub(super) struct PartRows {
    table: Arc<SqlTable>,
    drawers: GeneratorStates,
    left: u64,
    row: Parameters,
    sums: Vec<u64>,
}

impl PartRows {
    pub(super) fn new(table: Arc<SqlTable>, source: RandomSource, part: u32) -> Self {
        let first = u64::from(part) * ROWS_A_PART;
        let stream = |place: usize| {
            let purpose = format!("sql/rows/{}/{}", table.name, table.columns[place]);
            source.keyed(&purpose, u64::from(part))
        };
        Self {
            drawers: GeneratorStates::new(Arc::clone(&table.generators), 0, first, stream),
            left: ROWS_A_PART.min(table.rows.saturating_sub(first)),
            row: Parameters::new(),
            sums: vec![0; table.checks.len()],
            table,
        }
    }

    fn draw_row(&mut self) {
        self.row.clear();
        for place in 0..self.table.generators.len() {
            self.drawers.draw(place, &mut self.row);
        }
        self.left -= 1;
        self.add_up();
    }

    /// Adds up in the order of the table's checks.
    fn add_up(&mut self) {
        let values = self.table.generators.iter().zip(self.row.iter());
        let values = values.filter_map(|(generator, value)| match (generator, value) {
            (Generator::Choose(_), _) => None,
            (_, Parameter::Text(text)) => Some(u64::from(crc32fast::hash(text))),
            (numbers, Parameter::Int(number)) => Some(number.wrapping_sub(numbers.lowest()) as u64),
            _ => None,
        });
        for (sum, value) in self.sums.iter_mut().zip(std::iter::once(1).chain(values)) {
            *sum = sum.wrapping_add(value);
        }
    }
}

impl RowSource for PartRows {
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        statement.clear();
        statement.extend_from_slice(self.table.head.as_bytes());
        let mut rows = 0;
        while self.left > 0 && statement.len() < STATEMENT_BYTES {
            if rows > 0 {
                statement.extend_from_slice(b", ");
            }
            self.draw_row();
            self.table.row.write_with(&self.row, statement);
            rows += 1;
        }
        rows
    }

    fn sums(&self) -> Vec<u64> {
        self.sums.clone()
    }
}
