"""Prints help: with `-h` one line per option, with `--help` the whole story with a worked example."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from dbdyno.cli._color import CHOICES, tell
from dbdyno.cli._commands import SUMMARIES
from dbdyno.cli._words import plain
from dbdyno.nearest import nearest


class Parser(argparse.ArgumentParser):
    """An argument parser that tells its story only to who asks for it, and names the nearest word to who errs."""

    def __init__(self, *, story: str = "", **settings: Any) -> None:  # noqa: ANN401 - argparse's own keywords
        settings.setdefault("formatter_class", _formatter)
        super().__init__(add_help=False, allow_abbrev=False, **settings)
        self.story = story
        self.one_more = ""
        """The hint for one argument more than the command takes."""
        self.seldom: frozenset[str] = frozenset()
        """Options that `-h` leaves out and `--help` lists."""
        self.takes_unknown = False
        """Whether options that are not listed have values, too, and are somebody else's to judge."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - argparse's own
        """Parse what is known; the value of an unknown option stays with it, or it would count as an argument."""
        words = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(self._with_values(words) if self.takes_unknown else words, namespace)

    def _with_values(self, words: list[str]) -> list[str]:
        known, joined = self.options(), list[str]()
        for word in words:
            last = joined[-1] if joined else ""
            if last.startswith("--") and "=" not in last and last not in known and not word.startswith("-"):
                joined[-1] = f"{last}={word}"
            else:
                joined.append(word)
        return joined

    def error(self, message: str) -> NoReturn:
        """Exit with 2: the request was wrong."""
        self.fail(message, self._hint(message) or f"{self.prog} -h lists the options")

    def _hint(self, message: str) -> str:
        """What to do about a complaint of argparse; empty where nothing better than the help is known."""
        words = message.partition("unrecognized arguments: ")[2].split()
        if words and words[0].startswith("--"):
            option = words[0].partition("=")[0]
            return _OF_OTHERS.get(option, nearest(option, self.options(), ""))
        if words:
            return self.one_more
        if message.endswith("arguments are required: DIR"):
            return f"{self.prog} {found}" if (found := _newest_results()) else ""
        if message.endswith("arguments are required: NEW"):
            return f"to compare targets of one folder, write {self.prog} DIR DIR --match BASE=NEW"
        wrong = re.search(r"invalid choice: '(.*?)' \(choose from", message)
        allowed = [str(choice) for action in self._actions for choice in action.choices or ()]
        if wrong and "argument TOOL" in message and Path(wrong[1]).exists():
            return f"name the tool that wrote it first, such as {self.prog} sysbench {wrong[1]}"
        return nearest(wrong[1], allowed, "") if wrong else ""

    def options(self) -> list[str]:
        """All options, each as it is written."""
        return [option for action in self._actions for option in action.option_strings]

    def fail(self, message: str, hint: str) -> NoReturn:
        """Print what was wrong and what to do, and exit with 2."""
        tell(f"error: {plain(message)}\nhint: {plain(hint)}")
        sys.exit(2)


_OF_OTHERS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("--markdown", "--md"), "dbdyno report DIR --format md"),
        **dict.fromkeys(("--html", "--page"), "dbdyno report DIR"),
        "--pdf": "dbdyno report DIR --format pdf",
    }
)
"""Options that no command has, with the command that does what they ask for."""


def _newest_results() -> str:
    """The results folder below ``results`` that was written last; empty where there is none."""
    found = sorted(Path("results").glob("*/manifest.json"), key=lambda file: file.stat().st_mtime)
    return str(found[-1].parent) if found else ""


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.HelpFormatter(prog, max_help_position=30, width=100)


class _Short(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        if isinstance(parser, Parser) and parser.seldom:
            for action in parser._actions:
                if parser.seldom.intersection(action.option_strings):
                    action.help = argparse.SUPPRESS
            words = " ".join(f"[{action.metavar} ...]" for action in parser._actions if not action.option_strings)
            parser.usage = f"{parser.prog} [OPTION ...] {words}"
            parser.epilog = f"{parser.prog} --help lists {len(parser.seldom)} more options, with examples"
        parser.print_help()
        parser.exit()


class _Long(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        if isinstance(parser, Parser) and parser.story:
            print(parser.story)
        parser.print_help()
        parser.exit()


def add_help_options(parser: Parser) -> None:
    """Add `-h` and `--help` to a command."""
    parser.add_argument("-h", action=_Short, nargs=0, help="options, one line each")
    parser.add_argument("--help", action=_Long, nargs=0, help="full description with examples")
    # Taken out of the words before they are parsed, so that it may stand anywhere.
    parser.add_argument("--color", choices=CHOICES, metavar="WHEN", help=f"{', '.join(CHOICES)} (default auto)")


def add_command(
    commands: Any,  # noqa: ANN401 - argparse keeps the type of its subparsers to itself
    name: str,
    story: str,
    command: Callable[[argparse.Namespace], int],
    summary: str = "",
) -> Parser:
    """Add a command with its story for `--help`, its function and, where it is part of another, its own summary."""
    summary = summary or SUMMARIES[name]
    parser: Parser = commands.add_parser(name, help=summary, description=summary, story=story)
    parser.set_defaults(command=command, parser=parser)
    add_help_options(parser)
    return parser
