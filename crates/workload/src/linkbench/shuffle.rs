//! Permutes ids, so that a popular id is not a low one.

/// Ids fall into so many groups, by their remainder, each of which is rotated.
const GROUPS: u64 = 1024;

/// A permutation of 0 to n-1 and its inverse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shuffle {
    count: u64,
    /// How far each group is rotated.
    rotations: Vec<u64>,
}

impl Shuffle {
    /// Makes the permutation that the tool makes with this seed. Below 2048 ids nothing moves.
    pub(super) fn new(seed: u64, count: u64) -> Self {
        let mut random = JavaRandom::new(seed);
        let most = (count / GROUPS).clamp(1, i32::MAX as u64) as u32;
        Self {
            count,
            rotations: (0..GROUPS).map(|_| u64::from(random.below(most))).collect(),
        }
    }

    pub(super) fn place(&self, index: u64) -> u64 {
        let (group, size) = self.group_of(index);
        self.member(group, (index / GROUPS + self.rotation(group)) % size)
    }

    pub(super) fn inverse(&self, place: u64) -> u64 {
        let (group, size) = self.group_of(place);
        self.member(group, (place / GROUPS + size - self.rotation(group)) % size)
    }

    /// Returns the number of the group and the count of its members.
    fn group_of(&self, index: u64) -> (u64, u64) {
        let group = index % GROUPS;
        (group, (self.count - group).div_ceil(GROUPS))
    }

    fn rotation(&self, group: u64) -> u64 {
        self.rotations[group as usize]
    }

    fn member(&self, group: u64, number: u64) -> u64 {
        number * GROUPS + group
    }
}

/// The generator of `java.util.Random`, as its documentation specifies it.
#[derive(Debug)]
struct JavaRandom {
    state: u64,
}

const MULTIPLIER: u64 = 0x5_deec_e66d;
const STATE_BITS: u64 = (1 << 48) - 1;

impl JavaRandom {
    fn new(seed: u64) -> Self {
        Self {
            state: (seed ^ MULTIPLIER) & STATE_BITS,
        }
    }

    /// Returns the upper 31 bits of the next state.
    fn next_31(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(0xb) & STATE_BITS;
        (self.state >> 17) as u32
    }

    /// Returns a whole number below `count`, which is at least 1 and has 31 bits.
    fn below(&mut self, count: u32) -> u32 {
        if count.is_power_of_two() {
            return ((u64::from(count) * u64::from(self.next_31())) >> 31) as u32;
        }
        loop {
            let drawn = self.next_31();
            let rest = drawn % count;
            if drawn - rest + (count - 1) < 1 << 31 {
                return rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_leads_back_for_sizes_of_all_kinds() {
        for count in [1, 7, 1023, 1024, 1025, 2047, 2048, 2049, 5000, 10_001] {
            let shuffle = Shuffle::new(53_238_253_823_453, count);
            let mut seen = vec![false; count as usize];
            for index in 0..count {
                let place = shuffle.place(index);
                assert_eq!(shuffle.inverse(place), index, "{count}");
                assert!(!std::mem::replace(&mut seen[place as usize], true));
            }
        }
    }

    #[test]
    fn small_sets_are_left_as_they_are() {
        let shuffle = Shuffle::new(1, 2047);
        assert!((0..2047).all(|index| shuffle.place(index) == index));
    }
}
