//! Provides clocks, histograms and one-second interval records.
//!
//! A worker owns one [`Interval`] at a time and records into it without allocating, locking or
//! formatting. Intervals of several workers, seconds or hosts [`merge`](Interval::merge) exactly:
//! counts are added, never averaged. What is counted, and what of it is written down, is decided by
//! `dbdyno-drive` and `dbdyno-load`; this crate knows no socket and no statement.
//!
//! ```
//! use dbdyno_meter::Histogram;
//!
//! let mut one = Histogram::new();
//! let mut other = Histogram::new();
//! one.record(250_000);
//! other.record(9_000_000);
//! one.merge(&other);
//! assert_eq!(one.count(), 2);
//! assert_eq!(one.max_ns(), 9_000_000);
//! assert!(one.encode().starts_with("HISTFAAA"));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod clock;
mod decoder;
mod encoder;
mod error_codes;
mod histogram;
mod interval;
mod log_histogram;
mod queue_clock;
mod shared_histogram;
mod silence;

pub use decoder::DecodeError;
pub use encoder::{HistogramEncoder, encoded_text};
pub use error_codes::ErrorCodeCounts;
pub use histogram::Histogram;
pub use interval::{
    Interval, IntervalCounters, IntervalShape, StatementCounts, TransactionCounts, WorkerLoad,
};
pub use log_histogram::{LogHistogram, LogScale, filled_points};
pub use queue_clock::QueueClock;
pub use shared_histogram::{HistogramSnapshot, SharedHistogram};
pub use silence::{Silence, SilenceLog, common_silences, longest_common_silence_ns};

/// Length of a second and of an interval.
pub const SECOND_NS: u64 = 1_000_000_000;
