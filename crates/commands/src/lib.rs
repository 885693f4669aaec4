//! Runs the commands of the program `dbdyno-load`: it fills tables, drives a load, and writes down what happened.
//!
//! It takes its request from arguments, or from an order file that the lab writes; both become the same
//! value before anything starts. `dbdyno-workload` decides what is done on each connection, `dbdyno-drive`
//! when. Results go to standard output, everything else to standard error; the exit
//! code is 0 done, 1 done but something asked for did not hold, 2 the request was wrong, 3 the world
//! failed, 4 a defect of this program.
//!
//! Called as `sysbench`, or with sysbench's words, it behaves as sysbench, exit codes included.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod agent;
mod arguments;
mod cleanup;
mod cli_error;
mod error_code;
mod expected_counts;
mod fingerprint;
mod liveness;
mod local_time;
mod null_server;
mod order;
mod populate;
mod quirks;
mod record;
mod run;
mod sample;
mod signals;
mod statement_protocol;
mod sysbench;
mod terminal;
mod threads;
mod verify;
mod workloads;

use arguments::{
    Cli, Command, asked_workload, is_ours, meant_word, missing_argument, with_short_help,
    wrong_value, wrong_workload_option,
};
use clap::{CommandFactory, Parser};
use cli_error::{CliError, Exit, exit_by};
use std::io::Write as _;
use std::process::ExitCode;

/// Runs the program with the arguments of this process, and returns its exit code.
#[must_use]
pub fn run() -> ExitCode {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    let name = words.first().map_or("", String::as_str);
    if sysbench::is_name(name) {
        return sysbench::run(&words, false).into();
    }
    if !is_ours(words.get(1).map(String::as_str)) {
        return run_as_sysbench(&words);
    }
    if let Some((command, workload)) = asked_workload(&words) {
        return workloads::help(command, workload)
            .map_or_else(|error| print_error(&error, &words), |()| Exit::Done)
            .into();
    }
    if words.iter().any(|word| word == "-h") {
        with_short_help(Cli::command()).get_matches(); // prints the help and exits, unless -h is a value
    }
    let cli = Cli::try_parse().unwrap_or_else(|error| {
        let explained = wrong_value(&error, &words).or_else(|| missing_argument(&error, &words));
        match explained {
            Some(error) => std::process::exit(error.tell() as i32),
            None => exit_by(&error),
        }
    });
    let result = match cli.command {
        Command::Script(arguments) => return sysbench::script(*arguments).into(),
        Command::Run(arguments) => run::run(*arguments),
        Command::Search(arguments) => run::search(*arguments),
        Command::Merge(arguments) => run::merge(&arguments),
        Command::Populate(arguments) => populate::run(*arguments),
        Command::Verify(arguments) => verify::run(*arguments),
        Command::Fingerprint(arguments) => fingerprint::run(*arguments),
        Command::Cleanup(arguments) => cleanup::run(*arguments),
        Command::Workloads(arguments) => workloads::run(*arguments).map(|()| Exit::Done),
        Command::Quirks(arguments) => quirks::run(arguments).map(|()| Exit::Done),
        Command::Sample(arguments) => sample::run(*arguments).map(|()| Exit::Done),
        Command::Agent(arguments) => agent::run(&arguments).map(|()| Exit::Done),
        Command::Threads(arguments) => threads::run(&arguments),
        Command::NullServer(arguments) => null_server::run(*arguments),
    };
    result
        .unwrap_or_else(|error| print_error(&error, &words))
        .into()
}

/// Prints an error, with a wrong option of the workload as it was typed, and returns the exit code.
fn print_error(error: &anyhow::Error, words: &[String]) -> Exit {
    wrong_workload_option(error, words)
        .unwrap_or_else(|| CliError::of(error))
        .tell()
}

/// Runs as sysbench. A word that sysbench does not know may be one of ours, mistyped; an unknown option alone is no
/// error there.
fn run_as_sysbench(words: &[String]) -> ExitCode {
    let exit_code = sysbench::run(words, true);
    let meant = words.get(1).and_then(|word| meant_word(word));
    if let Some(word) = meant.filter(|_| exit_code != 0 || words.len() == 2) {
        let hint = format!("hint: did you mean dbdyno-load {word}?\n");
        // If standard error is closed, the exit code suffices.
        let _ = terminal::stderr().write_all(hint.as_bytes());
    }
    exit_code.into()
}
