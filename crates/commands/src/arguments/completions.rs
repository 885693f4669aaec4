//! Writes completions for bash, zsh and fish. Each names an option once, with all commands that take it.

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command, ValueHint};
use std::collections::BTreeMap;

/// Bash falls back to file names where no word fits.
pub(super) fn bash(program: &Command) -> String {
    let mut options = String::new();
    for (commands, spelled) in by_commands(program, |_, argument| spellings(argument).join(" ")) {
        let commands = pattern(&commands, " | ");
        options += &format!(
            "        {commands}) words+=\" {}\" ;;&\n",
            spelled.join(" ")
        );
    }
    let mut values = String::new();
    for (words, spelled) in options_by_values(program) {
        values += &format!("        {}) words=\"{words}\" ;;\n", spelled.join(" | "));
    }
    format!(
        r#"# bash completion of dbdyno-load
_dbdyno_load() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" last="${{COMP_WORDS[COMP_CWORD - 1]}}" command="" words=""
    [ "$COMP_CWORD" -gt 1 ] && command="${{COMP_WORDS[1]}}"
    case "$command" in
        '' | help) words="{names}" ;;&
{options}    esac
    [[ "$current" == -* ]] || case "$last" in
{values}    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o bashdefault -o default -F _dbdyno_load dbdyno-load
"#,
        names = names(program).join(" "),
    )
}

pub(super) fn zsh(program: &Command) -> String {
    let described = |command: &Command| {
        let about = zsh_text(&one_line(command.get_about()));
        format!("        '{}:{about}'\n", command.get_name())
    };
    let commands: String = program.get_subcommands().map(described).collect();
    let mut options = String::new();
    for (commands, specs) in by_commands(program, zsh_specs) {
        let (commands, specs) = (pattern(&commands, "|"), specs.join("\n"));
        options += &format!("        ({commands}) options+=(\n{specs}\n        ) ;|\n");
    }
    format!(
        r#"#compdef dbdyno-load
_dbdyno-load() {{
    local command=""
    local -a commands options
    commands=(
{commands}    )
    if (( CURRENT > 2 )); then
        command="$words[2]"
        shift words
        (( CURRENT-- ))
    fi
    case "$command" in
        (''|help) options+=('1:command:{{_describe command commands}}') ;|
{options}    esac
    _arguments -s -S : "$options[@]"
}}
_dbdyno-load "$@"
"#
    )
}

pub(super) fn fish(program: &Command) -> String {
    let mut lines = String::new();
    for command in program.get_subcommands() {
        let about = fish_text(&one_line(command.get_about()));
        let name = command.get_name();
        lines += &format!(
            "complete -c dbdyno-load -n \"__dbdyno_load_is '' help\" -f -a {name} -d {about}\n"
        );
    }
    for (commands, options) in by_commands(program, |_, argument| fish_option(argument)) {
        lines += &format!(
            "\nset -l if \"__dbdyno_load_is {}\"\n",
            pattern(&commands, " ")
        );
        for option in options {
            lines += &format!("complete -c dbdyno-load -n $if {option}\n");
        }
    }
    format!(
        r#"# fish completion of dbdyno-load
function __dbdyno_load_is -d 'whether the command is one of these'
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv
end

{lines}"#
    )
}

/// Returns what a shell writes for each argument, once, with the commands that take it: those of the same commands
/// together. "" is the program without a command.
fn by_commands(
    program: &Command,
    written: impl Fn(&Command, &Arg) -> String,
) -> Vec<(Vec<&str>, Vec<String>)> {
    let subcommands = program.get_subcommands().map(|it| (it.get_name(), it));
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, command) in [("", program)].into_iter().chain(subcommands) {
        for argument in command.get_arguments().filter(|it| !it.is_hide_set()) {
            let line = written(command, argument);
            match lines.iter_mut().find(|(known, _)| *known == line) {
                _ if line.is_empty() => {}
                Some((_, commands)) => commands.push(name),
                None => lines.push((line, vec![name])),
            }
        }
    }
    let mut groups: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for (line, commands) in lines {
        match groups.iter_mut().find(|(known, _)| *known == commands) {
            Some((_, lines)) => lines.push(line),
            None => groups.push((commands, vec![line])),
        }
    }
    groups
}

/// Returns options by the words that can follow them; none follow those with values of any other kind.
fn options_by_values(program: &Command) -> BTreeMap<String, Vec<String>> {
    let arguments = program.get_subcommands().flat_map(Command::get_arguments);
    let mut values = BTreeMap::new();
    for argument in arguments.filter(|it| takes_value(it) && !it.is_hide_set()) {
        let words: Vec<_> = argument.get_possible_values();
        let words: Vec<_> = words.iter().map(PossibleValue::get_name).collect();
        for spelled in spellings(argument) {
            let words = words.join(" ");
            let known = values.insert(spelled, words.clone());
            assert!(known.is_none_or(|known| known == words), "{argument}"); // one list for all commands
        }
    }
    let mut options: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (spelled, words) in values {
        options.entry(words).or_default().push(spelled);
    }
    options
}

/// Returns an argument as `_arguments` takes it, one line for each spelling.
fn zsh_specs(command: &Command, argument: &Arg) -> String {
    let help = zsh_text(&one_line(argument.get_help()));
    let action = zsh_action(argument);
    let range = argument.get_num_args().unwrap_or_default();
    if let Some(index) = argument.get_index() {
        let name = argument.get_id();
        return match (range.max_values() > 1, argument.is_required_set()) {
            (true, _) => format!("'*:{name} -- {help}:{action}'"),
            (false, true) => format!("'{index}:{name} -- {help}:{action}'"),
            (false, false) => format!("'{index}::{name} -- {help}:{action}'"),
        };
    }
    let conflicts = command.get_arg_conflicts_with(argument);
    let conflicts: Vec<_> = conflicts.into_iter().flat_map(spellings).collect();
    let conflicts = match conflicts.is_empty() {
        true => String::new(),
        false => format!("({})", conflicts.join(" ")),
    };
    let is_repeatable = matches!(argument.get_action(), ArgAction::Append | ArgAction::Count);
    let star = if is_repeatable { "*" } else { "" };
    let (sign, value) = match argument.get_value_names() {
        Some(names) if takes_value(argument) => {
            let colons = if range.min_values() == 0 { "::" } else { ":" };
            ("=", format!("{colons}{}:{action}", zsh_text(&names[0])))
        }
        _ => ("", String::new()),
    };
    let spec = |spelled| format!("'{conflicts}{star}{spelled}{sign}[{help}]{value}'");
    let specs: Vec<_> = spellings(argument).into_iter().map(spec).collect();
    specs.join("\n")
}

fn zsh_action(argument: &Arg) -> String {
    let values = argument.get_possible_values();
    let described = |value: &PossibleValue| match value.get_help() {
        Some(help) => format!(r#"{}\:"{}""#, value.get_name(), zsh_text(&help.to_string())),
        None => value.get_name().to_owned(),
    };
    let words: Vec<_> = values.iter().map(described).collect();
    let words = words.join(" ");
    match values.iter().any(|value| value.get_help().is_some()) {
        true => format!("(({words}))"),
        false if !words.is_empty() => format!("({words})"),
        false if is_path(argument) => "_files".to_owned(),
        false => "_default".to_owned(),
    }
}

fn fish_option(argument: &Arg) -> String {
    if argument.is_positional() {
        return String::new();
    }
    let spelled = spellings(argument).into_iter();
    let spelled = spelled.map(|it| match it.strip_prefix("--") {
        Some(long) => format!("-l {long}"),
        None => format!("-s {}", &it[1..]),
    });
    let described = |value: &PossibleValue| {
        let help = one_line(value.get_help());
        format!("{}\\t{}", value.get_name(), fish_text(&help))
    };
    let values = argument.get_possible_values();
    let values: Vec<_> = values.iter().map(described).collect();
    let value = match takes_value(argument) {
        false => String::new(),
        true if !values.is_empty() => format!(" -x -a {}", fish_text(&values.join(" "))),
        true if is_path(argument) => " -r -F".to_owned(),
        true => " -r".to_owned(),
    };
    let help = fish_text(&one_line(argument.get_help()));
    format!("{}{value} -d {help}", spelled.collect::<Vec<_>>().join(" "))
}

pub(super) fn names(program: &Command) -> Vec<&str> {
    program.get_subcommands().map(Command::get_name).collect()
}

pub(super) fn spellings(argument: &Arg) -> Vec<String> {
    let shorts = argument.get_short_and_visible_aliases().unwrap_or_default();
    let longs = argument.get_long_and_visible_aliases().unwrap_or_default();
    let shorts = shorts.iter().map(|short| format!("-{short}"));
    shorts
        .chain(longs.iter().map(|long| format!("--{long}")))
        .collect()
}

fn pattern(commands: &[&str], separator: &str) -> String {
    let quoted = |name: &&str| if name.is_empty() { "''" } else { name }.to_owned();
    let quoted: Vec<_> = commands.iter().map(quoted).collect();
    quoted.join(separator)
}

fn takes_value(argument: &Arg) -> bool {
    !argument.is_positional() && argument.get_action().takes_values()
}

fn is_path(argument: &Arg) -> bool {
    matches!(
        argument.get_value_hint(),
        ValueHint::AnyPath | ValueHint::FilePath
    )
}

fn one_line(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(|help| help.to_string().replace('\n', " "))
        .unwrap_or_default()
}

/// Returns the text as it stands in single quotes of a specification.
fn zsh_text(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\'' => escaped += "'\\''",
            '\\' | '[' | ']' | ':' | '$' | '`' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    escaped
}

fn fish_text(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
