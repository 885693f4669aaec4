//! Divides the connections of one client over several processes, and starts them together.

use crate::pacing::Share;
use crate::{DriveError, StopSwitch, counted};
use dbdyno_meter::clock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// Time from when everything is ready to a segment's first second, so that all workers learn of it before it begins.
pub(crate) const LEAD_NS: u64 = 100_000_000;

/// The same for the first second of all, so that an observer of the server's threads sees all sessions idle. It knows
/// sessions by their reads from the client, which are rare once commits take long, and it took 20 to 210 ms to start on a
/// machine with 16 runnable threads for each processor.
const START_LEAD_NS: u64 = 400_000_000;

/// A start that is nearer than this is missed: workers and readers of the records could not keep it.
const SHORTEST_LEAD_NS: u64 = 10_000_000;

/// Interval of checks, before the start, whether the run is to end.
const LOOK_EVERY_NS: u64 = 50_000_000;

/// Interval of checks whether the start is known.
const LOOK_FOR_START: Duration = Duration::from_millis(5);

/// Says when second 0 begins.
#[derive(Debug, Clone, Default)]
pub enum StartTime {
    /// As soon as all is ready.
    #[default]
    WhenReady,
    /// At a Unix time in nanoseconds, by the clock of this host.
    UnixNs(u64),
    /// At a time that is known once all processes of one client are ready.
    Common(Arc<StartSignal>),
}

/// A start that several processes keep, each by the clock of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonStart {
    /// Unix time in nanoseconds, by the reference clock of all hosts.
    pub unix_ns: u64,
    /// How far the clock of this host is ahead of the reference clock.
    pub clock_ahead_ns: i64,
    /// Possible error of `clock_ahead_ns`.
    pub clock_error_ns: u64,
}

/// Reports that the connections are ready, and receives the start in return.
#[derive(Debug, Default)]
pub struct StartSignal {
    is_ready: AtomicBool,
    start: OnceLock<CommonStart>,
}

impl StartSignal {
    /// Returns whether all connections have logged in and are ready.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Relaxed)
    }

    /// Sets the start. Only the first one counts.
    pub fn begin_at(&self, start: CommonStart) {
        let _ = self.start.set(start);
    }

    /// Returns the start, once it is known.
    #[must_use]
    pub fn start(&self) -> Option<CommonStart> {
        self.start.get().copied()
    }

    /// Waits for the start; returns its Unix time, by the clock of this host.
    fn wait(&self, stop: &StopSwitch) -> Result<u64, DriveError> {
        self.is_ready.store(true, Ordering::Relaxed);
        loop {
            if stop.is_thrown() {
                return Err(DriveError::Interrupted);
            }
            match self.start.get() {
                Some(start) => {
                    return Ok(start.unix_ns.saturating_add_signed(start.clock_ahead_ns));
                }
                None => thread::sleep(LOOK_FOR_START),
            }
        }
    }
}

/// One of several processes that together are one client.
///
/// Connection `i` of the client belongs to the share `i % count`, regardless of the hosts and of their worker threads.
/// Users, rests and due instants depend on that number alone, so the shares together send what one process would.
///
/// ```
/// use dbdyno_drive::ClientShare;
///
/// let shares = [0, 1, 2].map(|index| ClientShare { index, count: 3 });
/// assert_eq!(shares.map(|share| share.connections_of(8)), [3, 3, 2]);
/// assert_eq!(shares[1].number_of(2), 7);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientShare {
    /// Number of this share, from 0.
    pub index: u32,
    /// Number of shares.
    pub count: u32,
}

impl Default for ClientShare {
    /// Returns the share of the whole client.
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

impl ClientShare {
    /// Returns whether other processes have other shares.
    #[must_use]
    pub fn is_part(self) -> bool {
        self.count > 1
    }

    /// Returns how many of the client's connections it holds.
    #[must_use]
    pub fn connections_of(self, total: u32) -> u32 {
        total.saturating_sub(self.index).div_ceil(self.count)
    }

    /// Converts the number of one of its connections to the number in the whole client.
    #[must_use]
    pub fn number_of(self, connection: u32) -> u32 {
        self.index + connection * self.count
    }

    /// Returns a worker's share: connections go to the workers in turn, so every `workers * count`-th of the client.
    pub(crate) fn of_worker(self, worker: u32, workers: u32, total: u32) -> Share {
        Share {
            worker: self.number_of(worker),
            workers: workers * self.count,
            connections: total,
        }
    }

    pub(crate) fn check(self, total: u32) -> Result<(), DriveError> {
        if self.index >= self.count {
            let (number, count) = (u64::from(self.index) + 1, self.count);
            return Err(DriveError::Request(format!(
                "there is no share {number} of {count}"
            )));
        }
        if total < self.count {
            return Err(DriveError::Request(format!(
                "{} can't be distributed over {}: each needs at least one",
                counted(total.into(), "connection"),
                counted(self.count.into(), "share")
            )));
        }
        Ok(())
    }
}

/// Waits for the start; returns when second 0 begins, on the monotonic clock: a moment from now, or at the Unix time
/// asked for. The clock may be set meanwhile, so it is read again until shortly before.
pub(crate) fn await_start(start: &StartTime, stop: &StopSwitch) -> Result<u64, DriveError> {
    let start_at_ns = match start {
        StartTime::WhenReady => return Ok(clock::monotonic_ns() + START_LEAD_NS),
        StartTime::UnixNs(unix_ns) => *unix_ns,
        StartTime::Common(signal) => signal.wait(stop)?,
    };
    loop {
        let (now_ns, unix_ns) = (clock::monotonic_ns(), clock::realtime_ns());
        let left_ns = start_at_ns.saturating_sub(unix_ns);
        if stop.is_thrown() {
            return Err(DriveError::Interrupted);
        }
        if left_ns < SHORTEST_LEAD_NS {
            return Err(DriveError::StartMissed {
                late_ns: (unix_ns + SHORTEST_LEAD_NS).saturating_sub(start_at_ns),
            });
        }
        if left_ns <= START_LEAD_NS {
            return Ok(now_ns + left_ns);
        }
        thread::sleep(Duration::from_nanos(
            (left_ns - START_LEAD_NS).min(LOOK_EVERY_NS),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_of_all_shares_own_each_connection_once() {
        let workers = [1, 4, 2];
        for total in [12, 13, 29, 100] {
            let mut owned = Vec::new();
            for (index, workers) in (0..).zip(workers) {
                let share = ClientShare { index, count: 3 };
                let mut own: Vec<_> = (0..share.connections_of(total))
                    .map(|connection| share.number_of(connection))
                    .collect();
                let mut of_workers = Vec::new();
                for worker in 0..workers {
                    let part = share.of_worker(worker, workers, total);
                    of_workers.extend((0..part.count()).map(|place| part.number_of(place)));
                }
                of_workers.sort_unstable();
                assert_eq!(of_workers, own, "{share:?} of {total}");
                owned.append(&mut own);
            }
            owned.sort_unstable();
            assert!(owned.iter().copied().eq(0..total), "{owned:?}");
        }
    }

    #[test]
    fn a_share_that_does_not_exist_or_has_no_connection_is_refused() {
        let share = |index| ClientShare { index, count: 3 };
        assert!(share(2).check(3).is_ok());
        assert!(share(3).check(9).is_err());
        assert!(share(0).check(2).is_err());
        assert!(ClientShare::default().check(1).is_ok());
    }

    #[test]
    fn an_observer_that_takes_a_fifth_of_a_second_to_start_sees_the_sessions_idle() {
        let asked_ns = clock::monotonic_ns();
        let start_ns = await_start(&StartTime::WhenReady, &StopSwitch::default()).unwrap();
        assert!(start_ns - asked_ns >= 300_000_000);
    }

    #[test]
    fn a_start_in_the_past_is_missed_and_one_ahead_is_kept() {
        let stop = StopSwitch::default();
        let missed = await_start(&StartTime::UnixNs(clock::realtime_ns()), &stop);
        assert!(matches!(missed, Err(DriveError::StartMissed { .. })));
        let asked_ns = clock::realtime_ns() + 2 * START_LEAD_NS;
        let start_ns = await_start(&StartTime::UnixNs(asked_ns), &stop).unwrap();
        let told_ns = clock::realtime_ns() + start_ns - clock::monotonic_ns();
        assert!(
            told_ns.abs_diff(asked_ns) < 1_000_000,
            "{told_ns} {asked_ns}"
        );
        stop.throw();
        let late = StartTime::UnixNs(clock::realtime_ns() + 3_600 * START_LEAD_NS);
        let ended = await_start(&late, &stop);
        assert!(matches!(ended, Err(DriveError::Interrupted)));
    }

    #[test]
    fn a_start_that_is_told_is_waited_for_and_kept() {
        let (stop, signal) = (StopSwitch::default(), Arc::<StartSignal>::default());
        let apart_ns = thread::scope(|scope| {
            let waiting = scope
                .spawn(|| await_start(&StartTime::Common(Arc::clone(&signal)), &stop).unwrap());
            while !signal.is_ready() {
                thread::yield_now();
            }
            assert!(!waiting.is_finished());
            // This host's clock is an hour ahead of the reference clock of the start.
            let (asked_ns, hour_ns) = (clock::realtime_ns() + 2 * START_LEAD_NS, 3_600_000_000_000);
            signal.begin_at(CommonStart {
                unix_ns: asked_ns - hour_ns,
                clock_ahead_ns: hour_ns as i64,
                clock_error_ns: 0,
            });
            let start_ns = waiting.join().unwrap();
            asked_ns.abs_diff(clock::realtime_ns() + start_ns - clock::monotonic_ns())
        });
        assert!(apart_ns < 1_000_000, "{apart_ns}");
        stop.throw();
        let never = StartTime::Common(Arc::default());
        let ended = await_start(&never, &stop);
        assert!(matches!(ended, Err(DriveError::Interrupted)));
    }
}
