//! Defines the arguments of `verify`.

use super::parse::nanoseconds;
use super::{ServerArguments, ServerTimeout, WorkloadOptions};
use clap::{Args, ValueEnum};
use dbdyno_workload::CheckPhase;

const LONG_ABOUT: &str = "\
Check that a workload's tables are consistent with each other, for example by the twelve conditions
of TPC-C.

A condition is a query that must return no row. Most conditions always hold; some hold only until
a run has changed the tables, and some break where the imitated tool has a quirk. Conditions that
need not hold are only reported. Give the options that decide which tables exist and what must
hold (dialect, warehouses, fidelity) as for `dbdyno-load populate`, which itself compares the
rows with what it sent. Exit code 1: a condition that must hold is broken, which makes results of
a run on these tables worthless, or undecided (--check-timeout).";

const EXAMPLES: &str = "\
Examples:
  Before a run:
    dbdyno-load verify tpcc/hammerdb --warehouses 10 --after load --socket /run/mysqld/mysqld.sock

  After a run, as JSON for a program:
    dbdyno-load verify tpcc/hammerdb --warehouses 10 --after run --json --socket /run/mysqld/mysqld.sock";

/// Checks the tables of a workload.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Check that a workload's tables are consistent with each other",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct VerifyArguments {
    /// Workload, such as tpcc/standard
    #[arg(value_name = "WORKLOAD")]
    pub(crate) workload: String,

    #[command(flatten)]
    pub(crate) server: ServerArguments,

    #[command(flatten)]
    pub(crate) verifying: VerifyingArguments,

    #[command(flatten)]
    pub(crate) check: ConditionTimeout,

    #[command(flatten)]
    pub(crate) server_timeout: ServerTimeout,

    #[command(flatten)]
    pub(crate) options: WorkloadOptions,
}

/// How tables are verified.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Verifying")]
pub(crate) struct VerifyingArguments {
    /// What was done to the tables last: filled (load), or driven by a run (run)
    #[arg(long, value_enum, value_name = "load|run", default_value = "run")]
    pub(crate) after: After,

    /// Connections, each checking one condition at a time
    #[arg(long, value_name = "COUNT", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) connections: u32,

    /// Print records, one JSON object per line, instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// The time of [`CheckTimeout`](super::CheckTimeout), and what becomes of a condition when it is over.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Deadlines")]
pub(crate) struct ConditionTimeout {
    /// Longest time for a query that reads whole tables; after it, the condition is undecided
    ///
    /// The query of an undecided condition is killed, and the other conditions are checked. Exit code 1 means that a
    /// condition was undecided or broken. Other exchanges have their own deadlines: 20 s for a log-in, 60 s for a short
    /// statement.
    #[arg(long, alias = "condition-timeout", value_name = "DURATION")]
    #[arg(default_value = "10min", value_parser = nanoseconds)]
    pub(crate) check_timeout: u64,
}

/// What was done to the tables last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum After {
    Load,
    Run,
}

impl From<After> for CheckPhase {
    fn from(after: After) -> Self {
        match after {
            After::Load => Self::AfterLoad,
            After::Run => Self::AfterRun,
        }
    }
}
