"""Writes manual pages and completions of `dbdyno` from its own parsers, into share/ as packages install them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.cli._commands import GROUPS, SUMMARIES
from dbdyno.cli._help import Parser
from dbdyno.cli._main import _command_parser

FOLDER = Path(__file__).parents[1] / "share"
BASH = "bash-completion/completions/dbdyno"
ZSH = "zsh/site-functions/_dbdyno"
FISH = "fish/vendor_completions.d/dbdyno.fish"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command: its spellings, its line of help, if a value follows, and if it may be given again."""

    spellings: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]
    may_repeat: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its line of help, its parser, and the commands below it, such as ``sysbench`` of ``import``."""

    summary: str
    parser: Parser
    below: dict[str, Command]

    @property
    def options(self) -> list[Option]:
        """Its options, in the order of its help."""
        return list(_options(self.parser))


def shell_files() -> dict[str, str]:
    """All files by their path below share/."""
    commands = {name: _command(summary, _of(name)) for name, summary in SUMMARIES.items()}
    pages = {f"man/man1/{_page_name(words)}.1": _page(words, command) for words, command in _every(commands)}
    return {
        "man/man1/dbdyno.1": _first_page(),
        **pages,
        BASH: _bash(commands),
        ZSH: _zsh(commands),
        FISH: _fish(commands),
    }


def _of(name: str) -> Parser:
    (group,) = (a for a in _command_parser(name)._actions if isinstance(a, argparse._SubParsersAction))
    parser: Parser = group.choices[name]
    return parser


def _command(summary: str, parser: Parser) -> Command:
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    below = {
        choice.dest: _command(choice.help or "", group.choices[choice.dest])
        for group in groups
        for choice in group._choices_actions
    }
    return Command(summary, parser, below)


def _every(commands: dict[str, Command], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
    for name, command in commands.items():
        yield (*above, name), command
        yield from _every(command.below, (*above, name))


def _options(parser: Parser) -> Iterator[Option]:
    for action in parser._actions:
        if action.option_strings and action.help != argparse.SUPPRESS:
            line = (action.help or "") % {**vars(action), "prog": parser.prog}
            choices = tuple(str(choice) for choice in action.choices or ())
            may_repeat = isinstance(action, argparse._AppendAction)
            yield Option(tuple(action.option_strings), " ".join(line.split()), action.nargs != 0, choices, may_repeat)


def _bash(commands: dict[str, Command]) -> str:
    def case(pattern: str, command: Command) -> str:
        words = " ".join(spelling for option in command.options for spelling in option.spellings)
        names = f'names="{" ".join(command.below)}" ' if command.below else ""
        return f'        {pattern}) {names}words="{words}" ;;\n'

    cases = ""
    for name, command in commands.items():
        cases += case(name if command.below else f'{name} | "{name} "*', command)
        cases += "".join(case(f'"{name} {lower}"', below) for lower, below in command.below.items())
    return f"""\
# bash completion of dbdyno
_dbdyno() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}" names="" words=""
    COMPREPLY=()
    [ "$COMP_CWORD" -gt 2 ] && command="$command ${{COMP_WORDS[2]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then
        names="{" ".join(commands)}" words="--help --version"
    else
        case "$command" in
{cases}        esac
    fi
    case "$names,$current" in
        , | ,[!-]*) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$names $words" -- "$current") ;;
    esac
}}
complete -o filenames -F _dbdyno dbdyno
"""


def _zsh(commands: dict[str, Command]) -> str:
    cases = "".join(_zsh_case(name, command, " " * 8) for name, command in commands.items())
    return f"""\
#compdef dbdyno
_dbdyno() {{
    local -a commands
    commands=(
{_zsh_names(commands, " " * 8)}    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command="$words[2]"
    shift words
    (( CURRENT-- ))
    case "$command" in
{cases}    esac
}}
_dbdyno "$@"
"""


def _zsh_names(commands: dict[str, Command], margin: str) -> str:
    return "".join(f"{margin}'{name}:{_zsh_text(command.summary)}'\n" for name, command in commands.items())


def _zsh_case(name: str, command: Command, margin: str, before: str = "") -> str:
    if not command.below:
        lines = "".join(
            f"{margin}    {_zsh_option(s, option)} \\\n" for option in command.options for s in option.spellings
        )
        return f"{margin}{name}) {before}_arguments \\\n{lines}{margin}    '*:file:_files' ;;\n"
    shifted = "shift words; (( CURRENT-- )); "
    below = "".join(_zsh_case(lower, one, f"{margin}    ", shifted) for lower, one in command.below.items())
    return f"""\
{margin}{name})
{margin}    commands=(
{_zsh_names(command.below, f"{margin}        ")}{margin}    )
{margin}    if (( CURRENT == 2 )) && [[ "$words[2]" != -* ]]; then
{margin}        _describe command commands
{margin}        return
{margin}    fi
{margin}    case "$words[2]" in
{below}{_zsh_case("*", Command("", command.parser, {}), f"{margin}    ")}{margin}    esac ;;
"""


def _zsh_option(spelling: str, option: Option) -> str:
    value = f":value:({' '.join(option.choices)})" if option.choices else ":value:_files" if option.takes_value else ""
    return f"'{'*' * option.may_repeat}{spelling}[{_zsh_text(option.help)}]{value}'"


def _zsh_text(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def _fish(commands: dict[str, Command]) -> str:
    lines = ["# fish completion of dbdyno", *_fish_lines(commands, "__fish_use_subcommand", "")]
    return "\n".join(lines) + "\n"


def _fish_lines(commands: dict[str, Command], unseen: str, above: str) -> Iterator[str]:
    """Each command where none of its group was written, its options where it was, and the same of those below it."""
    for name, command in commands.items():
        yield f"complete -c dbdyno -n {unseen} -f -a {name} -d {_fish_text(command.summary)}"
        seen = f"{above}__fish_seen_subcommand_from {name}"
        alone = f"{seen}; and not __fish_seen_subcommand_from {' '.join(command.below)}" if command.below else seen
        for option in command.options:
            spelled = " ".join(f"-l {s[2:]}" if s.startswith("--") else f"-s {s[1:]}" for s in option.spellings)
            value = f" -x -a {_fish_text(' '.join(option.choices))}" if option.choices else " -r" * option.takes_value
            yield f"complete -c dbdyno -n '{alone}' {spelled}{value} -d {_fish_text(option.help)}"
        yield from _fish_lines(command.below, f"'{alone}'", f"{seen}; and ")


def _fish_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _first_page() -> str:
    lists = [
        f".SS {_roff(title)}\n" + "".join(_command_entry((name,), SUMMARIES[name]) for name in names)
        for title, names in GROUPS.items()
    ]
    story = _command_parser("--help").story
    name = "dbdyno \\- compare MySQL\\-compatible database servers"
    return _head("dbdyno") + f".SH NAME\n{name}\n" + _described(story) + ".SH COMMANDS\n" + "".join(lists)


def _page_name(words: tuple[str, ...]) -> str:
    return "-".join(("dbdyno", *words))


def _command_entry(words: tuple[str, ...], summary: str) -> str:
    return f".TP\n.BR {_roff(_page_name(words))} (1)\n{_roff(summary)}\n"


def _page(words: tuple[str, ...], command: Command) -> str:
    usage = command.parser.format_usage().removeprefix("usage: ")
    text = _head(_page_name(words)) + f".SH NAME\n{_roff(_page_name(words))} \\- {_roff(command.summary)}\n"
    text += f".SH SYNOPSIS\n.nf\n{_roff(usage.rstrip())}\n.fi\n" + _described(command.parser.story) + ".SH OPTIONS\n"
    for option in command.options:
        spelled = ", ".join(f"\\fB{_roff(s)}\\fR" for s in option.spellings)
        choices = f" {{{','.join(option.choices)}}}" if option.choices else ""
        text += f".TP\n{spelled}{_roff(choices)}\n{_roff(option.help)}\n"
    if command.below:
        entries = [_command_entry((*words, name), below.summary) for name, below in command.below.items()]
        text += ".SH COMMANDS\n" + "".join(entries)
    return text + f".SH SEE ALSO\n.BR {_roff(_page_name(words[:-1]))} (1)\n"


def _head(title: str) -> str:
    return f'.TH "{title.upper()}" "1" "" "dbdyno" "dbdyno manual"\n'


def _described(story: str) -> str:
    return f".SH DESCRIPTION\n.nf\n{_roff(story.rstrip())}\n.fi\n"


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.split("\n"))
