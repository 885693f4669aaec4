//! Holds what one second of a process's threads comes to.

use crate::process::ScheduledTime;
use crate::wait_class::WaitClass;
use std::collections::BTreeMap;

/// One second of the session threads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecondRecord {
    /// Session threads at its end.
    pub sessions: usize,
    /// Their processor time.
    pub on_cpu_ns: u64,
    /// Their time on the run queue: ready, and no processor free.
    pub run_queue_ns: u64,
    /// Times that a session thread was looked at.
    pub samples: u64,
    /// Of these: on a processor or the run queue.
    pub running: u64,
    /// Of these: blocked, by class, in the order of [`WaitClass::ALL`].
    pub waits: [u64; WaitClass::ALL.len()],
    /// Threads that serve no session, by name.
    pub background: Vec<GroupSecond>,
}

impl SecondRecord {
    /// Counts those that wait in RocksDB's write group while its leader is delayed as delayed, too: their own stacks show
    /// only that they wait for the leader, which is otherwise a wait for the write-ahead log. `before` are the waits before
    /// this look at the sessions.
    pub(crate) fn charge_group_to_its_leader(&mut self, before: &[u64; WaitClass::ALL.len()]) {
        let (stall, flush) = (WaitClass::WriteStall.index(), WaitClass::RedoFlush.index());
        if self.waits[stall] > before[stall] {
            self.waits[stall] += self.waits[flush] - before[flush];
            self.waits[flush] = before[flush];
        }
    }
}

/// One second of the threads of one name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupSecond {
    /// As the server names them; a number at the end is left out.
    pub name: String,
    /// Threads of that name.
    pub threads: usize,
    /// Their processor time.
    pub on_cpu_ns: u64,
    /// Their time on the run queue.
    pub run_queue_ns: u64,
}

/// Sums up the threads that serve no session, by name.
#[derive(Default)]
pub(crate) struct BackgroundGroups(BTreeMap<String, GroupSecond>);

impl BackgroundGroups {
    /// Adds what a thread spent.
    pub(crate) fn add(&mut self, thread_name: &str, spent: ScheduledTime) {
        let group = self
            .0
            .entry(group_name(thread_name).to_owned())
            .or_default();
        group.threads += 1;
        group.on_cpu_ns += spent.on_cpu_ns;
        group.run_queue_ns += spent.run_queue_ns;
    }

    /// Returns the groups that spent any time, by name.
    pub(crate) fn into_records(self) -> Vec<GroupSecond> {
        self.0
            .into_iter()
            .filter(|(_, group)| group.on_cpu_ns + group.run_queue_ns > 0)
            .map(|(name, group)| GroupSecond { name, ..group })
            .collect()
    }
}

/// Returns the common name of a group: `ib_io_rd-3` and `worker12` are one of many of their name.
fn group_name(name: &str) -> &str {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    stem.trim_end_matches(['-', '_', '/', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_one_name_are_one_group() {
        assert_eq!(group_name("ib_io_rd-3"), "ib_io_rd");
        assert_eq!(group_name("worker12"), "worker");
        assert_eq!(group_name("mysqld"), "mysqld");
    }

    fn waits(stalled: u64, flushing: u64) -> [u64; WaitClass::ALL.len()] {
        let mut waits = [0; WaitClass::ALL.len()];
        waits[WaitClass::WriteStall.index()] = stalled;
        waits[WaitClass::RedoFlush.index()] = flushing;
        waits
    }

    #[test]
    fn sessions_behind_a_delayed_leader_are_delayed() {
        let before = waits(4, 20);
        for (seen, counted) in [(waits(5, 35), waits(20, 20)), (waits(4, 35), waits(4, 35))] {
            let mut second = SecondRecord {
                waits: seen,
                ..SecondRecord::default()
            };
            second.charge_group_to_its_leader(&before);
            assert_eq!(second.waits, counted);
        }
    }
}
