//! Prints what `--help` and `sysbench NAME help` show.

use super::ArgKind;
use super::definitions::{Definition, Groups};
use super::own::OWN;
use super::value::ScriptOption;
use crate::Dialect;

const USAGE: &str = "Usage:
  sysbench [options]... [testname] [command]

Commands implemented by most tests: prepare run cleanup help
";

/// The builtins are named as sysbench names them, whether or not there is one: its own tests ask for the list.
const TESTS: &str = "Compiled-in tests:
  fileio - File I/O test
  cpu - CPU performance test
  memory - Memory functions speed test
  threads - Threads subsystem performance test
  mutex - Mutex performance test

See 'sysbench <testname> help' for a list of options for each test.

";

/// Returns the answer to `--help`; `own` adds our own options in a block at the end.
#[must_use]
pub fn help(dialect: Dialect, own: bool) -> String {
    let groups = Groups::of(dialect);
    let mut text = [
        USAGE,
        "\nGeneral options:\n",
        &defined(groups.general),
        "\nPseudo-Random Numbers Generator options:\n",
        &defined(&[groups.random]),
        "\nLog options:\n",
        &defined(&[groups.log]),
        "\n",
        &defined(&[groups.latency]),
        "\nGeneral database options:\n\n",
        &defined(&[groups.database]),
        "\n\n",
        &drivers(groups),
        TESTS,
    ]
    .concat();
    if own {
        text.push_str("dbdyno options, in addition to sysbench's:\n");
        text.push_str(&defined(&[OWN]));
        text.push('\n');
    }
    text
}

/// Returns the drivers of the build that is imitated: distributions build 1.0 with both.
fn drivers(groups: &Groups) -> String {
    let mut list = String::from("Compiled-in database drivers:\n  mysql - MySQL driver\n");
    let mut options = format!("\nmysql options:\n{}\n", defined(groups.mysql));
    if !groups.postgresql.is_empty() {
        list.push_str("  pgsql - PostgreSQL driver\n");
        let rows = defined(&[groups.postgresql]);
        options.push_str(&format!("pgsql options:\n{rows}\n"));
    }
    list + &options
}

/// Returns the lines of a script's or a builtin's options, as `sysbench NAME help` prints them behind the header;
/// `name` is the last part of the name on the command line.
#[must_use]
pub fn script_help(name: &str, options: &[ScriptOption]) -> String {
    format!("{name} options:\n{}", option_lines(options))
}

/// Returns the options by name, and a blank line: what `sysbench.cmdline.print_test_options()` prints.
#[must_use]
pub fn option_lines(options: &[ScriptOption]) -> String {
    let mut sorted: Vec<&ScriptOption> = options.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let rows = sorted.iter().map(|option| HelpRow {
        name: &option.name,
        kind: option.kind,
        default: option.default.as_deref(),
        description: &option.description,
    });
    lines(&rows.collect::<Vec<_>>()) + "\n"
}

fn defined(groups: &[&[Definition]]) -> String {
    let options = groups.iter().copied().flatten();
    let rows = options.map(|option| HelpRow {
        name: option.name,
        kind: option.kind,
        default: option.default,
        description: option.description,
    });
    lines(&rows.collect::<Vec<_>>())
}

struct HelpRow<'a> {
    name: &'a str,
    kind: ArgKind,
    default: Option<&'a str>,
    description: &'a str,
}

/// Returns one line an option, the descriptions below each other.
fn lines(rows: &[HelpRow<'_>]) -> String {
    let width_of = |row: &HelpRow<'_>| row.name.len() + row.kind.placeholder().len();
    let width = rows.iter().map(width_of).max().unwrap_or(0);
    rows.iter()
        .map(|row| {
            let option = format!("{}{}", row.name, row.kind.placeholder());
            let default = row.default.map(|default| format!(" [{default}]"));
            format!(
                "  --{option:width$} {}{}\n",
                row.description,
                default.unwrap_or_default()
            )
        })
        .collect()
}
