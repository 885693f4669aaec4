//! Writes what is printed before the first event.

use crate::{Dialect, Settings};
use std::fmt::Write;

/// Between the options of the run and its users.
pub const INITIALIZING_WORKERS: &str = "Initializing worker threads...\n\n";

/// When every user is ready.
pub const THREADS_STARTED: &str = "Threads started!\n\n";

/// Returns the answer to `--version`.
#[must_use]
pub fn version(dialect: Dialect) -> String {
    format!("sysbench {}\n", dialect.version())
}

/// Returns the first lines of nearly every call.
#[must_use]
pub fn header(dialect: Dialect) -> String {
    format!("{}\n\n", version_string(dialect))
}

/// Returns the version for `sysbench.version_string` and the header: 1.0 as distributions build it, with the system's
/// LuaJIT, the master branch with its own.
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

/// Returns "Running the test with following options", up to the blank lines before the users are made.
#[must_use]
pub fn start(settings: &Settings) -> String {
    let mut text = String::from("Running the test with following options:\n");
    options(&mut text, settings);
    match settings.random.seed {
        0 => text.push_str("Initializing random number generator from current time\n\n"),
        // sysbench takes it as a signed number, and shows it so.
        seed => line(
            &mut text,
            format_args!(
                "Initializing random number generator from seed ({}).\n",
                seed.cast_signed()
            ),
        ),
    }
    if let Some(grace_s) = settings.forced_shutdown_s {
        let limits_s = [settings.warmup_s, settings.time_s, grace_s];
        let end_s: u64 = limits_s.into_iter().map(u64::from).sum();
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

/// Returns the line after [`THREADS_STARTED`], where there is a warm-up.
#[must_use]
pub fn warming_up(warmup_s: u32) -> String {
    format!("Warming up for {warmup_s} seconds...\n\n")
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{words}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Environment, parse};

    fn started(arguments: &str) -> String {
        let words: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        let environment = Environment {
            dialect: Dialect::V1_1,
            own_name: false,
            own_form: false,
        };
        start(&parse(&words, &environment).unwrap().settings)
    }

    #[test]
    fn a_run_tells_of_what_was_asked_for_in_this_order() {
        assert_eq!(
            started(
                "--validate --debug --report-checkpoints=3,1 --report-interval=2 --rate=5 \
                 --warmup-time=4 --threads=6 --rand-seed=-1 --time=10 --forced-shutdown=7"
            ),
            "Running the test with following options:
Number of threads: 6
Warmup time: 4s
Target transaction rate: 5/sec
Report intermediate results every 2 second(s)
Report checkpoint(s) at 1, 3 seconds
Debug mode enabled.

Validation checks: on.

Initializing random number generator from seed (-1).

Forcing shutdown in 21 seconds

"
        );
    }

    #[test]
    fn a_grace_beyond_all_bounds_is_no_trouble() {
        let text = started("--time=2147483647 --forced-shutdown=99999999999");
        assert!(text.contains("\nForcing shutdown in 4294967294 seconds\n"));
    }
}
