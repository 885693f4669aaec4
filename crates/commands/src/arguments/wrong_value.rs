//! Reports a wrong value of an option: the option as it was typed, what is expected, and an example.

use super::Cli;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};
use dbdyno_workload::WorkloadError;
use std::error::Error as _;
use std::net::AddrParseError;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

/// Returns the error of a wrong value; `None` for other errors, which clap describes well. `words` is the command line.
pub(crate) fn wrong_value(error: &clap::Error, words: &[String]) -> Option<CliError> {
    let program = Cli::command();
    let command = program.find_subcommand(words.get(1)?)?;
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let named = text(ContextKind::InvalidArg)?;
    match error.kind() {
        ErrorKind::ValueValidation => {
            let value = text(ContextKind::InvalidValue)?;
            let long = named.strip_prefix("--")?.split_whitespace().next();
            let option = options(command).find(|option| option.get_long() == long)?;
            let typed = typed_as(option, value, words);
            let expected = expected(error, option);
            let value = quoted(value);
            Some(CliError::request(
                ErrorCode::WrongValue,
                format!("{typed} {value}: {}", expected(&typed)),
            ))
        }
        // clap takes a negative number for an option. It names the first letter of it.
        ErrorKind::UnknownArgument => {
            let is_number = named
                .strip_prefix('-')?
                .starts_with(|c: char| c.is_ascii_digit());
            let is_it = |word: &String| is_number && word.starts_with(named);
            let place = words.iter().position(is_it)?;
            let (typed, value) = (words.get(place.checked_sub(1)?)?, words.get(place)?);
            let option = options(command).find(|option| names(option).contains(typed))?;
            let example = example(option);
            let what =
                format!("{typed} {value}: no negative number is expected, as in {typed} {example}");
            Some(CliError::request(ErrorCode::WrongValue, what))
        }
        _ => None,
    }
}

/// Returns the options of a command.
pub(super) fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|option| option.get_long().is_some())
}

pub(super) fn names(option: &Arg) -> Vec<String> {
    let aliases = option.get_all_aliases().unwrap_or_default();
    let all = option.get_long().into_iter().chain(aliases);
    all.map(|name| format!("--{name}")).collect()
}

/// Returns a value as a shell needs it to be written, if it would be hard to see otherwise.
fn quoted(value: &str) -> String {
    match value.is_empty() || value.contains(char::is_whitespace) {
        true => format!("'{value}'"),
        false => value.to_owned(),
    }
}

/// Returns the error of a wrong option of the workload, named as it was typed; `None` if it was not, or for other errors.
pub(crate) fn wrong_workload_option(error: &anyhow::Error, words: &[String]) -> Option<CliError> {
    let Some(WorkloadError::InvalidValue {
        option,
        value,
        allowed,
    }) = error.downcast_ref()
    else {
        return None;
    };
    let typed = typed_workload_option(option, value, words)?;
    let what = format!("{typed} {value}: {allowed} is allowed");
    Some(CliError::request(ErrorCode::WrongValue, what))
}

/// Returns how the command line names an option of the workload that has this value there; `None` if it was not typed.
fn typed_workload_option(id: &str, value: &str, words: &[String]) -> Option<String> {
    let program = Cli::command();
    let command = program.find_subcommand(words.get(1)?)?;
    let option = options(command).find(|option| option.get_id() == id)?;
    typed_name(option, value, words)
}

/// Returns the name under which the command line has this value; the option's own for one value of a list.
fn typed_as(option: &Arg, value: &str, words: &[String]) -> String {
    let own = || names(option).swap_remove(0);
    typed_name(option, value, words).unwrap_or_else(own)
}

fn typed_name(option: &Arg, value: &str, words: &[String]) -> Option<String> {
    let is_typed = |name: &String| {
        let behind = words
            .windows(2)
            .any(|pair| pair[0] == *name && pair[1] == value);
        behind || words.contains(&format!("{name}={value}"))
    };
    names(option).into_iter().find(is_typed)
}

/// Returns what is expected, for an option of the given name.
fn expected<'a>(error: &'a clap::Error, option: &'a Arg) -> impl Fn(&str) -> String + 'a {
    let source = error.source();
    let what = source.and_then(|source| {
        if let Some(error) = source.downcast_ref::<ParseIntError>() {
            return Some(match error.kind() {
                IntErrorKind::PosOverflow => "a smaller whole number".to_owned(),
                _ => "a whole number".to_owned(),
            });
        }
        if source.is::<ParseFloatError>() {
            return Some("a number".to_owned());
        }
        if source.is::<AddrParseError>() {
            return Some("an IP address and a port".to_owned());
        }
        let text = source.to_string();
        let (_, range) = text.split_once(" is not in ")?;
        let (low, high) = range.split_once("..")?;
        Some(match high.trim_start_matches('=') {
            "" => format!("a whole number from {low}"),
            high => format!("a whole number from {low} to {high}"),
        })
    });
    move |typed| match &what {
        Some(what) => format!("{what} is expected, as in {typed} {}", example(option)),
        // The parsers of this program give their own examples.
        None => source.map_or_else(String::new, ToString::to_string),
    }
}

/// Returns a right value: the default if it shows one.
pub(super) fn example(option: &Arg) -> String {
    let default = option.get_default_values().first();
    let default = default.and_then(|value| value.to_str());
    let is_telling = |value: &&str| !matches!(*value, "" | "0" | "1" | "none");
    match (option.get_id().as_str(), default.filter(is_telling)) {
        ("port", _) => "3306",
        ("listen", _) => "127.0.0.1:3306",
        ("server_pid" | "client_pid", _) => "4711",
        (_, Some(default)) => default,
        _ => "4",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn told(line: &str) -> String {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        let error = Cli::try_parse_from(&words).unwrap_err();
        wrong_value(&error, &words).map_or_else(String::new, |error| error.what)
    }

    #[test]
    fn an_empty_value_can_be_seen() {
        let words = ["dbdyno-load", "run", "w", "--threads", ""].map(str::to_owned);
        let error = Cli::try_parse_from(&words).unwrap_err();
        let error = wrong_value(&error, &words).unwrap();
        assert!(error.what.starts_with("--threads '': "), "{}", error.what);
    }

    #[test]
    fn an_option_of_a_workload_is_named_as_it_was_typed() {
        let words = "dbdyno-load run w --rows abc --warehouses=x --tables 4 --order abc";
        let words: Vec<_> = words.split(' ').map(str::to_owned).collect();
        let typed = |id, value| typed_workload_option(id, value, &words);
        assert_eq!(typed("table_size", "abc").as_deref(), Some("--rows"));
        assert_eq!(typed("warehouses", "x").as_deref(), Some("--warehouses"));
        for (id, value) in [("tables", "abc"), ("no_option", "abc"), ("table_size", "4")] {
            assert_eq!(typed(id, value), None, "{id}"); // an order file has it
        }
    }

    #[test]
    fn a_wrong_value_is_reported_with_the_option_as_typed_and_an_example() {
        for (line, expected) in [
            (
                "run w --threads four",
                "--threads four: a whole number is expected, as in --threads 4",
            ),
            (
                "run w --users=x",
                "--users x: a whole number is expected, as in --users 4",
            ),
            (
                "run w --concurrency 1.5",
                "--concurrency 1.5: a whole number is expected",
            ),
            (
                "run w --threads 0",
                "--threads 0: a whole number from 1 to 1000000 is expected",
            ),
            (
                "run w --threads -1",
                "--threads -1: no negative number is expected, as in --threads 4",
            ),
            (
                "run w --threads 99999999999999999999",
                "a smaller whole number is expected",
            ),
            (
                "run w --mysql-port http",
                "--mysql-port http: a whole number is expected, as in --mysql-port 3306",
            ),
            (
                "run w --port 99999",
                "--port 99999: a whole number from 0 to 65535 is expected",
            ),
            (
                "run w --rand-seed x",
                "--rand-seed x: a whole number is expected",
            ),
            ("run w --events x", "--events x: a whole number is expected"),
            (
                "run w --time ten",
                "--time ten: write for example 500ms, 60s, 1m30s or 5m",
            ),
            ("run w --time -1", "--time -1: no negative number"),
            ("run w --time -5s", "--time -5s: no negative number"),
            (
                "run w --warm-up 5x",
                "--warm-up 5x: unit \"x\" is not known: us, ms, s, m or h is allowed",
            ),
            (
                "run w --require p99",
                "--require p99: p99 must be followed by",
            ),
            ("run w --share 4/3", "--share 4/3: write for example 2/3"),
            (
                "search w --slo p99<9ms --threads x",
                "--threads x: a whole number is expected",
            ),
            (
                "populate w --threads x",
                "--threads x: a whole number is expected, as in --threads",
            ),
            (
                "cleanup w --port x",
                "--port x: a whole number is expected, as in --port 3306",
            ),
            (
                "merge a --max-skew x",
                "--max-skew x: write for example 500ms",
            ),
            (
                "sample w --events x",
                "--events x: a whole number is expected",
            ),
            (
                "fingerprint w --events x",
                "--events x: a whole number is expected",
            ),
            (
                "workloads w --threads x",
                "--threads x: a whole number is expected",
            ),
            (
                "threads --server-pid x",
                "--server-pid x: a whole number is expected, as in --server-pid 4711",
            ),
            (
                "threads --server-pid 1 --rate 0",
                "--rate 0: a whole number from 1 to 1000 is expected, as in --rate 20",
            ),
            (
                "null-server --workers x",
                "--workers x: a whole number is expected",
            ),
            (
                "null-server --backlog x",
                "--backlog x: a whole number is expected, as in --backlog 4096",
            ),
            (
                "null-server --listen x",
                "--listen x: an IP address and a port is expected, as in --listen 127.0.0.1:3306",
            ),
            (
                "script s run --threads four",
                "--threads four: a whole number is expected, as in --threads 4",
            ),
            ("run w --frobnicate -1", ""),
            ("run w --rng mine", ""),
        ] {
            let told = told(&format!("dbdyno-load {line}"));
            assert!(told.contains(expected), "{line}: {told}");
            assert_eq!(told.is_empty(), expected.is_empty(), "{line}: {told}");
        }
    }
}
