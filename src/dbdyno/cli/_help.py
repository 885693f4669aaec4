"""Prints help: with `-h` one line per option, with `--help` the whole story with a worked example."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from dbdyno.cli._color import CHOICES, tell
from dbdyno.cli._commands import SUMMARIES
from dbdyno.cli._format import plain
from dbdyno.cli._other_tools import meant_choice, meant_option, whole_number
from dbdyno.nearest import nearest

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """Parses arguments, prints the long help only on request, and names the nearest word after a wrong one."""

    def __init__(self, *, story: str = "", **settings: Any) -> None:  # noqa: ANN401 - argparse's own keywords
        settings.setdefault("formatter_class", _formatter)
        super().__init__(add_help=False, allow_abbrev=False, **settings)
        self.story = story
        self.one_more = ""
        """The hint for one argument more than the command takes."""
        self.example = ""
        """The hint for a required argument that is missing: a whole line."""
        self.seldom: frozenset[str] = frozenset()
        """Options that `-h` leaves out and `--help` lists."""
        self._words: list[str] = []
        self.takes_unknown = False
        """Whether options that are not listed have values, too, and are somebody else's to judge."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - argparse's own
        """Parse what is known; the value of an unknown option stays with it, or it would count as an argument."""
        words = self._words = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(self._join_option_values(words) if self.takes_unknown else words, namespace)

    def _join_option_values(self, words: list[str]) -> list[str]:
        known_options, joined_words = self.options(), list[str]()
        for word in words:
            last_word = joined_words[-1] if joined_words else ""
            if (
                last_word.startswith("--")
                and "=" not in last_word
                and last_word not in known_options
                and not word.startswith("-")
            ):
                joined_words[-1] = f"{last_word}={word}"
            else:
                joined_words.append(word)
        return joined_words

    def _unknown_options(self) -> list[str]:
        """Return options that were typed and are none of this command; argparse looks for missing arguments first."""
        words = self._words[: self._words.index("--")] if "--" in self._words else self._words
        known_options = self.options()
        return [
            word
            for word in words
            if re.match(r"--?[a-zA-Z]", word)
            and word.partition("=")[0] not in known_options
            and (word.startswith("--") or word[:2] not in known_options)
        ]

    def error(self, message: str) -> NoReturn:
        """Exit with 2: the request was wrong."""
        if "arguments are required: " in message and (unknown_options := self._unknown_options()):
            message = f"unrecognized arguments: {' '.join(unknown_options)}"
        hint = self._remedy_hint(message) or f"{self.prog} -h lists the options"
        if match := re.fullmatch(r"argument (\S+): invalid int value: '(.*)'", message):
            number = whole_number(match[2])
            option = match[1].rpartition("/")[2]
            example = f"write for example {option} {self._usual_number(option)}"
            hint = example if number is None else f"did you mean {option} {number}?"
            message = f"{option} needs a whole number, not '{match[2]}'"
        if match := re.fullmatch(r"argument -h: ignored explicit argument '(.*)'", message):
            message, hint = f"unrecognized arguments: -h{match[1]}", "did you mean '--help'?"
        if match := re.fullmatch(r"argument (\S+): expected one argument", message):
            option = match[1].rpartition("/")[2]
            message, hint = f"{option} needs a value", f"write {option} {self._placeholder(option)}"
        if match := re.fullmatch(r"argument (\S+): expected (\d+) arguments", message):
            message, hint = f"{match[1]} needs {match[2]} values", f"write {match[1]} {self._placeholder(match[1])}"
        self.fail(message, hint)

    def _usual_number(self, option: str) -> int:
        """Return the default of an option that takes a whole number; 3 where it has none."""
        action = next((action for action in self._actions if option in action.option_strings), None)
        return action.default if action and isinstance(action.default, int) else 3

    def _placeholder(self, option: str) -> str:
        """Return what stands for an option's value, or its values, in the help."""
        action = next((action for action in self._actions if option in action.option_strings), None)
        if action is None:
            return "VALUE"
        if isinstance(action.metavar, tuple):
            return " ".join(action.metavar)
        return str(action.metavar or action.dest.upper())

    def _remedy_hint(self, message: str) -> str:
        """Return what to do about a complaint of argparse; empty where nothing better than the help is known."""
        words = message.partition("unrecognized arguments: ")[2].split()
        if words and words[0].startswith("--"):
            option, _, value = words[0].partition("=")
            value = value or next((word for word in words[1:2] if not word.startswith("-")), "")
            suggestion = meant_option(self.prog, option, value, self.options())
            return suggestion or nearest(option, self.options(), "")
        if words:
            hint = meant_option(self.prog, words[0], "", self.options())
            return hint or ("" if words[0].startswith("-") else self._option_of_choice(words[0]) or self.one_more)
        if message.endswith("arguments are required: DIR"):
            folder = _newest_results()
            return f"{self.prog} {folder}" if folder else f"name the folder of results: {self.prog} results/first"
        if message.endswith("arguments are required: NEW"):
            return f"to compare targets of one folder, write {self.prog} DIR DIR --match BASE=NEW"
        if "arguments are required: " in message and self.example:
            return f"write for example {self.example}"
        match = re.match(r"argument (\S+): invalid choice: '(.*?)' \(choose from", message)
        if match is None:
            return ""
        if match[1] == "TOOL" and (Path(match[2]) / "manifest.json").exists():
            return f"it is a results folder already: dbdyno show {match[2]}"
        if match[1] == "TOOL" and Path(match[2]).exists():
            return f"name the tool that wrote it first, such as {self.prog} sysbench {match[2]}"
        if match[1] == "COMMAND" and ":" in match[2]:
            return f"did you mean {self.prog} get {match[2]}?"
        return meant_choice(match[2], self._choices_of(match[1]))

    def _option_of_choice(self, word: str) -> str:
        """Return the option, with its value, of a value that was typed without it."""
        options = [action.option_strings[-1] for action in self._actions if word in (action.choices or ())]
        return f"did you mean {options[0]} {word}?" if options else ""

    def _choices_of(self, argument: str) -> list[str]:
        """Return choices of one argument, which argparse names by all its options or by its placeholder."""
        return [
            str(choice)
            for action in self._actions
            if argument in ("/".join(action.option_strings), action.metavar, action.dest)
            for choice in action.choices or ()
        ]

    def options(self) -> list[str]:
        """Return all options, each as written."""
        return [option for action in self._actions for option in action.option_strings]

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print help or a version; argparse itself ignores a disk that is full."""
        (file or sys.stderr).write(message)

    def fail(self, message: str, hint: str) -> NoReturn:
        """Print what was wrong and what to do, and exit with 2."""
        tell(f"error: {plain(message)}\nhint: {plain(hint)}")
        sys.exit(2)


def _newest_results() -> str:
    """Return the results folder below ``results`` that was written last; empty where there is none."""
    manifests = sorted(Path("results").glob("*/manifest.json"), key=lambda file: file.stat().st_mtime)
    return str(manifests[-1].parent) if manifests else ""


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
