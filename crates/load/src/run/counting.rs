//! The server's own counts, read where phases begin and end, and in between where an order asks for it.
//!
//! A thread of its own asks, so that neither a worker nor the thread that writes the records ever waits for the answer.

use crate::order::Access;
use dbdyno_drive::{Load, Phase};
use dbdyno_meter::clock;
use dbdyno_wire::{Session, WireError};
use dbdyno_workload::ServerCount;
use std::num::NonZeroU32;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// What the server had counted at one instant.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// Seconds of the run that were over.
    pub(super) second: u32,
    /// When the server was asked.
    pub(super) monotonic_ns: u64,
    /// In the order of the workload's counts.
    pub(super) values: Vec<u64>,
}

/// Asks when it is told to, and keeps the answers until they are taken.
pub(super) struct Counting {
    /// Where phases begin and end.
    bounds: Vec<u32>,
    /// Seconds between the other readings; `None`: there are no others.
    every_s: Option<NonZeroU32>,
    asked: Option<Sender<u32>>,
    answers: Receiver<Result<Reading, String>>,
    thread: Option<JoinHandle<()>>,
}

impl Counting {
    /// Ready to ask, if the workload has counts. The connection is made with the first question, when the load has
    /// all of its own.
    pub(super) fn begin(load: &Load, access: Access, every_s: Option<NonZeroU32>) -> Option<Self> {
        let counts = load.workload.server_counts()?;
        let mut asker = Asker {
            access,
            session: None,
            counts: counts.counts.clone(),
        };
        let (asked, orders) = channel::<u32>();
        let (told, answers) = channel();
        let thread = std::thread::spawn(move || {
            for second in orders {
                let _ = told.send(asker.read(second)); // nobody listens once the run is over
            }
            asker.leave();
        });
        Some(Self {
            bounds: bounds(&load.phases),
            every_s,
            asked: Some(asked),
            answers,
            thread: Some(thread),
        })
    }

    /// So many seconds are over: the counts are read if a reading is due.
    pub(super) fn note(&self, second: u32) {
        if let (Some(asked), true) = (&self.asked, is_due(second, &self.bounds, self.every_s)) {
            let _ = asked.send(second); // a thread that has ended has told why
        }
    }

    /// What has been read since the last call.
    pub(super) fn take(&self) -> Vec<Result<Reading, String>> {
        self.answers.try_iter().collect()
    }

    /// Waits for what is still being read.
    pub(super) fn finish(mut self) -> Vec<Result<Reading, String>> {
        self.asked = None;
        let rest = self.answers.iter().collect();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // whatever it had to tell was taken
        }
        rest
    }
}

fn is_due(second: u32, bounds: &[u32], every_s: Option<NonZeroU32>) -> bool {
    bounds.contains(&second) || every_s.is_some_and(|every| second.is_multiple_of(every.get()))
}

/// Where phases begin and end, in seconds of the run.
pub(super) fn bounds(phases: &[Phase]) -> Vec<u32> {
    let mut bounds = vec![0_u32];
    for phase in phases {
        let end = bounds[bounds.len() - 1].saturating_add(phase.seconds);
        bounds.push(end);
    }
    bounds
}

/// The connection, and what is asked over it.
struct Asker {
    access: Access,
    session: Option<Session>,
    counts: Vec<ServerCount>,
}

impl Asker {
    /// A connection that failed is given up; the next question makes another.
    fn read(&mut self, second: u32) -> Result<Reading, String> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.access.connect().map_err(|error| error.to_string())?,
        };
        let monotonic_ns = clock::monotonic_ns();
        let values: Result<Vec<u64>, WireError> = self
            .counts
            .iter()
            .map(|count| {
                let found = session.query(&count.sql)?;
                Ok(found.rows.iter().map(|row| last_integer(row)).sum())
            })
            .collect();
        let values = values.map_err(|error| error.to_string())?;
        self.session = Some(session);
        Ok(Reading {
            second,
            monotonic_ns,
            values,
        })
    }

    fn leave(self) {
        if let Some(session) = self.session {
            session.close();
        }
    }
}

/// NULL, and what is no integer, counts nothing.
fn last_integer(row: &[Option<Vec<u8>>]) -> u64 {
    let value = row.last().and_then(Option::as_deref);
    let text = value.and_then(|bytes| std::str::from_utf8(bytes).ok());
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_due_at_the_bounds_of_phases_and_between_them_where_asked_for() {
        let due = |every_s| -> Vec<u32> {
            (0..=25)
                .filter(|second| is_due(*second, &[0, 5, 25], NonZeroU32::new(every_s)))
                .collect()
        };
        assert_eq!(due(0), [0, 5, 25]);
        assert_eq!(due(10), [0, 5, 10, 20, 25]);
    }

    #[test]
    fn the_last_column_counts() {
        let row = |values: &[Option<&str>]| {
            let bytes = |value: &Option<&str>| value.map(|text| text.as_bytes().to_vec());
            last_integer(&values.iter().map(bytes).collect::<Vec<_>>())
        };
        assert_eq!(row(&[Some("Com_commit"), Some("53411")]), 53_411);
        assert_eq!(row(&[Some("30010")]), 30_010);
        assert_eq!(row(&[None]), 0, "SUM over no rows");
    }
}
