//! Reads the four clocks of a run, all in nanoseconds.

use rustix::time::{ClockId, clock_gettime};

/// Returns time that never jumps, the same for every process of this machine (`CLOCK_MONOTONIC`).
#[must_use]
pub fn monotonic_ns() -> u64 {
    read(ClockId::Monotonic)
}

/// Returns Unix time, which an administrator or a time service may set (`CLOCK_REALTIME`).
#[must_use]
pub fn realtime_ns() -> u64 {
    read(ClockId::Realtime)
}

/// Returns CPU time used by the calling thread, user and system together.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    read(ClockId::ThreadCPUTime)
}

/// Returns CPU time used by the whole process, user and system together.
#[must_use]
pub fn process_cpu_ns() -> u64 {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    // None of these clocks is negative if the machine's date is after 1970.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_monotonic_clock_does_not_go_back() {
        let earlier = monotonic_ns();
        assert!(monotonic_ns() >= earlier);
    }

    #[test]
    fn work_uses_cpu_time_of_thread_and_process() {
        let (thread, process) = (thread_cpu_ns(), process_cpu_ns());
        let sum: u64 = (0..1_000_000_u64).map(std::hint::black_box).sum();
        assert!(std::hint::black_box(sum) > 0);
        assert!(thread_cpu_ns() > thread);
        assert!(process_cpu_ns() > process);
    }
}
