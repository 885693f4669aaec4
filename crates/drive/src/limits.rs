//! Raises and reads the limits of the process: open files, processors, memory.

use crate::DriveError;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::num::NonZeroU64;

/// Files that the process opens in addition to its connections, generously.
const OTHER_FILES: u64 = 64;

/// Raises the soft limit of open files to what the connections need.
pub(crate) fn allow_open_files(connections: u32) -> Result<(), DriveError> {
    let needed = u64::from(connections) + OTHER_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    if let Some(limit) = limit.maximum.filter(|&maximum| maximum < needed) {
        return Err(DriveError::OpenFiles { needed, limit });
    }
    let raised = Rlimit {
        current: limit.maximum.or(Some(needed)),
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised)
        .map_err(|error| DriveError::system("raising the limit of open files")(error.into()))
}

/// Pins the calling thread, and those it starts later, to the given processors.
pub(crate) fn pin(cpus: &[usize]) -> Result<(), DriveError> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(DriveError::Request(format!("there is no processor {cpu}")));
        }
        set.set(cpu);
    }
    sched_setaffinity(None, &set).map_err(|error| {
        DriveError::Request(format!("processors {cpus:?} can't be used here: {error}"))
    })
}

/// Has the kernel wake the calling thread at the nanosecond it asked for, not up to 50 µs later.
pub(crate) fn wake_punctually() -> Result<(), DriveError> {
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1))
        .map_err(|error| DriveError::system("setting the timer slack")(error.into()))
}

/// Returns the peak memory of the process; 0 if `/proc` is not available.
pub(crate) fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    peak_in(&status).unwrap_or(0)
}

fn peak_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status_of_the_process() {
        assert_eq!(
            peak_in("Name:\tx\nVmHWM:\t    9216 kB\nVmRSS:\t 1 kB\n"),
            Some(9_437_184)
        );
        assert!(peak_rss_bytes() > 0);
    }

    #[test]
    fn more_connections_than_files_are_refused_with_both_numbers() {
        let error = allow_open_files(u32::MAX).unwrap_err();
        assert!(
            error
                .to_string()
                .contains(&(u64::from(u32::MAX) + OTHER_FILES).to_string())
        );
    }

    #[test]
    fn a_processor_that_is_not_there_is_a_wrong_request() {
        assert!(matches!(pin(&[1_000_000]), Err(DriveError::Request(_))));
    }
}
