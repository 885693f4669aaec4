//! Defines the arguments of `verify`.

use super::parse::nanoseconds;
use super::{Patience, ServerArguments, WorkloadOptions};
use clap::{Args, ValueEnum};
use dbdyno_workload::CheckPhase;

const LONG_ABOUT: &str = "\
Check that a workload's tables are consistent with each other, such as the twelve conditions of
TPC-C.

A condition is a query that must return no row. Most hold always; some hold only until a run has
changed the tables, and some break where the imitated tool has a quirk. What need not hold is told
and nothing more. Options that decide which tables there are and what must hold (dialect,
warehouses, fidelity) are those of the filling. Rows are compared with what was sent by
`dbdyno-load populate` itself. Exit code 1: a condition that must hold is broken; results of a run
on these tables are worth nothing.";

const EXAMPLES: &str = "\
Examples:
  Before a run:
    dbdyno-load verify tpcc/hammerdb --warehouses 10 --after load --socket /run/mysqld/mysqld.sock

  After it, for a program:
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
    pub(crate) patience: Patience,

    #[command(flatten)]
    pub(crate) options: WorkloadOptions,
}

/// How tables are verified.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Verifying")]
pub(crate) struct VerifyingArguments {
    /// What was done to the tables last: filled (load), or worked on (run)
    #[arg(long, value_enum, value_name = "load|run", default_value = "run")]
    pub(crate) after: After,

    /// Connections, each asking one condition at a time
    #[arg(long, value_name = "COUNT", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) connections: u32,

    /// Print records, one JSON object a line, instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// The time of [`CheckTimeout`](super::CheckTimeout), and what becomes of a condition when it is over.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Deadlines")]
pub(crate) struct ConditionTimeout {
    /// How long one query that reads whole tables may take; then its condition is undecided
    ///
    /// The statement of a condition that is undecided is killed, and the others are asked. Exit code 1 says that one was
    /// undecided or broken. Other conversations have deadlines of their own: 20 s for a log-in, 60 s for a short statement.
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
