//! Draws decimal digits of sixteen streams in parallel.

use crate::Stream;

/// Streams that are drawn from at a time: they fill the registers of the widest processors.
pub const LANES: usize = 16;

/// Bytes of a group: eleven digits and a dash.
pub const GROUP_BYTES: usize = 12;

/// Digits of a group that are written as its first word, and as its second one, before the dash.
const FIRST_DIGITS: usize = 8;
const LAST_DIGITS: usize = 3;

/// Turns eight digits, and three that a dash follows, into ASCII.
const FIRST_CHARACTERS: u64 = u64::from_le_bytes([b'0'; FIRST_DIGITS]);
const LAST_CHARACTERS: u32 = u32::from_le_bytes([b'0', b'0', b'0', b'-']);

/// Writes the first digits of each stream in groups of eleven, in ASCII and with a dash after each group: as many calls
/// of [`Stream::digit`] give the same digits, with `b'0'` added.
///
/// One stream alone waits for each of its steps; sixteen wait together, and a processor with wide registers
/// takes their steps at once (25 ns for 165 digits with AVX-512, 60 ns with AVX2, 125 ns without, 190 ns one by one).
///
/// ```
/// use dbdyno_chance::{LANES, Stream, digit_groups_of_lanes};
///
/// let lanes: [Stream; LANES] = std::array::from_fn(|lane| Stream::from_state([lane as u64 + 1, 2]));
/// let mut groups = [[[0; 12]; 2]; LANES];
/// digit_groups_of_lanes(&lanes, &mut groups);
/// let mut seventh = lanes[7].clone();
/// for group in groups[7] {
///     assert!(group[..11].iter().all(|digit| *digit == b'0' + seventh.digit()));
///     assert_eq!(group[11], b'-');
/// }
/// ```
pub fn digit_groups_of_lanes<const GROUPS: usize>(
    lanes: &[Stream; LANES],
    groups: &mut [[[u8; GROUP_BYTES]; GROUPS]; LANES],
) {
    if !draw_widely(lanes, groups) {
        for (lane, groups) in lanes.iter().zip(groups) {
            let mut stream = lane.clone();
            for [digits @ .., dash] in groups {
                digits.fill_with(|| b'0' + stream.digit());
                *dash = b'-';
            }
        }
    }
}

/// Uses the widest registers available. Returns false if a digit isn't certain.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "instructions that not every processor has")]
fn draw_widely<const GROUPS: usize>(
    lanes: &[Stream; LANES],
    groups: &mut [[[u8; GROUP_BYTES]; GROUPS]; LANES],
) -> bool {
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    fn by_512_bits<const GROUPS: usize>(
        lanes: &[Stream; LANES],
        groups: &mut [[[u8; GROUP_BYTES]; GROUPS]; LANES],
    ) -> bool {
        draw(lanes, groups)
    }
    #[target_feature(enable = "avx2")]
    fn by_256_bits<const GROUPS: usize>(
        lanes: &[Stream; LANES],
        groups: &mut [[[u8; GROUP_BYTES]; GROUPS]; LANES],
    ) -> bool {
        draw(lanes, groups)
    }
    let has_512_bits = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw");
    if has_512_bits {
        // SAFETY: the processor supports every feature that the function is compiled for.
        return unsafe { by_512_bits(lanes, groups) };
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        return unsafe { by_256_bits(lanes, groups) };
    }
    draw(lanes, groups)
}

#[cfg(not(target_arch = "x86_64"))]
fn draw_widely<const GROUPS: usize>(
    lanes: &[Stream; LANES],
    groups: &mut [[[u8; GROUP_BYTES]; GROUPS]; LANES],
) -> bool {
    draw(lanes, groups)
}

/// Advances all lanes step by step. Returns false if the upper half of a draw doesn't decide its digit.
#[expect(
    clippy::needless_range_loop,
    reason = "a group is the same place in the text of every lane"
)]
#[inline(always)]
fn draw<const GROUPS: usize>(
    lanes: &[Stream; LANES],
    groups: &mut [[[u8; GROUP_BYTES]; GROUPS]; LANES],
) -> bool {
    let mut first = std::array::from_fn(|lane| lanes[lane].state()[0]);
    let mut second = std::array::from_fn(|lane| lanes[lane].state()[1]);
    let mut doubts = [0; LANES];
    for group in 0..GROUPS {
        let eight = draw_words::<FIRST_DIGITS>(&mut first, &mut second, &mut doubts);
        let three = draw_words::<LAST_DIGITS>(&mut first, &mut second, &mut doubts);
        for lane in 0..LANES {
            let place = &mut groups[lane][group];
            let characters = eight[lane] | FIRST_CHARACTERS;
            place[..FIRST_DIGITS].copy_from_slice(&characters.to_le_bytes());
            let characters = three[lane] as u32 | LAST_CHARACTERS;
            place[FIRST_DIGITS..].copy_from_slice(&characters.to_le_bytes());
        }
    }
    doubts.iter().all(|doubt| doubt >> 32 == 0)
}

/// Returns so many digits of each lane, the first one in the lowest byte.
///
/// The upper 32 bits of a draw give its digit, unless ten times their value is so close to the next digit that the
/// lower bits, or the rounding of a double, could change it. A carry into the 33rd bit marks this doubt. The
/// operations are chosen so that one instruction of AVX-512 does two of them.
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
            doubts[lane] |= product ^ (product + NEAR);
            let shifted = match 8 * place {
                up @ 32.. => product << (up - 32),
                up => product >> (32 - up),
            };
            words[lane] |= shifted & (0xf << (8 * place));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    type Groups = [[[u8; GROUP_BYTES]; 15]; LANES];

    const EMPTY: Groups = [[[0; GROUP_BYTES]; 15]; LANES];

    fn one_by_one(lanes: &[Stream; LANES]) -> Groups {
        std::array::from_fn(|lane| {
            let mut stream = lanes[lane].clone();
            std::array::from_fn(|_| {
                let mut group = [b'-'; GROUP_BYTES];
                group[..11].fill_with(|| b'0' + stream.digit());
                group
            })
        })
    }

    fn lanes(seed: u64) -> [Stream; LANES] {
        std::array::from_fn(|lane| Stream::from_state([seed, lane as u64 + 1]))
    }

    #[test]
    fn every_lane_has_the_digits_of_its_stream_whatever_the_registers() {
        for seed in 0..200 {
            let (lanes, mut digits) = (lanes(seed), EMPTY);
            digit_groups_of_lanes(&lanes, &mut digits);
            assert!(digits == one_by_one(&lanes), "{seed}");
            let mut narrow = EMPTY;
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
            assert!(!draw(&lanes, &mut EMPTY.clone()));
            let mut digits = EMPTY;
            digit_groups_of_lanes(&lanes, &mut digits);
            assert_eq!(digits[5][0][0], digit);
            assert!(digits == one_by_one(&lanes));
        }
    }
}
