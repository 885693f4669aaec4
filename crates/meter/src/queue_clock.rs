//! Measures the time in which a thread could have run but had no processor.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The kernel's account of how long a thread stood in the queue of a processor, throttling by a control
/// group included.
#[derive(Debug)]
pub struct QueueClock {
    /// `None` where the kernel does not report it.
    account: Option<File>,
    read_ns: u64,
}

impl QueueClock {
    /// Opens the account of the calling thread, from now.
    #[must_use]
    pub fn of_this_thread() -> Self {
        let mut clock = Self {
            account: File::open("/proc/thread-self/schedstat").ok(),
            read_ns: 0,
        };
        clock.take_ns();
        clock
    }

    /// Returns time queued since the last call. It may be asked from another thread.
    pub fn take_ns(&mut self) -> u64 {
        let total_ns = self.total_ns().unwrap_or(self.read_ns);
        total_ns.saturating_sub(std::mem::replace(&mut self.read_ns, total_ns))
    }

    fn total_ns(&self) -> Option<u64> {
        let mut text = [0; 96];
        let length = self.account.as_ref()?.read_at(&mut text, 0).ok()?;
        queued_in(str::from_utf8(&text[..length]).ok()?)
    }
}

/// Reads the time queued out of three numbers: time run, time queued, turns.
fn queued_in(schedstat: &str) -> Option<u64> {
    schedstat.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_time_queued() {
        assert_eq!(queued_in("1392562 2058942 41\n"), Some(2_058_942));
        assert_eq!(queued_in(""), None);
    }

    #[test]
    fn time_is_told_once() {
        let mut clock = QueueClock::of_this_thread();
        clock.read_ns = 0;
        let all = clock.total_ns().unwrap_or(0);
        assert!(clock.take_ns() >= all);
        // Time queued since then is short compared with what another reading would add.
        assert!(clock.read_ns >= all);
    }
}
