//! Fills tables in parallel: first all rows, then all indexes, then the check.

use super::connection::{LoaderConnection, LoaderContext, LoggedStep};
use super::load_method::{LoadMethod, LoadPreference, choose};
use super::part_queue::PartQueue;
use super::reporter::PopulateReporter;
use super::step_log::StepSums;
use crate::cli_error::CliError;
use crate::record::TableRecord;
use dbdyno_meter::clock;
use dbdyno_workload::Population;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The step log's entry for "all tables exist".
pub(super) const TABLES_MADE: &str = "tables";

/// Holds one populate: its target, and its progress.
pub(super) struct Populator<'a> {
    pub(super) population: &'a dyn Population,
    pub(super) context: &'a LoaderContext<'a>,
    pub(super) preference: LoadPreference,
    /// Steps done by an interrupted populate, now resumed; `None`: there was none.
    pub(super) earlier: Option<StepSums>,
    pub(super) began_ns: u64,
    pub(super) rows_done: AtomicU64,
    /// Those of `rows_done` that an interrupted populate had sent.
    rows_before: AtomicU64,
    load_ns: AtomicU64,
    index_ns: AtomicU64,
    methods: OnceLock<Vec<LoadMethod>>,
    /// Sums sent of each table, of its completed parts.
    pub(super) sent: Mutex<BTreeMap<u32, Vec<u64>>>,
}

impl<'a> Populator<'a> {
    pub(super) fn new(
        population: &'a dyn Population,
        context: &'a LoaderContext<'a>,
        preference: LoadPreference,
        earlier: Option<StepSums>,
    ) -> Self {
        let connections = preference
            .connections
            .clamp(1, count_parts(population).max(1));
        Self {
            population,
            context,
            preference: LoadPreference {
                connections,
                ..preference
            },
            earlier,
            began_ns: clock::monotonic_ns(),
            rows_done: AtomicU64::new(0),
            rows_before: AtomicU64::new(0),
            load_ns: AtomicU64::new(0),
            index_ns: AtomicU64::new(0),
            methods: OnceLock::new(),
            sent: Mutex::default(),
        }
    }

    /// Fills all tables.
    pub(super) fn fill(
        &self,
        reporter: &mut PopulateReporter,
        check: bool,
    ) -> Result<(), CliError> {
        let no_time = AtomicU64::new(0);
        self.phase("create", reporter, &no_time, 1, &|connection| {
            self.create(connection)
        })?;
        let methods = self.choose_methods()?;
        let queue = PartQueue::new(self.population, |table| {
            methods[table as usize].is_exclusive
        });
        let connections = self.preference.connections;
        self.phase(
            "load",
            reporter,
            &self.load_ns,
            connections,
            &|connection| {
                let result = self.load(connection, &queue, methods);
                result.inspect_err(|_| queue.close())
            },
        )?;
        self.each_table("index", reporter, &self.index_ns, &|connection, table| {
            let statements = self.population.after_rows(table);
            let name = self.population.table_name(table);
            self.run_all(
                connection,
                &format!("after {name}"),
                &self.table(table),
                &statements,
            )
        })?;
        self.phase("finish", reporter, &no_time, 1, &|connection| {
            self.run_all(connection, "end", "the schema", &self.population.at_end())
        })?;
        if check {
            self.each_table("check", reporter, &no_time, &|connection, table| {
                self.check_table(connection, table)
            })?;
        }
        Ok(())
    }

    pub(super) fn elapsed_ns(&self) -> u64 {
        clock::monotonic_ns() - self.began_ns
    }

    /// Counts rows that an interrupted populate had sent.
    pub(super) fn count_earlier_rows(&self, rows: u64) {
        self.rows_before.fetch_add(rows, Ordering::Relaxed);
        self.rows_done.fetch_add(rows, Ordering::Relaxed);
    }

    pub(super) fn rows_before(&self) -> u64 {
        self.rows_before.load(Ordering::Relaxed)
    }

    pub(super) fn load_ns(&self) -> u64 {
        self.load_ns.load(Ordering::Relaxed)
    }

    pub(super) fn index_ns(&self) -> u64 {
        self.index_ns.load(Ordering::Relaxed)
    }

    /// Returns how the rows were sent, in one word.
    pub(super) fn load_by(&self) -> &'static str {
        let methods = self.methods.get().map(Vec::as_slice).unwrap_or_default();
        let mut words = methods.iter().map(LoadMethod::word);
        let first = words.next().unwrap_or("statements");
        if words.all(|word| word == first) {
            first
        } else {
            "mixed"
        }
    }

    /// Returns what was sent, table by table.
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

    /// Makes all tables. If an earlier filling did not get this far, what it made is discarded.
    fn create(&self, connection: &mut LoaderConnection<'_>) -> Result<(), CliError> {
        if self.sums_when_done(TABLES_MADE).is_some() {
            return Ok(());
        }
        let tables = || 0..self.population.tables();
        if self.earlier.is_some() {
            let drops = tables().flat_map(|table| self.population.drop_table(table));
            let drops: Vec<_> = drops.chain(self.population.drop_rest()).collect();
            self.execute_all(connection, "the schema", &drops)?;
        }
        for table in tables() {
            self.execute_all(
                connection,
                &self.table(table),
                &self.population.before_rows(table),
            )?;
        }
        connection.record(&LoggedStep {
            entry: TABLES_MADE.to_owned(),
            what: "the schema".to_owned(),
        })
    }

    fn choose_methods(&self) -> Result<&[LoadMethod], CliError> {
        let mut session = self.context.connect()?;
        let methods = choose(&mut session, self.population, self.preference)?;
        session.close();
        Ok(self.methods.get_or_init(|| methods))
    }

    fn run_all(
        &self,
        connection: &mut LoaderConnection<'_>,
        entry: &str,
        what: &str,
        statements: &[String],
    ) -> Result<(), CliError> {
        for (number, statement) in statements.iter().enumerate() {
            let step = LoggedStep {
                entry: format!("{entry} {number}"),
                what: what.to_owned(),
            };
            if self.sums_when_done(&step.entry).is_none() {
                connection.run(&step, self.earlier.is_some(), statement)?;
            }
        }
        Ok(())
    }

    pub(super) fn sums_when_done(&self, entry: &str) -> Option<&Vec<u64>> {
        self.earlier.as_ref()?.get(entry)
    }

    fn execute_all(
        &self,
        connection: &mut LoaderConnection<'_>,
        what: &str,
        statements: &[String],
    ) -> Result<(), CliError> {
        statements
            .iter()
            .try_for_each(|statement| connection.execute(what, statement))
    }

    pub(super) fn table(&self, table: u32) -> String {
        format!("table {}", self.population.table_name(table))
    }
}

fn count_parts(population: &dyn Population) -> u32 {
    let tables = 0..population.tables();
    tables.map(|table| population.parts(table)).sum()
}
