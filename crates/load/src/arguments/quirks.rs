//! Defines the arguments of `quirks`.

use clap::Args;

const LONG_ABOUT: &str = "\
List the quirks of the imitated tools: what each tool does that its authors probably did not mean.

With fidelity = tool a workload repeats the quirks of its tool, so that results can be compared with
the tool's. With fidelity = fixed it repairs them. Records, reports and `dbdyno-load run` name the
active quirks by their ids; this command says what an id means.";

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
    /// Ids to explain, such as Q-HD-5; every quirk unless given
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
