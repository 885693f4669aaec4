//! Writes every block that a run prints, as text: pure functions of figures, in the words of a dialect.
//!
//! Each function returns whole lines. All of it is at [`Level::Notice`](crate::Level), but for
//! [`users()`], which is at [`Level::Debug`](crate::Level). A block is printed in one piece with
//! [`Log::print`](crate::Log::print); lines that begin with their time, [`interval()`] and [`checkpoint_heading()`], with
//! [`Log::print_timed`](crate::Log::print_timed).
//!
//! In the order of a run: [`header()`], [`start()`], [`INITIALIZING_WORKERS`], [`THREADS_STARTED`], [`warming_up()`],
//! any number of [`interval()`] and [`checkpoint_heading()`], [`latency_histogram()`], [`final_report()`], [`users()`].

mod figures;
mod final_report;
mod histogram;
mod interval;
mod start;

pub use figures::{Counts, FinalFigures, IntervalFigures, QueueFigures, UserFigures};
pub use final_report::{checkpoint_heading, final_report, users};
pub use histogram::{histogram, latency_histogram};
pub use interval::interval;
pub use start::{INITIALIZING_WORKERS, THREADS_STARTED, header, start, version, warming_up};

/// An ended run that is to be forced: what the logger says at [`Level::Fatal`](crate::Level) before the report.
pub const FORCING_SHUTDOWN: &str = "The --max-time limit has expired, forcing shutdown...";

/// Returns a count over a time, per second; 0 over no time.
fn per_second(count: u64, time_ns: u64) -> f64 {
    if time_ns == 0 {
        return 0.0;
    }
    count as f64 / (time_ns as f64 / 1e9)
}

/// Nanoseconds in milliseconds.
fn in_ms(time_ns: u64) -> f64 {
    time_ns as f64 / 1e6
}

/// Nanoseconds in seconds.
fn in_s(time_ns: u64) -> f64 {
    time_ns as f64 / 1e9
}
