//! Reads the server's own counts where phases begin and end, and in between if an order asks for it.
//!
//! A separate thread reads them, so that neither a worker nor the thread that writes the records ever waits for the
//! answer. It has its own table of open files: tools find the load's sessions on the server by the sockets of this
//! process. The session of this thread, which is idle nearly all the time, is not one of them.

use crate::order::Access;
use dbdyno_drive::{Load, Phase, StopSwitch};
use dbdyno_meter::clock;
use dbdyno_wire::{CancelFlag, Session, WireError};
use dbdyno_workload::ServerCount;
use std::num::NonZeroU32;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long to wait for the last readings once the run is over: a sum over the districts of thousands of warehouses
/// takes tens of milliseconds, on a busy server some seconds.
const LAST_ANSWER: Duration = Duration::from_secs(15);

/// The same if the run was asked to end. The events under way have had a second before, and a program that does nothing
/// for longer than [`GRACE`](crate::signals::GRACE) is ended without its records.
const LAST_ANSWER_HURRIED: Duration = Duration::from_secs(1);

/// How often to check whether the run was asked to end.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Holds the server's counts at one instant.
#[derive(Debug, Clone)]
pub(super) struct CounterReading {
    /// Seconds of the run that were over.
    pub(super) second: u32,
    /// When the server was asked.
    pub(super) monotonic_ns: u64,
    /// In the order of the workload's counts.
    pub(super) values: Vec<u64>,
}

/// Reads the counts on request, and keeps the answers until they are taken.
pub(super) struct CounterPoller {
    /// Seconds in which phases begin and end.
    bounds: Vec<u32>,
    /// Seconds between the other readings; `None`: there are no others.
    every_s: Option<NonZeroU32>,
    asked: Option<Sender<u32>>,
    answers: Receiver<Result<CounterReading, String>>,
    thread: Option<JoinHandle<()>>,
    /// Switch that ends the run.
    stop: StopSwitch,
    /// Flag that ends the current reading.
    cancel: CancelFlag,
}

impl CounterPoller {
    /// Gets ready to read, if the workload has counts. The connection is made with the first request, when the load has
    /// all its connections.
    pub(super) fn begin(
        load: &Load,
        mut access: Access,
        every_s: Option<NonZeroU32>,
        stop: StopSwitch,
    ) -> Option<Self> {
        let counts = load.workload.spec().server_counts.as_ref()?;
        let cancel = CancelFlag::default();
        access.options.cancel = cancel.clone();
        let mut asker = CounterConnection {
            access,
            session: None,
            counts: counts.counts.clone(),
        };
        let (asked, orders) = channel::<u32>();
        let (readings, answers) = channel();
        let (has_begun, begun) = channel();
        let thread = std::thread::spawn(move || {
            separate_open_files();
            let _ = has_begun.send(()); // awaited below
            for second in orders {
                let _ = readings.send(asker.read(second)); // there is no receiver once the run is over
            }
            asker.leave();
        });
        let _ = begun.recv(); // so that the table has none of the sockets that the load will open
        Some(Self {
            bounds: bounds(&load.phases),
            every_s,
            asked: Some(asked),
            answers,
            thread: Some(thread),
            stop,
            cancel,
        })
    }

    /// Notes that so many seconds are over: reads the counts if a reading is due.
    pub(super) fn note(&self, second: u32) {
        if let (Some(asked), true) = (&self.asked, is_due(second, &self.bounds, self.every_s)) {
            let _ = asked.send(second); // a thread that has ended has reported why
        }
    }

    /// Returns the readings since the last call.
    pub(super) fn take(&self) -> Vec<Result<CounterReading, String>> {
        self.answers.try_iter().collect()
    }

    /// Waits for readings under way, for a limited time: a silent server must not block the end.
    pub(super) fn finish(mut self) -> Vec<Result<CounterReading, String>> {
        self.asked = None;
        let (mut rest, mut waited) = (Vec::new(), Duration::ZERO);
        loop {
            match self.answers.recv_timeout(LOOK_EVERY) {
                Ok(answer) => rest.push(answer),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => waited += LOOK_EVERY,
            }
            if waited >= self.longest_wait() {
                self.cancel.set();
            }
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // all its readings were taken
        }
        rest
    }

    fn longest_wait(&self) -> Duration {
        match self.stop.is_thrown() {
            true => LAST_ANSWER_HURRIED,
            false => LAST_ANSWER,
        }
    }
}

/// Gives this thread its own table of open files. If the kernel refuses, the session counts as one of the
/// load's: a table of session threads then has one more idle session.
#[expect(unsafe_code, reason = "a call of the kernel")]
fn separate_open_files() {
    // SAFETY: what this thread opens it keeps for itself, and it uses no file that another thread opens or closes.
    let _ = unsafe { libc::unshare(libc::CLONE_FILES) };
}

fn is_due(second: u32, bounds: &[u32], every_s: Option<NonZeroU32>) -> bool {
    bounds.contains(&second) || every_s.is_some_and(|every| second.is_multiple_of(every.get()))
}

/// Returns where phases begin and end, in seconds of the run.
pub(super) fn bounds(phases: &[Phase]) -> Vec<u32> {
    let mut bounds = vec![0_u32];
    for phase in phases {
        let end = bounds[bounds.len() - 1].saturating_add(phase.seconds);
        bounds.push(end);
    }
    bounds
}

/// Holds the connection, and its query.
struct CounterConnection {
    access: Access,
    session: Option<Session>,
    counts: Vec<ServerCount>,
}

impl CounterConnection {
    /// Reads the counts; after an error the connection is dropped, and the next request makes another.
    fn read(&mut self, second: u32) -> Result<CounterReading, String> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.access.connect().map_err(|error| error.to_string())?,
        };
        let monotonic_ns = clock::monotonic_ns();
        let values: Result<Vec<u64>, WireError> = self
            .counts
            .iter()
            .map(|count| {
                let found = session.select(&count.sql)?;
                Ok(found.rows.iter().map(|row| last_integer(row)).sum())
            })
            .collect();
        let values = values.map_err(|error| error.to_string())?;
        self.session = Some(session);
        Ok(CounterReading {
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

/// Returns the integer; NULL, and any other text, counts nothing.
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

    /// A stop is noticed at the next look, and so is the end of each wait.
    #[test]
    fn a_silent_server_is_given_up_before_the_program_is_ended_without_its_records() {
        let drain = Duration::from_secs(1);
        let needed = drain + LAST_ANSWER_HURRIED + 5 * LOOK_EVERY;
        assert!(needed < crate::signals::GRACE, "{needed:?}");
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
