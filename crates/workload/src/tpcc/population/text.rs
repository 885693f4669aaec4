//! Writes values into the statement, without an allocation.

use crate::decimal::put_number;
use crate::tpcc::draws::uniform;
use dbdyno_chance::Stream;

/// All dates of the filling. A fixed one, so that every server holds the same bytes whenever it was filled.
pub(crate) const LOAD_TIME: &[u8] = b"'2026-01-01 00:00:00'";

const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
const ALPHANUMERICS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8; 10] = b"0123456789";

static LETTER_PAIRS: [[u8; 2]; 26 * 26] = pairs(LETTERS);
static ALPHANUMERIC_PAIRS: [[u8; 2]; 62 * 62] = pairs(ALPHANUMERICS);
static DIGIT_PAIRS: [[u8; 2]; 100] = pairs(DIGITS);

/// Characters taken from one draw: 62 to the power of ten is a twentieth of what 64 bits can be.
const CHARACTERS_A_DRAW: usize = 10;

const fn pairs<const SYMBOLS: usize, const PAIRS: usize>(
    symbols: &[u8; SYMBOLS],
) -> [[u8; 2]; PAIRS] {
    let mut pairs = [[0; 2]; PAIRS];
    let mut number = 0;
    while number < PAIRS {
        pairs[number] = [symbols[number / SYMBOLS], symbols[number % SYMBOLS]];
        number += 1;
    }
    pairs
}

/// Appends so many lower-case letters.
pub(crate) fn put_letters(stream: &mut Stream, out: &mut Vec<u8>, count: u32) {
    put_random(stream, out, count, &LETTER_PAIRS);
}

/// Appends so many letters and digits.
pub(crate) fn put_alphanumerics(stream: &mut Stream, out: &mut Vec<u8>, count: u32) {
    put_random(stream, out, count, &ALPHANUMERIC_PAIRS);
}

/// Appends so many digits.
pub(crate) fn put_digits(stream: &mut Stream, out: &mut Vec<u8>, count: u32) {
    put_random(stream, out, count, &DIGIT_PAIRS);
}

/// Appends one lower-case letter so many times.
pub(crate) fn put_repeated(stream: &mut Stream, out: &mut Vec<u8>, count: u32) {
    let letter = LETTERS[uniform(stream, 0, 25) as usize];
    out.resize(out.len() + count as usize, letter);
}

/// Appends two characters at a time: the whole part of (draw x pairs) says which, the rest is the next draw.
#[inline]
fn put_random(stream: &mut Stream, out: &mut Vec<u8>, count: u32, pairs: &[[u8; 2]]) {
    let start = out.len();
    out.resize(start + count as usize, 0);
    for chunk in out[start..].chunks_mut(CHARACTERS_A_DRAW) {
        let mut rest = stream.next_u64();
        for two in chunk.chunks_mut(2) {
            let product = u128::from(rest) * pairs.len() as u128;
            rest = product as u64;
            two.copy_from_slice(&pairs[(product >> 64) as usize][..two.len()]);
        }
    }
}

/// One row between its brackets.
pub(crate) struct RowText<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> RowText<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Appends a value as it stands in SQL.
    pub(crate) fn put(&mut self, sql: &[u8]) {
        self.out.extend_from_slice(sql);
        self.out.push(b',');
    }

    pub(crate) fn number(&mut self, number: u32) {
        put_number(self.out, number);
        self.out.push(b',');
    }

    /// Appends hundredths, as a number with two places.
    pub(crate) fn cents(&mut self, cents: u32) {
        put_number(self.out, cents / 100);
        self.places(cents % 100, 2);
    }

    /// Appends ten-thousandths, as a number with four places, or cut to two.
    pub(crate) fn share(&mut self, ten_thousandths: u32, places: u32) {
        put_number(self.out, ten_thousandths / 10_000);
        let rest = ten_thousandths % 10_000;
        self.places(if places == 2 { rest / 100 } else { rest }, places);
    }

    fn places(&mut self, mut rest: u32, places: u32) {
        self.out.push(b'.');
        let start = self.out.len();
        self.out.resize(start + places as usize, b'0');
        for digit in self.out[start..].iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
        }
        self.out.push(b',');
    }

    /// Appends a text, without characters that would have to be escaped.
    pub(crate) fn text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.out.push(b'\'');
        write(self.out);
        self.out.extend_from_slice(b"',");
    }

    /// Takes the last comma away.
    pub(crate) fn end(self) {
        self.out.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_places() {
        let mut out = Vec::new();
        let mut row = RowText::new(&mut out);
        row.cents(7);
        row.cents(30_000_000);
        row.share(1_500, 2);
        row.share(405, 4);
        row.put(b"NULL");
        row.text(|out| out.extend_from_slice(b"a"));
        row.end();
        assert_eq!(out, b"0.07,300000.00,0.15,0.0405,NULL,'a'");
    }

    #[test]
    fn every_character_is_as_frequent_as_every_other_in_every_place() {
        let mut stream = Stream::from_state([3, 4]);
        let mut tally = [[0_u32; 256]; 11];
        let mut out = Vec::new();
        for _ in 0..124_000 {
            out.clear();
            put_alphanumerics(&mut stream, &mut out, 11);
            for (place, character) in out.iter().enumerate() {
                tally[place][usize::from(*character)] += 1;
            }
        }
        for counts in tally {
            let of = |c: &u8| (f64::from(counts[usize::from(*c)]) - 2000.0).powi(2) / 2000.0;
            let chi: f64 = ALPHANUMERICS.iter().map(of).sum();
            // 61 degrees of freedom: 130 is exceeded less than once in a million.
            assert!(chi < 130.0, "{chi}");
        }
    }

    #[test]
    fn texts_have_their_length_and_their_characters() {
        let mut stream = Stream::from_state([1, 2]);
        for count in [0, 1, 9, 10, 11, 500] {
            let mut out = Vec::new();
            put_letters(&mut stream, &mut out, count);
            put_digits(&mut stream, &mut out, count);
            let (letters, digits) = out.split_at(count as usize);
            assert!(letters.iter().all(u8::is_ascii_lowercase));
            assert!(digits.len() == count as usize && digits.iter().all(u8::is_ascii_digit));
        }
        let mut out = Vec::new();
        put_repeated(&mut stream, &mut out, 24);
        assert!(out.len() == 24 && out.iter().all(|letter| *letter == out[0]));
    }
}
