//! Compares the manual pages and completions in wheels with the parser.

use super::completions::{bash, fish, names, spellings, zsh};
use super::short_help::is_of_workload;
use super::{Cli, WorkloadOptions};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, process};

/// Holds what a wheel installs below its prefix.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../load/wheel-data/data");

const BASH: &str = "share/bash-completion/completions/dbdyno-load";
const ZSH: &str = "share/zsh/site-functions/_dbdyno-load";
const FISH: &str = "share/fish/vendor_completions.d/dbdyno-load.fish";

fn program() -> Command {
    let mut program = Cli::command();
    program.build();
    program
}

/// Returns each file by its path below the prefix.
fn shell_files() -> BTreeMap<PathBuf, String> {
    let program = program();
    let commands = program.get_subcommands().cloned();
    let commands = commands.filter(|command| command.get_name() != "help"); // clap's own
    let mut files: BTreeMap<_, _> = [program.clone()]
        .into_iter()
        .chain(commands)
        .map(page)
        .collect();
    files.extend([
        workload_options(&program),
        (BASH.into(), bash(&program)),
        (ZSH.into(), zsh(&program)),
        (FISH.into(), fish(&program)),
    ]);
    files
}

/// Returns a command's page; the options of workloads have a page for all commands.
fn page(command: Command) -> (PathBuf, String) {
    let has_workload = command.get_arguments().any(is_of_workload);
    let command = command.mut_args(|argument| {
        let is_hidden = argument.is_hide_set() || is_of_workload(&argument);
        argument.hide(is_hidden)
    });
    let man = Man::new(command);
    let mut text = rendered(&man);
    if has_workload {
        text += ".SH \"SEE ALSO\"\n.BR dbdyno\\-load\\-workload\\-options (7)\n";
    }
    (Path::new("share/man/man1").join(man.get_filename()), text)
}

fn workload_options(program: &Command) -> (PathBuf, String) {
    let takes_them = |name: &&str| {
        let command = program.find_subcommand(name).unwrap();
        command.get_arguments().any(is_of_workload)
    };
    let commands: Vec<_> = names(program).into_iter().filter(takes_them).collect();
    let command = Command::new("dbdyno-load-workload-options")
        .about("Options of the workloads of dbdyno-load")
        .long_about(format!(
            "These commands of dbdyno-load take the options of their workload: {}.\n\n\
            dbdyno-load run --help WORKLOAD lists those of one workload.",
            commands.join(", ")
        ))
        .override_usage("dbdyno-load COMMAND WORKLOAD [OPTION]...")
        .disable_help_flag(true);
    let man = Man::new(WorkloadOptions::augment_args(command)).section("7");
    let path = Path::new("share/man/man7").join(man.get_filename());
    (path, rendered(&man))
}

fn rendered(man: &Man) -> String {
    let mut text = Vec::new();
    man.render(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn files_below(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            let name = path.strip_prefix(FOLDER).unwrap().to_owned();
            found.insert(name, fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn the_files_say_what_the_program_says() {
    let files = shell_files();
    if std::env::var_os("DBDYNO_WRITE_REFERENCE").is_some() {
        let _ = fs::remove_dir_all(FOLDER);
        for (name, text) in &files {
            let path = Path::new(FOLDER).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let mut found = BTreeMap::new();
    files_below(Path::new(FOLDER), &mut found);
    let names = |files: &BTreeMap<PathBuf, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&files));
    for (name, text) in &files {
        let is_current = found[name] == *text;
        assert!(is_current, "{} is out of date", name.display()); // DBDYNO_WRITE_REFERENCE=1 writes it
    }
}

/// Returns the lines that a shell offers after these words. zsh offers only on a terminal: what its file hands to
/// `_arguments` stands for it.
fn offered(shell: &str, words: &str) -> Vec<String> {
    let script = match shell {
        "bash" => format!(
            r#"source '{FOLDER}/{BASH}'; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _dbdyno_load
            printf '%s\n' "${{COMPREPLY[@]}}""#
        ),
        "zsh" => format!(
            r#"words=({words}); CURRENT=$#words; _arguments() {{ shift 3; print -rl -- "$@" }}; source '{FOLDER}/{ZSH}'"#
        ),
        _ => format!(
            "source '{FOLDER}/{FISH}'; complete -C \"{}\"",
            words.trim_end_matches("''")
        ),
    };
    let done = process::Command::new(shell).args(["-c", &script]).output();
    let text = String::from_utf8(done.unwrap().stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Returns the options among offered lines: `(--b)*--a=[help]:VALUE:_files` is `--a`, as is `--a\thelp`.
fn options(offered: &[String]) -> BTreeSet<String> {
    let words = offered
        .iter()
        .map(|line| line.split(['=', '[', '\t']).next());
    let words = words
        .flatten()
        .filter_map(|word| word.rsplit([')', '*']).next());
    let options = words.filter(|word| word.starts_with('-'));
    options.map(str::to_owned).collect()
}

fn assert_offers_each_option_and_no_other(shell: &str) {
    for command in program().get_subcommands() {
        let name = command.get_name();
        if name == "help" {
            continue; // clap's own
        }
        let shown = command.get_arguments().filter(|it| !it.is_hide_set());
        let expected: BTreeSet<_> = shown.flat_map(spellings).collect();
        let offered = offered(shell, &format!("dbdyno-load {name} -"));
        assert_eq!(options(&offered), expected, "{shell} {name}");
    }
}

fn assert_offers_commands_and_values(shell: &str) {
    let program = program();
    for (typed, expected) in [
        (
            "verify --tls ''",
            "off preferred required verify-ca verify-identity",
        ),
        ("run --skip-trx of", "off"),
        ("po", "populate"),
        ("help fi", "fingerprint"),
        ("help ''", &names(&program).join(" ")),
    ] {
        let offered = offered(shell, &format!("dbdyno-load {typed}"));
        let words = offered.iter().filter_map(|line| line.split('\t').next());
        let expected: BTreeSet<_> = expected.split(' ').collect();
        assert_eq!(words.collect::<BTreeSet<_>>(), expected, "{shell} {typed}");
    }
}

#[test]
fn bash_offers_what_each_command_takes() {
    assert_offers_each_option_and_no_other("bash");
    assert_offers_commands_and_values("bash");
}

#[test]
#[ignore = "needs zsh"]
fn zsh_offers_what_each_command_takes() {
    assert_offers_each_option_and_no_other("zsh");
}

#[test]
#[ignore = "needs fish"]
fn fish_offers_what_each_command_takes() {
    assert_offers_each_option_and_no_other("fish");
    assert_offers_commands_and_values("fish");
}
