//! Reports what a command line lacks: the argument in words, and an example of the whole command.

use super::Cli;
use super::wrong_value::{example, names, options};
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

/// Returns the error of a missing argument or value; `None` for other errors. `words` is the command line.
pub(crate) fn missing_argument(error: &clap::Error, words: &[String]) -> Option<CliError> {
    let program = Cli::command();
    let command = program.find_subcommand(words.get(1)?)?;
    match (error.kind(), error.get(ContextKind::InvalidArg)?) {
        (ErrorKind::MissingRequiredArgument, ContextValue::Strings(missing)) => {
            let missing: Vec<_> = missing.iter().map(|name| in_words(name)).collect();
            let what = format!(
                "dbdyno-load {} needs {}",
                command.get_name(),
                missing.join(" and ")
            );
            let error = CliError::request(ErrorCode::WrongArguments, what);
            Some(match first_example(command) {
                Some(example) => error.hint(format!("write for example {example}")),
                None => error,
            })
        }
        (ErrorKind::InvalidValue, ContextValue::String(named)) => {
            let value = error.get(ContextKind::InvalidValue)?;
            let long = named.strip_prefix("--")?.split_whitespace().next();
            let option = options(command).find(|option| option.get_long() == long)?;
            let typed = words.iter().rfind(|word| names(option).contains(word))?;
            let example = example(option);
            let what = format!("{typed} needs a value, as in {typed} {example}");
            (*value == ContextValue::String(String::new()))
                .then(|| CliError::request(ErrorCode::WrongValue, what))
        }
        _ => None,
    }
}

/// Returns an option's name, or an argument's with an article.
fn in_words(usage: &str) -> String {
    match usage.strip_prefix("--") {
        Some(_) => usage.split_whitespace().next().unwrap_or(usage).to_owned(),
        None => format!("a {}", usage.trim_matches(['<', '>', '.']).to_lowercase()),
    }
}

/// Returns the first of the examples that the help of a command ends with, on one line.
fn first_example(command: &Command) -> Option<String> {
    let help = command.get_after_long_help()?.to_string();
    let mut lines = help.lines().map(str::trim);
    let mut example = lines
        .find(|line| line.starts_with("dbdyno-load "))?
        .to_owned();
    while let Some(begun) = example.strip_suffix('\\') {
        example = begun.to_owned() + lines.next()?;
    }
    let (command, _explanation) = example.split_once("   ").unwrap_or((&example, ""));
    Some(command.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn reported(line: &str) -> Option<CliError> {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        missing_argument(&Cli::try_parse_from(&words).unwrap_err(), &words)
    }

    #[test]
    fn a_missing_argument_is_reported_with_an_example_that_has_it() {
        for (line, what, example) in [
            ("run", "run needs a workload", "dbdyno-load run sysbench/"),
            (
                "populate",
                "populate needs a workload",
                "dbdyno-load populate ",
            ),
            ("merge", "merge needs a record", "dbdyno-load merge "),
            (
                "search tpcc/standard",
                "search needs --slo",
                "--slo 'p99<20ms'",
            ),
            ("threads", "threads needs --server-pid", "--server-pid 4711"),
            ("script", "script needs a script", "dbdyno-load script "),
        ] {
            let error = reported(&format!("dbdyno-load {line}")).unwrap();
            assert!(error.what.ends_with(what), "{line}: {}", error.what);
            let hint = error.remedy.unwrap();
            assert!(hint.contains(example), "{line}: {hint}");
            assert!(!hint.contains(['\\', '\n']), "{line}: {hint}");
        }
    }

    #[test]
    fn an_option_without_its_value_is_named_as_it_was_typed() {
        for (line, what) in [
            ("--threads", "--threads needs a value, as in --threads 4"),
            ("--rows --tables 4", "--rows needs a value, as in --rows 4"),
        ] {
            let error = reported(&format!("dbdyno-load run sysbench/oltp_insert {line}")).unwrap();
            assert_eq!(error.what, what);
        }
        assert!(reported("dbdyno-load run sysbench/oltp_insert --threads x").is_none());
    }
}
