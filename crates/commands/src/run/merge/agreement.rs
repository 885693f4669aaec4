//! Checks that records are those of all the shares of one run, before they are added up.

use super::share_reader::ShareReader;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::run::figures::seconds_text;
use serde_json::Value;

/// Fields that the starts of all shares have in common, and their names for people.
const COMMON: [(&str, &str); 10] = [
    ("program", "the program"),
    ("workload", "the workload"),
    ("protocol", "how statements are sent"),
    ("rng", "the random number generator"),
    ("seed", "the seed"),
    ("pacing", "the pacing"),
    ("route", "the route"),
    ("session", "what the server reports about a session"),
    ("transaction_types", "the transaction types"),
    ("statement_types", "the statement types"),
];

/// Puts the shares in order and refuses those that are not all of one run.
pub(super) fn check(shares: &mut [ShareReader]) -> Result<(), CliError> {
    shares.sort_by_key(|share| share.share.number);
    let Some((first, others)) = shares.split_first() else {
        return Ok(()); // the command line asks for one
    };
    others.iter().try_for_each(|other| same_run(first, other))?;
    each_once(shares)
}

fn same_run(first: &ShareReader, other: &ShareReader) -> Result<(), CliError> {
    for (field, meaning) in COMMON {
        let (ours, theirs) = (&first.whole_start[field], &other.whole_start[field]);
        if ours != theirs {
            return Err(of_two_runs(first, other, meaning, difference(ours, theirs)));
        }
    }
    let (ours, theirs) = (&first.share, &other.share);
    for (meaning, ours, theirs) in [
        ("the number of shares", ours.count, theirs.count),
        ("all connections", ours.connections, theirs.connections),
    ] {
        if ours != theirs {
            let found = (ours.to_string(), theirs.to_string());
            return Err(of_two_runs(first, other, meaning, found));
        }
    }
    if ours.server != theirs.server {
        let found = (ours.server.clone(), theirs.server.clone());
        return Err(of_two_runs(first, other, "the server", found));
    }
    if ours.common_sha256 != theirs.common_sha256 {
        let found = ("one choice".to_owned(), "another".to_owned());
        let meaning = "phases, errors, drain, deadlines, user, schema or encryption";
        return Err(of_two_runs(first, other, meaning, found));
    }
    Ok(())
}

fn of_two_runs(
    first: &ShareReader,
    other: &ShareReader,
    meaning: &str,
    (ours, theirs): (String, String),
) -> CliError {
    let what = format!("{} and {} are not of the same run", first.name, other.name);
    CliError::request(ErrorCode::NotOneRun, what)
        .because(format!("{meaning}: {ours} and {theirs}"))
        .hint("give all shares the same arguments, except --share, the way to the server, --workers and --cpus")
}

/// Returns the first field in which two objects differ, otherwise both values unchanged.
fn difference(ours: &Value, theirs: &Value) -> (String, String) {
    if let (Some(ours), Some(theirs)) = (ours.as_object(), theirs.as_object()) {
        let names = ours.keys().chain(theirs.keys());
        let value = |of: &serde_json::Map<String, Value>, name: &String| of.get(name).cloned();
        for name in names {
            let (ours, theirs) = (value(ours, name), value(theirs, name));
            if ours != theirs {
                let (ours, theirs) = (ours.unwrap_or_default(), theirs.unwrap_or_default());
                let (ours, theirs) = difference(&ours, &theirs);
                return (format!("{name} {ours}"), theirs);
            }
        }
    }
    (ours.to_string(), theirs.to_string())
}

/// Missing shares that are named; a record may claim billions.
const MOST_NAMED: usize = 20;

fn each_once(shares: &[ShareReader]) -> Result<(), CliError> {
    for pair in shares.windows(2) {
        if let [one, other] = pair
            && one.share.number == other.share.number
        {
            let (number, count) = (one.share.number, one.share.count);
            let what = format!("share {number} of {count} was given twice");
            return Err(CliError::request(ErrorCode::ShareTwice, what)
                .because(format!("{} and {}", one.name, other.name))
                .hint("remove one of them"));
        }
    }
    let count = shares.first().map_or(0, |share| share.share.count);
    let is_beyond = |share: &&ShareReader| !(1..=count).contains(&share.share.number);
    if let Some(share) = shares.iter().find(is_beyond) {
        let what = format!("there is no share {} of {count}", share.share.number);
        return Err(CliError::request(ErrorCode::NoSuchShare, what).because(&share.name));
    }
    let is_here = |number: &u32| shares.iter().any(|share| share.share.number == *number);
    let missing = (1..=count).filter(|number| !is_here(number));
    let missing: Vec<_> = missing.take(MOST_NAMED).collect();
    let names: Vec<_> = missing.iter().map(ToString::to_string).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(CliError::request(
            ErrorCode::SharesMissing,
            format!("shares are missing: {} of {count}", names.join(", ")),
        )
        .because("the other shares are not what one client sends")
        .hint("name the records of all shares")),
    }
}

/// Refuses shares that began too far apart.
pub(super) fn begun_together(shares: &[ShareReader], most_apart_ns: u64) -> Result<(), CliError> {
    let first = shares.iter().min_by_key(|share| share.began_ns());
    let last = shares.iter().max_by_key(|share| share.began_ns());
    let (Some(first), Some(last)) = (first, last) else {
        return Ok(());
    };
    let apart_ns = last.began_ns() - first.began_ns();
    if apart_ns <= most_apart_ns {
        return Ok(());
    }
    let (apart, most) = (seconds_text(apart_ns), seconds_text(most_apart_ns));
    let what = format!("the shares did not begin together: {apart} apart, {most} are allowed");
    Err(CliError::request(ErrorCode::NotBegunTogether, what)
        .because(format!("{} began first, {} last", first.name, last.name))
        .hint(
            "start them with the same --start-at, on hosts whose clocks a time service keeps, or allow more (--max-skew)",
        ))
}
