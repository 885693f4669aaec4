//! Tables filled side by side: first all rows, then all indexes, then the check.

use super::hand::{Ground, Hand, Hitch, Step, failed};
use super::ledger::Entries;
use super::queue::{Queue, Unit};
use super::rows::{Taken, send};
use super::teller::Teller;
use super::way::{Way, Wish, choose};
use crate::record::{PopulateProgress, TableRecord};
use crate::trouble::{Trouble, unwritable};
use dbdyno_meter::clock;
use dbdyno_wire::Session;
use dbdyno_workload::Population;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// Between two records of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// The entry of the ledger that says that all tables are there.
pub(super) const TABLES_MADE: &str = "tables";

/// What one connection does in a phase.
type Work<'a> = dyn Fn(&mut Hand<'_>) -> Result<(), Trouble> + Sync + 'a;

/// One filling: what it works on, and how far it is.
pub(super) struct Filling<'a> {
    population: &'a dyn Population,
    ground: &'a Ground<'a>,
    wish: Wish,
    /// What an earlier filling, now gone on with, has done; `None`: there was none.
    earlier: Option<Entries>,
    began_ns: u64,
    rows_done: AtomicU64,
    load_ns: AtomicU64,
    index_ns: AtomicU64,
    ways: OnceLock<Vec<Way>>,
    /// What was sent of each table, as far as its parts are in.
    sent: Mutex<BTreeMap<u32, Vec<u64>>>,
}

impl<'a> Filling<'a> {
    pub(super) fn new(
        population: &'a dyn Population,
        ground: &'a Ground<'a>,
        wish: Wish,
        earlier: Option<Entries>,
    ) -> Self {
        let connections = wish.connections.clamp(1, count_parts(population).max(1));
        Self {
            population,
            ground,
            wish: Wish {
                connections,
                ..wish
            },
            earlier,
            began_ns: clock::monotonic_ns(),
            rows_done: AtomicU64::new(0),
            load_ns: AtomicU64::new(0),
            index_ns: AtomicU64::new(0),
            ways: OnceLock::new(),
            sent: Mutex::default(),
        }
    }

    /// Fills all tables.
    pub(super) fn fill(&self, teller: &mut Teller, check: bool) -> Result<(), Trouble> {
        let no_time = AtomicU64::new(0);
        self.phase("create", teller, &no_time, 1, &|hand| self.create(hand))?;
        let ways = self.choose_ways()?;
        let queue = Queue::new(self.population, |table| ways[table as usize].is_alone);
        let connections = self.wish.connections;
        self.phase("load", teller, &self.load_ns, connections, &|hand| {
            let result = self.load(hand, &queue, ways);
            result.inspect_err(|_| queue.close())
        })?;
        self.each_table("index", teller, &self.index_ns, &|hand, table| {
            let statements = self.population.after_rows(table);
            let name = self.population.table_name(table);
            self.run_all(
                hand,
                &format!("after {name}"),
                &self.table(table),
                &statements,
            )
        })?;
        self.phase("finish", teller, &no_time, 1, &|hand| {
            self.run_all(hand, "end", "the schema", &self.population.at_end())
        })?;
        if check {
            self.each_table("check", teller, &no_time, &|hand, table| {
                self.check_table(hand, table)
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

    /// How the rows went, in one word.
    pub(super) fn load_by(&self) -> &'static str {
        let ways = self.ways.get().map(Vec::as_slice).unwrap_or_default();
        let mut words = ways.iter().map(Way::word);
        let first = words.next().unwrap_or("statements");
        if words.all(|word| word == first) {
            first
        } else {
            "mixed"
        }
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

    /// Does one kind of work on all tables, each connection taking the next one when it has done one.
    fn each_table(
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
    fn phase(
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

    /// Makes all tables. Where an earlier filling didn't come so far, what it made is worth nothing.
    fn create(&self, hand: &mut Hand<'_>) -> Result<(), Trouble> {
        if self.was_done(TABLES_MADE).is_some() {
            return Ok(());
        }
        let tables = || 0..self.population.tables();
        if self.earlier.is_some() {
            let drops = tables().flat_map(|table| self.population.drop_table(table));
            let drops: Vec<_> = drops.chain(self.population.drop_rest()).collect();
            self.execute_all(hand, "the schema", &drops)?;
        }
        for table in tables() {
            self.execute_all(
                hand,
                &self.table(table),
                &self.population.before_rows(table),
            )?;
        }
        hand.note(&Step {
            entry: TABLES_MADE.to_owned(),
            what: "the schema".to_owned(),
        })
    }

    fn choose_ways(&self) -> Result<&[Way], Trouble> {
        let mut session = self.ground.connect()?;
        let ways = choose(&mut session, self.population, self.wish)?;
        session.close();
        Ok(self.ways.get_or_init(|| ways))
    }

    /// Fills parts until none is left.
    fn load(&self, hand: &mut Hand<'_>, queue: &Queue, ways: &[Way]) -> Result<(), Trouble> {
        while let Some(unit) = queue.take() {
            self.load_part(hand, unit, &ways[unit.0 as usize])?;
            queue.done(unit);
        }
        Ok(())
    }

    fn load_part(&self, hand: &mut Hand<'_>, unit: Unit, way: &Way) -> Result<(), Trouble> {
        let (table, part) = unit;
        let step = Step {
            entry: format!("rows {} {part}", self.population.table_name(table)),
            what: self.table(table),
        };
        let sums = match self.was_done(&step.entry) {
            Some(sums) => {
                let rows = sums.first().copied().unwrap_or_default();
                self.rows_done.fetch_add(rows, Ordering::Relaxed);
                sums.clone()
            }
            None => hand.write(
                &step,
                self.earlier.is_some(),
                &mut |session| self.undo(session, unit),
                &mut |session| self.send_part(session, unit, way),
            )?,
        };
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let table_sums = sent.entry(table).or_insert_with(|| vec![0; sums.len()]);
        for (sum, of_part) in table_sums.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(of_part);
        }
        Ok(())
    }

    fn send_part(
        &self,
        session: &mut Session,
        (table, part): Unit,
        way: &Way,
    ) -> Result<Vec<u64>, Hitch> {
        let mut rows = self.population.rows(table, part);
        let mut sent = 0;
        let mut on_rows = |count| {
            self.rows_done.fetch_add(count, Ordering::Relaxed);
            sent += count;
            self.ground.go_on()
        };
        let result = send(session, &mut *rows, way, &mut on_rows);
        if result.is_err() {
            self.rows_done.fetch_sub(sent, Ordering::Relaxed);
        }
        match result? {
            Taken {
                rows: taken,
                objection: None,
            } if taken == sent => Ok(rows.sums()),
            Taken {
                rows: taken,
                objection,
            } => {
                let why = objection.unwrap_or_else(|| "the server does not say why".to_owned());
                let why = format!("of {sent} rows it took {taken}: {why}");
                Err(failed(&self.table(table), &why).into())
            }
        }
    }

    /// Takes away what an attempt before may have left of a part.
    fn undo(&self, session: &mut Session, (table, part): Unit) -> Result<(), Hitch> {
        let name = self.population.table_name(table);
        if let Some(condition) = self.population.part_condition(table, part) {
            // Mostly there are none, and a DELETE that finds nothing would lock the gap against the other parts.
            let rows = format!("FROM {name} WHERE {condition}");
            if !session
                .query(&format!("SELECT 1 {rows} LIMIT 1"))?
                .rows
                .is_empty()
            {
                session.query(&format!("DELETE {rows}"))?;
            }
            return Ok(());
        }
        let answer = session.query(&format!(
            "SELECT e.transactions FROM information_schema.tables t \
             JOIN information_schema.engines e ON e.engine = t.engine \
             WHERE t.table_schema = DATABASE() AND t.table_name = '{name}'"
        ))?;
        let knows_transactions = answer.rows.first().and_then(|row| row.first()?.as_deref());
        if knows_transactions == Some(b"YES") {
            return Ok(()); // the server has undone it
        }
        Err(failed(&self.table(table), &"its storage engine knows no transactions, and nothing tells the rows of a part that was broken off from others").into())
    }

    fn run_all(
        &self,
        hand: &mut Hand<'_>,
        entry: &str,
        what: &str,
        statements: &[String],
    ) -> Result<(), Trouble> {
        for (number, statement) in statements.iter().enumerate() {
            let step = Step {
                entry: format!("{entry} {number}"),
                what: what.to_owned(),
            };
            if self.was_done(&step.entry).is_none() {
                hand.run(&step, self.earlier.is_some(), statement)?;
            }
        }
        Ok(())
    }

    fn was_done(&self, entry: &str) -> Option<&Vec<u64>> {
        self.earlier.as_ref()?.get(entry)
    }

    /// Has the server sum up the table and compares.
    fn check_table(&self, hand: &mut Hand<'_>, table: u32) -> Result<(), Trouble> {
        let step = Step {
            entry: String::new(),
            what: self.table(table),
        };
        let query = self.population.check_query(table);
        let answer = hand.ask(&step, &mut |session| Ok(session.query(&query)?))?;
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
        ))
        .hint("drop the tables with dbdyno-load cleanup and the same options, and fill them anew"))
    }

    fn execute_all(
        &self,
        hand: &mut Hand<'_>,
        what: &str,
        statements: &[String],
    ) -> Result<(), Trouble> {
        statements
            .iter()
            .try_for_each(|statement| hand.execute(what, statement))
    }

    fn table(&self, table: u32) -> String {
        format!("table {}", self.population.table_name(table))
    }
}

fn count_parts(population: &dyn Population) -> u32 {
    let tables = 0..population.tables();
    tables.map(|table| population.parts(table)).sum()
}
