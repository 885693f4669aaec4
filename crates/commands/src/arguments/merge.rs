//! Defines the arguments of `merge`.

use super::parse::nanoseconds;
use super::requirement::Requirement;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

const LONG_ABOUT: &str = "\
Merge the records of several load hosts into the record of one client.

`dbdyno-load run --share K/N --json-lines FILE` writes these records, one for each share. Counts,
errors and histograms are added second by second, so percentiles are those of all times together,
never averages. Records that are not all the shares of one run are refused.

If a share ended before the others, the merged run fails at that second, because the client had
fewer connections from then on. The exit code is 0, 1 if all were interrupted or a requirement
does not hold, 3 if a share failed or was lost.";

const EXAMPLES: &str = "\
Examples:
  The results of three hosts together, and of each of them:
    dbdyno-load merge 1.jsonl 2.jsonl 3.jsonl

  Write the record of one client, and a table of seconds to judge:
    dbdyno-load merge 1.jsonl 2.jsonl 3.jsonl --json-lines run.jsonl --parquet run.parquet
    dbdyno judge run.parquet

  A gate for continuous integration; the exit code is 1 if a requirement does not hold:
    dbdyno-load merge 1.jsonl 2.jsonl 3.jsonl --require 'p99<20ms' --require 'errors<0.1%'";

/// Adds records of shares up.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Merge the records of several load hosts into that of one client",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct MergeArguments {
    /// Records of all shares, in any order
    #[arg(value_name = "RECORD", required = true)]
    pub(crate) records: Vec<PathBuf>,

    /// Longest time allowed between the starts of two shares
    ///
    /// The times are those of the hosts' clocks; the records say how accurate these are.
    #[arg(long, value_name = "DURATION", default_value = "50ms", value_parser = nanoseconds)]
    pub(crate) max_skew: u64,

    /// Exit with 1 unless the measured window meets this: p99<20ms, errors<0.1%, tps>=1000; may be given several times
    ///
    /// It is judged on all shares together, as `dbdyno-load run --require` judges one process; see there.
    #[arg(long, value_name = "EXPRESSION", help_heading = "Output")]
    pub(crate) require: Vec<Requirement>,

    /// Write the merged records to this file, one JSON object per line; - for standard output, instead of text
    #[arg(long, value_name = "FILE|-", help_heading = "Output")]
    pub(crate) json_lines: Option<PathBuf>,

    /// Write a Parquet table of the seconds to this file; dbdyno judge, Arrow, DuckDB, pandas and others read it
    ///
    /// Shortest, longest and mean times come from the histograms, so they are exact to within a thousandth.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) parquet: Option<PathBuf>,
}

impl MergeArguments {
    /// A record that is being read is not to be written over.
    pub(crate) fn refuse_overwriting(&self) -> Result<(), CliError> {
        let same = |one: &Path, other: &Path| matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other);
        for written in self.json_lines.iter().chain(&self.parquet) {
            if self.records.iter().any(|read| same(read, written)) {
                let what = format!("{} would be both read and written", written.display());
                return Err(CliError::request(ErrorCode::FileReadAndWritten, what)
                    .hint("name another file for the merged run"));
            }
        }
        Ok(())
    }
}
