//! Handles the signals that end the program: the first in good order, a second one at once.
//!
//! In good order means that what is under way is ended, connections are left and outputs closed. Every wait for a server
//! ends by itself within a fraction of a second. What remains are calls that the operating system does not give back:
//! a pipe whose reader does not read, a name that no server resolves, a disk that does not answer. After
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

/// How long the end in good order may take before it is looked at whether anything goes on.
const GRACE: Duration = Duration::from_millis(3000);

/// How long a program must have done nothing to be taken for stuck.
const STILLNESS: Duration = Duration::from_millis(500);

/// Processor time below which nothing was done meanwhile.
const STILLNESS_CPU_NS: u64 = 25_000_000;

/// Parts of the program that must come to their end.
static HOLDS: AtomicU32 = AtomicU32::new(0);

/// A switch that each of the signals throws.
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

/// While it lives, the program is not ended for taking long: a second signal ends it.
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

/// Who starts a program by `nohup` has it ignore a signal, and means it.
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

/// Standard error may be what does not take anything.
fn say_without_waiting(text: &'static str) {
    let _ = thread::Builder::new().spawn(move || terminal::stderr().write_all(text.as_bytes()));
    thread::sleep(Duration::from_millis(50));
}
