//! Provides seeded random streams and the distributions that the workloads draw from.
//!
//! A [`RandomSource`] (a generator and a seed) gives every worker its own [`Stream`]. A worker's draws depend on the
//! source, the workload's name and the worker's number, never on how many others there are.
//! A [`Distribution`] is a user's choice (`special`, `zipfian:0.8`); applied to an interval it becomes a
//! [`Sampler`], which holds everything that can be computed in advance, so that a draw takes few operations.
//! This crate knows nothing of SQL, files or time, and depends on nothing.
//!
//! ```
//! use dbdyno_chance::{Distribution, RandomKind, RandomSource};
//!
//! let source = RandomSource { kind: RandomKind::Sysbench, seed: 1 };
//! let mut stream = source.worker("sysbench/oltp_read_write", 0);
//! let ids = Distribution::SPECIAL.sampler(1, 1000);
//! let drawn: Vec<u32> = (0..3).map(|_| ids.draw(&mut stream)).collect();
//! assert_eq!(drawn, [504, 499, 505]); // what sysbench 1.0.20 draws with --rand-seed=1
//! ```

mod distribution;
mod jump_ahead;
mod lanes;
mod libc_random;
mod sampler;
mod source;
mod stream;
mod unique;
mod zipf;

pub use distribution::{Distribution, DistributionError};
pub use jump_ahead::JumpAhead;
pub use lanes::{LANES, digit_groups_of_lanes};
pub use libc_random::LibcRandom;
pub use sampler::Sampler;
pub use source::{RandomKind, RandomSource, UnknownRandomKind};
pub use stream::Stream;
pub use unique::Unique;
