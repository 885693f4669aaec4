//! Decimal digits of sixteen streams, drawn side by side.

use crate::Stream;

/// Streams that are drawn from at a time: as many as fill the registers of the widest processors.
pub const LANES: usize = 16;

/// Digits that are gathered in one word before they are written.
const WORD: usize = 8;

/// The first digits of each stream, in ASCII: what so many calls of [`Stream::digit`] give, `b'0'` added.
///
/// A stream by itself has to wait for each of its steps; sixteen wait together, and a processor with wide registers
/// takes their steps at once (25 ns for 165 digits with AVX-512, 60 ns with AVX2, 125 ns without, 190 ns one by one).
///
/// ```
/// use dbdyno_chance::{LANES, Stream, digits_of_lanes};
///
/// let lanes: [Stream; LANES] = std::array::from_fn(|lane| Stream::from_state([lane as u64 + 1, 2]));
/// let mut digits = [[0; 20]; LANES];
/// digits_of_lanes(&lanes, &mut digits);
/// let mut seventh = lanes[7].clone();
/// assert!(digits[7].iter().all(|digit| *digit == b'0' + seventh.digit()));
/// ```
pub fn digits_of_lanes<const DIGITS: usize>(
    lanes: &[Stream; LANES],
    digits: &mut [[u8; DIGITS]; LANES],
) {
    if !draw_widely(lanes, digits) {
        for (lane, digits) in lanes.iter().zip(digits) {
            let mut stream = lane.clone();
            digits
                .iter_mut()
                .for_each(|digit| *digit = b'0' + stream.digit());
        }
    }
}

/// By the widest registers there are. False where a digit isn't certain.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "instructions that not every processor has")]
fn draw_widely<const DIGITS: usize>(
    lanes: &[Stream; LANES],
    digits: &mut [[u8; DIGITS]; LANES],
) -> bool {
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    fn by_512_bits<const DIGITS: usize>(
        lanes: &[Stream; LANES],
        digits: &mut [[u8; DIGITS]; LANES],
    ) -> bool {
        draw(lanes, digits)
    }
    #[target_feature(enable = "avx2")]
    fn by_256_bits<const DIGITS: usize>(
        lanes: &[Stream; LANES],
        digits: &mut [[u8; DIGITS]; LANES],
    ) -> bool {
        draw(lanes, digits)
    }
    let has_512_bits = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw");
    if has_512_bits {
        // SAFETY: the processor has been asked for every feature that the function is compiled for.
        return unsafe { by_512_bits(lanes, digits) };
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        return unsafe { by_256_bits(lanes, digits) };
    }
    draw(lanes, digits)
}

#[cfg(not(target_arch = "x86_64"))]
fn draw_widely<const DIGITS: usize>(
    lanes: &[Stream; LANES],
    digits: &mut [[u8; DIGITS]; LANES],
) -> bool {
    draw(lanes, digits)
}

/// All lanes step by step. False where the upper half of a draw doesn't decide on its digit.
#[inline(always)]
fn draw<const DIGITS: usize>(lanes: &[Stream; LANES], digits: &mut [[u8; DIGITS]; LANES]) -> bool {
    let mut first = std::array::from_fn(|lane| lanes[lane].state()[0]);
    let mut second = std::array::from_fn(|lane| lanes[lane].state()[1]);
    let mut doubts = [0; LANES];
    let mut start = 0;
    while start + WORD <= DIGITS {
        let words = draw_words::<WORD>(&mut first, &mut second, &mut doubts);
        for (digits, word) in digits.iter_mut().zip(words) {
            digits[start..start + WORD].copy_from_slice(&word.to_le_bytes());
        }
        start += WORD;
    }
    while start < DIGITS {
        let words = draw_words::<1>(&mut first, &mut second, &mut doubts);
        for (digits, word) in digits.iter_mut().zip(words) {
            digits[start] = word as u8;
        }
        start += 1;
    }
    doubts.iter().all(|doubt| *doubt == 0)
}

/// So many digits of each lane, the first one in the lowest byte.
///
/// The upper 32 bits of a draw give its digit unless ten times them comes so near to the next one that the bits below,
/// or the rounding of a double, could make up for the rest.
#[inline(always)]
fn draw_words<const COUNT: usize>(
    first: &mut [u64; LANES],
    second: &mut [u64; LANES],
    doubts: &mut [u64; LANES],
) -> [u64; LANES] {
    const NEAR: u64 = 16;
    let mut words = [0; LANES];
    for place in 0..COUNT {
        for lane in 0..LANES {
            let (one, other) = (first[lane], second[lane]);
            let mixed = one ^ other;
            first[lane] = one.rotate_left(55) ^ mixed ^ (mixed << 14);
            second[lane] = mixed.rotate_left(36);
            let product = (one.wrapping_add(other) >> 32) * 10;
            doubts[lane] |= ((product & u64::from(u32::MAX)) + NEAR) >> 32;
            words[lane] |= ((product >> 32) + u64::from(b'0')) << (8 * place);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: usize = 165;

    fn one_by_one(lanes: &[Stream; LANES]) -> [[u8; DIGITS]; LANES] {
        std::array::from_fn(|lane| {
            let mut stream = lanes[lane].clone();
            std::array::from_fn(|_| b'0' + stream.digit())
        })
    }

    fn lanes(seed: u64) -> [Stream; LANES] {
        std::array::from_fn(|lane| Stream::from_state([seed, lane as u64 + 1]))
    }

    #[test]
    fn every_lane_has_the_digits_of_its_stream_whatever_the_registers() {
        for seed in 0..200 {
            let (lanes, mut digits) = (lanes(seed), [[0; DIGITS]; LANES]);
            digits_of_lanes(&lanes, &mut digits);
            assert!(digits == one_by_one(&lanes), "{seed}");
            let mut narrow = [[0; DIGITS]; LANES];
            assert!(draw(&lanes, &mut narrow));
            assert!(narrow == digits, "{seed}");
        }
    }

    #[test]
    fn a_draw_that_its_upper_half_does_not_decide_is_decided_by_all_of_it() {
        // Draws right below a tenth and at it: their upper halves are the same, their digits are not.
        let tenth = u64::MAX / 10 + 1;
        for (drawn, digit) in [(tenth - (1 << 14), b'0'), (tenth + (1 << 12), b'1')] {
            let mut lanes = lanes(3);
            lanes[5] = Stream::from_state([drawn, 0]);
            assert!(!draw(&lanes, &mut [[0; DIGITS]; LANES]));
            let mut digits = [[0; DIGITS]; LANES];
            digits_of_lanes(&lanes, &mut digits);
            assert_eq!(digits[5][0], digit);
            assert!(digits == one_by_one(&lanes));
        }
    }
}
