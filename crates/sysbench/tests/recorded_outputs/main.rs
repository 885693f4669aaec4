//! Rebuilds recorded outputs of sysbench 1.0.20. Each block that our code prints is taken from the recording, and its
//! figures are read and printed again by our functions; the whole must equal the recording. Lines of a script, the
//! server or the logger stay unchanged and are named line by line, so that no block slips through.
//!
//! The recordings hold texts of sysbench itself and are no part of this repository. The tests are ignored unless asked
//! for (`--include-ignored`); `tests/contract/test_recorded_outputs.py` does so where the recordings are.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod figures;
mod rebuild;

use dbdyno_sysbench::Dialect;
use dbdyno_sysbench::options::{self, Environment};
use rebuild::Rebuilt;

/// Commands of the recordings that were made without one.
const COMMANDS: [(&str, &str); 4] = [
    ("histogram_api", "histogram.lua run"),
    (
        "hook_report_csv",
        "hook.lua --threads=2 --report-interval=1 run",
    ),
    (
        "hook_report_default",
        "hook.lua --threads=2 --report-interval=1 run",
    ),
    (
        "hook_report_json",
        "hook.lua --threads=2 --report-interval=1 run",
    ),
];

/// How many blocks that our code prints each recording has, of which kinds: a recording that is not read as it should
/// be shows here.
const BLOCKS: [(&str, &str); 36] = [
    ("error_ignored_1054", "header start workers started full"),
    ("error_no_server", "header start workers"),
    ("error_prepare_exists_1thread", "header"),
    ("error_prepare_exists_2threads", "header workers"),
    ("error_queue_full", "header start workers started"),
    ("error_run_without_tables", "header start workers"),
    ("error_sql_fatal", "header start workers started"),
    ("error_sql_hook_and_repeat", "header start workers started"),
    (
        "histogram_api",
        "header start workers started histogram histogram full",
    ),
    ("hook_report_csv", "header start workers started full"),
    ("hook_report_default", "header start workers started full"),
    ("hook_report_json", "header start workers started full"),
    ("oltp_cleanup", "header"),
    ("oltp_prepare", "header workers"),
    ("oltp_prewarm", "header"),
    ("run_basic", "header start workers started full"),
    (
        "run_checkpoints",
        "header start workers started checkpoint full checkpoint full full",
    ),
    (
        "run_checkpoints_histogram_intervals",
        "header start workers started interval checkpoint full interval latencies full",
    ),
    ("run_debug", "header start workers started full users"),
    ("run_dry", "header start workers started full"),
    ("run_events_cpu", "header start workers started full"),
    ("run_forced_shutdown", "header start workers started full"),
    (
        "run_forced_shutdown_db",
        "header start workers started full",
    ),
    (
        "run_histogram",
        "header start workers started latencies full",
    ),
    (
        "run_intervals",
        "header start workers started interval interval interval interval full",
    ),
    (
        "run_intervals_percentile99",
        "header start workers started interval interval full",
    ),
    (
        "run_nodb_histogram",
        "header start workers started latencies full",
    ),
    (
        "run_nodb_intervals",
        "header start workers started interval interval interval full",
    ),
    (
        "run_nodb_rate",
        "header start workers started interval interval interval full",
    ),
    (
        "run_percentile0",
        "header start workers started interval interval full",
    ),
    (
        "run_rate",
        "header start workers started interval interval interval full",
    ),
    (
        "run_percentile100",
        "header start workers started interval interval full",
    ),
    (
        "run_rate_checkpoint",
        "header start workers started checkpoint full full",
    ),
    // At verbosity 2 nothing of it is seen.
    ("run_verbosity2", ""),
    ("run_validate", "header start workers started full"),
    ("run_verbosity4", "header start workers started full"),
];

struct Recording {
    command: String,
    output: String,
    errors: String,
    exit: Option<u8>,
}

fn recording(name: &str) -> Recording {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/sysbench-output"
    );
    let path = format!("{folder}/{name}.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let known = COMMANDS.iter().find(|(known, _)| *known == name);
    let (command, rest) = match known {
        Some((_, command)) => (*command, text.as_str()),
        None => text
            .strip_prefix("$ sysbench ")
            .unwrap()
            .split_once('\n')
            .unwrap(),
    };
    let (rest, exit) = match rest.rsplit_once("--- exit code: ") {
        Some((rest, exit)) => (rest, Some(exit.trim().parse().unwrap())),
        None => (rest, None),
    };
    let (output, errors) = rest.split_once("--- stderr:\n").unwrap_or((rest, ""));
    Recording {
        command: command.to_owned(),
        output: output.to_owned(),
        errors: errors.to_owned(),
        exit,
    }
}

fn parse(command: &str) -> Result<options::CommandLine, options::EarlyExit> {
    let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    let sysbench = Environment {
        dialect: Dialect::V1_0,
        own_name: false,
        own_form: false,
    };
    options::parse(&words, &sysbench)
}

#[test]
#[ignore = "needs the recorded outputs of sysbench"]
fn every_block_of_a_recorded_run_is_printed_to_the_character() {
    for (name, blocks) in BLOCKS {
        let recording = recording(name);
        let line = parse(&recording.command).unwrap();
        let rebuilt = Rebuilt::of(&recording.output, &line.settings);
        assert_eq!(rebuilt.text, recording.output, "{name}");
        assert_eq!(rebuilt.blocks.join(" "), blocks, "{name}");
    }
}

/// The remaining recordings: the command line alone decides what they say.
#[test]
#[ignore = "needs the recorded outputs of sysbench"]
fn recorded_answers_of_the_command_line_are_given_to_the_character() {
    for name in [
        "error_option_int",
        "error_option_threads0",
        "error_options_unknown",
        "help",
        "version",
    ] {
        let recording = recording(name);
        let ending = match parse(&recording.command) {
            Err(ending) => ending,
            Ok(line) => {
                options::apply_script_options(&line, Some(&[]), &mut |_, _| true).unwrap_err()
            }
        };
        let said = |stream| -> String {
            let of_stream = ending.said.iter().filter(|said| said.stream == stream);
            of_stream.map(|said| said.text.as_str()).collect()
        };
        let header = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\n";
        let output = recording.output.replace(header, "");
        assert_eq!(said(options::OutputStream::Stdout), output, "{name}");
        assert_eq!(
            said(options::OutputStream::Stderr),
            recording.errors,
            "{name}"
        );
        assert_eq!(Some(ending.exit), recording.exit, "{name}");
    }
}

#[test]
#[ignore = "needs the recorded outputs of sysbench"]
fn recorded_help_of_a_script_is_printed_to_the_character() {
    let recording = recording("oltp_read_write_help");
    let header = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\n";
    let body = recording.output.strip_prefix(header).unwrap();
    let options: Vec<options::ScriptOption> =
        body.lines().filter_map(rebuild::script_option).collect();
    assert_eq!(options.len(), 18);
    assert_eq!(options::script_help("oltp_read_write", &options), body);
}
