//! Encodes histograms as text that HdrHistogram's own tools read.
//!
//! The layout is HdrHistogram's V2: a header, then the counts in slot order, runs of zeros as one
//! negative number, each number zigzag and LEB128 coded; all of it deflated behind a second header, and
//! in base64.

use crate::histogram::{HIGHEST_NS, Histogram};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compress, Compression, FlushCompress, Status};

pub(crate) const COOKIE: u32 = 0x1c84_9303 | 0x10;
pub(crate) const COMPRESSED_COOKIE: u32 = 0x1c84_9304 | 0x10;
pub(crate) const HEADER_BYTES: usize = 40;
pub(crate) const COMPRESSED_HEADER_BYTES: usize = 8;

/// Writes histograms one after another and keeps its buffers between them.
#[derive(Debug)]
pub struct HistogramEncoder {
    plain: Vec<u8>,
    packed: Vec<u8>,
    compress: Compress,
}

impl Default for HistogramEncoder {
    fn default() -> Self {
        Self {
            plain: Vec::new(),
            packed: Vec::new(),
            // Takes half the time of the default level, for a tenth more bytes.
            compress: Compress::new(Compression::fast(), true),
        }
    }
}

impl HistogramEncoder {
    /// Encodes one histogram as text.
    pub fn encode(&mut self, histogram: &Histogram) -> String {
        encoded_text(self.pack(histogram))
    }

    /// Packs one histogram as the bytes that its text is made of.
    pub fn pack(&mut self, histogram: &Histogram) -> &[u8] {
        self.write_plain(histogram);
        self.deflate();
        &self.packed
    }

    fn write_plain(&mut self, histogram: &Histogram) {
        let plain = &mut self.plain;
        plain.clear();
        plain.extend(COOKIE.to_be_bytes());
        plain.extend([0; 4]); // length of the counts, known later
        plain.extend(0_u32.to_be_bytes()); // no shift of the slots
        plain.extend(3_u32.to_be_bytes()); // significant digits
        plain.extend(1_u64.to_be_bytes()); // lowest value distinguished
        plain.extend(HIGHEST_NS.to_be_bytes());
        plain.extend(1_f64.to_be_bytes()); // unit
        write_counts(histogram.counts(), plain);
        let counts_bytes = (plain.len() - HEADER_BYTES) as u32;
        plain[4..8].copy_from_slice(&counts_bytes.to_be_bytes());
    }

    fn deflate(&mut self) {
        let Self {
            plain,
            packed,
            compress,
        } = self;
        packed.clear();
        packed.extend(COMPRESSED_COOKIE.to_be_bytes());
        packed.extend([0; 4]); // length of what follows, known later
        compress.reset();
        loop {
            packed.reserve(plain.len() / 2 + 128);
            let done = compress.total_in() as usize;
            let status = compress.compress_vec(&plain[done..], packed, FlushCompress::Finish);
            match status.expect("no compression that began can be refused") {
                Status::StreamEnd => break,
                Status::Ok | Status::BufError => {} // more room is needed
            }
        }
        let packed_bytes = (packed.len() - COMPRESSED_HEADER_BYTES) as u32;
        packed[4..8].copy_from_slice(&packed_bytes.to_be_bytes());
    }
}

/// Returns the text of a histogram that was packed by [`HistogramEncoder::pack`].
#[must_use]
pub fn encoded_text(packed: &[u8]) -> String {
    STANDARD.encode(packed)
}

fn write_counts(counts: &[u64], out: &mut Vec<u8>) {
    let mut rest = counts;
    while let Some(&count) = rest.first() {
        if count > 0 {
            write_number(count as i64, out);
            rest = &rest[1..];
            continue;
        }
        let zeros = rest
            .iter()
            .position(|&count| count > 0)
            .unwrap_or(rest.len());
        write_number(if zeros == 1 { 0 } else { -(zeros as i64) }, out);
        rest = &rest[zeros..];
    }
}

/// Writes zigzag, then LEB128 of at most nine bytes, of which the ninth has eight bits.
fn write_number(number: i64, out: &mut Vec<u8>) {
    let mut left = ((number << 1) ^ (number >> 63)) as u64;
    for _ in 0..8 {
        if left < 0x80 {
            break;
        }
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};

    fn theirs(times: &[(u64, u64)]) -> hdrhistogram::Histogram<u64> {
        let mut histogram = hdrhistogram::Histogram::new_with_bounds(1, HIGHEST_NS, 3).unwrap();
        times
            .iter()
            .for_each(|&(ns, count)| histogram.record_n(ns, count).unwrap());
        histogram
    }

    fn ours(times: &[(u64, u64)]) -> Histogram {
        let mut histogram = Histogram::new();
        for &(ns, count) in times {
            (0..count).for_each(|_| histogram.record(ns));
        }
        histogram
    }

    #[test]
    fn the_plain_bytes_are_those_of_the_hdrhistogram_crate() {
        for times in [
            vec![],
            vec![(1, 1)],
            vec![(1, 3), (3, 200), (5_000, 70_000), (9_999_999, 1)],
            vec![(HIGHEST_NS, 2)],
        ] {
            let mut expected = Vec::new();
            V2Serializer::new()
                .serialize(&theirs(&times), &mut expected)
                .unwrap();
            let mut encoder = HistogramEncoder::default();
            encoder.write_plain(&ours(&times));
            // For an empty histogram the crate writes one zero, this encoder nothing; readers accept both.
            if !times.is_empty() {
                assert_eq!(encoder.plain, expected, "{times:?}");
            }
        }
    }

    #[test]
    fn numbers_of_every_length_are_those_of_leb128() {
        let mut bytes = Vec::new();
        write_number(0, &mut bytes);
        write_number(-1, &mut bytes);
        write_number(64, &mut bytes);
        write_number(i64::MIN, &mut bytes);
        assert_eq!(bytes[..4], [0, 1, 0x80, 1]);
        assert_eq!(bytes[4..], [0xff; 9]);
    }

    #[test]
    fn one_encoder_writes_many_histograms_each_by_itself() {
        let mut encoder = HistogramEncoder::default();
        for times in [
            vec![(1_000_000, 5)],
            vec![],
            vec![(7, 1), (80_000_000_000, 9)],
        ] {
            let bytes = STANDARD.decode(encoder.encode(&ours(&times))).unwrap();
            let read: hdrhistogram::Histogram<u64> = Deserializer::new()
                .deserialize(&mut bytes.as_slice())
                .unwrap();
            assert_eq!(read, theirs(&times));
        }
    }
}
