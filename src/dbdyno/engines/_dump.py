r"""Reads SHOW VARIABLES and SHOW STATUS as texts, in every form that clients print them.

Tab separated (``mysql -B``), framed (``mysql -t``), vertical (``\G``), with commas, semicolons or equals signs, JSON.

>>> read_dump("Variable_name\tValue\nport\t3306\nx\n")
Dump(values={'port': '3306'}, diagnostics=((3, 'not a name and a value: x'),))
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from dbdyno.core import json_value

_NAME = r"@{0,2}[A-Za-z][\w.%@-]{0,119}"
_TABBED_NAME_RE = re.compile(r"@{0,2}[A-Za-z][\w.%@: -]{0,119}")
_FRAMED_RE = re.compile(rf"\s*\| *({_NAME}) *\| ?(.*?) *\|\s*")
_QUOTED_RE = re.compile(rf'\s*"({_NAME})"\s*[,;]\s*"((?:[^"]|"")*)"\s*')
_BARE_RE = re.compile(r"\s*([A-Za-z]\w{0,119})\s*[,;=]\s*(.*?)\s*")
_VERTICAL_NAME_RE = re.compile(r"\s*Variable_name: *(\S{1,120})\s*")
_VERTICAL_VALUE_RE = re.compile(r"\s*Value:[ \t]?(.*)")
_AROUND = ("+-", "mysql:", "mariadb:", "| Variable_name", "***")
_HEADING = "variable_name"
_GLOBAL = "@@global."
_MOST_NAMES = 20_000
_LONGEST_LINE = 50_000


@dataclass(frozen=True, slots=True)
class Dump:
    """Holds names and values, as they stand there; a name of a system variable without what says that it is global.

    Parameters
    ----------
    diagnostics : line from 1, and what is wrong
    """

    values: dict[str, str]
    diagnostics: tuple[tuple[int, str], ...] = ()


def read_dump(text: str) -> Dump:
    """Return the names and values of a dump; of several values for a name the last."""
    if text.lstrip()[:1] in ("{", "["):
        return _from_json(text)
    values: dict[str, str] = {}
    diagnostics: list[tuple[int, str]] = []
    name_above = ""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > _LONGEST_LINE:  # servers have no values as long, and the expressions below take quadratic time
            diagnostics.append((number, f"a line of {len(line):,} characters"))
            continue
        vertical = _VERTICAL_NAME_RE.fullmatch(line)
        if vertical:
            name_above = vertical[1]
            continue
        row = _row(line, name_above)
        name_above = ""
        if row is not None:
            if row[0].lower() != _HEADING and len(values) < _MOST_NAMES:
                values[row[0].removeprefix(_GLOBAL)] = row[1]
        elif line.strip() and not line.lstrip().startswith(_AROUND):
            diagnostics.append((number, f"not a name and a value: {line[:80]}"))
    if diagnostics and not values:
        return Dump({}, ((diagnostics[0][0], "no names and values as SHOW VARIABLES or SHOW STATUS print them"),))
    return Dump(values, tuple(diagnostics))


def _row(line: str, name_above: str) -> tuple[str, str] | None:
    """Name and value of a line.

    Parameters
    ----------
    name_above : name in the line above, where a vertical form put it there; empty elsewhere

    >>> _row("| init_connect | SET a='|' |", ""), _row('"a";"b"', ""), _row(" Value: 7", "Uptime")
    (('init_connect', "SET a='|'"), ('a', 'b'), ('Uptime', '7'))
    """
    if name_above:
        value_below = _VERTICAL_VALUE_RE.fullmatch(line)
        return (name_above, value_below[1]) if value_below else None
    name, tab, value = line.partition("\t")
    if tab and _TABBED_NAME_RE.fullmatch(name.strip()):
        return name.strip(), value
    match = _FRAMED_RE.fullmatch(line) or _QUOTED_RE.fullmatch(line)
    if match:
        return match[1], match[2].replace('""', '"')
    bare_match = _BARE_RE.fullmatch(line)
    return (bare_match[1], bare_match[2].strip('"')) if bare_match else None


def _from_json(text: str) -> Dump:
    try:
        document = json_value(text)
    except ValueError as error:
        return Dump({}, ((getattr(error, "lineno", 1), f"not JSON: {error}"),))
    if isinstance(document, dict):
        inner = (document.get(key) for key in ("variables", "status"))
        document = next((value for value in inner if isinstance(value, dict | list)), document)
    return Dump({name: value for name, value in dumped_rows(document).items() if name.lower() != _HEADING})


def dumped_rows(content: Any) -> dict[str, str]:  # noqa: ANN401 - foreign data
    """Return names and values of a JSON object, of a list of pairs, or of a list of rows as ``SHOW`` gives them.

    >>> dumped_rows({"Uptime": 5, "Log_bin": None}), dumped_rows([["Uptime", "5"]])
    ({'Uptime': '5', 'Log_bin': ''}, {'Uptime': '5'})
    >>> dumped_rows([{"Variable_name": "Uptime", "Value": "5"}])
    {'Uptime': '5'}
    """
    if isinstance(content, dict):
        pairs = list(content.items())
    else:
        pairs = [pair for entry in content if (pair := _pair(entry)) is not None] if isinstance(content, list) else []
    return {
        str(name): "" if value is None else str(value)
        for name, value in pairs[:_MOST_NAMES]
        if not isinstance(value, dict | list)
    }


def _pair(entry: Any) -> tuple[Any, Any] | None:  # noqa: ANN401 - foreign data
    if isinstance(entry, dict) and "Variable_name" in entry:
        return entry["Variable_name"], entry.get("Value")
    return (entry[0], entry[1]) if isinstance(entry, list) and len(entry) == 2 else None
