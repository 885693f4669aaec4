//! Draws the values of rows, one by one or sixteen rows at a time.

use super::checksum::{crc32, crc32_of_lanes};
use super::starts::RowStarts;
use super::text::{C_LENGTH, DIGITS_A_ROW, GROUPS_A_ROW, PAD_LENGTH, fill};
use dbdyno_chance::{
    GROUP_BYTES, JumpAhead, LANES, RandomKind, Sampler, Stream, digit_groups_of_lanes,
};
use std::sync::LazyLock;

/// From the first digit of a row to its k.
static SKIP_DIGITS: LazyLock<JumpAhead> = LazyLock::new(|| JumpAhead::of_draws(DIGITS_A_ROW));

/// The values of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowValues<'a> {
    pub(super) k: u32,
    pub(super) crc32_c: u32,
    pub(super) crc32_pad: u32,
    text: &'a RowText,
}

/// c and pad of a row, a byte behind each.
type RowText = [[u8; GROUP_BYTES]; GROUPS_A_ROW];

/// Bytes of a [`RowText`].
const TEXT_BYTES: usize = GROUP_BYTES * GROUPS_A_ROW;

/// Where pad begins in the text of a row.
const PAD_START: usize = C_LENGTH + 1;

/// Bytes of a row as the values of a prepared INSERT: two numbers, and a byte before each text that says how long it is.
const ENCODED_BYTES: usize = 8 + TEXT_BYTES;

/// Draws rows that follow each other: c, pad, k.
#[derive(Debug)]
pub(super) struct RowDrawer {
    /// After the rows that were given.
    stream: Stream,
    ks: Sampler,
    kind: RandomKind,
    /// Where the next rows start, if somebody has gone through them before.
    starts: Option<RowStarts>,
    /// Of sysbench's rows, those that are drawn and not yet given.
    ahead: Option<Box<RowBatch>>,
    /// Of dbdyno's rows, the one that was given last.
    text: RowText,
}

/// Sixteen rows, of which some were given.
#[derive(Debug)]
struct RowBatch {
    given: usize,
    texts: [RowText; LANES],
    ks: [u32; LANES],
    crc32_c: [u32; LANES],
    crc32_pad: [u32; LANES],
    /// The stream before the first row, and after each.
    streams: [Stream; LANES + 1],
}

impl RowDrawer {
    pub(super) fn new(stream: Stream, ks: Sampler, kind: RandomKind) -> Self {
        Self {
            stream,
            ks,
            kind,
            starts: None,
            ahead: None,
            text: [[0; GROUP_BYTES]; GROUPS_A_ROW],
        }
    }

    /// Spares it to search for the starts of rows that are known.
    pub(super) fn with_starts(self, starts: Option<RowStarts>) -> Self {
        Self { starts, ..self }
    }

    /// Returns the stream after the rows that were given.
    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns the next row.
    #[inline]
    pub(super) fn next(&mut self) -> RowValues<'_> {
        match self.kind {
            RandomKind::Dbdyno => self.next_of_dbdyno(),
            RandomKind::Sysbench => self.next_of_sysbench(),
        }
    }

    fn next_of_dbdyno(&mut self) -> RowValues<'_> {
        let text = self.text.as_flattened_mut();
        fill(&mut self.stream, self.kind, &mut text[..C_LENGTH]);
        fill(
            &mut self.stream,
            self.kind,
            &mut text[PAD_START..][..PAD_LENGTH],
        );
        RowValues {
            k: self.ks.draw(&mut self.stream),
            crc32_c: crc32(c_of(&self.text)),
            crc32_pad: crc32(pad_of(&self.text)),
            text: &self.text,
        }
    }

    /// Makes the next row. A draw a digit makes these rows expensive, so sixteen are begun at once: where each one
    /// begins is found by jumping over the digits of the one before, and then their digits are drawn side by side.
    fn next_of_sysbench(&mut self) -> RowValues<'_> {
        let (stream, ks, starts) = (&self.stream, &self.ks, &mut self.starts);
        let ahead = self
            .ahead
            .get_or_insert_with(|| Box::new(RowBatch::none(stream)));
        if ahead.given == LANES {
            ahead.draw(stream, ks, starts.as_mut());
        }
        let row = ahead.given;
        ahead.given += 1;
        self.stream = ahead.streams[row + 1].clone();
        RowValues {
            k: ahead.ks[row],
            crc32_c: ahead.crc32_c[row],
            crc32_pad: ahead.crc32_pad[row],
            text: &ahead.texts[row],
        }
    }
}

impl<'a> RowValues<'a> {
    pub(super) fn c(&self) -> &'a [u8] {
        c_of(self.text)
    }

    pub(super) fn pad(&self) -> &'a [u8] {
        pad_of(self.text)
    }

    /// Writes the row as the values of a prepared INSERT. The lengths stand where the text has its dashes before and
    /// behind c.
    #[inline]
    pub(super) fn encode(&self, id: u32, row: &mut [u8; ENCODED_BYTES]) {
        const TEXT_START: usize = ENCODED_BYTES - TEXT_BYTES + 1;
        row[..4].copy_from_slice(&id.to_le_bytes());
        row[4..8].copy_from_slice(&self.k.to_le_bytes());
        row[TEXT_START..].copy_from_slice(&self.text.as_flattened()[..TEXT_BYTES - 1]);
        row[TEXT_START - 1] = C_LENGTH as u8;
        row[TEXT_START + C_LENGTH] = PAD_LENGTH as u8;
    }
}

#[inline]
fn c_of(text: &RowText) -> &[u8; C_LENGTH] {
    column_of(text, 0)
}

#[inline]
fn pad_of(text: &RowText) -> &[u8; PAD_LENGTH] {
    column_of(text, PAD_START)
}

#[inline]
fn column_of<const LENGTH: usize>(text: &RowText, start: usize) -> &[u8; LENGTH] {
    let column = text.as_flattened()[start..].first_chunk();
    column.expect("a text has both columns")
}

impl RowBatch {
    /// Creates it with no rows, all of them given.
    fn none(stream: &Stream) -> Self {
        Self {
            given: LANES,
            texts: [[[0; GROUP_BYTES]; GROUPS_A_ROW]; LANES],
            ks: [0; LANES],
            crc32_c: [0; LANES],
            crc32_pad: [0; LANES],
            streams: std::array::from_fn(|_| stream.clone()),
        }
    }

    /// Replaces them by the next ones.
    fn draw(&mut self, stream: &Stream, ks: &Sampler, known: Option<&mut RowStarts>) {
        let known = known.map(|known| known.next(LANES));
        let (known_ks, ends) = known.unwrap_or_default();
        self.ks[..known_ks.len()].copy_from_slice(known_ks);
        self.streams[0] = stream.clone();
        self.streams[1..=ends.len()].clone_from_slice(ends);
        for row in ends.len()..LANES {
            let mut next = self.streams[row].clone();
            self.ks[row] = skip_row(&mut next, ks);
            self.streams[row + 1] = next;
        }
        let starts = self.streams.first_chunk();
        let starts = starts.expect("there is a stream more than there are lanes");
        digit_groups_of_lanes(starts, &mut self.texts);
        self.crc32_c = crc32_of_lanes(self.texts.each_ref().map(c_of));
        self.crc32_pad = crc32_of_lanes(self.texts.each_ref().map(pad_of));
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
        let mut draws = RowDrawer::new(stream.clone(), ks.clone(), RandomKind::Sysbench);
        for row in 0..3 * LANES {
            let digits: Vec<u8> = (0..DIGITS_A_ROW).map(|_| b'0' + stream.digit()).collect();
            let k = ks.draw(&mut stream);
            let values = draws.next();
            let in_groups = |digits: &[u8]| -> Vec<u8> {
                let groups: Vec<_> = digits.chunks(GROUP_BYTES - 1).collect();
                groups.join(&b'-')
            };
            assert_eq!(values.c(), in_groups(&digits[..110]), "{row}");
            assert_eq!(values.pad(), in_groups(&digits[110..]), "{row}");
            assert_eq!(values.k, k, "{row}");
            assert_eq!(draws.stream(), &stream, "{row}");
        }
    }
}
