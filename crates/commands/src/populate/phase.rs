//! Runs connections in parallel, and reports their progress.

use super::connection::LoaderConnection;
use super::populator::Populator;
use super::reporter::PopulateReporter;
use crate::cli_error::{CliError, unwritable};
use crate::record::PopulateProgress;
use dbdyno_meter::clock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Interval between two records of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// The work of one connection in a phase.
type Work<'a> = dyn Fn(&mut LoaderConnection<'_>) -> Result<(), CliError> + Sync + 'a;

impl Populator<'_> {
    /// Does one kind of work on all tables; each connection takes the next table when it has finished one.
    pub(super) fn each_table(
        &self,
        name: &'static str,
        reporter: &mut PopulateReporter,
        lasted_ns: &AtomicU64,
        work: &(dyn Fn(&mut LoaderConnection<'_>, u32) -> Result<(), CliError> + Sync),
    ) -> Result<(), CliError> {
        let next = AtomicUsize::new(0);
        let tables = self.population.tables();
        let connections = self.preference.connections.min(tables);
        self.phase(name, reporter, lasted_ns, connections, &|connection| {
            while let Some(table) = u32::try_from(next.fetch_add(1, Ordering::Relaxed))
                .ok()
                .filter(|table| *table < tables)
            {
                let result = work(connection, table);
                // After an error, no connection begins another table.
                result.inspect_err(|_| next.store(usize::MAX / 2, Ordering::Relaxed))?;
            }
            Ok(())
        })
    }

    /// Runs one kind of work on `connections` connections.
    pub(super) fn phase(
        &self,
        name: &'static str,
        reporter: &mut PopulateReporter,
        lasted_ns: &AtomicU64,
        connections: u32,
        work: &Work<'_>,
    ) -> Result<(), CliError> {
        let began_ns = clock::monotonic_ns();
        let (done, results) = channel();
        let result = thread::scope(|scope| {
            for _ in 0..connections {
                let done: Sender<Result<(), CliError>> = done.clone();
                scope.spawn(move || {
                    let _ = done.send(self.work(work)); // the receiver waits for all
                });
            }
            self.follow(name, reporter, &results, connections)
        });
        lasted_ns.store(clock::monotonic_ns() - began_ns, Ordering::Relaxed);
        result
    }

    fn work(&self, work: &Work<'_>) -> Result<(), CliError> {
        let mut connection = LoaderConnection::new(self.context)?;
        work(&mut connection)?;
        connection.close();
        Ok(())
    }

    /// Reports progress until every connection has ended; returns the first error.
    fn follow(
        &self,
        name: &'static str,
        reporter: &mut PopulateReporter,
        results: &Receiver<Result<(), CliError>>,
        mut running: u32,
    ) -> Result<(), CliError> {
        let mut first_error = None;
        while running > 0 {
            match results.recv_timeout(PROGRESS_EVERY) {
                Ok(result) => {
                    running -= 1;
                    first_error = first_error.or(result.err());
                }
                Err(RecvTimeoutError::Timeout) => self.report_progress(name, reporter)?,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.report_progress(name, reporter)?;
        first_error.map_or(Ok(()), Err)
    }

    fn report_progress(
        &self,
        name: &'static str,
        reporter: &mut PopulateReporter,
    ) -> Result<(), CliError> {
        let rows_done = self.rows_done.load(Ordering::Relaxed);
        let progress = PopulateProgress::new(
            name,
            rows_done,
            self.population.rows_total(),
            self.elapsed_ns(),
        );
        let progress = progress.with_rows_before(self.rows_before());
        reporter.progress(&progress).map_err(|error| {
            self.context.stop.throw();
            unwritable("the progress of the filling")(error)
        })
    }
}
