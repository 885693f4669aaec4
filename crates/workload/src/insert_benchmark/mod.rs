//! The insert benchmark of mdcallag/mytools (iibench.py, driven by iq.sh): inserts in key order, secondary keys, inserts
//! with deletes behind them, then queries beside inserts at a fixed rate.
//!
//! A [`step::Step`] is one run. Each of its clients works on a table of its own (or all on one) with several users, each
//! over a connection of its own: one inserts, one deletes, one asks for the lowest key, others query. What has to go in
//! step between them is a [`rounds::Rounds`]; everything else is a user's own. [`rows::RowMaker`] draws the rows, which
//! depend on seed, step and client alone.
//!
//! Left to others: repeats after errors, times, the records.

mod account;
mod beat;
mod buckets;
mod conditions;
mod deleter;
mod ground;
mod holder;
mod inserter;
mod minimum;
mod option_table;
mod options;
mod population;
mod querier;
mod quirks;
mod roles;
mod rounds;
mod rows;
mod schema;
mod settler;
mod stand_in;
mod statement;
mod step;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
mod workload;

use crate::catalog::Family;
use crate::{Workload, WorkloadError};
use ground::Ground;
use options::Options;
use population::InsertPopulation;
use std::sync::Arc;
use workload::InsertBenchmark;

const NAME: &str = "insert-benchmark";

/// How the catalogue knows the family.
pub(crate) const FAMILY: Family = Family {
    name: NAME,
    names: || vec![NAME.to_owned()],
    claims: |name| name == NAME,
    options: || option_table::TABLE.described(|_| Options::default()),
    workload: |_, given, source, _users| {
        let options = Options::read(given)?;
        let ground = Ground::new(options, source);
        if ground.roles.is_empty() {
            let allowed = "a step in which there is something to do (nr1, nr2, query_threads)";
            let step = ground.plan.step.to_string();
            return Err(WorkloadError::invalid("step", &step, allowed));
        }
        let made: Arc<dyn Workload> = Arc::new(InsertBenchmark::new(ground));
        Ok(made)
    },
    population: |_, given, source| {
        let options = Options::read(given)?;
        Ok(Arc::new(InsertPopulation::new(Ground::new(
            options, source,
        ))))
    },
};
