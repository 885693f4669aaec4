//! The values of rows, drawn one by one or sixteen rows at a time.

use super::text::{C_LENGTH, DIGITS_A_ROW, PAD_LENGTH, dashed, fill};
use dbdyno_chance::{LANES, Leap, RandomKind, Sampler, Stream, digits_of_lanes};
use std::sync::LazyLock;

/// Digits of c, and those of both columns.
const C_DIGITS: usize = 110;
const DIGITS: usize = DIGITS_A_ROW as usize;

/// From the first digit of a row to its k.
static OVER_DIGITS: LazyLock<Leap> = LazyLock::new(|| Leap::over(DIGITS_A_ROW));

/// What is drawn for a row.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    pub(super) k: u32,
    pub(super) c: [u8; C_LENGTH],
    pub(super) pad: [u8; PAD_LENGTH],
}

/// Draws rows that follow each other: c, pad, k.
#[derive(Debug)]
pub(super) struct Draws {
    /// After the rows that were given.
    stream: Stream,
    ks: Sampler,
    kind: RandomKind,
    /// Of sysbench's rows, those that are drawn and not yet given.
    ahead: Option<Box<Ahead>>,
}

/// Sixteen rows, of which some were given.
#[derive(Debug)]
struct Ahead {
    given: usize,
    digits: [[u8; DIGITS]; LANES],
    ks: [u32; LANES],
    /// The stream after each row.
    after: [Stream; LANES],
}

impl Draws {
    pub(super) fn new(stream: Stream, ks: Sampler, kind: RandomKind) -> Self {
        Self {
            stream,
            ks,
            kind,
            ahead: None,
        }
    }

    /// The stream after the rows that were given.
    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The next row.
    #[inline]
    pub(super) fn next(&mut self) -> Drawn {
        match self.kind {
            RandomKind::Dbdyno => self.next_of_dbdyno(),
            RandomKind::Sysbench => self.next_of_sysbench(),
        }
    }

    fn next_of_dbdyno(&mut self) -> Drawn {
        let (mut c, mut pad) = ([0; C_LENGTH], [0; PAD_LENGTH]);
        fill(&mut self.stream, self.kind, &mut c);
        fill(&mut self.stream, self.kind, &mut pad);
        let k = self.ks.draw(&mut self.stream);
        Drawn { k, c, pad }
    }

    /// A draw a digit is what makes these rows dear. So sixteen are begun at once: where each one begins is found by
    /// leaping over the digits of the one before, and then their digits are drawn side by side.
    fn next_of_sysbench(&mut self) -> Drawn {
        let ahead = match self.ahead.take() {
            Some(ahead) if ahead.given < LANES => ahead,
            _ => Box::new(Ahead::of(&self.stream, &self.ks)),
        };
        let ahead = self.ahead.insert(ahead);
        let row = ahead.given;
        ahead.given += 1;
        self.stream = ahead.after[row].clone();
        let (c, pad) = ahead.digits[row].split_at(C_DIGITS);
        Drawn {
            k: ahead.ks[row],
            c: dashed(c),
            pad: dashed(pad),
        }
    }
}

impl Ahead {
    fn of(stream: &Stream, ks: &Sampler) -> Self {
        let mut starts: [Stream; LANES] = std::array::from_fn(|_| stream.clone());
        let (mut drawn, mut after) = ([0; LANES], starts.clone());
        let mut next = stream.clone();
        for row in 0..LANES {
            starts[row] = next.clone();
            drawn[row] = skip_row(&mut next, ks);
            after[row] = next.clone();
        }
        let mut digits = [[0; DIGITS]; LANES];
        digits_of_lanes(&starts, &mut digits);
        Self {
            given: 0,
            digits,
            ks: drawn,
            after,
        }
    }
}

/// Passes over a row of sysbench's, and gives its k.
#[inline]
pub(super) fn skip_row(stream: &mut Stream, ks: &Sampler) -> u32 {
    stream.leap(&OVER_DIGITS);
    ks.draw(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oltp::Options;
    use dbdyno_chance::RandomSource;

    #[test]
    fn rows_drawn_ahead_are_those_drawn_one_digit_after_the_other() {
        let ks = Options::default().distribution().over(1, 1000);
        let mut stream = RandomSource::sysbench_main_thread();
        let mut draws = Draws::new(stream.clone(), ks.clone(), RandomKind::Sysbench);
        for row in 0..3 * LANES {
            let digits: Vec<u8> = (0..DIGITS).map(|_| b'0' + stream.digit()).collect();
            let k = ks.draw(&mut stream);
            let drawn = draws.next();
            let without_dashes = |text: &[u8]| -> Vec<u8> {
                text.iter().copied().filter(|byte| *byte != b'-').collect()
            };
            assert_eq!(without_dashes(&drawn.c), digits[..C_DIGITS], "{row}");
            assert_eq!(without_dashes(&drawn.pad), digits[C_DIGITS..], "{row}");
            assert_eq!((drawn.k, draws.stream()), (k, &stream), "{row}");
        }
    }
}
