//! Defines the arguments of `merge`.

use super::parse::nanoseconds;
use crate::cli_error::CliError;
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

const LONG_ABOUT: &str = "\
Add the records of several load hosts up to the record of one client.

The records are those that `dbdyno-load run --share K/N --json-lines FILE` has written, one of each
share. Counts, errors and histograms are added second by second, so percentiles are those of all times
together, never averages. Records that are not all the shares of one run are refused.

A share that ended before the others fails the run at that second: what came after was a client with
fewer connections. The exit code is 0, 1 if all were interrupted, 3 if a share failed or was lost.";

const EXAMPLES: &str = "\
Examples:
  What three hosts did together, and how each of them did:
    dbdyno-load merge 1.jsonl 2.jsonl 3.jsonl

  As the record of one client, and as a table of seconds that is judged:
    dbdyno-load merge 1.jsonl 2.jsonl 3.jsonl --json-lines run.jsonl --parquet run.parquet
    dbdyno judge run.parquet";

/// Adds records of shares up.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Add the records of several load hosts up to that of one client",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct MergeArguments {
    /// Records of all shares, in any order
    #[arg(value_name = "RECORD", required = true)]
    pub(crate) records: Vec<PathBuf>,

    /// Longest time between the starts of two shares
    ///
    /// By the clocks of their hosts: the records tell how well those are kept.
    #[arg(long, value_name = "DURATION", default_value = "50ms", value_parser = nanoseconds)]
    pub(crate) max_skew: u64,

    /// Write the merged records here, one JSON object a line; - for standard output, instead of text
    #[arg(long, value_name = "FILE|-", help_heading = "Output")]
    pub(crate) json_lines: Option<PathBuf>,

    /// Write a table of the seconds here that dbdyno judge, Arrow, DuckDB, pandas and others read
    ///
    /// Shortest, longest and mean times are those of the histograms' slots, within a thousandth.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) parquet: Option<PathBuf>,
}

impl MergeArguments {
    /// A record that is being read is not to be written over.
    pub(crate) fn refuse_overwriting(&self) -> Result<(), CliError> {
        let same = |one: &Path, other: &Path| matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other);
        for written in self.json_lines.iter().chain(&self.parquet) {
            if self.records.iter().any(|read| same(read, written)) {
                let what = format!("{} is to be read and written", written.display());
                return Err(CliError::request(what).hint("name another file for the merged run"));
            }
        }
        Ok(())
    }
}
