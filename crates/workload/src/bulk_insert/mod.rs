//! Implements sysbench's `bulk_insert`: every user inserts the rows (1,1), (2,2) and on into its own table.
//!
//! An event adds a row to a statement that leaves when it is as long as sysbench lets it become, about 39,000 rows. So
//! nearly all events cost nothing and a few cost everything; the time of a statement is reported by its type, `insert`.

mod options;
mod population;
mod user;
mod workload;

use crate::family::GivenOptions;
use crate::{Population, Workload, WorkloadError};
use options::Options;
use population::BulkPopulation;
use std::sync::Arc;
use workload::BulkInsert;

/// The name of the script.
pub(crate) const NAME: &str = "bulk_insert";

/// Returns the workload for so many users, each of which needs a table.
pub(crate) fn workload(
    given: &GivenOptions,
    users: u32,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let options = Options::read(given)?;
    options.check_users(users)?;
    Ok(Arc::new(BulkInsert::new(&options)))
}

/// Returns the tables, without rows.
pub(crate) fn population(given: &GivenOptions) -> Result<Arc<dyn Population>, WorkloadError> {
    Ok(Arc::new(BulkPopulation::new(Options::read(given)?)))
}

/// Returns the name of table `index`, from 0.
fn table_name(index: u32) -> String {
    format!("sbtest{}", index + 1)
}
