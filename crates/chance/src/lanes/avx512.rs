//! Draws by registers of 512 bits, which a compiler fills from loops over all lanes.

use super::words::draw_one_by_one;
use super::{FIRST_CHARACTERS, FIRST_DIGITS, LANES, LAST_CHARACTERS, LAST_DIGITS, place};
use crate::Stream;

/// Draws with the instructions for which the loops are written.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
pub(super) fn draw_by_512_bits<const GROUPS: usize, const BYTES: usize>(
    lanes: &[Stream; LANES],
    rows: &mut [[u8; BYTES]; LANES],
) {
    draw::<GROUPS, BYTES>(lanes, rows);
}

/// Advances all lanes step by step. If the upper half of a draw doesn't decide its digit, all are drawn anew.
#[inline(always)]
pub(super) fn draw<const GROUPS: usize, const BYTES: usize>(
    lanes: &[Stream; LANES],
    rows: &mut [[u8; BYTES]; LANES],
) {
    let mut first = std::array::from_fn(|lane| lanes[lane].state()[0]);
    let mut second = std::array::from_fn(|lane| lanes[lane].state()[1]);
    let mut doubts = [0; LANES];
    for group in 0..GROUPS {
        let three = draw_words::<FIRST_DIGITS>(&mut first, &mut second, &mut doubts);
        let eight = draw_words::<LAST_DIGITS>(&mut first, &mut second, &mut doubts);
        for lane in 0..LANES {
            let place = place::<GROUPS, BYTES>(&mut rows[lane], group);
            let (three, eight) = ((three[lane] as u32) << 8, eight[lane]);
            place[..=FIRST_DIGITS].copy_from_slice(&(three | FIRST_CHARACTERS).to_le_bytes());
            place[FIRST_DIGITS + 1..].copy_from_slice(&(eight | LAST_CHARACTERS).to_le_bytes());
        }
    }
    if doubts.iter().any(|doubt| doubt >> 32 != 0) {
        for (lane, row) in lanes.iter().zip(rows) {
            draw_one_by_one::<GROUPS, BYTES>(lane, row);
        }
    }
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
