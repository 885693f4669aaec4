//! Generates numbers without repeats.

/// The largest prime below 2^32 that is 3 modulo 4, so that squares modulo it make a permutation.
const PRIME: u32 = 4_294_967_291;

/// Permutes all 32-bit numbers: quadratic residues taken twice (J. Preshing, "How to generate a sequence of
/// unique random integers", 2012), with the constants of sysbench.
///
/// Any place of the sequence can be computed, so several workers share one sequence by taking every n-th value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unique {
    index: u32,
    offset: u32,
}

impl Unique {
    /// Creates a sequence from two seeds.
    pub fn new(index_seed: u32, offset_seed: u32) -> Self {
        Self {
            index: permute(permute(index_seed).wrapping_add(0x682f_0161)),
            offset: permute(permute(offset_seed).wrapping_add(0x4679_0905)),
        }
    }

    /// Returns the value at `place`, from 0; the sequence repeats after 2^32 places.
    #[inline]
    pub fn value(&self, place: u32) -> u32 {
        let permuted = permute(self.index.wrapping_add(place));
        permute(permuted.wrapping_add(self.offset) ^ 0x5bf0_3635)
    }
}

/// Computes x² modulo the prime for the lower half, its negative for the upper half; the few numbers above it stay.
fn permute(number: u32) -> u32 {
    if number >= PRIME {
        return number;
    }
    let residue = (u64::from(number) * u64::from(number) % u64::from(PRIME)) as u32;
    if number <= PRIME / 2 {
        residue
    } else {
        PRIME - residue
    }
}

#[cfg(test)]
mod tests {
    use super::{PRIME, Unique, permute};
    use std::collections::HashSet;

    #[test]
    fn no_value_comes_twice_in_a_hundred_thousand() {
        let unique = Unique::new(3, 4);
        let seen: HashSet<u32> = (0..100_000).map(|place| unique.value(place)).collect();
        assert_eq!(seen.len(), 100_000);
    }

    #[test]
    fn numbers_from_the_prime_on_stay_where_they_are() {
        assert_eq!(permute(PRIME), PRIME);
        assert_eq!(permute(u32::MAX), u32::MAX);
    }
}
