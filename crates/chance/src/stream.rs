//! xoroshiro128+, the one generator under every draw.

/// A stream of 64-bit draws: xoroshiro128+ with the rotations 55, 14 and 36 that sysbench uses.
///
/// Four words of arithmetic a draw, no allocation, no sharing: each worker owns its stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    state: [u64; 2],
}

/// 2^-52: doubles keep 52 bits of a draw.
const DOUBLE_STEP: f64 = 1.0 / (1_u64 << 52) as f64;

impl Stream {
    /// A stream from its two words of state. Two zeros would stay zero forever and are replaced by a fixed state.
    pub fn from_state(state: [u64; 2]) -> Self {
        let state = if state == [0, 0] { [1, 0] } else { state };
        Self { state }
    }

    /// The two words that fix everything to come.
    pub fn state(&self) -> [u64; 2] {
        self.state
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let [first, second] = self.state;
        let mixed = first ^ second;
        self.state = [
            first.rotate_left(55) ^ mixed ^ (mixed << 14),
            mixed.rotate_left(36),
        ];
        first.wrapping_add(second)
    }

    /// The next number in [0, 1), 52 bits fine.
    #[inline]
    pub fn next_double(&mut self) -> f64 {
        (self.next_u64() >> 12) as f64 * DOUBLE_STEP
    }

    /// A whole number below `count`, as sysbench's uniform generator makes it.
    #[inline]
    pub fn below(&mut self, count: u32) -> u32 {
        (self.next_double() * f64::from(count)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn the_first_draws_of_worker_one_with_seed_one_are_those_of_sysbench() {
        let mut stream = Stream::from_state([0x6b8b_4567_327b_23c6, 0x643c_9869_6633_4873]);
        assert_eq!(stream.next_u64(), 0xcfc7_ddd0_98ae_6c39);
        assert_eq!(stream.next_u64(), 0x6048_490f_f8b9_e709);
    }

    #[test]
    fn the_largest_double_stays_below_one() {
        // All bits set in the sum: the first draw is u64::MAX.
        let mut stream = Stream::from_state([u64::MAX, 0]);
        let largest = stream.next_double();
        assert!(largest < 1.0 && largest > 1.0 - 1e-15);
    }

    #[test]
    fn a_state_of_zeros_does_not_stay_zero() {
        let mut stream = Stream::from_state([0, 0]);
        assert!((0..4).any(|_| stream.next_u64() > 1));
    }
}
