//! Computes CRC-32 sums of texts of some dozen bytes, as SQL's CRC32 has them.

use dbdyno_chance::LANES;

/// Bytes that are folded at a time.
#[cfg(target_arch = "x86_64")]
const BLOCK: usize = 16;

/// Texts that are worked on at a time.
#[cfg(target_arch = "x86_64")]
const TOGETHER: usize = 4;

/// Bytes into which the sum's initial value goes.
#[cfg(target_arch = "x86_64")]
const INITIAL_BYTES: usize = 4;

/// Computes the CRC-32 of each text, several texts at a time: one alone waits for each of its products.
///
/// `crc32fast` goes through less than 128 bytes by tables; the columns of sysbench are shorter than that.
#[inline]
pub(super) fn crc32_of_lanes<const LENGTH: usize>(texts: [&[u8; LENGTH]; LANES]) -> [u32; LANES] {
    #[cfg(target_arch = "x86_64")]
    if LENGTH > BLOCK && LENGTH % BLOCK >= INITIAL_BYTES {
        let has_wide_products = is_x86_feature_detected!("vpclmulqdq")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw");
        let has_products =
            is_x86_feature_detected!("pclmulqdq") && is_x86_feature_detected!("sse4.1");
        if has_wide_products || has_products {
            let mut sums = [0; LANES];
            let fours = texts.as_chunks::<TOGETHER>().0;
            for (four, texts) in sums.as_chunks_mut::<TOGETHER>().0.iter_mut().zip(fours) {
                #[expect(unsafe_code, reason = "instructions that not every processor has")]
                // SAFETY: the processor has been asked for every feature that the functions are compiled for.
                let folded = unsafe {
                    match has_wide_products {
                        true => folded_by_fours(texts),
                        false => folded(texts),
                    }
                };
                *four = folded;
            }
            return sums;
        }
    }
    texts.map(|text| crc32fast::hash(text))
}

/// Folds as [`folded`], in each quarter of a register.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
#[expect(unsafe_code, reason = "registers are filled from memory")]
fn folded_by_fours<const LENGTH: usize>(texts: &[&[u8; LENGTH]; TOGETHER]) -> [u32; TOGETHER] {
    /// In a shuffle, the place of a zero.
    const ZERO: u8 = 0x80;
    use std::arch::x86_64::{
        __m128i, __m512i, _mm_loadu_si128, _mm_set_epi64x, _mm512_and_si512,
        _mm512_broadcast_i32x4, _mm512_bsrli_epi128, _mm512_castsi128_si512,
        _mm512_clmulepi64_epi128, _mm512_inserti32x4, _mm512_loadu_si512, _mm512_shuffle_epi8,
        _mm512_storeu_si512, _mm512_xor_si512,
    };
    let in_each = |high: i64, low: i64| _mm512_broadcast_i32x4(_mm_set_epi64x(high, low));
    let block = |text: &[u8; LENGTH], at: usize| -> __m128i {
        let bytes: &[u8] = &text[at..at + BLOCK];
        // SAFETY: there are as many bytes as the register takes.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    };
    let blocks = |at: usize| -> __m512i {
        let four = _mm512_castsi128_si512(block(texts[0], at));
        let four = _mm512_inserti32x4::<1>(four, block(texts[1], at));
        let four = _mm512_inserti32x4::<2>(four, block(texts[2], at));
        _mm512_inserti32x4::<3>(four, block(texts[3], at))
    };
    let rest = LENGTH % BLOCK;
    let zeros = BLOCK - rest;
    let places: [u8; 4 * BLOCK] = std::array::from_fn(|place| match place % BLOCK {
        place if place < zeros => ZERO,
        place => (place - zeros) as u8,
    });
    // SAFETY: there are as many bytes as the register takes.
    let places = unsafe { _mm512_loadu_si512(places.as_ptr().cast()) };
    let initial = u128::from(u32::MAX) << (8 * zeros);
    let initial = in_each((initial >> 64) as i64, initial as i64);

    let by_block = in_each(0x0_ccaa_009e, 0x1_7519_97d0);
    let by_half = in_each(0, 0x1_63cd_6124);
    let division = in_each(0x1_f701_1641, 0x1_db71_0641);
    let low_32_bits = in_each(0, 0xffff_ffff);

    let mut sum = _mm512_xor_si512(_mm512_shuffle_epi8(blocks(0), places), initial);
    for at in (rest..LENGTH).step_by(BLOCK) {
        let low = _mm512_clmulepi64_epi128::<0x00>(sum, by_block);
        let high = _mm512_clmulepi64_epi128::<0x11>(sum, by_block);
        sum = _mm512_xor_si512(_mm512_xor_si512(low, high), blocks(at));
    }
    let sum = _mm512_xor_si512(
        _mm512_clmulepi64_epi128::<0x10>(sum, by_block),
        _mm512_bsrli_epi128::<8>(sum),
    );
    let sum = _mm512_xor_si512(
        _mm512_clmulepi64_epi128::<0x00>(_mm512_and_si512(sum, low_32_bits), by_half),
        _mm512_bsrli_epi128::<4>(sum),
    );
    let low = _mm512_and_si512(sum, low_32_bits);
    let quotient = _mm512_clmulepi64_epi128::<0x10>(low, division);
    let low = _mm512_and_si512(quotient, low_32_bits);
    let product = _mm512_clmulepi64_epi128::<0x00>(low, division);
    let mut words = [0_u32; 16];
    // SAFETY: there is room for as many bytes as the register has.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), _mm512_xor_si512(product, sum)) };
    std::array::from_fn(|text| !words[4 * text + 1])
}

/// Computes it by products of polynomials (V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using
/// PCLMULQDQ Instruction", Intel 2009). The text is longer than a block, and the rest of its length over blocks is not
/// shorter than the initial value. Zeros in front don't change a sum that begins with zero, so they fill up the first
/// block; the initial value is added to the first bytes of the text.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "pclmulqdq,sse4.1")]
fn folded<const LENGTH: usize>(texts: &[&[u8; LENGTH]; TOGETHER]) -> [u32; TOGETHER] {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_clmulepi64_si128, _mm_extract_epi32, _mm_set_epi32,
        _mm_set_epi64x, _mm_srli_si128, _mm_xor_si128,
    };
    #[target_feature(enable = "sse4.1")]
    #[inline]
    fn register(block: u128) -> __m128i {
        _mm_set_epi64x((block >> 64) as i64, block as i64)
    }
    let block = |bytes: &[u8]| {
        bytes
            .first_chunk()
            .map_or(0, |bytes| u128::from_le_bytes(*bytes))
    };
    let rest = LENGTH % BLOCK;
    let zeros = 8 * (BLOCK - rest);
    let initial = u128::from(u32::MAX) << zeros;

    // Powers of x modulo the polynomial, and what divides by it: bits in reverse order, as those of the text.
    let by_block = _mm_set_epi64x(0x0_ccaa_009e, 0x1_7519_97d0);
    let by_half = _mm_set_epi64x(0, 0x1_63cd_6124);
    let division = _mm_set_epi64x(0x1_f701_1641, 0x1_db71_0641);
    let low_32_bits = _mm_set_epi32(0, 0, 0, -1);

    let mut sums = texts.map(|text| register((block(text) << zeros) ^ initial));
    for at in (rest..LENGTH).step_by(BLOCK) {
        for (sum, text) in sums.iter_mut().zip(texts) {
            let low = _mm_clmulepi64_si128(*sum, by_block, 0x00);
            let high = _mm_clmulepi64_si128(*sum, by_block, 0x11);
            *sum = _mm_xor_si128(_mm_xor_si128(low, high), register(block(&text[at..])));
        }
    }
    sums.map(|sum| {
        let sum = _mm_xor_si128(
            _mm_clmulepi64_si128(sum, by_block, 0x10),
            _mm_srli_si128(sum, 8),
        );
        let sum = _mm_xor_si128(
            _mm_clmulepi64_si128(_mm_and_si128(sum, low_32_bits), by_half, 0x00),
            _mm_srli_si128(sum, 4),
        );
        let quotient = _mm_clmulepi64_si128(_mm_and_si128(sum, low_32_bits), division, 0x10);
        let product = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_32_bits), division, 0x00);
        !(_mm_extract_epi32(_mm_xor_si128(product, sum), 1) as u32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_many_texts_at_a_time_are_those_of_each() {
        fn same<const LENGTH: usize>(bytes: &[u8]) {
            let texts: [&[u8; LENGTH]; LANES] =
                std::array::from_fn(|lane| bytes[7 * lane..].first_chunk().unwrap());
            assert_eq!(
                crc32_of_lanes(texts),
                texts.map(|text| crc32fast::hash(text)),
                "{LENGTH}"
            );
        }
        let bytes: Vec<u8> = (0..300_u32).map(|at| (at * 167 % 251) as u8).collect();
        same::<119>(&bytes);
        same::<59>(&bytes);
        same::<20>(&bytes);
        same::<35>(&bytes);
        same::<64>(&bytes);
        same::<9>(&bytes);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn sums_by_single_products_are_the_same() {
        if !is_x86_feature_detected!("pclmulqdq") || !is_x86_feature_detected!("sse4.1") {
            return;
        }
        fn same<const LENGTH: usize>(bytes: &[u8]) {
            let texts: [&[u8; LENGTH]; TOGETHER] =
                std::array::from_fn(|text| bytes[11 * text..].first_chunk().unwrap());
            #[expect(unsafe_code, reason = "instructions that not every processor has")]
            // SAFETY: the processor has been asked for them.
            let sums = unsafe { folded(&texts) };
            assert_eq!(sums, texts.map(|text| crc32fast::hash(text)), "{LENGTH}");
        }
        let bytes: Vec<u8> = (0..300_u32).map(|at| (at * 167 % 251) as u8).collect();
        same::<119>(&bytes);
        same::<59>(&bytes);
        same::<20>(&bytes);
        same::<47>(&bytes);
    }

    #[test]
    fn the_sum_of_a_known_text_is_the_published_one() {
        let text = b"The quick brown fox jumps over the lazy dog";
        assert_eq!(crc32_of_lanes([text; LANES]), [0x414f_a339; LANES]);
        assert_eq!(crc32_of_lanes([b"123456789"; LANES]), [0xcbf4_3926; LANES]);
    }
}
