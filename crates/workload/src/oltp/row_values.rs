//! Draws the values of rows, sixteen rows at a time.

use super::checksum::crc32_of_lanes;
use super::starts::RowStarts;
use super::text::{
    C_LENGTH, DIGITS_A_ROW, FOURS_A_ROW, GROUPS_A_ROW, PAD_LENGTH, TEXT_BYTES, draw_fours,
    write_fours,
};
use dbdyno_chance::{JumpAhead, LANES, RandomKind, Sampler, Stream, digit_groups_of_lanes};
use std::ops::Range;
use std::sync::LazyLock;

/// From the first digit of a row to its k.
static SKIP_DIGITS: LazyLock<JumpAhead> = LazyLock::new(|| JumpAhead::of_draws(DIGITS_A_ROW));

/// A row as the values of a prepared INSERT: id and k, and a byte before each text that says how long it is. That byte
/// stands where the digits of a row have a dash before each text.
pub(super) type EncodedRow = [u8; ENCODED_BYTES];

const ENCODED_BYTES: usize = TEXT_START + TEXT_BYTES;
const TEXT_START: usize = 8;
const C_START: usize = TEXT_START + 1;
const PAD_START: usize = C_START + C_LENGTH + 1;

/// Rows that follow each other, and what was found out about each.
#[derive(Debug)]
pub(super) struct DrawnRows<'a> {
    pub(super) rows: &'a mut [EncodedRow],
    pub(super) ks: &'a [u32],
    pub(super) crc32_c: &'a [u32],
    pub(super) crc32_pad: &'a [u32],
}

/// Draws rows that follow each other: c, pad, k.
#[derive(Debug)]
pub(super) struct RowDrawer {
    ks: Sampler,
    kind: RandomKind,
    /// Where the next rows start, if somebody has gone through them before.
    starts: Option<RowStarts>,
    ahead: Box<RowBatch>,
}

/// Sixteen rows, of which some were given.
#[derive(Debug)]
struct RowBatch {
    given: usize,
    /// Without ids.
    rows: [EncodedRow; LANES],
    ks: [u32; LANES],
    crc32_c: [u32; LANES],
    crc32_pad: [u32; LANES],
    /// The stream before the first row, and after each.
    streams: [Stream; LANES + 1],
}

impl RowDrawer {
    pub(super) fn new(stream: &Stream, ks: Sampler, kind: RandomKind) -> Self {
        Self {
            ks,
            kind,
            starts: None,
            ahead: Box::new(RowBatch::none(stream)),
        }
    }

    /// Spares it to search for the starts of rows that are known.
    pub(super) fn with_starts(self, starts: Option<RowStarts>) -> Self {
        Self { starts, ..self }
    }

    /// Returns the stream after the rows that were given.
    pub(super) fn stream(&self) -> &Stream {
        &self.ahead.streams[self.ahead.given]
    }

    /// Returns the next rows: at least one, and at most `rows_max`.
    #[inline]
    pub(super) fn next(&mut self, rows_max: usize) -> DrawnRows<'_> {
        if self.ahead.given == LANES {
            match self.kind {
                RandomKind::Dbdyno => self.ahead.draw_of_dbdyno(&self.ks),
                RandomKind::Sysbench => {
                    self.ahead.draw_of_sysbench(&self.ks, self.starts.as_mut());
                }
            }
        }
        self.ahead.give(rows_max)
    }
}

/// Returns c of a row.
#[inline]
pub(super) fn c_of(row: &EncodedRow) -> &[u8; C_LENGTH] {
    column_of(row, C_START)
}

/// Returns pad of a row.
#[inline]
pub(super) fn pad_of(row: &EncodedRow) -> &[u8; PAD_LENGTH] {
    column_of(row, PAD_START)
}

#[inline]
fn column_of<const LENGTH: usize>(row: &EncodedRow, start: usize) -> &[u8; LENGTH] {
    let column = row[start..].first_chunk();
    column.expect("a row has both columns")
}

impl RowBatch {
    /// Creates it with no rows, all of them given.
    fn none(stream: &Stream) -> Self {
        Self {
            given: LANES,
            rows: [[0; ENCODED_BYTES]; LANES],
            ks: [0; LANES],
            crc32_c: [0; LANES],
            crc32_pad: [0; LANES],
            streams: std::array::from_fn(|_| stream.clone()),
        }
    }

    /// Gives the next rows of those that are drawn.
    #[inline]
    fn give(&mut self, rows_max: usize) -> DrawnRows<'_> {
        let start = self.given;
        self.given = LANES.min(start + rows_max);
        let given: Range<usize> = start..self.given;
        DrawnRows {
            rows: &mut self.rows[given.clone()],
            ks: &self.ks[given.clone()],
            crc32_c: &self.crc32_c[given.clone()],
            crc32_pad: &self.crc32_pad[given],
        }
    }

    /// Replaces them by the next ones. A group takes one draw, so rows are drawn one after the other.
    fn draw_of_dbdyno(&mut self, ks: &Sampler) {
        let (mut next, mut fours) = (self.streams[LANES].clone(), [0; FOURS_A_ROW]);
        self.streams[0] = next.clone();
        for row in 0..LANES {
            draw_fours(&mut next, &mut fours);
            let text = self.rows[row].last_chunk_mut();
            write_fours(&fours, text.expect("a row ends with its text"));
            self.ks[row] = ks.draw(&mut next);
            self.streams[row + 1] = next.clone();
        }
        self.complete();
    }

    /// Replaces them by the next ones. A draw a digit makes these rows expensive, so sixteen are begun at once: where each
    /// one begins is found by jumping over the digits of the one before, and then their digits are drawn side by side.
    fn draw_of_sysbench(&mut self, ks: &Sampler, known: Option<&mut RowStarts>) {
        let known = known.map(|known| known.next(LANES));
        let (known_ks, ends) = known.unwrap_or_default();
        self.ks[..known_ks.len()].copy_from_slice(known_ks);
        self.streams[0] = self.streams[LANES].clone();
        self.streams[1..=ends.len()].clone_from_slice(ends);
        for row in ends.len()..LANES {
            let mut next = self.streams[row].clone();
            self.ks[row] = skip_row(&mut next, ks);
            self.streams[row + 1] = next;
        }
        let starts = self.streams.first_chunk();
        let starts = starts.expect("there is a stream more than there are lanes");
        digit_groups_of_lanes::<GROUPS_A_ROW, ENCODED_BYTES>(starts, &mut self.rows);
        self.complete();
    }

    /// Makes values of the digits: all but the ids, which are known when rows are given.
    fn complete(&mut self) {
        self.crc32_c = crc32_of_lanes(self.rows.each_ref().map(c_of));
        self.crc32_pad = crc32_of_lanes(self.rows.each_ref().map(pad_of));
        for (row, k) in self.rows.iter_mut().zip(self.ks) {
            row[4..8].copy_from_slice(&k.to_le_bytes());
            row[C_START - 1] = C_LENGTH as u8;
            row[PAD_START - 1] = PAD_LENGTH as u8;
        }
        self.given = 0;
    }
}

/// Skips a row of sysbench's, and gives its k.
#[inline]
pub(super) fn skip_row(stream: &mut Stream, ks: &Sampler) -> u32 {
    stream.jump(&SKIP_DIGITS);
    ks.draw(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oltp::OltpOptions;
    use dbdyno_chance::RandomSource;

    #[test]
    fn rows_drawn_ahead_are_those_drawn_one_digit_after_the_other() {
        let ks = OltpOptions::default().distribution().sampler(1, 1000);
        let mut stream = RandomSource::sysbench_main_thread();
        let mut draws = RowDrawer::new(&stream, ks.clone(), RandomKind::Sysbench);
        for row in 0..3 * LANES {
            let digits: Vec<u8> = (0..DIGITS_A_ROW).map(|_| b'0' + stream.digit()).collect();
            let k = ks.draw(&mut stream);
            let values = draws.next(1);
            let in_groups = |digits: &[u8]| -> Vec<u8> {
                let groups: Vec<_> = digits.chunks(11).collect();
                groups.join(&b'-')
            };
            assert_eq!(
                c_of(&values.rows[0])[..],
                in_groups(&digits[..110]),
                "{row}"
            );
            assert_eq!(
                pad_of(&values.rows[0])[..],
                in_groups(&digits[110..]),
                "{row}"
            );
            assert_eq!(values.ks, [k], "{row}");
            assert_eq!(draws.stream(), &stream, "{row}");
        }
    }
}
