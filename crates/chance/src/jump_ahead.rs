//! Skips many draws of a stream at the price of a few.

use crate::Stream;

/// Bytes of a stream's state.
const PLACES: usize = 16;

/// Skips a fixed number of draws.
///
/// A step of the generator is linear: the state after it is the sum (exclusive or) of the results that each bit of the
/// state before would have given alone. So are many steps: sixteen tables, one for each byte of the state, describe
/// them completely.
///
/// ```
/// use dbdyno_chance::{JumpAhead, Stream};
///
/// let (mut walked, mut jumped) = (Stream::from_state([1, 2]), Stream::from_state([1, 2]));
/// for _ in 0..165 {
///     walked.next_u64();
/// }
/// jumped.jump(&JumpAhead::of_draws(165));
/// assert_eq!(jumped, walked);
/// ```
#[derive(Debug, Clone)]
pub struct JumpAhead {
    tables: Box<[[[u64; 2]; 256]; PLACES]>,
}

impl JumpAhead {
    /// Precomputes a jump over `draws` draws. That takes 128 times as many draws.
    pub fn of_draws(draws: u32) -> Self {
        let mut tables = Box::new([[[0; 2]; 256]; PLACES]);
        for (place, table) in tables.iter_mut().enumerate() {
            for bit in 0..8 {
                let mut state = [0; 2];
                state[place / 8] = 1 << (place % 8 * 8 + bit);
                let mut stream = Stream::from_state(state);
                for _ in 0..draws {
                    stream.next_u64();
                }
                spread(table, 1 << bit, stream.state());
            }
        }
        Self { tables }
    }

    /// Returns the state after so many draws.
    #[inline]
    pub(crate) fn apply(&self, state: [u64; 2]) -> [u64; 2] {
        let bytes = state.map(u64::to_le_bytes);
        let mut sum = [0; 2];
        for (byte, table) in bytes.iter().flatten().zip(self.tables.iter()) {
            let [first, second] = table[usize::from(*byte)];
            sum = [sum[0] ^ first, sum[1] ^ second];
        }
        sum
    }
}

/// Adds the result of a bit to every value of the byte in which the bit is set.
fn spread(table: &mut [[u64; 2]; 256], bit: usize, becomes: [u64; 2]) {
    let with_bit = table
        .iter_mut()
        .enumerate()
        .filter(|(byte, _)| byte & bit != 0);
    for (_, [first, second]) in with_bit {
        *first ^= becomes[0];
        *second ^= becomes[1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_leads_where_as_many_draws_lead() {
        for draws in [0, 1, 11, 165, 1000] {
            let jump = JumpAhead::of_draws(draws);
            for state in [[1, 0], [u64::MAX, 7], [0x0123_4567_89ab_cdef, 0xfedc_ba98]] {
                let (mut walked, mut jumped) =
                    (Stream::from_state(state), Stream::from_state(state));
                for _ in 0..draws {
                    walked.next_u64();
                }
                jumped.jump(&jump);
                assert_eq!(jumped, walked, "{draws} draws from {state:?}");
            }
        }
    }
}
