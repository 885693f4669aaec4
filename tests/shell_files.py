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
    """One option of a command: its spellings, its line of help, and whether a value follows."""

    spellings: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]


def shell_files() -> dict[str, str]:
    """All files by their path below share/."""
    commands = {name: _of(name) for name in SUMMARIES}
    pages = {f"man/man1/dbdyno-{name}.1": _page(name, parser) for name, parser in commands.items()}
    options = {name: list(_options(parser)) for name, parser in commands.items()}
    return {"man/man1/dbdyno.1": _first_page(), **pages, BASH: _bash(options), ZSH: _zsh(options), FISH: _fish(options)}


def _of(name: str) -> Parser:
    (group,) = (a for a in _command_parser(name)._actions if isinstance(a, argparse._SubParsersAction))
    parser: Parser = group.choices[name]
    return parser


def _options(parser: Parser) -> Iterator[Option]:
    for action in parser._actions:
        if action.option_strings and action.help != argparse.SUPPRESS:
            line = (action.help or "") % {**vars(action), "prog": parser.prog}
            choices = tuple(str(choice) for choice in action.choices or ())
            yield Option(tuple(action.option_strings), " ".join(line.split()), action.nargs != 0, choices)


def _bash(commands: dict[str, list[Option]]) -> str:
    cases = "".join(
        f'        {name}) words="{" ".join(s for option in options for s in option.spellings)}" ;;\n'
        for name, options in commands.items()
    )
    return f"""\
# bash completion of dbdyno
_dbdyno() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" words=""
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{" ".join(commands)} --help --version"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}        esac
    fi
    case "$COMP_CWORD,$current" in
        1,* | *,-*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
        *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    esac
}}
complete -o filenames -F _dbdyno dbdyno
"""


def _zsh(commands: dict[str, list[Option]]) -> str:
    names = "".join(f"        '{name}:{_zsh_text(SUMMARIES[name])}'\n" for name in commands)
    cases = ""
    for name, options in commands.items():
        lines = "".join(f"            {_zsh_option(s, option)} \\\n" for option in options for s in option.spellings)
        cases += f"        {name}) _arguments \\\n{lines}            '*:file:_files' ;;\n"
    return f"""\
#compdef dbdyno
_dbdyno() {{
    local -a commands
    commands=(
{names}    )
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


def _zsh_option(spelling: str, option: Option) -> str:
    value = f":value:({' '.join(option.choices)})" if option.choices else ":value:_files" if option.takes_value else ""
    return f"'{spelling}[{_zsh_text(option.help)}]{value}'"


def _zsh_text(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def _fish(commands: dict[str, list[Option]]) -> str:
    lines = ["# fish completion of dbdyno"]
    for name, options in commands.items():
        lines.append(f"complete -c dbdyno -n __fish_use_subcommand -f -a {name} -d {_fish_text(SUMMARIES[name])}")
        for option in options:
            spelled = " ".join(f"-l {s[2:]}" if s.startswith("--") else f"-s {s[1:]}" for s in option.spellings)
            value = f" -x -a {_fish_text(' '.join(option.choices))}" if option.choices else " -r" * option.takes_value
            seen = f"-n '__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c dbdyno {seen} {spelled}{value} -d {_fish_text(option.help)}")
    return "\n".join(lines) + "\n"


def _fish_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _first_page() -> str:
    lists = [f".SS {_roff(title)}\n" + "".join(map(_command_entry, names)) for title, names in GROUPS.items()]
    story = _command_parser("--help").story
    name = "dbdyno \\- compare MySQL\\-compatible database servers"
    return _head("dbdyno") + f".SH NAME\n{name}\n" + _described(story) + ".SH COMMANDS\n" + "".join(lists)


def _command_entry(name: str) -> str:
    return f".TP\n.BR dbdyno\\-{_roff(name)} (1)\n{_roff(SUMMARIES[name])}\n"


def _page(name: str, parser: Parser) -> str:
    usage = parser.format_usage().removeprefix("usage: ")
    text = _head(f"dbdyno-{name}") + f".SH NAME\ndbdyno\\-{_roff(name)} \\- {_roff(SUMMARIES[name])}\n"
    text += f".SH SYNOPSIS\n.nf\n{_roff(usage.rstrip())}\n.fi\n" + _described(parser.story) + ".SH OPTIONS\n"
    for option in _options(parser):
        spelled = ", ".join(f"\\fB{_roff(s)}\\fR" for s in option.spellings)
        choices = f" {{{','.join(option.choices)}}}" if option.choices else ""
        text += f".TP\n{spelled}{_roff(choices)}\n{_roff(option.help)}\n"
    return text + ".SH SEE ALSO\n.BR dbdyno (1)\n"


def _head(title: str) -> str:
    return f'.TH "{title.upper()}" "1" "" "dbdyno" "dbdyno manual"\n'


def _described(story: str) -> str:
    return f".SH DESCRIPTION\n.nf\n{_roff(story.rstrip())}\n.fi\n"


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.split("\n"))
