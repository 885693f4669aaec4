//! Computes CRC-32 sums of texts of some dozen bytes, as SQL's CRC32 has them.

/// Bytes that are folded at a time.
#[cfg(target_arch = "x86_64")]
const BLOCK: usize = 16;

/// Bytes into which the sum's initial value goes.
#[cfg(target_arch = "x86_64")]
const INITIAL_BYTES: usize = 4;

/// The CRC-32 of a text.
///
/// `crc32fast` goes through less than 128 bytes by tables; the columns of sysbench are shorter than that.
#[inline]
pub(super) fn crc32(text: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if text.len() > BLOCK
        && text.len() % BLOCK >= INITIAL_BYTES
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("sse4.1")
    {
        #[expect(unsafe_code, reason = "instructions that not every processor has")]
        // SAFETY: the processor has been asked for every feature that the function is compiled for.
        return unsafe { folded(text) };
    }
    crc32fast::hash(text)
}

/// By products of polynomials (V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
/// Instruction", Intel 2009). The text is longer than a block, and the rest of its length over blocks is not shorter than
/// the initial value. Zeros in front don't change a sum that begins with zero, so they fill up the first block; the
/// initial value is added to the first bytes of the text.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "pclmulqdq,sse4.1")]
fn folded(text: &[u8]) -> u32 {
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
    let rest = text.len() % BLOCK;
    let zeros = 8 * (BLOCK - rest);
    let first = (block(text) << zeros) ^ (u128::from(u32::MAX) << zeros);

    // Powers of x modulo the polynomial, and what divides by it: bits in reverse order, as those of the text.
    let by_block = _mm_set_epi64x(0x0_ccaa_009e, 0x1_7519_97d0);
    let by_half = _mm_set_epi64x(0, 0x1_63cd_6124);
    let division = _mm_set_epi64x(0x1_f701_1641, 0x1_db71_0641);
    let low_32_bits = _mm_set_epi32(0, 0, 0, -1);

    let mut sum = register(first);
    for bytes in text[rest..].chunks_exact(BLOCK) {
        let low = _mm_clmulepi64_si128(sum, by_block, 0x00);
        let high = _mm_clmulepi64_si128(sum, by_block, 0x11);
        sum = _mm_xor_si128(_mm_xor_si128(low, high), register(block(bytes)));
    }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_texts_of_all_lengths_are_those_of_the_tables() {
        let text: Vec<u8> = (0..300_u32).map(|at| (at * 167 % 251) as u8).collect();
        for start in [0, 1, 7] {
            for end in start..text.len() {
                let text = &text[start..end];
                assert_eq!(crc32(text), crc32fast::hash(text), "{start}..{end}");
            }
        }
    }

    #[test]
    fn the_sum_of_a_known_text_is_the_published_one() {
        assert_eq!(
            crc32(b"The quick brown fox jumps over the lazy dog"),
            0x414f_a339
        );
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
