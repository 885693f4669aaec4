//! Defines the arguments of `quirks`.

use clap::Args;

const LONG_ABOUT: &str = "\
List the quirks of the imitated tools: what each does that its authors probably did not intend.

With fidelity = tool a workload reproduces the quirks of its tool, so that its results can be
compared with the tool's. With fidelity = fixed it avoids them. Records, reports and `dbdyno-load
run` name the active quirks by their ids; this command explains the ids.";

const EXAMPLES: &str = "\
Examples:
  dbdyno-load quirks
  dbdyno-load quirks Q-HD-5 Q-HD-11
  dbdyno-load quirks --json";

/// Lists the quirks of the imitated tools.
#[derive(Debug, Clone, Args)]
#[command(
    about = "List the quirks of the imitated tools and what each does",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct QuirksArguments {
    /// Ids to explain, such as Q-HD-5 [default: every quirk]
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
