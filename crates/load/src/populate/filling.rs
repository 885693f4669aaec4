//! Tables filled side by side: first all rows, then all indexes, then the check.

use super::teller::Teller;
use crate::order::Access;
use crate::record::{PopulateProgress, TableRecord};
use crate::trouble::{Exit, Trouble, unwritable};
use dbdyno_drive::StopSwitch;
use dbdyno_meter::clock;
use dbdyno_wire::Session;
use dbdyno_workload::Population;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Between two records of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// A table, and which part of it.
type Unit = (u32, u32);

/// What a connection does with one unit.
type Work<'a> = dyn Fn(&mut Session, Unit) -> Result<(), Trouble> + Sync + 'a;

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
    /// What was sent of each table, as far as its parts are in.
    sent: Mutex<BTreeMap<u32, Vec<u64>>>,
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
            connections: connections.clamp(1, count_parts(population).max(1)),
            began_ns: clock::monotonic_ns(),
            rows_done: AtomicU64::new(0),
            load_ns: AtomicU64::new(0),
            index_ns: AtomicU64::new(0),
            sent: Mutex::default(),
        }
    }

    /// Fills all tables.
    pub(super) fn fill(&self, teller: &mut Teller, check: bool) -> Result<(), Trouble> {
        let no_time = AtomicU64::new(0);
        let tables: Vec<Unit> = (0..self.population.tables())
            .map(|table| (table, 0))
            .collect();
        self.phase("create", teller, &no_time, &tables, &|session, unit| {
            self.create_table(session, unit.0)
        })?;
        let parts = self.parts();
        self.phase("load", teller, &self.load_ns, &parts, &|session, unit| {
            self.load_part(session, unit)
        })?;
        self.phase(
            "index",
            teller,
            &self.index_ns,
            &tables,
            &|session, unit| self.index_table(session, unit.0),
        )?;
        self.phase("finish", teller, &no_time, &[(0, 0)], &|session, _| {
            self.finish(session)
        })?;
        if check {
            self.phase("check", teller, &no_time, &tables, &|session, unit| {
                self.check_table(session, unit.0)
            })?;
        }
        Ok(())
    }

    fn parts(&self) -> Vec<Unit> {
        let tables = 0..self.population.tables();
        let parts = |table| (0..self.population.parts(table)).map(move |part| (table, part));
        tables.flat_map(parts).collect()
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
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.iter()
            .map(|(&table, sums)| TableRecord {
                name: self.population.table_name(table),
                sums: self.check_names(table).zip(sums.iter().copied()).collect(),
            })
            .collect()
    }

    fn check_names(&self, table: u32) -> impl Iterator<Item = &'static str> {
        self.population.checks(table).iter().map(|check| check.name)
    }

    /// Does one kind of work on all units, each connection taking the next one when it has done one.
    fn phase(
        &self,
        name: &'static str,
        teller: &mut Teller,
        lasted_ns: &AtomicU64,
        units: &[Unit],
        work: &Work<'_>,
    ) -> Result<(), Trouble> {
        let began_ns = clock::monotonic_ns();
        let next = AtomicUsize::new(0);
        let (done, results) = channel();
        let result = thread::scope(|scope| {
            for _ in 0..self.connections {
                let done: Sender<Result<(), Trouble>> = done.clone();
                let next = &next;
                scope.spawn(move || {
                    let result = self.work_on(next, units, work);
                    if result.is_err() {
                        next.store(usize::MAX / 2, Ordering::Relaxed); // nobody begins another unit
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

    fn work_on(&self, next: &AtomicUsize, units: &[Unit], work: &Work<'_>) -> Result<(), Trouble> {
        let mut session = self.access.connect()?;
        for statement in self.population.session_statements() {
            self.execute(&mut session, "a connection", &statement)?;
        }
        while let Some(&unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
            self.go_on()?;
            work(&mut session, unit)?;
        }
        session.close();
        Ok(())
    }

    fn create_table(&self, session: &mut Session, table: u32) -> Result<(), Trouble> {
        let statements = self.population.before_rows(table);
        self.execute_all(session, &self.table(table), &statements)
    }

    fn load_part(&self, session: &mut Session, (table, part): Unit) -> Result<(), Trouble> {
        let mut rows = self.population.rows(table, part);
        let mut statement = Vec::new();
        loop {
            let count = rows.next_statement(&mut statement);
            if count == 0 {
                break;
            }
            self.go_on()?;
            let text = std::str::from_utf8(&statement)
                .map_err(|error| failed(&self.table(table), &error))?;
            self.execute(session, &self.table(table), text)?;
            self.rows_done.fetch_add(count, Ordering::Relaxed);
        }
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let sums = rows.sums();
        let table_sums = sent.entry(table).or_insert_with(|| vec![0; sums.len()]);
        for (sum, of_part) in table_sums.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(of_part);
        }
        Ok(())
    }

    fn index_table(&self, session: &mut Session, table: u32) -> Result<(), Trouble> {
        let statements = self.population.after_rows(table);
        self.execute_all(session, &self.table(table), &statements)
    }

    fn finish(&self, session: &mut Session) -> Result<(), Trouble> {
        self.execute_all(session, "the schema", &self.population.at_end())
    }

    /// Has the server sum up the table and compares.
    fn check_table(&self, session: &mut Session, table: u32) -> Result<(), Trouble> {
        let answer = session
            .query(&self.population.check_query(table))
            .map_err(|error| failed(&self.table(table), &error))?;
        let found: Vec<String> = answer
            .rows
            .first()
            .into_iter()
            .flatten()
            .map(|value| String::from_utf8_lossy(value.as_deref().unwrap_or_default()).into_owned())
            .collect();
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let sums = sent.get(&table).map(Vec::as_slice).unwrap_or_default();
        let sent: Vec<String> = sums.iter().map(u64::to_string).collect();
        if found == sent {
            return Ok(());
        }
        let names: Vec<_> = self.check_names(table).collect();
        Err(Trouble::world(format!(
            "{} does not hold the rows that were sent",
            self.table(table)
        ))
        .because(format!(
            "{}: sent {}, found {}",
            names.join(", "),
            sent.join(", "),
            found.join(", ")
        )))
    }

    fn execute_all(
        &self,
        session: &mut Session,
        what: &str,
        statements: &[String],
    ) -> Result<(), Trouble> {
        statements
            .iter()
            .try_for_each(|statement| self.execute(session, what, statement))
    }

    fn execute(&self, session: &mut Session, what: &str, statement: &str) -> Result<(), Trouble> {
        self.go_on()?;
        session
            .query(statement)
            .map_err(|error| failed(what, &error))?;
        Ok(())
    }

    fn table(&self, table: u32) -> String {
        format!("table {}", self.population.table_name(table))
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

fn count_parts(population: &dyn Population) -> u32 {
    let tables = 0..population.tables();
    tables.map(|table| population.parts(table)).sum()
}

fn failed(what: &str, error: &dyn std::fmt::Display) -> Trouble {
    Trouble::world(format!("{what} could not be filled")).because(error)
}
