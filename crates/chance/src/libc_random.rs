//! Reproduces `random()` of the GNU C library, from which sysbench takes the states of its generators.

/// Words in the state of the default generator (TYPE_3: x^31 + x^3 + 1).
const DEGREE: usize = 31;
/// Distance between the two words that are added.
const SEPARATION: usize = 3;
/// Outputs that `srandom` discards before the first one.
const DISCARDED: usize = 10 * DEGREE;

/// Reproduces `random()` after `srandom(seed)`: an additive feedback generator with 31 words of state.
///
/// ```
/// # use dbdyno_chance::LibcRandom;
/// assert_eq!(LibcRandom::new(1).take(2).collect::<Vec<_>>(), [1_804_289_383, 846_930_886]);
/// ```
#[derive(Debug, Clone)]
pub struct LibcRandom {
    words: [u32; DEGREE],
    front: usize,
}

impl LibcRandom {
    /// Starts as after `srandom(seed)`. Seed 0 is seed 1, as in the C library; a process that never calls `srandom` has
    /// seed 1 too.
    pub fn new(seed: u32) -> Self {
        let mut generator = Self {
            words: first_words(seed),
            front: SEPARATION,
        };
        for _ in 0..DISCARDED {
            generator.step();
        }
        generator
    }

    fn step(&mut self) -> u32 {
        let rear = (self.front + DEGREE - SEPARATION) % DEGREE;
        let word = self.words[self.front].wrapping_add(self.words[rear]);
        self.words[self.front] = word;
        self.front = (self.front + 1) % DEGREE;
        word >> 1 // the lowest bit is the least random one
    }
}

impl Iterator for LibcRandom {
    type Item = u32;

    /// Returns the next value, 31 bits wide; the sequence doesn't end.
    fn next(&mut self) -> Option<u32> {
        Some(self.step())
    }
}

/// Computes the minimal standard generator, 16807 w mod (2^31 - 1), in signed arithmetic as the C library does, so
/// that seeds of 2^31 and more agree as well.
fn first_words(seed: u32) -> [u32; DEGREE] {
    let mut words = [0; DEGREE];
    let mut word = seed.max(1).cast_signed();
    for place in &mut words {
        *place = word.cast_unsigned();
        let (high, low) = (i64::from(word / 127_773), i64::from(word % 127_773));
        let product = 16_807 * low - 2_836 * high;
        let kept = if product < 0 {
            product + i64::from(i32::MAX)
        } else {
            product
        };
        word = i32::try_from(kept).unwrap_or(0);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::LibcRandom;

    fn first_four(seed: u32) -> Vec<u32> {
        LibcRandom::new(seed).take(4).collect()
    }

    #[test]
    fn seed_one_gives_the_values_every_c_programmer_has_seen() {
        let expected = [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915];
        assert_eq!(first_four(1), expected);
    }

    #[test]
    fn seed_zero_is_seed_one() {
        assert_eq!(first_four(0), first_four(1));
    }

    #[test]
    fn another_seed_gives_other_values() {
        assert_eq!(first_four(42)[..2], [71_876_166, 708_592_740]);
    }
}
