//! Implements xoroshiro128+, the one generator under every draw.

use crate::JumpAhead;

/// Draws 64-bit numbers: xoroshiro128+ with the rotations 55, 14 and 36 that sysbench uses.
///
/// Each draw takes four word operations, no allocation and no sharing: each worker owns its stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    state: [u64; 2],
}

/// 2^-52: doubles keep 52 bits of a draw.
const DOUBLE_STEP: f64 = 1.0 / (1_u64 << 52) as f64;

impl Stream {
    /// Creates a stream from its state. Two zeros would stay zero forever and are replaced by a fixed state.
    pub fn from_state(state: [u64; 2]) -> Self {
        let state = if state == [0, 0] { [1, 0] } else { state };
        Self { state }
    }

    /// Returns the two words that determine all further draws.
    pub fn state(&self) -> [u64; 2] {
        self.state
    }

    /// Returns the next 64 bits.
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

    /// Skips as many draws as the jump has.
    #[inline]
    pub fn jump(&mut self, jump: &JumpAhead) {
        self.state = jump.apply(self.state);
    }

    /// Returns the next number in [0, 1), with a resolution of 52 bits.
    #[inline]
    pub fn next_double(&mut self) -> f64 {
        (self.next_u64() >> 12) as f64 * DOUBLE_STEP
    }

    /// Returns a whole number below `count`, as sysbench's uniform generator makes it.
    #[inline]
    pub fn below(&mut self, count: u32) -> u32 {
        (self.next_double() * f64::from(count)) as u32
    }

    /// Returns a decimal digit: identical to `below(10)` at half of its cost, because rows are made of digits.
    #[inline]
    pub fn digit(&mut self) -> u8 {
        digit_of(self.next_u64())
    }
}

/// The bits of a draw that a double keeps.
const KEPT_BITS: u64 = u64::MAX << 12;

/// Computes `below(10)` of a draw without floating point: the upper half of a product.
///
/// Ten times the 52 kept bits has up to 56 bits, and a double rounds it to 53. That leads to another digit
/// only where the product is less than 8 units of the last kept bit short of it.
#[inline]
fn digit_of(drawn: u64) -> u8 {
    let product = u128::from(drawn & KEPT_BITS) * 10;
    if product as u64 > u64::MAX - (8 << 12) {
        return rounded_digit_of(drawn);
    }
    (product >> 64) as u8
}

#[cold]
fn rounded_digit_of(drawn: u64) -> u8 {
    ((drawn >> 12) as f64 * DOUBLE_STEP * 10.0) as u8
}

#[cfg(test)]
mod tests {
    use super::{Stream, digit_of};

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
    fn a_digit_is_the_whole_number_below_ten_of_the_same_draw() {
        // Every draw around every step from one digit to the next, and draws from everywhere.
        let steps = (0..10_u64).map(|digit| (digit << 52) / 10);
        let near = steps.flat_map(|step| (0..64).map(move |away| (step + away).saturating_sub(32)));
        let mut stream = Stream::from_state([5, 6]);
        let anywhere = (0..100_000).map(move |_| stream.next_u64() >> 12);
        for kept in near.chain([(1 << 52) - 1]).chain(anywhere) {
            let double = kept as f64 * super::DOUBLE_STEP;
            assert_eq!(
                u32::from(digit_of(kept << 12)),
                (double * 10.0) as u32,
                "{kept}"
            );
        }
    }

    #[test]
    fn a_state_of_zeros_does_not_stay_zero() {
        let mut stream = Stream::from_state([0, 0]);
        assert!((0..4).any(|_| stream.next_u64() > 1));
    }
}
