//! Derives streams from a generator and a seed.

use crate::{LibcRandom, Stream, Unique};
use std::fmt;
use std::str::FromStr;

/// Selects how the states of the streams are derived from the seed.
///
/// sysbench 1.0.20 on glibc: worker n takes values 4n to 4n+3 of `random()` after `srandom(seed)`. What sysbench draws
/// before `--rand-seed` takes effect (the rows of `prepare`, the sequence `unique`) doesn't depend on the seed, here
/// as there. dbdyno: the state is a hash of seed, workload and worker, so that streams are
/// unrelated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "arguments",
    derive(clap::ValueEnum, serde::Deserialize, serde::Serialize)
)]
#[cfg_attr(feature = "arguments", serde(rename_all = "kebab-case"))]
pub enum RandomKind {
    /// sysbench 1.0.20's, number by number.
    Sysbench,
    /// dbdyno's own.
    Dbdyno,
}

impl RandomKind {
    /// Returns the word that names it in orders, options and results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sysbench => "sysbench",
            Self::Dbdyno => "dbdyno",
        }
    }
}

/// Reports a word that names no generator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRandomKind(pub String);

impl fmt::Display for UnknownRandomKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(word) = self;
        write!(
            f,
            "unknown generator {word:?}: sysbench or dbdyno is allowed"
        )
    }
}

impl std::error::Error for UnknownRandomKind {}

impl FromStr for RandomKind {
    type Err = UnknownRandomKind;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "sysbench" => Ok(Self::Sysbench),
            "dbdyno" => Ok(Self::Dbdyno),
            other => Err(UnknownRandomKind(other.to_owned())),
        }
    }
}

/// Holds a generator and its seed: all that the draws of a run depend on, except their purpose.
///
/// Seed 0 is just a seed (sysbench takes the current second instead; with [`RandomKind::Sysbench`] the C library
/// makes seed 0 and seed 1 the same).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomSource {
    /// How states are derived from the seed.
    pub kind: RandomKind,
    /// The seed. `srandom` takes 32 bits of it: see [`RandomSource::seed_fits`].
    pub seed: u64,
}

impl RandomSource {
    /// Returns false if the generator would use only a part of the seed, so that two seeds could mean the same run.
    pub fn seed_fits(&self) -> bool {
        self.kind == RandomKind::Dbdyno || u32::try_from(self.seed).is_ok()
    }

    /// Returns the stream of the worker number `index`, from 0.
    pub fn worker(&self, workload: &str, index: u32) -> Stream {
        match self.kind {
            RandomKind::Sysbench => libc_stream(self.seed as u32, index),
            RandomKind::Dbdyno => self.keyed(workload, u64::from(index)),
        }
    }

    /// Returns the stream of sysbench's main thread in an upstream build, which makes the rows of a one-worker
    /// `prepare`. It takes its values of `random()` before `--rand-seed` takes effect, so it is always the same one.
    pub fn sysbench_main_thread() -> Stream {
        libc_stream(1, 0)
    }

    /// Returns the sequence of numbers without repeats. sysbench's doesn't depend on the seed: it takes the fifth
    /// and sixth values of an unseeded `random()`.
    pub fn unique(&self, workload: &str) -> Unique {
        match self.kind {
            RandomKind::Sysbench => {
                let mut values = LibcRandom::new(1).skip(4);
                let mut next = || values.next().unwrap_or(0); // the sequence doesn't end
                let offset = next();
                Unique::new(next(), offset)
            }
            RandomKind::Dbdyno => {
                let [offset, index] = self.keyed(workload, u64::MAX).state();
                Unique::new(index as u32, offset as u32)
            }
        }
    }

    /// Returns a stream of dbdyno's generator for any purpose and number.
    pub fn keyed(&self, purpose: &str, number: u64) -> Stream {
        let mut hash = splitmix(self.seed);
        for byte in purpose.bytes() {
            hash = splitmix(hash ^ u64::from(byte));
        }
        let first = splitmix(splitmix(hash ^ END_OF_NAME) ^ number);
        Stream::from_state([first, splitmix(first)])
    }
}

/// Not a byte of a name, so that a name and its number can't be taken for a longer name.
const END_OF_NAME: u64 = 0x100;

fn libc_stream(seed: u32, index: u32) -> Stream {
    let mut values = LibcRandom::new(seed).skip(4 * index as usize);
    let mut word = || {
        let mut half = || u64::from(values.next().unwrap_or(0)); // the sequence doesn't end
        half() << 32 | half()
    };
    Stream::from_state([word(), word()])
}

/// Computes one step of splitmix64 (Steele, Lea and Flood 2014): a bijection of 64 bits in which every input bit
/// changes about half of the output bits.
fn splitmix(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::{RandomKind, RandomSource, splitmix};
    use std::collections::HashSet;

    fn source(kind: RandomKind, seed: u64) -> RandomSource {
        RandomSource { kind, seed }
    }

    #[test]
    fn the_second_sysbench_worker_takes_the_next_four_values_of_the_c_library() {
        let second = source(RandomKind::Sysbench, 1).worker("any", 1);
        assert_eq!(
            second.state(),
            [0x74b0_dc51_1949_5cff, 0x2ae8_944a_6255_58ec]
        );
    }

    #[test]
    fn own_streams_differ_in_seed_workload_and_worker() {
        let mut states = HashSet::new();
        for seed in 0..20 {
            for workload in ["a", "b", "ab", ""] {
                for worker in 0..20 {
                    let stream = source(RandomKind::Dbdyno, seed).worker(workload, worker);
                    assert!(states.insert(stream.state()));
                }
            }
        }
    }

    #[test]
    fn own_streams_stay_what_they_are_from_release_to_release() {
        // A dataset of seed 1 must have the same rows tomorrow; splitmix64 of 0 is a published value.
        assert_eq!(splitmix(0), 0xe220_a839_7b1d_cdaf);
        let stream = source(RandomKind::Dbdyno, 1).worker("sysbench/oltp_read_write", 0);
        assert_eq!(
            stream.state(),
            [0xbf84_eefd_cb05_52dc, 0xdc51_703f_f8ea_f8dc]
        );
    }

    #[test]
    fn a_seed_that_srandom_would_cut_is_noticed() {
        assert!(!source(RandomKind::Sysbench, 1 << 32).seed_fits());
        assert!(source(RandomKind::Sysbench, u64::from(u32::MAX)).seed_fits());
        assert!(source(RandomKind::Dbdyno, u64::MAX).seed_fits());
    }

    #[test]
    fn the_unique_sequence_of_sysbench_starts_the_same_for_every_seed() {
        let unique = source(RandomKind::Sysbench, 77).unique("any");
        let first: Vec<u32> = (0..3).map(|n| unique.value(n)).collect();
        assert_eq!(first, [2_672_933_100, 2_916_245_674, 2_834_291_422]);
    }
}
