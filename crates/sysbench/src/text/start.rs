//! What is printed before the first event.

use crate::{Dialect, Settings};
use std::fmt::Write;

/// Between the options of the run and its users.
pub const INITIALIZING_WORKERS: &str = "Initializing worker threads...\n\n";

/// When every user is ready.
pub const THREADS_STARTED: &str = "Threads started!\n\n";

/// The answer to `--version`.
#[must_use]
pub fn version(dialect: Dialect) -> String {
    format!("sysbench {}\n", dialect.version())
}

/// The first lines of nearly every call.
#[must_use]
pub fn header(dialect: Dialect) -> String {
    format!("{}\n\n", version_string(dialect))
}

/// What `sysbench.version_string` says to a script, and the header to a reader: 1.0 as distributions build it, with
/// the system's LuaJIT, the master branch with its own.
fn version_string(dialect: Dialect) -> String {
    let origin = match dialect {
        Dialect::V1_0 => "system",
        Dialect::V1_1 => "bundled",
    };
    format!(
        "sysbench {} (using {origin} LuaJIT 2.1.0-beta3)",
        dialect.version()
    )
}

/// "Running the test with following options", up to the blank lines before the users are made.
#[must_use]
pub fn start(settings: &Settings) -> String {
    let mut text = String::from("Running the test with following options:\n");
    options(&mut text, settings);
    match settings.random.seed {
        0 => text.push_str("Initializing random number generator from current time\n\n"),
        seed => line(
            &mut text,
            format_args!("Initializing random number generator from seed ({seed}).\n"),
        ),
    }
    if let Some(grace_s) = settings.forced_shutdown_s {
        let end_s = settings.time_s + grace_s;
        line(
            &mut text,
            format_args!("Forcing shutdown in {end_s} seconds"),
        );
    }
    text.push('\n');
    text
}

fn options(text: &mut String, settings: &Settings) {
    line(
        text,
        format_args!("Number of threads: {}", settings.threads),
    );
    if settings.warmup_s > 0 {
        line(text, format_args!("Warmup time: {}s", settings.warmup_s));
    }
    if settings.rate > 0 {
        let rate = settings.rate;
        line(text, format_args!("Target transaction rate: {rate}/sec"));
    }
    if settings.report_interval_s > 0 {
        let interval_s = settings.report_interval_s;
        line(
            text,
            format_args!("Report intermediate results every {interval_s} second(s)"),
        );
    }
    if !settings.checkpoints_s.is_empty() {
        let points: Vec<String> = settings.checkpoints_s.iter().map(u32::to_string).collect();
        let points = points.join(", ");
        line(
            text,
            format_args!("Report checkpoint(s) at {points} seconds"),
        );
    }
    if settings.debug {
        text.push_str("Debug mode enabled.\n\n");
    }
    if settings.validate {
        text.push_str("Validation checks: on.\n\n");
    }
}

/// After [`THREADS_STARTED`], where there is a warm-up.
#[must_use]
pub fn warming_up(warmup_s: u32) -> String {
    format!("Warming up for {warmup_s} seconds...\n\n")
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{words}");
}
