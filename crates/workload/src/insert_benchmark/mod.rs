//! Implements the insert benchmark of mdcallag/mytools (iibench.py, driven by iq.sh): inserts in key order,
//! secondary keys, inserts with deletes behind them, then queries while inserts go on at a fixed rate.
//!
//! A [`step::BenchmarkStep`] is one run. Each of its clients works on its own table (or all on one) with several users,
//! each over its own connection: one inserts, one deletes, one asks for the lowest key, others query. What has to go in
//! step between them is a [`rounds::Rounds`]; everything else is a user's own. [`rows::RowMaker`] draws the rows, which
//! depend on seed, step and client alone.
//!
//! Left to others: repeats after errors, times, the records.

mod benchmark_context;
mod buckets;
mod canned_replies;
mod conditions;
mod deleter;
mod holder;
mod inserter;
mod metrics;
mod minimum;
mod option_table;
mod options;
mod population;
mod querier;
mod quirks;
mod roles;
mod round_pacing;
mod rounds;
mod rows;
mod schema;
mod settler;
mod statement;
mod step;
#[cfg(test)]
mod test_driver;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
mod workload;

use crate::family::Family;
use crate::{Workload, WorkloadError};
use benchmark_context::BenchmarkContext;
use options::InsertBenchmarkOptions;
use population::InsertPopulation;
use std::sync::Arc;
use workload::InsertBenchmark;

const NAME: &str = "insert-benchmark";

const SECOND_NS: u64 = 1_000_000_000;

/// How the catalogue knows the family.
pub(crate) const FAMILY: Family = Family {
    name: NAME,
    names: || vec![NAME.to_owned()],
    claims: |name| name == NAME,
    options: || option_table::TABLE.described(|_| InsertBenchmarkOptions::default()),
    workload: |_, given, source, _users| {
        let options = InsertBenchmarkOptions::read(given)?;
        let benchmark_context = BenchmarkContext::new(options, source);
        if benchmark_context.roles.is_empty() {
            let allowed = "a step in which there is something to do (nr1, nr2, query_threads)";
            let step = benchmark_context.plan.step.to_string();
            return Err(WorkloadError::invalid("step", &step, allowed));
        }
        let made: Arc<dyn Workload> = Arc::new(InsertBenchmark::new(benchmark_context));
        Ok(made)
    },
    population: |_, given, source| {
        let options = InsertBenchmarkOptions::read(given)?;
        Ok(Arc::new(InsertPopulation::new(BenchmarkContext::new(
            options, source,
        ))))
    },
};
