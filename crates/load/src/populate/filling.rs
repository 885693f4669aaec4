//! Fills tables in parallel: first all rows, then all indexes, then the check.

use super::hand::{Ground, Hand, Step};
use super::ledger::Entries;
use super::queue::Queue;
use super::teller::Teller;
use super::way::{Way, Wish, choose};
use crate::record::TableRecord;
use crate::trouble::Trouble;
use dbdyno_meter::clock;
use dbdyno_workload::Population;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The entry of the ledger that says that all tables are there.
pub(super) const TABLES_MADE: &str = "tables";

/// One filling: what it works on, and how far it is.
pub(super) struct Filling<'a> {
    pub(super) population: &'a dyn Population,
    pub(super) ground: &'a Ground<'a>,
    pub(super) wish: Wish,
    /// What an earlier filling, now gone on with, has done; `None`: there was none.
    pub(super) earlier: Option<Entries>,
    pub(super) began_ns: u64,
    pub(super) rows_done: AtomicU64,
    load_ns: AtomicU64,
    index_ns: AtomicU64,
    ways: OnceLock<Vec<Way>>,
    /// What was sent of each table, as far as its parts are in.
    pub(super) sent: Mutex<BTreeMap<u32, Vec<u64>>>,
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

    pub(super) fn check_names(&self, table: u32) -> impl Iterator<Item = &'static str> {
        self.population.checks(table).iter().map(|check| check.name)
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

    pub(super) fn was_done(&self, entry: &str) -> Option<&Vec<u64>> {
        self.earlier.as_ref()?.get(entry)
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

    pub(super) fn table(&self, table: u32) -> String {
        format!("table {}", self.population.table_name(table))
    }
}

fn count_parts(population: &dyn Population) -> u32 {
    let tables = 0..population.tables();
    tables.map(|table| population.parts(table)).sum()
}
