//! Parses the command line.

mod agent;
#[cfg(test)]
mod completions;
mod fingerprint;
mod load;
mod merge;
mod missing;
mod pacing;
mod parse;
mod populate;
mod profile;
mod quirks;
mod requirement;
mod sample;
mod script;
mod search;
mod server;
mod share;
#[cfg(test)]
mod shell_files;
mod short_help;
mod threads;
mod timeouts;
mod verify;
mod workload;
mod workloads;
mod wrong_value;

pub(crate) use agent::AgentArguments;
pub(crate) use fingerprint::FingerprintArguments;
pub(crate) use load::{OutputArguments, RunArguments};
pub(crate) use merge::MergeArguments;
pub(crate) use missing::missing_argument;
pub(crate) use populate::{CleanupArguments, PopulateArguments};
pub(crate) use quirks::QuirksArguments;
pub(crate) use requirement::{Requirement, RequirementMetric, RequirementValue, quantile_value};
pub(crate) use sample::{SampleArguments, SamplePhase};
pub(crate) use script::ScriptArguments;
pub(crate) use search::SearchArguments;
pub(crate) use server::ServerArguments;
pub(crate) use short_help::{asked_workload, with_short_help};
pub(crate) use threads::ThreadsArguments;
pub(crate) use timeouts::{CheckTimeout, DdlTimeout, ServerTimeout};
pub(crate) use verify::VerifyArguments;
pub(crate) use workload::WorkloadOptions;
pub(crate) use workloads::WorkloadsArguments;
pub(crate) use wrong_value::{wrong_value, wrong_workload_option};

use crate::null_server::NullServerArguments;
use clap::{CommandFactory, Parser, Subcommand};
use dbdyno_workload::probably_meant;

const LONG_ABOUT: &str = "\
Fill tables, drive a load against a MySQL-compatible server, and record the results.

Results go to standard output, everything else to standard error.
Exit codes: 0 done; 1 done, but a check or requirement failed, or a signal ended the program early;
2 wrong request; 3 the server, the network or the machine failed; 4 a defect of this program.";

const EXAMPLES: &str = "\
There are two forms. If the first word is one of the commands above, it is dbdyno-load's own form:
  dbdyno-load populate sysbench/oltp_read_write --tables 4 --rows 50000 --socket /tmp/s
  dbdyno-load run      sysbench/oltp_read_write --tables 4 --rows 50000 --socket /tmp/s --threads 16
  dbdyno-load cleanup  sysbench/oltp_read_write --tables 4 --socket /tmp/s
  dbdyno-load script   ./orders.lua run --threads 16 --socket /tmp/s

Everything else is in sysbench's form, with its options, scripts, output and exit codes. A link to
this program that is named sysbench takes only that form:
  dbdyno-load oltp_read_write --mysql-socket=/tmp/s --tables=4 --threads=16 run
  dbdyno-load ./orders.lua --mysql-socket=/tmp/s --dialect=1.1 run
  dbdyno-load oltp_read_write help     the options of a script
  dbdyno-load --help=on                the options of this form, including dbdyno-load's own";

/// Returns whether a command line that begins with this word is in our own form. sysbench's begins with an option, a
/// script or a builtin.
pub(crate) fn is_ours(first: Option<&str>) -> bool {
    match first {
        None | Some("help" | "--help" | "-h" | "--version" | "-V") => true,
        Some(word) => Cli::command()
            .get_subcommands()
            .any(|command| command.get_name() == word),
    }
}

/// Returns the command or option in our own form that an unknown first word was probably meant to be.
pub(crate) fn meant_word(word: &str) -> Option<String> {
    if word.contains(['.', '/', '=']) {
        return None;
    }
    if word == "version" || word.starts_with('-') {
        let option = format!("--{}", word.trim_start_matches('-'));
        return probably_meant(&option, ["--version", "--help"]).map(str::to_owned);
    }
    let program = Cli::command();
    let names = program.get_subcommands().map(clap::Command::get_name);
    probably_meant(word, names).map(str::to_owned)
}

/// The load generator of dbdyno.
#[derive(Debug, Parser)]
#[command(name = "dbdyno-load", version, about = "The load generator of dbdyno", long_about = LONG_ABOUT)]
#[command(after_long_help = EXAMPLES)]
#[command(propagate_version = true, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Box<RunArguments>),
    Search(Box<SearchArguments>),
    Merge(MergeArguments),
    Populate(Box<PopulateArguments>),
    Verify(Box<VerifyArguments>),
    Fingerprint(Box<FingerprintArguments>),
    Cleanup(Box<CleanupArguments>),
    Script(Box<ScriptArguments>),
    Workloads(Box<WorkloadsArguments>),
    Quirks(QuirksArguments),
    Sample(Box<SampleArguments>),
    Threads(ThreadsArguments),
    Agent(Box<AgentArguments>),
    NullServer(Box<NullServerArguments>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_first_word_tells_whose_form_it_is() {
        for ours in ["run", "script", "null-server", "--help", "-V"] {
            assert!(is_ours(Some(ours)), "{ours}");
        }
        for theirs in ["oltp_read_write", "--threads=4", "./run", "--help=on", "-"] {
            assert!(!is_ours(Some(theirs)), "{theirs}");
        }
    }

    #[test]
    fn a_mistyped_command_is_known_and_a_script_is_none() {
        let meant = |word| meant_word(word);
        assert_eq!(meant("rnu").as_deref(), Some("run"));
        assert_eq!(meant("popluate").as_deref(), Some("populate"));
        for option in ["version", "--versoin", "-version", "--verison"] {
            assert_eq!(meant(option).as_deref(), Some("--version"), "{option}");
        }
        for script in [
            "oltp_read_write",
            "./rnu",
            "rnu.lua",
            "--rnu",
            "fileio",
            "--threads=4",
            "--help=on",
        ] {
            assert_eq!(meant(script), None, "{script}");
        }
    }

    #[test]
    fn no_argument_takes_a_password() {
        for command in Cli::command().get_subcommands() {
            for argument in command.get_arguments() {
                let long = argument.get_long().unwrap_or_default();
                assert!(
                    !matches!(long, "password" | "mysql-password"),
                    "{}",
                    command.get_name()
                );
            }
        }
    }
}
