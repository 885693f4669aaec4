//! Compares the manual pages and completions in wheels with the parser.

use super::Cli;
use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files that a wheel installs below its prefix.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/wheel-data/data");

const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/dbdyno-load"),
    (Shell::Zsh, "share/zsh/site-functions/_dbdyno-load"),
    (
        Shell::Fish,
        "share/fish/vendor_completions.d/dbdyno-load.fish",
    ),
];

/// Returns each file by its path below the prefix.
fn shell_files() -> BTreeMap<PathBuf, String> {
    let mut program = Cli::command();
    program.build();
    let commands = program.get_subcommands().cloned();
    let commands = commands.filter(|command| command.get_name() != "help"); // clap's own
    let pages = [program.clone()].into_iter().chain(commands).map(page);
    let completions = COMPLETIONS.map(|(shell, path)| {
        let mut text = Vec::new();
        generate(shell, &mut Cli::command(), "dbdyno-load", &mut text);
        (PathBuf::from(path), String::from_utf8(text).unwrap())
    });
    pages.chain(completions).collect()
}

fn page(command: Command) -> (PathBuf, String) {
    let page = Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text).unwrap();
    let path = Path::new("share/man/man1").join(page.get_filename());
    (path, String::from_utf8(text).unwrap())
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
