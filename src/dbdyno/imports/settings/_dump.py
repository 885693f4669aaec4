r"""SHOW VARIABLES and SHOW STATUS as files: tab separated (``mysql -B``), framed (``mysql -t``), CSV or JSON.

>>> read_dump("Variable_name\tValue\nport\t3306\nx\n").values
{'port': '3306'}
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_FRAMED_RE = re.compile(r"^\| *([A-Za-z][\w.%-]*) *\| ?(.*?) *\|$")
_QUOTED_RE = re.compile(r'^"([A-Za-z][\w.%-]*)"[,;]"((?:[^"]|"")*)"$')
_BARE_NAME_RE = re.compile(r"[A-Za-z][\w.%: -]{0,119}")
_AROUND = ("+-", "mysql:", "mariadb:", "| Variable_name")
_MOST_NAMES = 20_000


@dataclass(frozen=True, slots=True)
class Dump:
    """Names and values, as they stand there.

    Parameters
    ----------
    complaints : line from 1, and what is wrong
    """

    values: dict[str, str]
    complaints: tuple[tuple[int, str], ...] = ()


def read_dump(text: str) -> Dump:
    """The names and values of a dump."""
    if text.lstrip().startswith("{"):
        return _from_json(text)
    values: dict[str, str] = {}
    wrong: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        row = _row(line)
        if row is not None:
            if row[0].lower() != "variable_name" and len(values) < _MOST_NAMES:
                values[row[0]] = row[1]
        elif line.strip() and not line.startswith(_AROUND):
            wrong.append((number, f"not a name and a value: {line[:80]}"))
    if wrong and not values:
        return Dump({}, ((wrong[0][0], "no names and values as SHOW VARIABLES or SHOW STATUS print them"),))
    return Dump(values, tuple(wrong))


def _row(line: str) -> tuple[str, str] | None:
    name, tab, value = line.partition("\t")
    if tab and _BARE_NAME_RE.fullmatch(name):
        return name, value
    match = _FRAMED_RE.match(line) or _QUOTED_RE.match(line)
    return (match[1], match[2].replace('""', '"')) if match else None


def _from_json(text: str) -> Dump:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Dump({}, ((getattr(error, "lineno", 1), f"not JSON: {error}"),))
    inner = next((document[key] for key in ("variables", "status") if isinstance(document.get(key), dict)), document)
    plain = {str(k): str(v) for k, v in inner.items() if isinstance(v, str | int | float)}
    return Dump(plain)
