//! Shortens `-h` of each command to its common options, one line each. `--help` lists all of them.

use super::Cli;
use clap::{Arg, Command, CommandFactory};

/// Longest line of help, on a terminal of any width.
const COLUMNS: usize = 100;

/// Longest help that fits next to the longest option, in characters.
const SHORT: usize = 60;

/// Options of workloads that nearly every call has.
const COMMON_OF_WORKLOADS: [&str; 3] = ["tables", "table_size", "warehouses"];

/// Options that few calls need, by their ids.
const RARE: [&str; 42] = [
    "order",
    // Server
    "no_password",
    "tls",
    "tls_ca_file",
    "tls_minimum",
    "tls_cert_file",
    "tls_key_file",
    "compression",
    "path_timeout",
    // Search
    "precision",
    "settle",
    // Load
    "protocol",
    "role_targets",
    "rng",
    "workers",
    "cpus",
    "drain",
    "answer_timeout",
    // Pacing
    "think",
    "rate_of",
    "arrivals",
    "think_distribution",
    // Errors
    "ignore_errors",
    "also_repeat",
    "rollback_first",
    "retry_limit",
    "repeat_draws",
    "retry_pause",
    "prepared_full",
    // Output
    "hdr_log",
    "parquet",
    "digest",
    "counts_every",
    // Several load hosts
    "share",
    "start_at",
    "agents",
    "agent_program",
    // sysbench
    "others",
    // Deadlines
    "ddl_timeout",
    "check_timeout",
    "server_timeout",
    "transaction_rows",
];

/// Returns the program with the short help of all its commands.
pub(crate) fn with_short_help(program: Command) -> Command {
    let rest = "Options of a command: dbdyno-load COMMAND -h. All of them: --help.";
    program
        .max_term_width(COLUMNS)
        .mut_subcommands(shortened)
        .after_help(rest)
}

/// Returns the command and the workload of a request for options: `run --help tpcc` or `run tpcc --help`.
pub(crate) fn asked_workload(words: &[String]) -> Option<(&str, &str)> {
    let is_help = |word: &String| word == "--help" || word == "-h";
    let help = words.iter().position(is_help).filter(|&place| place > 1)?;
    let command = words[1].as_str();
    let program = Cli::command();
    let drives = program
        .find_subcommand(command)?
        .get_arguments()
        .any(is_of_workload);
    let is_name = |word: &&String| !word.starts_with('-');
    let behind = words.get(help + 1).filter(is_name);
    let name = behind.or_else(|| words[..help].get(2).filter(is_name))?;
    drives.then_some((command, name))
}

fn shortened(command: Command) -> Command {
    let name = command.get_name();
    let mut rest = format!("All options: dbdyno-load {name} --help.");
    if command.get_arguments().any(is_of_workload) {
        rest += " Of a workload: --help WORKLOAD.";
    }
    command.mut_args(one_line).after_help(rest)
}

/// Returns the argument with a help of one line, or hidden.
fn one_line(argument: Arg) -> Arg {
    let id = argument.get_id().as_str();
    let is_of_workload = is_of_workload(&argument);
    let is_rare = match is_of_workload {
        true => !COMMON_OF_WORKLOADS.contains(&id),
        false => RARE.contains(&id),
    };
    let help = argument.get_help().map(ToString::to_string);
    let help = first_clause(&help.unwrap_or_default()).to_owned();
    let argument = match is_of_workload {
        true => argument.help_heading("Workload"),
        false => argument,
    };
    let argument = argument.help(help).hide_short_help(is_rare);
    match argument.get_action().takes_values() {
        true => argument.hide_possible_values(true).hide_env(true),
        false => argument,
    }
}

pub(super) fn is_of_workload(argument: &Arg) -> bool {
    let heading = argument.get_help_heading();
    heading.is_some_and(|heading| heading.starts_with("Options of "))
}

/// Returns the whole help if it is short, otherwise the part before the first explanation.
fn first_clause(help: &str) -> &str {
    if help.len() <= SHORT {
        return help;
    }
    let ends = ["; ", ": ", " ["].map(|end| help.find(end).unwrap_or(help.len()));
    &help[..ends.into_iter().min().unwrap_or(help.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_help_of_each_command_fits_a_screen() {
        let mut program = with_short_help(Cli::command().term_width(COLUMNS));
        program.build();
        let commands = program.get_subcommands().cloned();
        let commands = commands.filter(|command| command.get_name() != "help"); // clap's own
        for mut command in [program.clone()].into_iter().chain(commands) {
            let help = command.render_help().to_string();
            let name = command.get_name();
            assert!(help.lines().count() <= 40, "{name}\n{help}");
            assert!(
                help.lines().all(|line| line.chars().count() <= COLUMNS),
                "{name}\n{help}"
            );
            assert!(
                help.trim_end().lines().last().unwrap().contains("--help"),
                "{name}"
            );
        }
    }

    #[test]
    fn help_with_a_workload_is_that_of_the_workload() {
        let asked = |line: &str| {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            asked_workload(&words).map(|(command, name)| format!("{command} {name}"))
        };
        for line in [
            "dbdyno-load run --help tpcc",
            "dbdyno-load run tpcc --tables 4 -h",
        ] {
            assert_eq!(asked(line).as_deref(), Some("run tpcc"), "{line}");
        }
        assert_eq!(
            asked("dbdyno-load populate -h linkbench").as_deref(),
            Some("populate linkbench")
        );
        for line in [
            "dbdyno-load run --help",
            "dbdyno-load --help run",
            "dbdyno-load run -h --tables",
            "dbdyno-load merge --help tpcc",
            "dbdyno-load run tpcc",
        ] {
            assert_eq!(asked(line), None, "{line}");
        }
    }

    #[test]
    fn rare_options_exist() {
        let program = Cli::command();
        let ids: Vec<_> = program
            .get_subcommands()
            .flat_map(Command::get_arguments)
            .map(|argument| argument.get_id().as_str())
            .collect();
        for known in RARE.iter().chain(&COMMON_OF_WORKLOADS) {
            assert!(ids.contains(known), "{known}");
        }
    }
}
