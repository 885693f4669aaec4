//! Defines the arguments of `workloads`.

use super::WorkloadOptions;
use clap::Args;
use dbdyno_workload::RandomKind;

const LONG_ABOUT: &str = "\
List the workloads, or describe one with the options that you give it.

Without a name, this lists every workload and every option with its default. With a name and
options, it checks that the options fit each other and the number of connections, and shows the
value of every option, what an event is, the transaction types, tables, rows and active quirks.
It changes nothing and needs no server.";

const EXAMPLES: &str = "\
Examples:
  dbdyno-load workloads
  dbdyno-load workloads tpcc --dialect hammerdb --warehouses 10 --concurrency 8";

/// Lists the workloads, or tells of one.
#[derive(Debug, Clone, Args)]
#[command(
    about = "List the workloads and their options, or describe one of them",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct WorkloadsArguments {
    /// Workload, such as sysbench/oltp_read_write
    #[arg(value_name = "WORKLOAD")]
    pub(crate) workload: Option<String>,

    /// Number of connections that drive the workload
    #[arg(long, aliases = ["threads", "users"], value_name = "COUNT", default_value_t = 1, requires = "workload")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) concurrency: u32,

    /// Random number generator
    #[arg(
        long,
        value_enum,
        value_name = "WHOSE",
        default_value = "sysbench",
        requires = "workload"
    )]
    pub(crate) rng: RandomKind,

    /// Seed of the random numbers
    #[arg(
        long,
        alias = "rand-seed",
        value_name = "NUMBER",
        default_value_t = 1,
        requires = "workload"
    )]
    pub(crate) seed: u64,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) options: WorkloadOptions,
}

impl WorkloadsArguments {
    /// A workload without options.
    pub(crate) fn of(workload: &str) -> Self {
        Self {
            workload: Some(workload.to_owned()),
            concurrency: 1,
            rng: RandomKind::Sysbench,
            seed: 1,
            json: false,
            options: WorkloadOptions::default(),
        }
    }
}
