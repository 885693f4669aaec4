//! Defines the arguments of `workloads`.

use super::WorkloadOptions;
use clap::Args;
use dbdyno_workload::RandomKind;

const LONG_ABOUT: &str = "\
List the workloads, or tell of one: what its options come to, and what an event is.

Without a name: every workload and every option, with defaults. With a name and options: whether
they hold together for so many connections, every option with the value that it then has,
transaction types, tables, rows, active quirks. Nothing is touched and no server is needed.";

const EXAMPLES: &str = "\
Examples:
  dbdyno-load workloads
  dbdyno-load workloads tpcc --dialect hammerdb --warehouses 10 --concurrency 8";

/// Lists the workloads, or tells of one.
#[derive(Debug, Clone, Args)]
#[command(
    about = "List the workloads and their options, or tell what the options of one come to",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct WorkloadsArguments {
    /// Workload, such as sysbench/oltp_read_write
    #[arg(value_name = "WORKLOAD")]
    pub(crate) workload: Option<String>,

    /// Connections that are to drive it
    #[arg(long, aliases = ["threads", "users"], value_name = "COUNT", default_value_t = 1, requires = "workload")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) concurrency: u32,

    /// Whose random numbers
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
