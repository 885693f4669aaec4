//! Draws by registers of 256 bits.
//!
//! Only 16 bits of each draw are looked at, so that four draws of a stream fit into one word before anything is computed
//! of them.

use super::{
    FIRST_CHARACTERS, FIRST_DIGITS, GROUP_BYTES, LANES, LAST_CHARACTERS, LAST_DIGITS, place,
};
use crate::Stream;
use std::arch::x86_64::{
    __cpuid, __m256i, _mm_cvtsi128_si64, _mm_extract_epi64, _mm256_add_epi64, _mm256_blend_epi16,
    _mm256_castsi256_si128, _mm256_cmpeq_epi16, _mm256_extracti128_si256, _mm256_max_epu16,
    _mm256_movemask_epi8, _mm256_mulhi_epu16, _mm256_mullo_epi16, _mm256_or_si256,
    _mm256_set_epi64x, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_slli_epi16,
    _mm256_slli_epi64, _mm256_srli_epi64, _mm256_xor_si256,
};
use std::sync::LazyLock;

/// Streams in a register, and registers that are worked on at a time: while one waits for a step, the other goes on.
const WIDTH: usize = 4;
const REGISTERS: usize = 2;

/// Whether the processor works on such a register in two halves, as AMD's first EPYC and Ryzen do: then nothing is
/// gained over the ordinary registers, which can rotate.
pub(super) static IS_HALVED: LazyLock<bool> = LazyLock::new(|| {
    const AUTHENTIC_AMD: [u32; 3] = [0x6874_7541, 0x6974_6e65, 0x444d_4163];
    let (vendor, version) = (__cpuid(0), __cpuid(1).eax);
    let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
    let model = (version >> 4 & 0xf) | (version >> 12 & 0xf0);
    [vendor.ebx, vendor.edx, vendor.ecx] == AUTHENTIC_AMD && family == 0x17 && model < 0x30
});

/// The two words of the state of some streams.
#[derive(Clone, Copy)]
struct States {
    first: __m256i,
    second: __m256i,
}

/// Writes the digits of all streams.
#[target_feature(enable = "avx2")]
pub(super) fn draw<const GROUPS: usize, const BYTES: usize>(
    lanes: &[Stream; LANES],
    rows: &mut [[u8; BYTES]; LANES],
) {
    let lanes = lanes.as_chunks::<{ REGISTERS * WIDTH }>().0;
    for (lanes, rows) in lanes.iter().zip(rows.as_chunks_mut().0) {
        draw_together::<GROUPS, BYTES>(lanes, rows);
    }
}

#[target_feature(enable = "avx2")]
fn draw_together<const GROUPS: usize, const BYTES: usize>(
    lanes: &[Stream; REGISTERS * WIDTH],
    rows: &mut [[u8; BYTES]; REGISTERS * WIDTH],
) {
    let mut states: [States; REGISTERS] = std::array::from_fn(|register| {
        let state = |lane: usize| lanes[register * WIDTH + lane].state();
        let word = |word: usize| {
            let of = |lane| state(lane)[word].cast_signed();
            _mm256_set_epi64x(of(3), of(2), of(1), of(0))
        };
        States {
            first: word(0),
            second: word(1),
        }
    });
    for group in 0..GROUPS {
        for register in 0..REGISTERS {
            let before = states[register];
            let mut doubts = _mm256_setzero_si256();
            let state = &mut states[register];
            let three = words(draw_three(state, &mut doubts));
            let eight = words(draw_eight(state, &mut doubts));
            let rows = &mut rows[register * WIDTH..][..WIDTH];
            let places = rows
                .iter_mut()
                .map(|row| place::<GROUPS, BYTES>(row, group));
            for (place, (three, eight)) in places.zip(three.into_iter().zip(eight)) {
                let three = (three as u32) << 8 | FIRST_CHARACTERS;
                let eight = eight | LAST_CHARACTERS;
                place[..=FIRST_DIGITS].copy_from_slice(&three.to_le_bytes());
                place[FIRST_DIGITS + 1..].copy_from_slice(&eight.to_le_bytes());
            }
            if has_doubt(doubts) {
                let places = rows
                    .iter_mut()
                    .map(|row| place::<GROUPS, BYTES>(row, group));
                draw_one_by_one(before, places);
            }
        }
    }
}

/// Returns whether the other bits of a draw could change a digit: ten times these come to less than ten.
#[target_feature(enable = "avx2")]
#[inline]
fn has_doubt(doubts: __m256i) -> bool {
    let least = _mm256_set1_epi16((u16::MAX - 9).cast_signed());
    let doubtful = _mm256_cmpeq_epi16(_mm256_max_epu16(doubts, least), doubts);
    _mm256_movemask_epi8(doubtful) != 0
}

/// Writes a group of each stream anew, from all bits of the draws: of four groups in 150.
#[cold]
#[target_feature(enable = "avx2")]
fn draw_one_by_one<'a>(states: States, groups: impl Iterator<Item = &'a mut [u8; GROUP_BYTES]>) {
    let states = words(states.first).into_iter().zip(words(states.second));
    for ((first, second), [_, digits @ ..]) in states.zip(groups) {
        let mut stream = Stream::from_state([first, second]);
        digits.fill_with(|| b'0' + stream.digit());
    }
}

/// Advances by one draw, and returns it.
#[target_feature(enable = "avx2")]
#[inline]
fn next(states: &mut States) -> __m256i {
    let States { first, second } = *states;
    let mixed = _mm256_xor_si256(first, second);
    let rotated = _mm256_xor_si256(
        _mm256_slli_epi64::<55>(first),
        _mm256_srli_epi64::<9>(first),
    );
    let mixed_more = _mm256_xor_si256(mixed, _mm256_slli_epi64::<14>(mixed));
    *states = States {
        first: _mm256_xor_si256(rotated, mixed_more),
        second: _mm256_or_si256(
            _mm256_slli_epi64::<36>(mixed),
            _mm256_srli_epi64::<28>(mixed),
        ),
    };
    _mm256_add_epi64(first, second)
}

#[target_feature(enable = "avx2")]
#[inline]
fn draw_eight(states: &mut States, doubts: &mut __m256i) -> __m256i {
    let draws: [__m256i; LAST_DIGITS] = std::array::from_fn(|_| next(states));
    let even = pack(draws[0], draws[2], draws[4], draws[6]);
    let odd = pack(draws[1], draws[3], draws[5], draws[7]);
    digits(even, odd, doubts)
}

#[target_feature(enable = "avx2")]
#[inline]
fn draw_three(states: &mut States, doubts: &mut __m256i) -> __m256i {
    let draws: [__m256i; FIRST_DIGITS] = std::array::from_fn(|_| next(states));
    let even = _mm256_blend_epi16::<0b0010_0010>(
        _mm256_srli_epi64::<48>(draws[0]),
        _mm256_srli_epi64::<32>(draws[2]),
    );
    digits(even, _mm256_srli_epi64::<48>(draws[1]), doubts)
}

/// Returns the upper 16 bits of four draws, the first ones lowest.
#[target_feature(enable = "avx2")]
#[inline]
fn pack(first: __m256i, second: __m256i, third: __m256i, fourth: __m256i) -> __m256i {
    let two = _mm256_blend_epi16::<0b0010_0010>(
        _mm256_srli_epi64::<48>(first),
        _mm256_srli_epi64::<32>(second),
    );
    let four = _mm256_blend_epi16::<0b1000_1000>(_mm256_srli_epi64::<16>(third), fourth);
    _mm256_blend_epi16::<0b1100_1100>(two, four)
}

/// Returns the digits of draws, those of `odd` behind those of `even`.
#[target_feature(enable = "avx2")]
#[inline]
fn digits(even: __m256i, odd: __m256i, doubts: &mut __m256i) -> __m256i {
    let ten = _mm256_set1_epi16(10);
    for halves in [even, odd] {
        *doubts = _mm256_max_epu16(*doubts, _mm256_mullo_epi16(halves, ten));
    }
    _mm256_or_si256(
        _mm256_mulhi_epu16(even, ten),
        _mm256_slli_epi16::<8>(_mm256_mulhi_epu16(odd, ten)),
    )
}

#[target_feature(enable = "avx2")]
#[inline]
fn words(register: __m256i) -> [u64; WIDTH] {
    let (low, high) = (
        _mm256_castsi256_si128(register),
        _mm256_extracti128_si256::<1>(register),
    );
    [
        _mm_cvtsi128_si64(low),
        _mm_extract_epi64::<1>(low),
        _mm_cvtsi128_si64(high),
        _mm_extract_epi64::<1>(high),
    ]
    .map(i64::cast_unsigned)
}
