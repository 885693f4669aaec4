//! Defines the arguments of `sample`.

use super::WorkloadOptions;
use crate::cli_error::CliError;
use clap::{Args, ValueEnum};
use dbdyno_workload::transcript::Protocol;
use dbdyno_workload::{RandomKind, RandomSource};

/// What the command teaches under `--help`.
const LONG_ABOUT: &str = "\
Print, without a server, what a worker would send, or the numbers that a distribution gives.

One line a request: P and a text for a statement prepared, E, the text and its values as a JSON
list for one executed, Q and the text for one sent as text, with tabs between. With --json one
list of objects: event, type, statement, parameters, sql.";

const EXAMPLES: &str = "\
Examples:
  What the first worker of sysbench sends with --rand-seed=1, in its first event:
    dbdyno-load sample sysbench/oltp_read_write --tables 2 --table-size 1000 --seed 1 --events 1

  The rows that fill the tables:
    dbdyno-load sample sysbench/oltp_read_write --rows 1000 --command prepare

  A hundred draws of Zipf's law with the exponent 0.8:
    dbdyno-load sample --distribution zipfian:0.8 --range 1:1000 --count 100 --seed 1";

/// Prints what a worker would send, or the numbers of a distribution, without a server.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Print what would be sent, without a server",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct SampleArguments {
    /// Workload, such as sysbench/oltp_read_write, or sql:DIRECTORY for one of your own
    #[arg(
        value_name = "WORKLOAD",
        required_unless_present = "distribution",
        conflicts_with = "distribution"
    )]
    pub(crate) workload: Option<String>,

    // No doc comment, in which brackets would be links.
    #[arg(
        long,
        value_name = "NAME",
        help = "Print draws of a distribution instead: uniform, gaussian, special, pareto[:H], zipfian[:EXPONENT], unique"
    )]
    pub(crate) distribution: Option<String>,

    /// Seed of the random numbers
    #[arg(long, alias = "rand-seed", value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Whose numbers to draw, from 1
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) worker: u32,

    /// Generator: that of sysbench, number by number, or dbdyno's own
    #[arg(long, value_enum, value_name = "NAME", default_value = "sysbench")]
    pub(crate) rng: Rng,

    /// Print a SHA-256 over the statements of --events events of each user instead, as `run --digest` does
    ///
    /// Of the users 1 to --concurrency. Answers are taken to be what a server with the workload's own data says.
    #[arg(long, conflicts_with = "distribution")]
    pub(crate) digest: bool,

    /// One JSON list instead of lines
    #[arg(long)]
    pub(crate) json: bool,

    /// Events to print
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 1,
        conflicts_with = "distribution"
    )]
    pub(crate) events: u64,

    /// What to print: the filling of the tables, the events, or the removal of the tables
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        default_value = "run",
        conflicts_with = "distribution"
    )]
    pub(crate) command: SamplePhase,

    /// How statements travel: prepared (auto) or as text (disable)
    #[arg(
        long,
        alias = "db-ps-mode",
        value_enum,
        value_name = "NAME",
        default_value = "prepared",
        conflicts_with = "distribution"
    )]
    pub(crate) protocol: Travel,

    /// Workers in all, which some workloads share a table out to [default: as many as --worker]
    #[arg(long, alias = "threads", value_name = "COUNT", conflicts_with = "distribution", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) concurrency: Option<u32>,

    /// Lowest and highest number to draw [default: 1:1000]
    #[arg(long, value_name = "LOW:HIGH", conflicts_with = "workload", value_parser = parse_range)]
    pub(crate) range: Option<(u32, u32)>,

    /// Numbers to draw
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 100,
        conflicts_with = "workload"
    )]
    pub(crate) count: u64,

    /// Options of the workload.
    #[command(flatten)]
    pub(crate) options: WorkloadOptions,
}

impl SampleArguments {
    /// Refuses options of a workload where a distribution is drawn from.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self.options.0.first() {
            Some((name, _)) if self.distribution.is_some() => Err(CliError::request(format!(
                "--distribution can't be used with --{}, an option of workloads",
                name.replace('_', "-")
            ))),
            _ => Ok(()),
        }
    }

    pub(crate) fn source(&self) -> RandomSource {
        let kind = match self.rng {
            Rng::Sysbench => RandomKind::Sysbench,
            Rng::Dbdyno => RandomKind::Dbdyno,
        };
        RandomSource {
            kind,
            seed: self.seed,
        }
    }

    /// The worker's number from 0.
    pub(crate) fn worker_index(&self) -> u32 {
        self.worker - 1
    }

    pub(crate) fn users(&self) -> u32 {
        self.concurrency.unwrap_or(self.worker)
    }
}

/// A generator of random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rng {
    /// That of sysbench 1.0.20 on glibc.
    Sysbench,
    /// dbdyno's own.
    Dbdyno,
}

/// A command of sysbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SamplePhase {
    /// Tables made and filled.
    Prepare,
    /// Events.
    Run,
    /// Tables removed.
    Cleanup,
}

/// How statements travel, under dbdyno's and sysbench's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Travel {
    /// Prepared once, executed often.
    #[value(alias = "auto")]
    Prepared,
    /// As text, values written in.
    #[value(alias = "disable")]
    Text,
}

impl From<Travel> for Protocol {
    fn from(travel: Travel) -> Self {
        match travel {
            Travel::Prepared => Self::Prepared,
            Travel::Text => Self::Text,
        }
    }
}

fn parse_range(text: &str) -> Result<(u32, u32), String> {
    text.split_once(':')
        .and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)))
        .filter(|(low, high)| low <= high)
        .ok_or_else(|| "two whole numbers, the lower one first, such as 1:1000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse_range;

    #[test]
    fn a_range_is_two_rising_numbers() {
        assert_eq!(parse_range("1:1000"), Ok((1, 1000)));
        assert_eq!(parse_range("7:7"), Ok((7, 7)));
        for wrong in ["", "1", "2:1", "a:b", "-1:5", "1:4294967296"] {
            assert!(parse_range(wrong).is_err(), "{wrong}");
        }
    }
}
