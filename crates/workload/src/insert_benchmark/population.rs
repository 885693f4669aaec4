//! Fills the tables as steps `l.i0` and `l.x` leave them, client by client.

use super::benchmark_context::BenchmarkContext;
use super::conditions;
use super::rows::RowMaker;
use super::schema::{self, CHECKS, table};
use super::statement::insert_head;
use super::step::BenchmarkStep;
use crate::{Check, Condition, Population, RowSource};
use std::sync::Arc;

/// The dataset.
#[derive(Debug)]
pub(super) struct InsertPopulation {
    benchmark_context: Arc<BenchmarkContext>,
}

impl InsertPopulation {
    pub(super) fn new(benchmark_context: Arc<BenchmarkContext>) -> Self {
        Self { benchmark_context }
    }

    /// Returns the client that fills a part: a table has one, or all have one table.
    fn client(&self, table: u32, part: u32) -> u32 {
        if self.benchmark_context.options.one_table {
            part
        } else {
            table
        }
    }
}

impl Population for InsertPopulation {
    fn tables(&self) -> u32 {
        self.benchmark_context.options.tables()
    }

    fn table_name(&self, number: u32) -> String {
        table(&self.benchmark_context.options, number)
    }

    fn rows_total(&self) -> u64 {
        let of_step = |step| {
            let plan = self.benchmark_context.options.plan_of(step);
            u64::from(plan.clients) * plan.rows_per_client()
        };
        of_step(BenchmarkStep::Load) + of_step(BenchmarkStep::Keys)
    }

    fn session_statements(&self) -> Vec<String> {
        let options = &self.benchmark_context.options;
        match options.is_rocksdb() && !options.unique_checks {
            true => vec!["set unique_checks=0".to_owned()],
            false => Vec::new(),
        }
    }

    fn before_rows(&self, number: u32) -> Vec<String> {
        vec![schema::create_table(
            &self.benchmark_context.options,
            number,
        )]
    }

    fn parts(&self, _table: u32) -> u32 {
        match self.benchmark_context.options.one_table {
            true => self.benchmark_context.options.clients,
            false => 1, // rows go in in the order of their keys
        }
    }

    fn rows(&self, number: u32, part: u32) -> Box<dyn RowSource> {
        let client = self.client(number, part);
        let head = insert_head(&self.benchmark_context.options, number).into_bytes();
        Box::new(ClientRows::new(&self.benchmark_context, client, head))
    }

    fn after_rows(&self, number: u32) -> Vec<String> {
        schema::add_keys(&self.benchmark_context.options, number)
    }

    fn drop_table(&self, number: u32) -> Vec<String> {
        vec![schema::drop_table(&self.benchmark_context.options, number)]
    }

    fn checks(&self, _table: u32) -> &'static [Check] {
        &CHECKS
    }

    fn conditions(&self) -> Vec<Condition> {
        conditions::conditions(&self.benchmark_context.options, self.rows_total())
    }
}

/// The rows of one client: those of `l.i0`, then those of `l.x`.
struct ClientRows {
    head: Vec<u8>,
    /// What is left of each step: its rows, and rounds.
    steps: Vec<(RowMaker, u64)>,
    rows_per_round: u64,
    sums: [u64; 2],
}

impl ClientRows {
    fn new(benchmark_context: &Arc<BenchmarkContext>, client: u32, head: Vec<u8>) -> Self {
        let steps = [BenchmarkStep::Keys, BenchmarkStep::Load].map(|step| {
            let plan = benchmark_context.options.plan_of(step);
            let rounds = if client < plan.clients {
                plan.rounds
            } else {
                0
            };
            (
                RowMaker::new(Arc::clone(benchmark_context), step, client),
                rounds,
            )
        });
        Self {
            head,
            steps: steps.into(),
            rows_per_round: benchmark_context
                .options
                .plan_of(BenchmarkStep::Load)
                .rows_per_commit,
            sums: [0; 2],
        }
    }
}

impl RowSource for ClientRows {
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        statement.clear();
        while self.steps.last().is_some_and(|(_, rounds)| *rounds == 0) {
            self.steps.pop();
        }
        let Some((rows, rounds)) = self.steps.last_mut() else {
            return 0;
        };
        statement.extend_from_slice(&self.head);
        let sum = &mut self.sums[1];
        rows.put_round(statement, |row| *sum += u64::from(crc32fast::hash(row)));
        *rounds -= 1;
        self.sums[0] += self.rows_per_round;
        self.rows_per_round
    }

    fn sums(&self) -> Vec<u64> {
        self.sums.into()
    }
}
