"""Colours what has a meaning, where a terminal reads it: errors red, warnings yellow, verdicts by what they say.

``--color`` decides before the environment, the environment before the terminal: NO_COLOR and TERM=dumb switch colour
off, CLICOLOR_FORCE switches it on. Meaning never rests on colour: without it all words are the same.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Final, TextIO

CHOICES: Final = ("auto", "always", "never")
_STYLES: Mapping[str, tuple[str, str]] = {
    "red": ("bold red", "1;31"),
    "yellow": ("bold yellow", "1;33"),
    "green": ("green", "32"),
    "cyan": ("bold cyan", "1;36"),
}
"""Colour -> its style in rich's words, and as a terminal's code."""
_MARKS_RE = re.compile(
    r"^(?P<lead>[ \t]*)(?:(?P<red>error:|✘|(?:FAIL|CRITICAL|BLOCKER)\b)|(?P<yellow>warning:|\?(?= +\d+/\d)|"
    r"(?:NOT SHOWN|HIGH|WEAKENS|UNDECIDED)\b)|(?P<green>✔|PASS\b)|(?P<cyan>hint:))",
    re.MULTILINE,
)
_chosen = {"when": "auto"}


def take_color(words: Sequence[str]) -> tuple[list[str], str]:
    """Take ``--color WHEN`` out of the words of a command line, and keep to it; the second value is what was wrong.

    >>> take_color(["show", "--color", "auto", "DIR"]), take_color(["show", "--color=blue"])
    ((['show', 'DIR'], ''), (['show'], 'blue'))
    """
    other_words: list[str] = []
    wrong_value, word_iterator = "", iter(words)
    for word in word_iterator:
        option, separator, value = word.partition("=")
        if option != "--color":
            other_words.append(word)
            continue
        when = value if separator else next(word_iterator, "")
        if when in CHOICES:
            _chosen["when"] = when
        else:
            wrong_value = when or "nothing"
    return other_words, wrong_value


def is_colored(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether what is written to a stream is coloured."""
    if _chosen["when"] != "auto":
        return _chosen["when"] == "always"
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return environ.get("CLICOLOR_FORCE", "0") != "0" or stream.isatty()


def marks_in(text: str) -> list[tuple[int, int, str]]:
    r"""Return begin and end of each word at the head of a line that has a meaning, and its style in rich's words.

    >>> marks_in("  ✔ mariadb:11.8"), marks_in("base\nNOT SHOWN slower:3%"), marks_in("no FAIL here")
    ([(2, 3, 'green')], [(5, 14, 'bold yellow')], [])
    """
    return [(match.end("lead"), match.end(), _STYLES[str(match.lastgroup)][0]) for match in _MARKS_RE.finditer(text)]


def tell(text: str) -> None:
    """Print to the standard error, the word at the head of each line coloured by what it means."""
    if is_colored(sys.stderr):
        text = _MARKS_RE.sub(_paint_match, text)
    print(text, file=sys.stderr)


def _paint_match(match: re.Match[str]) -> str:
    lead, code = match["lead"], _STYLES[str(match.lastgroup)][1]
    return f"{lead}\x1b[{code}m{match[0][len(lead) :]}\x1b[0m"
