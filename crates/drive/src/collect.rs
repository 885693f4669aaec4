//! Merges the seconds of all workers, in order.

use crate::grid::Grid;
use crate::observe::{IntervalRecord, Level, Observer};
use crate::worker::IntervalMessage;
use dbdyno_meter::{Interval, IntervalShape, WorkerLoad, clock};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// Interval messages of one second, by worker.
type WorkerIntervals = Vec<Option<Box<Interval>>>;

/// Merges the workers' intervals second by second and returns the empty ones.
pub(crate) struct Collector<'a> {
    grid: Arc<Grid>,
    observer: &'a mut dyn Observer,
    pending: BTreeMap<u32, WorkerIntervals>,
    finished: Vec<bool>,
    /// Connections of each worker at the end of its last second so far.
    live: Vec<u32>,
    blanks: Vec<Sender<Box<Interval>>>,
    merged: Interval,
    remarks: Vec<String>,
    /// Events completed in each second.
    completed: Vec<u64>,
}

impl<'a> Collector<'a> {
    /// Creates a collector; `blanks` lead back to the workers, in their order.
    pub(crate) fn new(
        grid: Arc<Grid>,
        shape: IntervalShape,
        blanks: Vec<Sender<Box<Interval>>>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        Self {
            grid,
            observer,
            pending: BTreeMap::new(),
            finished: vec![false; blanks.len()],
            live: vec![0; blanks.len()],
            blanks,
            merged: Interval::new(shape),
            remarks: Vec::new(),
            completed: Vec::new(),
        }
    }

    /// Takes one interval, and passes on the seconds that it completes.
    pub(crate) fn take(&mut self, page: IntervalMessage) -> io::Result<()> {
        match page {
            IntervalMessage::Interval(worker, interval) => {
                let workers = self.finished.len();
                let parts = self.pending.entry(interval.second);
                parts.or_insert_with(|| std::iter::repeat_with(|| None).take(workers).collect())
                    [worker] = Some(interval);
            }
            IntervalMessage::Last(worker) => self.finished[worker] = true,
            IntervalMessage::Message(level, text) => return self.remark(level, text),
        }
        while let Some(second) = self.complete_second() {
            self.hand_on(second)?;
        }
        Ok(())
    }

    /// Passes on the rest, when no worker sends any more.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        while let Some((&second, _)) = self.pending.first_key_value() {
            self.hand_on(second)?;
        }
        Ok(())
    }

    /// Returns the events completed in each second.
    pub(crate) fn into_completed(self) -> Vec<u64> {
        self.completed
    }

    /// Returns the earliest second, if no worker will add to it.
    fn complete_second(&self) -> Option<u32> {
        let (&second, parts) = self.pending.first_key_value()?;
        let complete = parts
            .iter()
            .zip(&self.finished)
            .all(|(part, &finished)| part.is_some() || finished);
        complete.then_some(second)
    }

    fn hand_on(&mut self, second: u32) -> io::Result<()> {
        let Some(parts) = self.pending.remove(&second) else {
            return Ok(());
        };
        self.merged.clear();
        self.merged.workers.clear();
        self.merged.second = second;
        self.merged.monotonic_ns = self.grid.begin_ns(second);
        let workers = self.blanks.iter().zip(&mut self.live);
        for (part, (blank, live)) in parts.into_iter().zip(workers) {
            let Some(mut part) = part else {
                // A worker that has ended reports nothing, and has lost none of its connections.
                self.merged.connections_live += *live;
                self.merged.workers.push(WorkerLoad::default());
                continue;
            };
            *live = part.connections_live;
            self.merged.merge(&part);
            if part.has_histograms() {
                part.clear();
                let _ = blank.send(part); // a worker that has ended needs none
            }
        }
        self.completed.push(self.merged.completed());
        self.observer.interval(&IntervalRecord {
            phase: self.grid.phase(second),
            realtime_ns: realtime_of(self.merged.monotonic_ns),
            interval: &self.merged,
        })
    }

    /// Passes on a message once: several workers meet the same error. The counts, which every record carries, matter
    /// for the result; the server's message is additional information.
    fn remark(&mut self, level: Level, text: String) -> io::Result<()> {
        if self.remarks.contains(&text) {
            return Ok(());
        }
        self.observer.message(level, &text)?;
        self.remarks.push(text);
        Ok(())
    }
}

/// Returns the Unix time of an instant, by the current clock: a clock that was set meanwhile shows as a jump
/// between seconds.
pub(crate) fn realtime_of(monotonic_ns: u64) -> u64 {
    let (monotonic_now_ns, realtime_now_ns) = (clock::monotonic_ns(), clock::realtime_ns());
    (realtime_now_ns + monotonic_ns).saturating_sub(monotonic_now_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Phase, Start};
    use std::sync::mpsc::channel;

    const SHAPE: IntervalShape = IntervalShape {
        transaction_types: 1,
        statement_types: 1,
        open_loop: false,
    };

    #[derive(Default)]
    struct RecordingObserver {
        seconds: Vec<(u32, String, u64, usize)>,
        connections: Vec<u32>,
        remarks: Vec<String>,
    }

    impl Observer for RecordingObserver {
        fn started(&mut self, _: &Start) -> io::Result<()> {
            Ok(())
        }

        fn interval(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
            let interval = record.interval;
            let (completed, workers) = (interval.completed(), interval.workers.len());
            self.seconds
                .push((interval.second, record.phase.to_owned(), completed, workers));
            self.connections.push(interval.connections_live);
            Ok(())
        }

        fn message(&mut self, _: Level, text: &str) -> io::Result<()> {
            self.remarks.push(text.to_owned());
            Ok(())
        }
    }

    fn page(worker: usize, second: u32, completed: u64) -> IntervalMessage {
        let mut interval = Interval::new(SHAPE);
        interval.second = second;
        interval.transactions[0].completed = completed;
        interval.connections_live = 3;
        IntervalMessage::Interval(worker, Box::new(interval))
    }

    fn seen_of(pages: Vec<IntervalMessage>) -> RecordingObserver {
        let mut seen = RecordingObserver::default();
        let phases = [("warm-up", 1), ("window", 3)].map(|(name, seconds)| Phase {
            name: name.to_owned(),
            seconds,
        });
        let grid = Arc::new(Grid::new(0, 0, &phases));
        let (blank, _keep) = channel();
        let mut collector = Collector::new(grid, SHAPE, vec![blank.clone(), blank], &mut seen);
        pages
            .into_iter()
            .for_each(|page| collector.take(page).unwrap());
        collector.finish().unwrap();
        seen
    }

    #[test]
    fn a_second_is_handed_on_when_every_worker_has_told_of_it() {
        let seen = seen_of(vec![
            page(0, 0, 1),
            page(0, 1, 10),
            page(1, 0, 2),
            page(1, 1, 20),
        ]);
        let expected = [
            (0, "warm-up".to_owned(), 3, 2),
            (1, "window".to_owned(), 30, 2),
        ];
        assert_eq!(seen.seconds, expected);
    }

    #[test]
    fn a_worker_that_has_ended_is_not_waited_for_and_keeps_its_connections() {
        let seen = seen_of(vec![
            page(1, 0, 2),
            IntervalMessage::Last(1),
            page(0, 0, 1),
            page(0, 1, 5),
        ]);
        assert_eq!(seen.seconds[1], (1, "window".to_owned(), 5, 2));
        assert_eq!(seen.connections, [6, 6]);
    }

    #[test]
    fn an_idle_interval_completes_its_second_and_does_not_come_back() {
        let mut seen = RecordingObserver::default();
        let window = Phase {
            name: "window".to_owned(),
            seconds: 2,
        };
        let grid = Arc::new(Grid::new(0, 0, &[window]));
        let (blank, back) = channel();
        let mut collector = Collector::new(grid, SHAPE, vec![blank], &mut seen);
        let mut idle = Interval::idle();
        (idle.second, idle.connections_live) = (1, 3);
        collector.take(page(0, 0, 4)).unwrap();
        let idle = IntervalMessage::Interval(0, Box::new(idle));
        collector.take(idle).unwrap();
        let completed: Vec<_> = seen.seconds.iter().map(|second| second.2).collect();
        assert_eq!(completed, [4, 0]);
        assert_eq!(seen.connections, [3, 3]);
        assert_eq!(back.try_iter().count(), 1);
    }

    #[test]
    fn what_a_lost_worker_left_behind_is_not_lost() {
        let seen = seen_of(vec![page(0, 0, 1), page(0, 1, 5)]);
        assert_eq!(seen.seconds.len(), 2);
    }

    #[test]
    fn the_same_remark_of_two_workers_is_made_once() {
        let remark = || IntervalMessage::Message(Level::Info, "error 1213".to_owned());
        assert_eq!(seen_of(vec![remark(), remark()]).remarks, ["error 1213"]);
    }
}
