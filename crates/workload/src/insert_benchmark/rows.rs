//! Generates the rows that a client inserts in a step, statement by statement. They depend on the seed, the
//! step and the client alone, and so does their time, which is counted and not read from a clock.

use super::benchmark_context::BenchmarkContext;
use super::step::BenchmarkStep;
use crate::decimal::put_number;
use crate::event_time::EventTime;
use dbdyno_chance::{RandomSource, Stream};
use std::sync::Arc;

pub(super) const CASH_REGISTERS: u32 = 1_000;
pub(super) const PRODUCTS: u32 = 10_000;
pub(super) const CUSTOMERS: u32 = 100_000;
pub(super) const PRICES: u32 = 500;

const DAY_SECONDS: u64 = 86_400;

/// Rounds that are taken to fit in a second where no rate says so.
const FREE_ROUNDS_PER_S: u64 = 1_000;

/// Bytes of a row in a statement without its data: a date, four numbers, and the signs around them.
const NUMBERS_BYTES: usize = 60;

/// Random bytes behind the letters that data is cut from.
const LETTER_BYTES: usize = 4 << 20;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the letters that data is cut from: random bytes in base64.
pub(super) fn letters(source: RandomSource) -> Vec<u8> {
    let mut stream = source.keyed("insert-benchmark/letters", 0);
    let count = LETTER_BYTES.div_ceil(3) * 4;
    let mut letters = Vec::with_capacity(count + 10);
    while letters.len() < count {
        let drawn = stream.next_u64();
        // Ten letters of six bits each; the lowest bits of a sum are its weakest.
        letters.extend((0..10).map(|place| BASE64[(drawn >> (58 - 6 * place)) as usize & 63]));
    }
    letters.truncate(count);
    letters
}

/// Draws the rows of one client in one step.
pub(super) struct RowMaker {
    benchmark_context: Arc<BenchmarkContext>,
    stream: Stream,
    step: BenchmarkStep,
    rows_per_round: u64,
    rounds_per_s: u64,
    round: u64,
    date: Vec<u8>,
    row: Vec<u8>,
}

impl RowMaker {
    pub(super) fn new(
        benchmark_context: Arc<BenchmarkContext>,
        step: BenchmarkStep,
        client: u32,
    ) -> Self {
        let purpose = format!("insert-benchmark/rows/{step}");
        let plan = benchmark_context.options.plan_of(step);
        benchmark_context.letters(); // made now, and not when the first row is due
        Self {
            stream: benchmark_context.source.keyed(&purpose, u64::from(client)),
            step,
            rows_per_round: plan.rows_per_commit,
            rounds_per_s: plan.rounds_per_s().unwrap_or(FREE_ROUNDS_PER_S).max(1),
            round: 0,
            date: Vec::with_capacity(NUMBERS_BYTES),
            row: Vec::with_capacity(
                NUMBERS_BYTES + benchmark_context.options.data_length_max as usize,
            ),
            benchmark_context,
        }
    }

    /// Returns the most bytes that the rows of a round take in a statement.
    pub(super) fn round_bytes(&self) -> usize {
        let data = self.benchmark_context.options.data_length_max as usize;
        self.rows_per_round as usize * (NUMBERS_BYTES + data)
    }

    /// Appends the rows of the next round as an INSERT has them, and hands each row's values to `each` as the server
    /// puts them together with commas.
    pub(super) fn put_round(&mut self, out: &mut Vec<u8>, mut each: impl FnMut(&[u8])) {
        let second = self.step.first_day() * DAY_SECONDS + self.round / self.rounds_per_s;
        self.date.clear();
        EventTime::of_event(second).put(&mut self.date);
        for place in 0..self.rows_per_round {
            if place > 0 {
                out.extend_from_slice(b",\n");
            }
            self.put_row(out);
            each(&self.row);
        }
        self.round += 1;
    }

    fn put_row(&mut self, out: &mut Vec<u8>) {
        let register = self.stream.below(CASH_REGISTERS);
        let customer = self.stream.below(CUSTOMERS);
        let product = self.stream.below(PRODUCTS);
        let price = self.stream.below(PRICES);
        self.row.clear();
        self.row.extend_from_slice(&self.date);
        for number in [register, customer, product, price] {
            self.row.push(b',');
            put_number(&mut self.row, number);
        }
        let numbers_end = self.row.len();
        self.row.push(b',');
        self.put_data();
        out.extend_from_slice(b"('");
        out.extend_from_slice(&self.date);
        out.push(b'\'');
        out.extend_from_slice(&self.row[self.date.len()..numbers_end]);
        out.extend_from_slice(b".00,'"); // a price has two decimals, though its column has none
        out.extend_from_slice(&self.row[numbers_end + 1..]);
        out.extend_from_slice(b"')");
    }

    /// Appends the letter a as often as it takes, then what can't be compressed.
    fn put_data(&mut self) {
        let options = &self.benchmark_context.options;
        let span = options.data_length_max - options.data_length_min + 1;
        let length = options.data_length_min + self.stream.below(span);
        let random = random_letters(length, options.data_random_pct) as usize;
        let letters = self.benchmark_context.letters();
        let from = self.stream.below((letters.len() - random + 1) as u32) as usize;
        let filled = self.row.len() + length as usize - random;
        self.row.resize(filled, b'a');
        self.row.extend_from_slice(&letters[from..from + random]);
    }
}

/// Returns how many of the letters are random. Base64 has six bits in a letter, hence three quarters.
fn random_letters(length: u32, percent: u32) -> u32 {
    (f64::from(length) * 0.75 * f64::from(percent) / 100.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_ten_to_twenty_letters_three_to_seven_are_random() {
        assert_eq!(random_letters(10, 50), 3);
        assert_eq!(random_letters(20, 50), 7);
        assert_eq!(random_letters(4000, 100), 3000);
        assert_eq!(random_letters(20, 0), 0);
    }
}
