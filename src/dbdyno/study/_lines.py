"""Where in a study file a key stands, and what its writer probably meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from dbdyno.study._spelling import spellings

_HEADER_RE = re.compile(r"^\s*(\[{1,2})\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$")


def line_of(text: str, table: str, key: str, index: int = 0) -> int:
    r"""Line number, from 1, of `key` in the `index`-th occurrence of `[table]`; the header's line, or 1, if unseen.

    >>> line_of('name = "a"\n[measure]\n# words\nwindow = "12s"\n', "measure", "window")
    4
    """
    names = "|".join(re.escape(name) for name in spellings(table, key))
    current, seen, header_line = "", -1 if table else 0, 1
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER_RE.match(line)
        if header:
            current = header[2].replace('"', "").replace(" ", "")
            if not table and current.split(".")[0] == key:
                return number
            if current == table:
                seen += 1
                header_line = number if seen == index else header_line
        elif current == table and seen == index and re.match(rf'\s*"?(?:{names})"?\s*[=.]', line):
            return number
    return header_line


def setting_line(text: str, table: str, name: str, index: int = 0) -> int:
    r"""Line number of a dotted name in a table, written with dots, in quotes, or below a table of its first part.

    >>> setting_line('[settings]\nredo.capacity = "1"\n[settings.io]\ncapacity = 5\n', "settings", "io.capacity")
    4
    """
    if table.startswith("target."):
        before = line_of(text, "target", "", index) - 1
        rest = "\n".join(text.splitlines()[before:])
        return before + _setting_line(rest, table, name)
    return _setting_line(text, table, name)


def _setting_line(text: str, table: str, name: str) -> int:
    group, _, key = name.partition(".")
    below = line_of(text, f"{table}.{group}", key) if key else 1
    if below > 1:
        return below
    within = re.compile(rf'\s*"?{re.escape(group)}"?\s*\.\s*{re.escape(key)}\s*=|\s*"{re.escape(name)}"\s*=')
    start = line_of(text, table, name)
    for number, line in enumerate(text.splitlines()[start - 1 :], start=start):
        if key and within.match(line):
            return number
    return line_of(text, table, group)


def nearest(word: str, allowed: Iterable[str]) -> str:
    """A remedy that names the nearest allowed word, or lists them all.

    >>> nearest("windw", ["window", "warm_up"])
    "did you mean 'window'?"
    """
    choices = sorted(allowed)
    close = difflib.get_close_matches(word.lower(), choices, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else "use one of: " + ", ".join(choices)
