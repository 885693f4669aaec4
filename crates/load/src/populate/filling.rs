//! Tables filled side by side: first all rows, then all indexes, then the check.

use super::teller::Teller;
use crate::order::Access;
use crate::record::{PopulateProgress, TableRecord};
use crate::trouble::{Exit, Trouble, unwritable};
use dbdyno_drive::StopSwitch;
use dbdyno_meter::clock;
use dbdyno_wire::Session;
use dbdyno_workload::Population;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Between two records of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// What a connection does with one table.
type Work<'a> = dyn Fn(&mut Session, u32) -> Result<(), Trouble> + Sync + 'a;

/// One filling: what it works on, and how far it is.
pub(super) struct Filling<'a> {
    population: &'a dyn Population,
    access: &'a Access,
    stop: &'a StopSwitch,
    connections: u32,
    began_ns: u64,
    rows_done: AtomicU64,
    load_ns: AtomicU64,
    index_ns: AtomicU64,
    /// What was sent of each table whose rows are in.
    sent: Mutex<Vec<(u32, Vec<u64>)>>,
}

impl<'a> Filling<'a> {
    pub(super) fn new(
        population: &'a dyn Population,
        access: &'a Access,
        stop: &'a StopSwitch,
        connections: u32,
    ) -> Self {
        Self {
            population,
            access,
            stop,
            connections: connections.clamp(1, population.tables().max(1)),
            began_ns: clock::monotonic_ns(),
            rows_done: AtomicU64::new(0),
            load_ns: AtomicU64::new(0),
            index_ns: AtomicU64::new(0),
            sent: Mutex::new(Vec::new()),
        }
    }

    /// Fills all tables.
    pub(super) fn fill(&self, teller: &mut Teller, check: bool) -> Result<(), Trouble> {
        self.phase("load", teller, &self.load_ns, &|session, table| {
            self.load_table(session, table)
        })?;
        self.phase("index", teller, &self.index_ns, &|session, table| {
            self.index_table(session, table)
        })?;
        if check {
            let no_time = AtomicU64::new(0);
            self.phase("check", teller, &no_time, &|session, table| {
                self.check_table(session, table)
            })?;
        }
        Ok(())
    }

    pub(super) fn elapsed_ns(&self) -> u64 {
        clock::monotonic_ns() - self.began_ns
    }

    pub(super) fn load_ns(&self) -> u64 {
        self.load_ns.load(Ordering::Relaxed)
    }

    pub(super) fn index_ns(&self) -> u64 {
        self.index_ns.load(Ordering::Relaxed)
    }

    /// What was sent, table by table.
    pub(super) fn tables(&self) -> Vec<TableRecord> {
        let mut sent = self
            .sent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        sent.sort_unstable();
        let names = || self.population.checks().iter().map(|check| check.name);
        sent.into_iter()
            .map(|(table, sums)| TableRecord {
                name: self.population.table_name(table),
                sums: names().zip(sums).collect(),
            })
            .collect()
    }

    /// Does one kind of work on all tables, each connection taking the next table when it has done one.
    fn phase(
        &self,
        name: &'static str,
        teller: &mut Teller,
        lasted_ns: &AtomicU64,
        work: &Work<'_>,
    ) -> Result<(), Trouble> {
        let began_ns = clock::monotonic_ns();
        let next = AtomicU32::new(0);
        let (done, results) = channel();
        let result = thread::scope(|scope| {
            for _ in 0..self.connections {
                let done: Sender<Result<(), Trouble>> = done.clone();
                let next = &next;
                scope.spawn(move || {
                    let result = self.work_on_tables(next, work);
                    if result.is_err() {
                        next.store(u32::MAX / 2, Ordering::Relaxed); // nobody begins another table
                    }
                    let _ = done.send(result); // the receiver waits for all
                });
            }
            self.follow(name, teller, &results)
        });
        lasted_ns.store(clock::monotonic_ns() - began_ns, Ordering::Relaxed);
        result
    }

    /// Reports progress until every connection has ended; the first error is the reason.
    fn follow(
        &self,
        name: &'static str,
        teller: &mut Teller,
        results: &std::sync::mpsc::Receiver<Result<(), Trouble>>,
    ) -> Result<(), Trouble> {
        let mut first_error = None;
        let mut running = self.connections;
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
            self.stop.throw();
            unwritable("the progress of the filling")(error)
        })
    }

    fn work_on_tables(&self, next: &AtomicU32, work: &Work<'_>) -> Result<(), Trouble> {
        let mut session = self.access.connect()?;
        loop {
            let table = next.fetch_add(1, Ordering::Relaxed);
            if table >= self.population.tables() {
                session.close();
                return Ok(());
            }
            self.go_on()?;
            work(&mut session, table)?;
        }
    }

    fn load_table(&self, session: &mut Session, table: u32) -> Result<(), Trouble> {
        for statement in self.population.before_rows(table) {
            self.execute(session, table, &statement)?;
        }
        let mut rows = self.population.rows(table);
        let mut statement = Vec::new();
        loop {
            let count = rows.next_statement(&mut statement);
            if count == 0 {
                break;
            }
            self.go_on()?;
            let text =
                std::str::from_utf8(&statement).map_err(|error| self.failed(table, &error))?;
            self.execute(session, table, text)?;
            self.rows_done.fetch_add(count, Ordering::Relaxed);
        }
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.push((table, rows.sums()));
        Ok(())
    }

    fn index_table(&self, session: &mut Session, table: u32) -> Result<(), Trouble> {
        let statements = self.population.after_rows(table);
        statements
            .iter()
            .try_for_each(|statement| self.execute(session, table, statement))
    }

    /// Has the server sum up the table and compares.
    fn check_table(&self, session: &mut Session, table: u32) -> Result<(), Trouble> {
        let answer = session
            .query(&self.population.check_query(table))
            .map_err(|error| self.failed(table, &error))?;
        let found: Vec<String> = answer
            .rows
            .first()
            .into_iter()
            .flatten()
            .map(|value| String::from_utf8_lossy(value.as_deref().unwrap_or_default()).into_owned())
            .collect();
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let sums = sent
            .iter()
            .find(|(other, _)| *other == table)
            .map(|(_, sums)| sums.as_slice());
        let sent: Vec<String> = sums
            .unwrap_or_default()
            .iter()
            .map(u64::to_string)
            .collect();
        if found == sent {
            return Ok(());
        }
        let names: Vec<_> = self
            .population
            .checks()
            .iter()
            .map(|check| check.name)
            .collect();
        Err(Trouble::world(format!(
            "table {} does not hold the rows that were sent",
            self.population.table_name(table)
        ))
        .because(format!(
            "{}: sent {}, found {}",
            names.join(", "),
            sent.join(", "),
            found.join(", ")
        )))
    }

    fn execute(&self, session: &mut Session, table: u32, statement: &str) -> Result<(), Trouble> {
        session
            .query(statement)
            .map_err(|error| self.failed(table, &error))?;
        Ok(())
    }

    fn failed(&self, table: u32, error: &dyn std::fmt::Display) -> Trouble {
        let name = self.population.table_name(table);
        Trouble::world(format!("table {name} could not be filled")).because(error)
    }

    fn go_on(&self) -> Result<(), Trouble> {
        if self.stop.is_thrown() {
            return Err(Trouble {
                exit: Exit::NotHeld,
                ..Trouble::world("interrupted; tables are left as they are")
                    .hint("drop them with dbdyno-load cleanup and the same options")
            });
        }
        Ok(())
    }
}
