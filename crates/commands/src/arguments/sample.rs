//! Defines the arguments of `sample`.

use super::WorkloadOptions;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use clap::{Args, ValueEnum};
use dbdyno_workload::transcript::Protocol;
use dbdyno_workload::{RandomKind, RandomSource};

/// What the command teaches under `--help`.
const LONG_ABOUT: &str = "\
Print what a worker would send, or numbers of a distribution, without a server.

Each request is one line of tab-separated fields. P and the text: a statement is prepared. E, the
text and the values as a JSON list: it is executed. Q and the text: a statement is sent as text.
With --json the output is one list of objects: event, type, statement, parameters, sql.";

const EXAMPLES: &str = "\
Examples:
  What the first worker of sysbench sends with --rand-seed=1, in its first event:
    dbdyno-load sample sysbench/oltp_read_write --tables 2 --table-size 1000 --seed 1 --events 1

  The rows that fill the tables:
    dbdyno-load sample sysbench/oltp_read_write --rows 1000 --command prepare

  A hundred numbers of the Zipf distribution with the exponent 0.8:
    dbdyno-load sample --distribution zipfian:0.8 --range 1:1000 --count 100 --seed 1";

/// Prints what a worker would send, or the numbers of a distribution, without a server.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Print what a workload would send, without a server",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct SampleArguments {
    /// Workload, such as sysbench/oltp_read_write, or sql:DIRECTORY for your own SQL files
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
        help = "Print numbers of a distribution instead: uniform, gaussian, special, pareto[:H], zipfian[:EXPONENT], unique"
    )]
    pub(crate) distribution: Option<String>,

    /// Seed of the random numbers
    #[arg(long, alias = "rand-seed", value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Worker whose random numbers are used, counted from 1
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) worker: u32,

    /// Random number generator: sysbench's, number by number, or dbdyno's own
    #[arg(long, value_enum, value_name = "NAME", default_value = "sysbench")]
    pub(crate) rng: Rng,

    /// Print a SHA-256 of the statements in --events events of each user instead, as `run --digest` does
    ///
    /// Users are 1 to --concurrency. The answers are assumed to be those of a server with the workload's own data.
    #[arg(long, conflicts_with = "distribution")]
    pub(crate) digest: bool,

    /// Print one JSON list instead of lines
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

    /// What to print: the statements that fill the tables, the events, or those that drop the tables
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        default_value = "run",
        conflicts_with = "distribution"
    )]
    pub(crate) command: SamplePhase,

    /// How statements are sent: prepared (auto) or as text (disable)
    #[arg(
        long,
        alias = "db-ps-mode",
        value_enum,
        value_name = "NAME",
        default_value = "prepared",
        conflicts_with = "distribution"
    )]
    pub(crate) protocol: Travel,

    /// Total number of workers; some workloads divide a table among them [default: as many as --worker]
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
            Some((name, _)) if self.distribution.is_some() => Err(CliError::request(
                ErrorCode::OptionsContradict,
                format!(
                    "--distribution can't be used with --{}, an option of workloads",
                    name.replace('_', "-")
                ),
            )),
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
    /// sysbench 1.0.20's generator on glibc.
    Sysbench,
    /// dbdyno's own.
    Dbdyno,
}

/// A command of sysbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SamplePhase {
    /// Create and fill the tables.
    Prepare,
    /// Send events.
    Run,
    /// Drop the tables.
    Cleanup,
}

/// How statements are sent, under dbdyno's and sysbench's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Travel {
    /// Prepared once, then executed.
    #[value(alias = "auto")]
    Prepared,
    /// As text with the values written in.
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
        .ok_or_else(|| "write two whole numbers, the lower one first, such as 1:1000".to_owned())
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
