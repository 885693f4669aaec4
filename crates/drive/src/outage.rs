//! Records outages: when connections were lost, when the server answered again, when throughput had
//! recovered.
//!
//! Each worker notes what happens to its own connections. Whether the whole server was gone, and
//! for how long, is known when the notes of all workers are combined at the end of the run.

use crate::{Cause, Failure, Fault, counted};
use dbdyno_meter::SECOND_NS;
use dbdyno_wire::PathState;

/// Whole seconds before an outage that provide the throughput to compare with.
const FORMER_SECONDS: usize = 10;

/// Connections that the kernel is asked about: they share the path.
const ASKED_ABOUT: usize = 32;

/// Share of the former throughput that counts as regained.
const REGAINED: f64 = 0.95;

/// A stretch in which at least one connection was lost and not open again, or the path to the server was lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Outage {
    /// When the first connection was found lost, on the monotonic clock; of a lost path, the last reply before it.
    pub start_ns: u64,
    /// First statement answered without an error on a connection that was opened again. If a path came back before
    /// its connections were lost: the first statement answered.
    pub first_success_ns: Option<u64>,
    /// When the last lost connection was open again, or the path was back.
    pub restored_ns: Option<u64>,
    /// How many times a connection was lost in it; for a path, how many waited for an answer.
    pub connections_lost: u32,
    /// Why the connections were lost.
    pub cause: Cause,
    /// Whether there was an instant without any open connection.
    pub all_lost: bool,
    /// Median of the events per second that were completed in up to ten whole seconds before it, so that an
    /// outage shortly before does not lower it.
    pub former_tps: Option<f64>,
    /// End of the first whole second after its start that had 95 % of `former_tps`.
    pub regained_ns: Option<u64>,
}

/// Describes what happened to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ConnectionEvent {
    Lost(Cause),
    Reopened,
    Answered,
}

/// A stretch in which nothing was received and nothing acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DeadPath {
    /// The last reply before it.
    from_ns: u64,
    /// The first one after it.
    until_ns: Option<u64>,
    /// How many connections waited for an answer.
    connections: u32,
}

impl DeadPath {
    fn end_ns(&self) -> u64 {
        self.until_ns.unwrap_or(u64::MAX)
    }
}

/// Holds one worker's notes. Nothing is noted, and nothing allocated, while all goes well.
#[derive(Debug, Clone, Default)]
pub struct OutageLog {
    turns: Vec<(u64, ConnectionEvent)>,
    paths: Vec<DeadPath>,
    /// A connection was opened again, and none has had an answer since.
    awaits_answer: bool,
    /// The path is lost, or an answer is awaited: the next answer matters.
    is_listening: bool,
}

impl OutageLog {
    /// Notes that a connection was lost.
    pub fn lose(&mut self, now_ns: u64, cause: Cause) {
        self.turns.push((now_ns, ConnectionEvent::Lost(cause)));
    }

    /// Notes that a connection was opened again.
    pub fn reopen(&mut self, now_ns: u64) {
        self.turns.push((now_ns, ConnectionEvent::Reopened));
        self.awaits_answer = true;
        self.is_listening = true;
    }

    /// Returns whether a connection was lost or opened again since then.
    #[must_use]
    pub fn has_changed_since(&self, then_ns: u64) -> bool {
        self.turns
            .last()
            .is_some_and(|&(at_ns, _)| at_ns >= then_ns)
    }

    /// Checks the path to `peer`, from which nothing has come since `from_ns`, by what the kernel says of the
    /// connections that wait for an answer. If it is dead on most of them, notes and describes its loss.
    pub fn check_path<C>(
        &mut self,
        mut waiting: impl Iterator<Item = C>,
        state: impl Fn(C) -> Option<PathState>,
        peer: &str,
        from_ns: u64,
        now_ns: u64,
    ) -> Option<String> {
        let asked = waiting.by_ref().take(ASKED_ABOUT);
        let states: Vec<_> = asked.filter_map(state).collect();
        let dead = states.iter().filter(|&&state| state == PathState::Dead);
        let dead = dead.count();
        if dead == 0 || 2 * dead < states.len() {
            return None;
        }
        let connections = (states.len() + waiting.count()) as u32;
        self.lose_path(from_ns, connections);
        Some(format!(
            "the path to {peer} is lost: for {:.1} s no byte has come and nothing is acknowledged, on {}",
            (now_ns - from_ns) as f64 / 1e9,
            counted(connections.into(), "connection")
        ))
    }

    /// Notes that nothing has come since `from_ns`, and the other host acknowledges nothing.
    fn lose_path(&mut self, from_ns: u64, connections: u32) {
        self.paths.push(DeadPath {
            from_ns,
            until_ns: None,
            connections,
        });
        self.is_listening = true;
    }

    /// Returns whether the path is lost and nothing has been received since.
    #[must_use]
    pub fn is_path_lost(&self) -> bool {
        self.paths
            .last()
            .is_some_and(|path| path.until_ns.is_none())
    }

    /// Notes a statement answered without an error. Connections that were never lost answer
    /// nothing while a server is down; otherwise their answers change nothing.
    #[inline]
    pub fn hear(&mut self, was_reopened: bool, now_ns: u64) {
        if self.is_listening {
            self.note_answer(was_reopened, now_ns);
        }
    }

    #[cold]
    fn note_answer(&mut self, was_reopened: bool, now_ns: u64) {
        if let Some(path) = self.paths.last_mut() {
            path.until_ns.get_or_insert(now_ns);
        }
        if self.awaits_answer && was_reopened {
            self.awaits_answer = false;
            self.turns.push((now_ns, ConnectionEvent::Answered));
        }
        self.is_listening = self.awaits_answer;
    }
}

/// Computes the outages of a run with so many connections, from all workers' notes and the events completed in each
/// second since `start_ns`.
#[must_use]
pub fn outages(
    logs: Vec<OutageLog>,
    connections: u32,
    start_ns: u64,
    completed: &[u64],
) -> Vec<Outage> {
    let paths = logs.iter().flat_map(|log| log.paths.iter().copied());
    let paths = dead_paths(paths.collect());
    let turns = logs.into_iter().flat_map(|log| log.turns);
    let mut found = lost_connections(turns.collect(), connections);
    for path in paths {
        // Connections break for lack of acknowledgements some time after the path is lost: one outage.
        let lost = |outage: &&mut Outage| (path.from_ns..=path.end_ns()).contains(&outage.start_ns);
        match found.iter_mut().find(lost) {
            Some(outage) => outage.begin_with(&path, connections),
            None => found.push(Outage::of_path(&path, connections)),
        }
    }
    found.sort_by_key(|outage| outage.start_ns);
    for outage in &mut found {
        outage.weigh(start_ns, completed);
    }
    found
}

/// Returns why a run with a lost path has failed: seconds without a path say nothing about the server. If lost
/// connections are opened again (`lives_with`), outages that end are accepted. Seconds count from `zero_ns`.
#[must_use]
pub fn path_failure(
    outages: &[Outage],
    lives_with: bool,
    peer: &str,
    zero_ns: u64,
) -> Option<Failure> {
    let lost = outages.iter().find(|outage| {
        outage.cause == Cause::Network && !(lives_with && outage.restored_ns.is_some())
    })?;
    Some(Failure {
        code: None,
        statement: None,
        message: lost.path_words(peer, zero_ns),
        fault: Fault::World,
        cause: Cause::Network,
    })
}

/// Merges the overlapping path losses of all workers.
fn dead_paths(mut seen: Vec<DeadPath>) -> Vec<DeadPath> {
    seen.sort_unstable_by_key(|path| path.from_ns);
    let mut paths: Vec<DeadPath> = Vec::new();
    for path in seen {
        match paths.last_mut() {
            Some(last) if path.from_ns <= last.end_ns() => {
                last.until_ns = Some(last.end_ns().max(path.end_ns())).filter(|&ns| ns < u64::MAX);
                last.connections += path.connections;
            }
            _ => paths.push(path),
        }
    }
    paths
}

fn lost_connections(mut turns: Vec<(u64, ConnectionEvent)>, connections: u32) -> Vec<Outage> {
    turns.sort_unstable();
    let mut found: Vec<Outage> = Vec::new();
    let mut down = 0_u32;
    for (at_ns, turn) in turns {
        if let (ConnectionEvent::Lost(cause), 0) = (turn, down) {
            found.push(Outage::begun_at(at_ns, cause));
        }
        let Some(outage) = found.last_mut() else {
            continue;
        };
        match turn {
            ConnectionEvent::Lost(cause) => {
                down += 1;
                outage.cause = outage.cause.min(cause);
                outage.connections_lost += 1;
                outage.all_lost |= down == connections;
                outage.restored_ns = None;
            }
            ConnectionEvent::Reopened => {
                down = down.saturating_sub(1);
                outage.restored_ns = (down == 0).then_some(at_ns);
            }
            ConnectionEvent::Answered => answer(&mut found, at_ns, down),
        }
    }
    found
}

/// Notes the first answer of a connection that was opened again, with `down` connections still lost. It is not one of the
/// last outage while none of that outage's connections is open again: then it ends the wait of the outages before.
fn answer(found: &mut [Outage], at_ns: u64, down: u32) {
    let reopened =
        |outage: &&mut Outage| outage.restored_ns.is_some() || down < outage.connections_lost;
    let waiting = found.iter_mut().rev().filter(reopened);
    for outage in waiting.take_while(|outage| outage.first_success_ns.is_none()) {
        outage.first_success_ns = Some(at_ns);
    }
}

impl Outage {
    /// Builds an outage of the path that ended before the kernel gave its connections up, or lasted to the end.
    fn of_path(path: &DeadPath, connections: u32) -> Self {
        Self {
            first_success_ns: path.until_ns,
            restored_ns: path.until_ns,
            connections_lost: path.connections,
            all_lost: path.connections >= connections,
            ..Self::begun_at(path.from_ns, Cause::Network)
        }
    }

    /// Notes that the connections were lost because the path was.
    fn begin_with(&mut self, path: &DeadPath, connections: u32) {
        self.start_ns = self.start_ns.min(path.from_ns);
        self.connections_lost = self.connections_lost.max(path.connections);
        self.all_lost |= path.connections >= connections;
        self.cause = Cause::Network;
    }

    /// Returns why the run failed with a lost path. Seconds count from second 0 of the run.
    fn path_words(&self, peer: &str, zero_ns: u64) -> String {
        let second = |ns: u64| ns.saturating_sub(zero_ns) as f64 / 1e9;
        let from = second(self.start_ns);
        let until = match self.restored_ns {
            Some(ns) => format!("from second {from:.1} to {:.1}", second(ns)),
            None => format!("from second {from:.1} to the end"),
        };
        format!(
            "network: the path to {peer} was lost {until}: no byte came and nothing sent was acknowledged, on {}",
            counted(self.connections_lost.into(), "connection")
        )
    }

    fn begun_at(start_ns: u64, cause: Cause) -> Self {
        Self {
            start_ns,
            cause,
            first_success_ns: None,
            restored_ns: None,
            connections_lost: 0,
            all_lost: false,
            former_tps: None,
            regained_ns: None,
        }
    }

    /// Compares the seconds after the outage with those before.
    fn weigh(&mut self, start_ns: u64, completed: &[u64]) {
        let second = (self.start_ns.saturating_sub(start_ns) / SECOND_NS) as usize;
        let second = second.min(completed.len());
        let former = &completed[second.saturating_sub(FORMER_SECONDS)..second];
        if former.is_empty() {
            return;
        }
        let usual = median(former);
        self.former_tps = Some(usual);
        if usual == 0.0 {
            return; // there was no throughput to regain
        }
        let regained = completed
            .iter()
            .enumerate()
            .skip(second + 1)
            .find(|&(_, &count)| count as f64 >= REGAINED * usual);
        self.regained_ns = regained.map(|(at, _)| start_ns + (at as u64 + 1) * SECOND_NS);
    }
}

/// Returns the median of at least one count.
fn median(counts: &[u64]) -> f64 {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    (low + high) as f64 / 2.0
}

#[cfg(test)]
mod tests;
