//! Draws decimal digits of sixteen streams in parallel.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod words;

use crate::Stream;

/// Streams that are drawn from at a time: they fill the registers of the widest processors.
pub const LANES: usize = 16;

/// Bytes of a group: a dash and eleven digits.
pub const GROUP_BYTES: usize = 12;

/// Digits of a group.
const DIGITS: usize = GROUP_BYTES - 1;

/// Digits of a group that are written behind the dash as its first word, and as its second one.
const FIRST_DIGITS: usize = 3;
const LAST_DIGITS: usize = 8;

/// Turns three digits that a dash stands before, and eight, into ASCII.
const FIRST_CHARACTERS: u32 = u32::from_le_bytes([b'-', b'0', b'0', b'0']);
const LAST_CHARACTERS: u64 = u64::from_le_bytes([b'0'; LAST_DIGITS]);

/// Writes the first digits of each stream into the end of its row, in groups of eleven, in ASCII and with a dash before
/// each group: as many calls of [`Stream::digit`] give the same digits, with `b'0'` added. The four bytes before the
/// groups are overwritten.
///
/// One stream alone waits for each of its steps; several wait together. A processor with registers of 512 bits takes
/// the steps of eight streams at once, one with registers of 256 bits those of four. On others, four streams go through
/// the ordinary registers, and the digits of many draws are computed together. AMD's first EPYC takes 0.19 µs for 165
/// digits this way, 0.25 by registers of 256 bits; a processor with AVX-512 takes 25 ns.
///
/// ```
/// use dbdyno_chance::{LANES, Stream, digit_groups_of_lanes};
///
/// let lanes: [Stream; LANES] = std::array::from_fn(|lane| Stream::from_state([lane as u64 + 1, 2]));
/// let mut rows = [[0; 5 + 2 * 12]; LANES];
/// digit_groups_of_lanes::<2, 29>(&lanes, &mut rows);
/// let mut seventh = lanes[7].clone();
/// for group in rows[7][5..].chunks(12) {
///     assert_eq!(group[0], b'-');
///     assert!(group[1..].iter().all(|digit| *digit == b'0' + seventh.digit()));
/// }
/// ```
pub fn digit_groups_of_lanes<const GROUPS: usize, const BYTES: usize>(
    lanes: &[Stream; LANES],
    rows: &mut [[u8; BYTES]; LANES],
) {
    #[cfg(target_arch = "x86_64")]
    {
        let has_512_bits = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw");
        if has_512_bits {
            #[expect(unsafe_code, reason = "instructions that not every processor has")]
            // SAFETY: the processor supports every feature that the function is compiled for.
            return unsafe { avx512::draw_by_512_bits::<GROUPS, BYTES>(lanes, rows) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            #[expect(unsafe_code, reason = "instructions that not every processor has")]
            // SAFETY: as above.
            return unsafe {
                match *avx2::IS_HALVED {
                    true => words::draw_with_bmi2::<GROUPS, BYTES>(lanes, rows),
                    false => avx2::draw::<GROUPS, BYTES>(lanes, rows),
                }
            };
        }
    }
    words::draw::<GROUPS, BYTES>(lanes, rows);
}

/// Returns the place of a group in a row.
#[inline(always)]
fn place<const GROUPS: usize, const BYTES: usize>(
    row: &mut [u8; BYTES],
    group: usize,
) -> &mut [u8; GROUP_BYTES] {
    let start = BYTES - GROUPS * GROUP_BYTES + group * GROUP_BYTES;
    let place = row[start..].first_chunk_mut();
    place.expect("the row has room for its groups")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: usize = 15;
    const BYTES: usize = 8 + GROUPS * GROUP_BYTES;
    type Rows = [[u8; BYTES]; LANES];
    type Draw = fn(&[Stream; LANES], &mut Rows);

    /// Returns every way that this processor has.
    fn ways() -> Vec<Draw> {
        let mut ways: Vec<Draw> = vec![
            digit_groups_of_lanes::<GROUPS, BYTES>,
            words::draw::<GROUPS, BYTES>,
        ];
        #[cfg(target_arch = "x86_64")]
        // The loops that become wide instructions, in instructions of any processor.
        ways.push(avx512::draw::<GROUPS, BYTES>);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "instructions that not every processor has")]
            // SAFETY: the processor has been asked for them.
            ways.push(|lanes, rows| unsafe { avx2::draw::<GROUPS, BYTES>(lanes, rows) });
        }
        ways
    }

    /// Returns rows without what stands before their groups, which may have been overwritten.
    fn groups(mut rows: Rows) -> Rows {
        rows.iter_mut().for_each(|row| row[..8].fill(0));
        rows
    }

    fn one_by_one(lanes: &[Stream; LANES]) -> Rows {
        let mut rows = [[0; BYTES]; LANES];
        for (row, lane) in rows.iter_mut().zip(lanes) {
            let mut stream = lane.clone();
            for [dash, digits @ ..] in row[8..].as_chunks_mut::<GROUP_BYTES>().0 {
                *dash = b'-';
                digits.fill_with(|| b'0' + stream.digit());
            }
        }
        rows
    }

    fn lanes(seed: u64) -> [Stream; LANES] {
        std::array::from_fn(|lane| Stream::from_state([seed, lane as u64 + 1]))
    }

    #[test]
    fn every_lane_has_the_digits_of_its_stream_whatever_the_registers() {
        for seed in 0..200 {
            let lanes = lanes(seed);
            for draw in ways() {
                let mut rows = [[b'#'; BYTES]; LANES];
                draw(&lanes, &mut rows);
                assert!(groups(rows) == one_by_one(&lanes), "{seed}");
            }
        }
    }

    #[test]
    fn a_draw_that_its_upper_bits_do_not_decide_is_decided_by_all_of_it() {
        // Draws right below a tenth and at it: their upper bits are the same, their digits are not.
        let tenth = u64::MAX / 10 + 1;
        for (drawn, digit) in [(tenth - (1 << 14), b'0'), (tenth + (1 << 12), b'1')] {
            let mut lanes = lanes(3);
            lanes[5] = Stream::from_state([drawn, 0]);
            for draw in ways() {
                let mut rows = [[b'#'; BYTES]; LANES];
                draw(&lanes, &mut rows);
                assert_eq!(rows[5][9], digit);
                assert!(groups(rows) == one_by_one(&lanes));
            }
        }
    }
}
