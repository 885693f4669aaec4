//! Draws values of the columns c and pad: groups of eleven random digits, joined by dashes.

use dbdyno_chance::{RandomKind, Stream};

/// Characters of c: ten groups.
pub(crate) const C_LENGTH: usize = 10 * GROUP + 9;
/// Characters of pad: five groups.
pub(crate) const PAD_LENGTH: usize = 5 * GROUP + 4;
/// Groups of c and pad together.
pub(super) const GROUPS_A_ROW: usize = 15;
/// Draws that sysbench needs for c and pad together: one a digit.
pub(crate) const DIGITS_A_ROW: u32 = (GROUPS_A_ROW * GROUP) as u32;

/// Characters of c and pad together, a dash before each.
pub(super) const TEXT_BYTES: usize = (GROUP + 1) * GROUPS_A_ROW;

const GROUP: usize = 11;
const GROUP_VALUES: u64 = 100_000_000_000;

/// Fills `out`, as long as c or pad is, with fresh digits.
///
/// sysbench spends a draw on every digit. dbdyno's own generator takes a whole group from one draw, which is as even
/// (to 5 parts in 10^9) and eleven times cheaper.
#[inline]
pub(crate) fn fill(stream: &mut Stream, kind: RandomKind, out: &mut [u8]) {
    for group in out.chunks_mut(GROUP + 1) {
        if let Some(dash) = group.get_mut(GROUP) {
            *dash = b'-';
        }
        let digits = &mut group[..GROUP];
        match kind {
            RandomKind::Sysbench => digits
                .iter_mut()
                .for_each(|digit| *digit = b'0' + stream.digit()),
            RandomKind::Dbdyno => write_group(group_value(stream), digits),
        }
    }
}

/// Numbers of four digits that a group is written as: the first one has the dash and three.
const FOURS_A_GROUP: usize = 3;

/// Numbers that are written at a time, in whole registers of any processor: those of a row, and some that nobody needs.
pub(super) const FOURS_A_ROW: usize = 48;

/// Draws the groups of c and pad of a row of dbdyno's generator, as numbers of four digits for [`write_fours`].
///
/// Where a number of eleven digits is the upper half of a product, so are its first three digits, and the lower half is
/// what the others follow from in the same way: no division.
#[inline]
pub(super) fn draw_fours(stream: &mut Stream, fours: &mut [u16; FOURS_A_ROW]) {
    for fours in &mut fours.as_chunks_mut::<FOURS_A_GROUP>().0[..GROUPS_A_ROW] {
        let (first, rest) = upper_digits(stream.next_u64(), 1_000);
        let (second, rest) = upper_digits(rest, 10_000);
        let (third, _) = upper_digits(rest, 10_000);
        *fours = [first, second, third];
    }
}

/// Returns the leading digits of a fraction of 2^64, and the fraction that follows them.
#[inline]
fn upper_digits(fraction: u64, values: u64) -> (u16, u64) {
    let product = u128::from(fraction) * u128::from(values);
    ((product >> 64) as u16, product as u64)
}

/// Writes groups of the digits that [`fill`] would write too, a dash before each. A compiler makes wide instructions of
/// loops over 16-bit words.
#[inline]
pub(super) fn write_fours(fours: &[u16; FOURS_A_ROW], text: &mut [u8; TEXT_BYTES]) {
    /// Characters for zeros: the one before three digits is a dash.
    const ZEROS: [u16; 2 * FOURS_A_ROW] = {
        let mut zeros = [u16::from_le_bytes([b'0', b'0']); 2 * FOURS_A_ROW];
        let mut at = 0;
        while at < zeros.len() {
            zeros[at] = u16::from_le_bytes([b'-', b'0']);
            at += 2 * FOURS_A_GROUP;
        }
        zeros
    };
    let mut twos = [0_u16; 2 * FOURS_A_ROW];
    for (at, four) in fours.iter().enumerate() {
        let hundreds = ((u32::from(*four) * 5_243) >> 19) as u16; // a four-digit number / 100
        twos[2 * at] = hundreds;
        twos[2 * at + 1] = four - 100 * hundreds;
    }
    let mut digits = [[0; 2]; 2 * FOURS_A_ROW];
    for at in 0..digits.len() {
        let two = twos[at];
        let tens = (two * 103) >> 10; // a two-digit number / 10
        digits[at] = ((tens | (two - 10 * tens) << 8) + ZEROS[at]).to_le_bytes();
    }
    text.copy_from_slice(&digits.as_flattened()[..TEXT_BYTES]);
}

/// Returns a number of eleven digits: the upper half of the product (D. Lemire, 2019).
#[inline]
fn group_value(stream: &mut Stream) -> u64 {
    let product = u128::from(stream.next_u64()) * u128::from(GROUP_VALUES);
    (product >> 64) as u64
}

/// Writes the eleven digits.
#[inline]
fn write_group(value: u64, digits: &mut [u8]) {
    let (upper, lower) = (value / 100_000_000, value % 100_000_000);
    digits[..3].copy_from_slice(&TRIPLES[upper as usize]);
    digits[3..GROUP].copy_from_slice(&eight_digits(lower as u32));
}

/// Returns eight digits without a loop: the number is halved three times, into fields of a word that are worked on
/// together.
#[inline]
fn eight_digits(number: u32) -> [u8; 8] {
    let number = u64::from(number);
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 5_243) >> 19) & 0x0000_007f_0000_007f; // a four-digit number / 100
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f; // a two-digit number / 10
    let ones = tens | ((twos - 10 * tens) << 8);
    (ones + 0x3030_3030_3030_3030).to_le_bytes()
}

/// "000" to "999".
static TRIPLES: [[u8; 3]; 1000] = {
    let mut triples = [[0; 3]; 1000];
    let mut number = 0;
    while number < 1000 {
        triples[number] = [
            b'0' + (number / 100) as u8,
            b'0' + (number / 10 % 10) as u8,
            b'0' + (number % 10) as u8,
        ];
        number += 1;
    }
    triples
};

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_chance::RandomSource;

    fn value<const LENGTH: usize>(kind: RandomKind) -> String {
        let source = RandomSource { kind, seed: 1 };
        let mut out = [0; LENGTH];
        fill(&mut source.worker("text", 0), kind, &mut out);
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn the_first_c_of_seed_one_is_that_of_sysbench() {
        let c = value::<C_LENGTH>(RandomKind::Sysbench);
        assert!(c.starts_with("83868641912-28773972837-60736120486-"), "{c}");
    }

    #[test]
    fn both_generators_make_groups_of_eleven_digits() {
        for kind in [RandomKind::Sysbench, RandomKind::Dbdyno] {
            for (text, groups) in [
                (value::<C_LENGTH>(kind), 10),
                (value::<PAD_LENGTH>(kind), 5),
            ] {
                let lengths: Vec<usize> = text.split('-').map(str::len).collect();
                assert_eq!(lengths, vec![11; groups]);
                assert!(text.bytes().all(|b| b == b'-' || b.is_ascii_digit()));
            }
        }
    }

    #[test]
    fn groups_drawn_together_are_those_drawn_one_by_one() {
        let kind = RandomKind::Dbdyno;
        let seeded = |seed| RandomSource { kind, seed }.worker("text", 0);
        // Draws next to a step of the last digit, from either side, and the ends.
        let near = [0, 1, 500, 99_999, 99_999_999_999].map(|value: u64| {
            let draw = (u128::from(value) << 64).div_ceil(u128::from(GROUP_VALUES)) as u64;
            [draw, draw.wrapping_sub(1)].map(|draw| Stream::from_state([draw, 0]))
        });
        let ends = [Stream::from_state([u64::MAX, 0])];
        let streams = near.into_iter().flatten().chain(ends);
        for stream in streams.chain((0..1000).map(seeded)) {
            let (mut together, mut single) = (stream.clone(), stream);
            let (mut fours, mut text) = ([0; FOURS_A_ROW], [0; TEXT_BYTES]);
            draw_fours(&mut together, &mut fours);
            write_fours(&fours, &mut text);
            for group in text.chunks(GROUP + 1) {
                let mut digits = [0; GROUP];
                fill(&mut single, kind, &mut digits);
                assert_eq!(group.split_first(), Some((&b'-', &digits[..])));
            }
            assert_eq!(together, single);
        }
    }

    #[test]
    fn a_group_keeps_its_leading_zeros() {
        let mut digits = [0; 11];
        write_group(1_203, &mut digits);
        assert_eq!(&digits, b"00000001203");
        write_group(99_999_999_999, &mut digits);
        assert_eq!(&digits, b"99999999999");
    }

    #[test]
    fn eight_digits_are_those_of_the_number() {
        let near = (1..=9_999).flat_map(|part| [part * 10_001, part * 10_000 - 1]);
        for number in near.chain([0, 99_999_999]) {
            assert_eq!(eight_digits(number), format!("{number:08}").as_bytes());
        }
    }

    #[test]
    fn every_digit_of_the_own_generator_is_as_frequent_as_every_other_in_every_place() {
        let kind = RandomKind::Dbdyno;
        let mut stream = RandomSource { kind, seed: 3 }.worker("text", 0);
        let mut tally = [[0_u32; 10]; 11];
        let mut out = [0; 11];
        for _ in 0..100_000 {
            fill(&mut stream, kind, &mut out);
            for (place, digit) in out.iter().enumerate() {
                tally[place][usize::from(digit - b'0')] += 1;
            }
        }
        // Chi-square with 9 degrees of freedom: 45 is exceeded once in a million.
        for counts in tally {
            let chi: f64 = counts
                .iter()
                .map(|n| (f64::from(*n) - 1e4).powi(2) / 1e4)
                .sum();
            assert!(chi < 45.0, "{counts:?}");
        }
    }
}
