//! Checks conditions in parallel, and reports them in order.

use crate::cli_error::{CliError, unwritable};
use crate::error_code::ErrorCode;
use crate::order::Access;
use crate::record::ConditionLine;
use dbdyno_drive::StopSwitch;
use dbdyno_meter::clock;
use dbdyno_wire::{Session, WireError};
use dbdyno_workload::{CheckPhase, Condition, InvariantScope};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Rows fetched of a broken condition; an exact higher number is of no use.
const ROWS_FETCHED: usize = 1000;
/// Rows shown of it.
const ROWS_SHOWN: usize = 5;

/// Pause between two checks for conditions that take too long.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long stopped connections may take to answer.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Holds the conditions to check, and the server to ask.
#[derive(Clone)]
pub(super) struct ConditionChecker {
    pub(super) conditions: Arc<[Condition]>,
    pub(super) access: Access,
    pub(super) stop: StopSwitch,
    pub(super) phase: CheckPhase,
    /// Time limit of one condition.
    pub(super) limit: Duration,
}

/// Says whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Holds,
    Broken,
    /// Broken, and need not hold.
    NotRequired,
    /// Not answered in time.
    Undecided,
}

/// Holds the result of a condition.
pub(super) struct ConditionResult {
    condition: Condition,
    pub(super) verdict: Verdict,
    required: bool,
    /// One row more than the limit, if there are more.
    rows: Vec<Vec<Option<String>>>,
    elapsed_ns: u64,
}

/// Reports the checker's progress.
pub(super) enum CheckProgress<'a> {
    /// A condition was sent to the server.
    Started(&'a Condition),
    Checked(ConditionResult),
}

/// A connection's message about a condition, by the condition's index.
enum CheckMessage {
    /// The condition was sent, over the connection with this number.
    Started(usize, u32),
    Checked(usize, Result<ConditionResult, CliError>),
}

impl ConditionChecker {
    /// Checks all conditions, reports to `each` which one begins, and passes it the results in the conditions' order.
    ///
    /// A condition without an answer in time is undecided: its statement is killed, its connection left alone, and
    /// another one goes on with the rest. Some servers ignore both their own statement limit and a KILL.
    pub(super) fn check_all(
        &self,
        connections: u32,
        mut each: impl FnMut(CheckProgress<'_>) -> io::Result<()>,
    ) -> Result<(), CliError> {
        let next = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = channel();
        for _ in 0..connections.min(self.conditions.len() as u32) {
            self.start(&next, &sender);
        }
        let (mut early, mut under_way) = (BTreeMap::new(), BTreeMap::new());
        let (mut wanted, mut stopped) = (0, None);
        let mut collect = || -> Result<(), CliError> {
            while wanted < self.conditions.len() {
                match receiver.recv_timeout(POLL_INTERVAL) {
                    Ok(CheckMessage::Started(place, number)) => {
                        under_way.insert(place, (Instant::now(), number));
                        each(CheckProgress::Started(&self.conditions[place]))
                            .map_err(unwritable("the verification results"))?;
                    }
                    Ok(CheckMessage::Checked(place, answer)) => {
                        if under_way.remove(&place).is_some() || answer.is_err() {
                            early.insert(place, answer?);
                        }
                    }
                    // The connections themselves report what they were waiting for when they were stopped.
                    Err(_) if !self.stop.is_thrown() => {}
                    Err(_) if stopped.get_or_insert_with(Instant::now).elapsed() < STOP_TIMEOUT => {
                    }
                    Err(_) => self.check_interrupted()?,
                }
                let is_late = |since: &Instant| since.elapsed() >= self.limit;
                let late = under_way.iter().find(|(_, (since, _))| is_late(since));
                if let Some((&place, &(since, number))) = late {
                    under_way.remove(&place);
                    early.insert(place, self.undecided(place, since));
                    self.kill(number);
                    self.start(&next, &sender);
                }
                while let Some(answer) = early.remove(&wanted) {
                    each(CheckProgress::Checked(answer))
                        .map_err(unwritable("the verification results"))?;
                    wanted += 1;
                }
            }
            Ok(())
        };
        let result = collect();
        if result.is_err() {
            self.stop.throw(); // the other connections stop
        }
        result
    }

    /// Starts a connection that checks conditions. Its thread is not joined: without an answer it may never end.
    fn start(&self, next: &Arc<AtomicUsize>, sender: &Sender<CheckMessage>) {
        let (checker, next, sender) = (self.clone(), Arc::clone(next), sender.clone());
        thread::spawn(move || checker.check_some(&next, &sender));
    }

    fn check_interrupted(&self) -> Result<(), CliError> {
        if self.stop.is_thrown() {
            return Err(CliError::interrupted(
                "interrupted before all conditions were checked",
                None,
            ));
        }
        Ok(())
    }

    fn undecided(&self, place: usize, since: Instant) -> ConditionResult {
        let condition = self.conditions[place].clone();
        ConditionResult {
            required: condition.holds.is_required(self.phase),
            condition,
            verdict: Verdict::Undecided,
            rows: Vec::new(),
            elapsed_ns: u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX),
        }
    }

    /// Has the server end a statement, in a separate thread: the server may not answer this either.
    fn kill(&self, number: u32) {
        let access = self.access.clone();
        thread::spawn(move || {
            if let Ok(mut session) = access.connect() {
                drop(session.query(&format!("KILL {number}")));
            }
        });
    }

    /// Checks one condition after the other, until none is left, something fails, or an answer came too late.
    fn check_some(&self, next: &AtomicUsize, sender: &Sender<CheckMessage>) {
        let mut session = match self.access.connect() {
            Ok(session) => session,
            Err(cli_error) => return drop(sender.send(CheckMessage::Checked(0, Err(cli_error)))),
        };
        let number = session.info().connection_id;
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(condition) = self.conditions.get(place) else {
                break;
            };
            let began = Instant::now();
            if sender.send(CheckMessage::Started(place, number)).is_err() {
                break;
            }
            let answer = self.ask(&mut session, condition);
            if began.elapsed() >= self.limit {
                return; // it already counts as undecided, and another connection goes on
            }
            let has_failed = answer.is_err();
            if sender.send(CheckMessage::Checked(place, answer)).is_err() || has_failed {
                break;
            }
        }
        session.close();
    }

    fn ask(
        &self,
        session: &mut Session,
        condition: &Condition,
    ) -> Result<ConditionResult, CliError> {
        self.check_interrupted()?;
        let began_ns = clock::monotonic_ns();
        let sql = format!("{} LIMIT {}", condition.sql, ROWS_FETCHED + 1);
        let found = session.select(&sql).map_err(|error| {
            let what = format!("condition {} could not be checked", condition.name);
            let cli_error = CliError::world(ErrorCode::ConditionUnchecked, what).because_of(&error);
            match error {
                WireError::Server(_) => cli_error
                    .hint("fill the tables with dbdyno-load populate and the same options"),
                WireError::Timeout { .. } => cli_error.hint(
                    "see what the server is doing (SHOW PROCESSLIST), or allow more time (--check-timeout)",
                ),
                _ => cli_error,
            }
        })?;
        let text = |value: &Option<Vec<u8>>| {
            let value = value.as_deref()?;
            Some(String::from_utf8_lossy(value).into_owned())
        };
        let rows: Vec<Vec<Option<String>>> = found
            .rows
            .iter()
            .map(|row| row.iter().map(text).collect())
            .collect();
        let required = condition.holds.is_required(self.phase);
        Ok(ConditionResult {
            condition: condition.clone(),
            verdict: verdict(rows.is_empty(), required),
            required,
            rows,
            elapsed_ns: clock::monotonic_ns() - began_ns,
        })
    }
}

fn verdict(is_empty: bool, required: bool) -> Verdict {
    match (is_empty, required) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::Broken,
        (false, false) => Verdict::NotRequired,
    }
}

impl ConditionResult {
    pub(super) fn into_line(mut self) -> ConditionLine {
        let count = self.rows.len();
        self.rows.truncate(ROWS_SHOWN);
        ConditionLine {
            record: "condition",
            name: self.condition.name.clone(),
            meaning: self.condition.meaning.clone(),
            status: match self.verdict {
                Verdict::Holds => "holds",
                Verdict::Broken => "broken",
                Verdict::NotRequired => "told",
                Verdict::Undecided => "undecided",
            },
            required: self.required,
            quirks: match self.condition.holds {
                InvariantScope::UnlessQuirk(quirks) => quirks,
                InvariantScope::Always | InvariantScope::AfterLoad => "",
            },
            rows: count.min(ROWS_FETCHED),
            has_more_rows: count > ROWS_FETCHED,
            first_rows: self.rows,
            elapsed_ns: self.elapsed_ns,
            sql: self.condition.sql.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(rows: usize, holds: InvariantScope, condition: &mut Condition) -> ConditionLine {
        condition.holds = holds;
        let required = condition.holds.is_required(CheckPhase::AfterRun);
        ConditionResult {
            condition: condition.clone(),
            verdict: verdict(rows == 0, required),
            required,
            rows: vec![vec![Some("1".to_owned()), None]; rows],
            elapsed_ns: 1,
        }
        .into_line()
    }

    #[test]
    fn only_what_must_hold_is_broken() {
        let mut condition = Condition {
            name: "3.3.2.3".to_owned(),
            meaning: "no gaps".to_owned(),
            sql: "SELECT 1".to_owned(),
            holds: InvariantScope::Always,
        };
        let mut status = |rows, holds| answer(rows, holds, &mut condition).status;
        assert_eq!(status(0, InvariantScope::Always), "holds");
        assert_eq!(status(1, InvariantScope::Always), "broken");
        assert_eq!(status(1, InvariantScope::AfterLoad), "told");
        assert_eq!(status(1, InvariantScope::UnlessQuirk("Q-HD-5")), "told");
        let many = answer(
            ROWS_FETCHED + 1,
            InvariantScope::UnlessQuirk("Q-HD-5"),
            &mut condition,
        );
        assert!(many.has_more_rows && many.rows == ROWS_FETCHED);
        assert_eq!((many.first_rows.len(), many.quirks), (ROWS_SHOWN, "Q-HD-5"));
    }
}
