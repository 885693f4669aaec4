//! Generates the bytes of nodes and links: text that a compressor can halve, in lengths that vary widely.

use dbdyno_chance::Stream;
use std::f64::consts::TAU;

/// Bytes are made in chunks of at most so many, each new or a copy.
const CHUNK_BYTES: usize = 128;
/// The tool reads a setting for this and doesn't heed it (Q-LB-3).
const MOTIF_BYTES: usize = 512;

/// Describes values of one kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ValueShape {
    /// Lowest byte.
    low: u8,
    /// Count of different bytes.
    span: u8,
    /// Share of the chunks that are new.
    uniqueness: f64,
    /// Logarithm of the median length; the logarithms of lengths are normal with deviation 1.
    ln_median: f64,
    most_bytes: usize,
}

/// ln 8 and ln 128.
const LN_8: f64 = 3.0 * std::f64::consts::LN_2;
const LN_128: f64 = 7.0 * std::f64::consts::LN_2;

/// Data of a link.
pub(super) const LINK: ValueShape = ValueShape {
    low: 32,
    span: 69,
    uniqueness: 0.225,
    ln_median: LN_8,
    most_bytes: 254,
};

/// Data of a node.
pub(super) const NODE: ValueShape = ValueShape {
    low: 50,
    span: 171,
    uniqueness: 0.63,
    ln_median: LN_128,
    most_bytes: 1_048_575,
};

/// Makes values of one kind. Its motifs, from which chunks are copied, are drawn once.
#[derive(Debug, Clone)]
pub(super) struct Motif {
    look: ValueShape,
    buffer: [u8; MOTIF_BYTES],
}

impl Motif {
    pub(super) fn new(look: ValueShape, stream: &mut Stream) -> Self {
        let mut buffer = [0; MOTIF_BYTES];
        fill_anew(&look, stream, &mut buffer);
        Self { look, buffer }
    }

    /// Replaces `value` by a new one.
    pub(super) fn draw(&self, stream: &mut Stream, value: &mut Vec<u8>) {
        value.clear();
        value.resize(self.draw_length(stream), 0);
        for chunk in value.chunks_mut(CHUNK_BYTES) {
            if stream.next_double() < self.look.uniqueness {
                fill_anew(&self.look, stream, chunk);
            } else {
                let places = (MOTIF_BYTES - chunk.len() + 1) as u32;
                let from = stream.below(places) as usize;
                chunk.copy_from_slice(&self.buffer[from..from + chunk.len()]);
            }
        }
    }

    fn draw_length(&self, stream: &mut Stream) -> usize {
        let length = (self.look.ln_median + draw_normal(stream)).exp().round();
        (length as usize).min(self.look.most_bytes)
    }
}

/// Draws from the standard normal distribution, after Box and Muller.
fn draw_normal(stream: &mut Stream) -> f64 {
    let radius = (-2.0 * (1.0 - stream.next_double()).ln()).sqrt();
    radius * (TAU * stream.next_double()).cos()
}

/// Fills with uniform bytes, four a draw.
fn fill_anew(look: &ValueShape, stream: &mut Stream, bytes: &mut [u8]) {
    for four in bytes.chunks_mut(4) {
        let mut drawn = stream.next_u64();
        for byte in four {
            // 16 bits scaled to the span: byte probabilities differ by at most 0.3 %.
            *byte = look.low + ((drawn as u16 as u32 * u32::from(look.span)) >> 16) as u8;
            drawn >>= 16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(look: ValueShape, count: usize) -> Vec<Vec<u8>> {
        let mut stream = Stream::from_state([3, 4]);
        let motif = Motif::new(look, &mut stream);
        let mut value = Vec::new();
        let mut next = || {
            motif.draw(&mut stream, &mut value);
            value.clone()
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn lengths_are_those_that_were_recorded_from_the_tool() {
        let lengths = |look, count| {
            let mut lengths: Vec<usize> = values(look, count).iter().map(Vec::len).collect();
            lengths.sort_unstable();
            let mean = lengths.iter().sum::<usize>() as f64 / count as f64;
            (lengths[count / 2], mean, lengths[count - 1])
        };
        let (median, mean, longest) = lengths(LINK, 100_000);
        assert!(median == 8 && longest == 254, "{median} {longest}");
        assert!((mean - 13.17).abs() < 0.2, "{mean}"); // recorded over 995,138 links
        let (median, mean, _) = lengths(NODE, 20_000);
        assert!((median as i64 - 128).abs() <= 4, "{median}");
        assert!((mean - 211.0).abs() < 9.0, "{mean}");
    }

    #[test]
    fn every_byte_of_the_range_occurs_and_no_other() {
        for (look, low, high) in [(LINK, 32, 100), (NODE, 50, 220)] {
            let mut seen = [false; 256];
            for byte in values(look, 5000).into_iter().flatten() {
                seen[usize::from(byte)] = true;
            }
            for byte in 0..=255_u8 {
                let expected = (low..=high).contains(&byte);
                assert_eq!(seen[usize::from(byte)], expected, "{byte}");
            }
        }
    }

    #[test]
    fn four_of_ten_chunks_of_nodes_are_copies() {
        let mut stream = Stream::from_state([5, 6]);
        let motif = Motif::new(NODE, &mut stream);
        let mut value = Vec::new();
        let (mut whole, mut copied) = (0, 0);
        for _ in 0..20_000 {
            motif.draw(&mut stream, &mut value);
            for chunk in value.chunks_exact(CHUNK_BYTES) {
                whole += 1;
                let is_copy = |place: &[u8]| place == chunk;
                copied += u32::from(motif.buffer.windows(CHUNK_BYTES).any(is_copy));
            }
        }
        let share = f64::from(copied) / f64::from(whole);
        assert!((share - 0.37).abs() < 0.02, "{share}");
    }
}
