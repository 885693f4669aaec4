//! Conditions asked side by side, and answered in their order.

use crate::order::Access;
use crate::record::ConditionLine;
use crate::trouble::{Exit, Trouble, unwritable};
use dbdyno_drive::StopSwitch;
use dbdyno_meter::clock;
use dbdyno_wire::Session;
use dbdyno_workload::{Condition, Holds, Moment};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Rows fetched of a broken condition; who sees so many needs no exact number.
const ROWS_FETCHED: usize = 1000;
/// Rows shown of it.
const ROWS_SHOWN: usize = 5;

/// What is asked, and of whom.
pub(super) struct Asking<'a> {
    pub(super) conditions: &'a [Condition],
    pub(super) access: &'a Access,
    pub(super) stop: &'a StopSwitch,
    pub(super) moment: Moment,
}

/// What a condition's answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Holds,
    Broken,
    /// Broken, and need not hold.
    Told,
}

/// What became of a condition.
pub(super) struct Answer<'a> {
    condition: &'a Condition,
    pub(super) verdict: Verdict,
    required: bool,
    /// One more than are fetched, if there are more.
    rows: Vec<Vec<Option<String>>>,
    elapsed_ns: u64,
}

/// A condition's place and what became of it.
type Placed<'a> = (usize, Result<Answer<'a>, Trouble>);

impl<'a> Asking<'a> {
    /// Asks all conditions and hands the answers to `each`, in the conditions' order.
    pub(super) fn ask_all(
        &self,
        connections: u32,
        mut each: impl FnMut(Answer<'a>) -> io::Result<()>,
    ) -> Result<(), Trouble> {
        let next = AtomicUsize::new(0);
        let (done, answers) = channel::<Placed<'a>>();
        thread::scope(|scope| {
            for _ in 0..connections.min(self.conditions.len() as u32) {
                let (done, next) = (done.clone(), &next);
                scope.spawn(move || self.ask_some(next, &done));
            }
            drop(done); // so that the answers end with the last connection
            let mut early = BTreeMap::new();
            let mut wanted = 0;
            let result = answers.iter().try_for_each(|(place, answer)| {
                early.insert(place, answer?);
                while let Some(answer) = early.remove(&wanted) {
                    each(answer).map_err(unwritable("what was verified"))?;
                    wanted += 1;
                }
                Ok(())
            });
            if result.is_err() {
                self.stop.throw(); // the others ask nothing more
            }
            result
        })
    }

    /// Takes one condition after the other, until there are none or something fails.
    fn ask_some(&self, next: &AtomicUsize, done: &Sender<Placed<'a>>) {
        let mut session = match self.access.connect() {
            Ok(session) => session,
            Err(trouble) => return drop(done.send((0, Err(trouble)))),
        };
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(condition) = self.conditions.get(place) else {
                break;
            };
            let answer = self.ask(&mut session, condition);
            let has_failed = answer.is_err();
            if done.send((place, answer)).is_err() || has_failed {
                break;
            }
        }
        session.close();
    }

    fn ask(&self, session: &mut Session, condition: &'a Condition) -> Result<Answer<'a>, Trouble> {
        if self.stop.is_thrown() {
            return Err(Trouble {
                exit: Exit::NotHeld,
                ..Trouble::world("interrupted before all conditions were asked")
            });
        }
        let began_ns = clock::monotonic_ns();
        let sql = format!("{} LIMIT {}", condition.sql, ROWS_FETCHED + 1);
        let found = session.query(&sql).map_err(|error| {
            Trouble::world(format!("condition {} could not be asked", condition.name))
                .because(error)
                .hint("fill the tables by dbdyno-load populate, with the same options")
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
        let required = condition.holds.is_required(self.moment);
        Ok(Answer {
            condition,
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
        (false, false) => Verdict::Told,
    }
}

impl Answer<'_> {
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
                Verdict::Told => "told",
            },
            required: self.required,
            quirks: match self.condition.holds {
                Holds::UnlessQuirk(quirks) => quirks,
                Holds::Always | Holds::AfterLoad => "",
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

    fn answer(rows: usize, holds: Holds, condition: &mut Condition) -> ConditionLine {
        condition.holds = holds;
        let required = condition.holds.is_required(Moment::AfterRun);
        Answer {
            condition,
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
            holds: Holds::Always,
        };
        let mut status = |rows, holds| answer(rows, holds, &mut condition).status;
        assert_eq!(status(0, Holds::Always), "holds");
        assert_eq!(status(1, Holds::Always), "broken");
        assert_eq!(status(1, Holds::AfterLoad), "told");
        assert_eq!(status(1, Holds::UnlessQuirk("Q-HD-5")), "told");
        let many = answer(
            ROWS_FETCHED + 1,
            Holds::UnlessQuirk("Q-HD-5"),
            &mut condition,
        );
        assert!(many.has_more_rows && many.rows == ROWS_FETCHED);
        assert_eq!((many.first_rows.len(), many.quirks), (ROWS_SHOWN, "Q-HD-5"));
    }
}
