//! Checks cases that were tried on sysbench 1.0.20, and what it said.

mod help;
mod script;
mod values;
mod words;

use super::*;

const SYSBENCH: Environment = Environment {
    dialect: Dialect::V1_0,
    own_name: false,
    own_form: false,
};

fn words(line: &str) -> Vec<String> {
    line.split('|').map(str::to_owned).collect()
}

/// Arguments with `|` between them.
fn line(arguments: &str) -> Result<CommandLine, EarlyExit> {
    parse(&words(arguments), &SYSBENCH)
}

fn spoken(said: &[OptionMessage]) -> String {
    said.iter().map(|said| said.text.as_str()).collect()
}

#[track_caller]
fn complains(arguments: &str, stream: OutputStream, text: &str) {
    let ending = line(arguments).unwrap_err();
    let last = ending.said.last().unwrap();
    assert_eq!(
        (last.stream, last.text.as_str()),
        (stream, text),
        "{arguments}"
    );
    assert_eq!(ending.exit, 1);
}

#[track_caller]
fn is_taken(arguments: &str) -> CommandLine {
    line(arguments).unwrap_or_else(|ending| panic!("{arguments}: {}", spoken(&ending.said)))
}
