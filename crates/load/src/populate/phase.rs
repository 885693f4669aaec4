//! Runs connections in parallel, and reports their progress.

use super::filling::Filling;
use super::hand::Hand;
use super::teller::Teller;
use crate::record::PopulateProgress;
use crate::trouble::{Trouble, unwritable};
use dbdyno_meter::clock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Between two records of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// What one connection does in a phase.
type Work<'a> = dyn Fn(&mut Hand<'_>) -> Result<(), Trouble> + Sync + 'a;

impl Filling<'_> {
    /// Does one kind of work on all tables, each connection taking the next one when it has done one.
    pub(super) fn each_table(
        &self,
        name: &'static str,
        teller: &mut Teller,
        lasted_ns: &AtomicU64,
        work: &(dyn Fn(&mut Hand<'_>, u32) -> Result<(), Trouble> + Sync),
    ) -> Result<(), Trouble> {
        let next = AtomicUsize::new(0);
        let tables = self.population.tables();
        let connections = self.wish.connections.min(tables);
        self.phase(name, teller, lasted_ns, connections, &|hand| {
            while let Some(table) = u32::try_from(next.fetch_add(1, Ordering::Relaxed))
                .ok()
                .filter(|table| *table < tables)
            {
                let result = work(hand, table);
                // Nobody begins another table after an error.
                result.inspect_err(|_| next.store(usize::MAX / 2, Ordering::Relaxed))?;
            }
            Ok(())
        })
    }

    /// Has so many connections do one kind of work.
    pub(super) fn phase(
        &self,
        name: &'static str,
        teller: &mut Teller,
        lasted_ns: &AtomicU64,
        connections: u32,
        work: &Work<'_>,
    ) -> Result<(), Trouble> {
        let began_ns = clock::monotonic_ns();
        let (done, results) = channel();
        let result = thread::scope(|scope| {
            for _ in 0..connections {
                let done: Sender<Result<(), Trouble>> = done.clone();
                scope.spawn(move || {
                    let _ = done.send(self.work(work)); // the receiver waits for all
                });
            }
            self.follow(name, teller, &results, connections)
        });
        lasted_ns.store(clock::monotonic_ns() - began_ns, Ordering::Relaxed);
        result
    }

    fn work(&self, work: &Work<'_>) -> Result<(), Trouble> {
        let mut hand = Hand::new(self.ground)?;
        work(&mut hand)?;
        hand.close();
        Ok(())
    }

    /// Reports progress until every connection has ended; the first error is the reason.
    fn follow(
        &self,
        name: &'static str,
        teller: &mut Teller,
        results: &Receiver<Result<(), Trouble>>,
        mut running: u32,
    ) -> Result<(), Trouble> {
        let mut first_error = None;
        while running > 0 {
            match results.recv_timeout(PROGRESS_EVERY) {
                Ok(result) => {
                    running -= 1;
                    first_error = first_error.or(result.err());
                }
                Err(RecvTimeoutError::Timeout) => self.tell_progress(name, teller)?,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.tell_progress(name, teller)?;
        first_error.map_or(Ok(()), Err)
    }

    fn tell_progress(&self, name: &'static str, teller: &mut Teller) -> Result<(), Trouble> {
        let rows_done = self.rows_done.load(Ordering::Relaxed);
        let progress = PopulateProgress::new(
            name,
            rows_done,
            self.population.rows_total(),
            self.elapsed_ns(),
        );
        teller.progress(&progress).map_err(|error| {
            self.ground.stop.throw();
            unwritable("the progress of the filling")(error)
        })
    }
}
