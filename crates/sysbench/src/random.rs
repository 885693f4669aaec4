//! Chooses the source of random numbers.

use dbdyno_chance::{Distribution, RandomKind, RandomSource, Stream, Unique};
use std::sync::atomic::{AtomicU32, Ordering};

/// The `--rand-*` options.
#[derive(Debug, Clone, PartialEq)]
pub struct Random {
    /// `--rand-type`: what `default` draws from.
    pub kind: RandomType,
    /// `--rand-seed`; 0: the current time.
    pub seed: u32,
    /// `--rand-pareto-h`.
    pub pareto_h: f64,
    /// `--rand-zipfian-exp`.
    pub zipfian_exponent: f64,
    /// `--rand-spec-iter`; 12 where the dialect has no such option.
    pub iterations: u32,
    /// `--rand-spec-pct`.
    pub special_percent: u32,
    /// `--rand-spec-res`.
    pub special_share: u32,
}

/// The distributions that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RandomType {
    /// Every value alike.
    Uniform,
    /// The mean of several uniform draws.
    Gaussian,
    /// A hot band in the middle (1.0).
    Special,
    /// The low end is hot.
    Pareto,
    /// Frequency falls with rank (1.1).
    Zipfian,
}

impl Random {
    /// Returns a named distribution with these parameters.
    #[must_use]
    pub fn distribution(&self, kind: RandomType) -> Distribution {
        match kind {
            RandomType::Uniform => Distribution::Uniform,
            RandomType::Gaussian => Distribution::Gaussian {
                iterations: self.iterations,
            },
            RandomType::Special => Distribution::Special {
                iterations: self.iterations,
                percent: self.special_percent,
                reserved: self.special_share,
            },
            RandomType::Pareto => Distribution::Pareto { h: self.pareto_h },
            RandomType::Zipfian => Distribution::Zipfian {
                exponent: self.zipfian_exponent,
            },
        }
    }
}

/// Gives the actors of one process their random numbers: each its own stream, by its number.
///
/// The main thread and `unique` take theirs before the seed counts, as in sysbench's own build, so that the rows of
/// a one-user `prepare` are always the same. Other threads get theirs in the order of their numbers; in sysbench
/// that order is a race. With seed 0 `unique` differs in every process, so that a second run does not meet
/// the rows of the first.
#[derive(Debug)]
pub struct Seeds {
    source: RandomSource,
    unique: Unique,
    place: AtomicU32,
}

impl Seeds {
    /// Streams of a seed; `now` stands in for seed 0.
    #[must_use]
    pub fn new(seed: u32, now: u32) -> Self {
        let source = RandomSource {
            kind: RandomKind::Sysbench,
            seed: u64::from(if seed == 0 { now } else { seed }),
        };
        let unique = match seed {
            0 => Unique::new(now, now.rotate_left(16) ^ std::process::id()),
            _ => source.unique(""),
        };
        Self {
            source,
            unique,
            place: AtomicU32::new(0),
        }
    }

    /// Returns the main thread's stream.
    #[must_use]
    pub fn main(&self) -> Stream {
        RandomSource::sysbench_main_thread()
    }

    /// Returns the stream of thread number `index`: users first, then reporting threads.
    #[must_use]
    pub fn thread(&self, index: u32) -> Stream {
        self.source.worker("", index)
    }

    /// Returns the stream from which the gaps between arrivals are drawn, with `--rate`.
    #[must_use]
    pub fn arrivals(&self) -> Stream {
        self.source.keyed("arrivals", 0)
    }

    /// Returns the numbers of which none comes twice, for users that share them out among themselves.
    #[must_use]
    pub fn unique(&self) -> Unique {
        self.unique
    }

    /// Returns the next number of which none comes twice, over all users.
    #[must_use]
    pub fn next_unique(&self) -> u32 {
        self.unique
            .value(self.place.fetch_add(1, Ordering::Relaxed))
    }
}
