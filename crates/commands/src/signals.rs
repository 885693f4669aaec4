//! Handles the signals that end the program: the first in good order, a second one at once.
//!
//! In good order means that running work is ended, connections are closed and outputs completed. Every wait for a
//! server ends by itself within a fraction of a second. The exceptions are calls that the operating system does not
//! finish: a pipe whose reader does not read, a name that no server resolves, a disk that does not answer. After
//! [`GRACE`] the program ends without them.

use crate::cli_error::Exit;
use crate::terminal;
use anyhow::Context as _;
use dbdyno_drive::StopSwitch;
use dbdyno_meter::clock;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// How long the end in good order may take before the program checks whether anything goes on.
pub(crate) const GRACE: Duration = Duration::from_millis(3000);

/// How long a program must have done nothing to be taken for stuck.
const STILLNESS: Duration = Duration::from_millis(500);

/// Processor time below which the program counts as idle.
const STILLNESS_CPU_NS: u64 = 25_000_000;

/// Parts of the program that must finish.
static HOLDS: AtomicU32 = AtomicU32::new(0);

/// Creates a switch that each of the signals throws.
pub(crate) fn stop_switch() -> anyhow::Result<StopSwitch> {
    let stop = StopSwitch::default();
    let asked = [SIGHUP, SIGQUIT].into_iter();
    let asked = asked.filter(|signal| !is_ignored(*signal));
    let signals: Vec<i32> = asked.chain([SIGINT, SIGTERM]).collect();
    for &signal in &signals {
        flag::register_conditional_shutdown(signal, Exit::NotHeld as i32, stop.flag())
            .and_then(|_| flag::register(signal, stop.flag()))
            .context("signals can't be watched")?;
    }
    let watched = Signals::new(signals).context("signals can't be watched")?;
    let spawned = thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || end_after_the_first(watched));
    spawned.context("signals can't be watched")?;
    Ok(stop)
}

/// Suspends the time limit while the result lives: only a second signal ends the program.
pub(crate) fn hold_deadline() -> impl Drop {
    struct Hold;
    impl Drop for Hold {
        fn drop(&mut self) {
            HOLDS.fetch_sub(1, Ordering::Relaxed);
        }
    }
    HOLDS.fetch_add(1, Ordering::Relaxed);
    Hold
}

/// Returns whether the program was started with the signal ignored, as by `nohup`; it must stay ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

fn end_after_the_first(mut signals: Signals) {
    if signals.forever().next().is_none() {
        return;
    }
    thread::sleep(GRACE);
    loop {
        let before = clock::process_cpu_ns();
        thread::sleep(STILLNESS);
        let is_still = clock::process_cpu_ns().saturating_sub(before) < STILLNESS_CPU_NS;
        if is_still && HOLDS.load(Ordering::Relaxed) == 0 {
            break;
        }
    }
    say_without_waiting(
        "error: interrupted, and ended without the rest: \
         an output, a name service or a file system does not give back what it was asked\n",
    );
    low_level::exit(Exit::NotHeld as i32)
}

/// Writes without waiting: standard error may be what blocks.
fn say_without_waiting(text: &'static str) {
    let _ = thread::Builder::new().spawn(move || terminal::stderr().write_all(text.as_bytes()));
    thread::sleep(Duration::from_millis(50));
}
