//! Implements LinkBench as the MySQL store of facebookarchive/linkbench does it: a social graph of nodes,
//! links and counts of links; ten operations, drawn in the published mix.
//!
//! A [`graph::Graph`] says how many links each node has, from the count of ids alone; rows are made of it, and second
//! ids are chosen by it. [`ids::Ids`] chooses which node a request is about. A [`user::Requester`] is a script of one
//! request after the other, over two connections.
//!
//! Left to others: the rate of requests, repeats after errors, and the tool's own ways to report.

mod canned_replies;
mod conditions;
mod curve;
mod graph;
mod history;
mod ids;
mod link_counts;
mod literal;
mod motif;
mod operation;
mod option_table;
mod options;
mod population;
mod quirks;
mod rows;
mod schema;
mod shuffle;
mod statement;
mod text_template;
mod user;
#[cfg(test)]
mod vectors;
mod workload;
mod zipf;

use crate::family::{Family, GivenOptions};
use crate::{Population, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use graph::Graph;
use link_counts::LinkCountDistribution;
use options::LinkBenchOptions;
use population::LinkBenchPopulation;
use rows::GraphContext;
use std::sync::Arc;
use workload::LinkBench;

const NAME: &str = "linkbench";

/// When the tables were filled, and requests begin: the same for every run, so that rows and statements are, too.
/// 2025-01-01 00:00:00 UTC.
const CLOCK_START_MS: u64 = 1_735_689_600_000;

/// Later than every link.
const NEVER_MS: u64 = i64::MAX as u64;

/// How the catalogue knows the family.
pub(crate) const FAMILY: Family = Family {
    name: NAME,
    names: || vec![NAME.to_owned()],
    claims: |name| name == NAME,
    options: || option_table::TABLE.described(|_| LinkBenchOptions::default()),
    workload: |_, given, source, users| {
        let options = LinkBenchOptions::read(given)?;
        let graph = graph(&options)?;
        let made: Arc<dyn Workload> = Arc::new(LinkBench::new(options, graph, source, users));
        Ok(made)
    },
    population,
};

fn population(
    _name: &str,
    given: &GivenOptions,
    source: RandomSource,
) -> Result<Arc<dyn Population>, WorkloadError> {
    let options = LinkBenchOptions::read(given)?;
    let batch_rows = u64::from(options.mysql_bulk_insert_batch);
    let context = GraphContext::new(graph(&options)?, source, batch_rows);
    Ok(Arc::new(LinkBenchPopulation::new(options, context)))
}

fn graph(options: &LinkBenchOptions) -> Result<Graph, WorkloadError> {
    let (start, count) = (options.startid1, options.id_count());
    let types = u64::from(options.link_type_count);
    Ok(Graph::new(
        start,
        count,
        types,
        law(options)?,
        options.is_fixed(),
    ))
}

fn law(options: &LinkBenchOptions) -> Result<LinkCountDistribution, WorkloadError> {
    if options.data_file.is_empty() {
        return Ok(curve::law());
    }
    LinkCountDistribution::read(&options.data_file).map_err(|why| {
        let allowed = format!("LinkBench's file of distributions ({why})");
        WorkloadError::invalid("data_file", &options.data_file, &allowed)
    })
}
