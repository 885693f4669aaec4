//! Reads histograms back that [`HistogramEncoder`](crate::HistogramEncoder) or another HdrHistogram of the same bounds has
//! written.

use crate::encoder::{COMPRESSED_COOKIE, COMPRESSED_HEADER_BYTES, COOKIE, HEADER_BYTES};
use crate::histogram::{HIGHEST_NS, Histogram, SLOTS};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use std::fmt;
use std::io::Read;

/// More plain bytes than a histogram with a count of nine bytes in every slot has.
const MOST_PLAIN_BYTES: u64 = (HEADER_BYTES + 9 * SLOTS) as u64;

/// No slot counts more. Sums over all slots stay far from the end of 64 bits.
const MOST_COUNTED: i64 = 1 << 47;

/// Says why a text is not a histogram that dbdyno wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeError(&'static str);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for DecodeError {}

impl Histogram {
    /// Decodes a histogram from text (HdrHistogram V2, deflated, base64) with its bounds and digits.
    ///
    /// Counts come back exactly, and so do quantiles. A text holds no single time, so the shortest, the longest and the
    /// mean are those of the upper edges of the slots, within a thousandth.
    ///
    /// # Errors
    /// The text is something else.
    ///
    /// ```
    /// use dbdyno_meter::Histogram;
    ///
    /// let mut histogram = Histogram::new();
    /// histogram.record(250_000);
    /// let back = Histogram::decode(&histogram.encode())?;
    /// assert_eq!(back.quantile_ns(0.5), histogram.quantile_ns(0.5));
    /// # Ok::<(), dbdyno_meter::DecodeError>(())
    /// ```
    pub fn decode(text: &str) -> Result<Self, DecodeError> {
        let packed = STANDARD.decode(text);
        let packed = packed.map_err(|_| DecodeError("it is not base64"))?;
        let (header, deflated) = split(&packed, COMPRESSED_HEADER_BYTES)?;
        if header[..4] != COMPRESSED_COOKIE.to_be_bytes() {
            return Err(DecodeError("it is not an HdrHistogram V2, deflated"));
        }
        let mut plain = Vec::new();
        let inflated = ZlibDecoder::new(deflated)
            .take(MOST_PLAIN_BYTES)
            .read_to_end(&mut plain);
        inflated.map_err(|_| DecodeError("its bytes are damaged"))?;
        let (header, counts) = split(&plain, HEADER_BYTES)?;
        if header[..4] != COOKIE.to_be_bytes()
            || header[4..8] != (counts.len() as u32).to_be_bytes()
        {
            return Err(DecodeError("its bytes are damaged"));
        }
        let bounds = [0_u32.to_be_bytes(), 3_u32.to_be_bytes()].concat();
        let limits = [1_u64.to_be_bytes(), HIGHEST_NS.to_be_bytes()].concat();
        if header[8..16] != bounds || header[16..32] != limits {
            return Err(DecodeError(
                "its bounds and digits are not 1 ns to 1 h with 3 digits",
            ));
        }
        read_counts(counts)
    }
}

fn split(bytes: &[u8], at: usize) -> Result<(&[u8], &[u8]), DecodeError> {
    bytes
        .split_at_checked(at)
        .ok_or(DecodeError("it is too short"))
}

fn read_counts(mut bytes: &[u8]) -> Result<Histogram, DecodeError> {
    let mut histogram = Histogram::new();
    let mut slot = 0_usize;
    while !bytes.is_empty() {
        let number = read_number(&mut bytes).ok_or(DecodeError("its bytes are damaged"))?;
        if number > MOST_COUNTED {
            return Err(DecodeError("its bytes are damaged"));
        }
        let slots = if number < 0 { number.unsigned_abs() } else { 1 };
        let end = usize::try_from(slots)
            .ok()
            .and_then(|slots| slot.checked_add(slots));
        let Some(end) = end.filter(|&end| end <= SLOTS) else {
            return Err(DecodeError("it has more slots than an hour has"));
        };
        if number > 0 {
            histogram.add_slot(slot, number.unsigned_abs());
        }
        slot = end;
    }
    Ok(histogram)
}

/// Reads LEB128 of at most nine bytes, of which the ninth has eight bits, then zigzag.
fn read_number(bytes: &mut &[u8]) -> Option<i64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if shift == 56 {
            number |= u64::from(byte) << shift;
            break;
        }
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws times of every size, by a generator that needs no crate.
    fn times(seed: u64, count: usize) -> Vec<u64> {
        let mut state = seed | 1;
        let mut draw = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (0..count).map(|_| draw() >> (22 + draw() % 42)).collect()
    }

    fn histogram(times: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        times.iter().for_each(|&ns| histogram.record(ns));
        histogram
    }

    #[test]
    fn what_was_encoded_comes_back_with_every_count() {
        for seed in 0..200 {
            let ours = histogram(&times(seed, 1 + seed as usize * 7));
            let back = Histogram::decode(&ours.encode()).unwrap();
            assert_eq!(back.counts(), ours.counts(), "{seed}");
            assert_eq!(back.count(), ours.count());
            assert_eq!(back.encode(), ours.encode());
        }
        assert_eq!(
            Histogram::decode(&Histogram::new().encode())
                .unwrap()
                .count(),
            0
        );
    }

    #[test]
    fn merged_from_texts_it_is_the_histogram_of_all_times() {
        for seed in 1..100_u64 {
            let all = times(seed, 300);
            let parts: Vec<_> = all.chunks(1 + seed as usize % 120).map(histogram).collect();
            let mut merged = Histogram::new();
            for part in &parts {
                merged.merge(&Histogram::decode(&part.encode()).unwrap());
            }
            let expected = histogram(&all);
            assert_eq!(merged.counts(), expected.counts(), "{seed}");
            for q in [0.0, 0.5, 0.95, 0.99, 0.999, 1.0] {
                assert_eq!(merged.quantile_ns(q), expected.quantile_ns(q), "{seed} {q}");
            }
        }
    }

    #[test]
    fn large_counts_come_back() {
        let mut ours = Histogram::new();
        for (slot, count) in [(0, 1), (5, 1 << 40), (SLOTS - 1, 1 << 47)] {
            ours.add_slot(slot, count);
        }
        let back = Histogram::decode(&ours.encode()).unwrap();
        assert_eq!(back.counts(), ours.counts());
    }

    #[test]
    fn what_is_damaged_is_refused_and_never_read_past_its_end() {
        let text = histogram(&times(3, 500)).encode();
        for length in (0..text.len()).step_by(4) {
            assert!(Histogram::decode(&text[..length]).is_err(), "{length}");
        }
        for wrong in ["", "HISTFAAA", "not base64!", "AAAAAAAAAAAA"] {
            assert!(Histogram::decode(wrong).is_err(), "{wrong}");
        }
        let mut other = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 1000, 2).unwrap();
        other.record(5).unwrap();
        let mut bytes = Vec::new();
        let mut serializer = hdrhistogram::serialization::V2DeflateSerializer::new();
        hdrhistogram::serialization::Serializer::serialize(&mut serializer, &other, &mut bytes)
            .unwrap();
        let error = Histogram::decode(&STANDARD.encode(bytes)).unwrap_err();
        assert!(error.to_string().contains("bounds"), "{error}");
    }
}
