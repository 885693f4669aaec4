"""Parses JSON and TOML from outside, and refuses what nobody means.

Nesting without end, numbers that are none (NaN, 1e400) and whole numbers beyond 64 bits pass most parsers and break
what comes after. They are refused here, once, with line or pointer.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator
from typing import Any

DEEPEST = 64
"""Levels of lists and tables within each other; what dbdyno reads has fewer than ten."""
_MOST_KEY_PARTS = 100
_DOTTED_RE = re.compile(r"[\w\"' \t.-]+")
_MOST_WHOLE = 2**63
_STRANGE_RE = re.compile(r"nan|inf|[eE]\+?\d{3}|\d{19}")
_Place = tuple[Any, ...]


class InvalidValueError(ValueError):
    """Reports a text that is TOML, but holds an invalid value.

    Parameters
    ----------
    line : from 1
    """

    def __init__(self, line: int, words: str) -> None:
        super().__init__(f"line {line}: {words}")
        self.line, self.words = line, words


def json_value(text: str) -> Any:  # noqa: ANN401 - foreign data
    """Return the value of a JSON text.

    Raises
    ------
    ValueError : it is not JSON, is nested too deeply, or holds a number that is none

    >>> json_value('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> json_value('{"a": [1, 1e400]}')
    Traceback (most recent call last):
    ValueError: /a/1: inf is not a finite number
    """
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError(f"nested more than {DEEPEST} levels deep at line {_deepest_line(text)}") from error
    check_plain(value)
    return value


def toml_document(text: str) -> dict[str, Any]:
    r"""Return the tables of a TOML text.

    Raises
    ------
    ValueError : it is not TOML, is nested too deeply, or holds a number that is none

    >>> toml_document("a = 1")
    {'a': 1}
    >>> toml_document("[pacing]\nrate = nan")
    Traceback (most recent call last):
    dbdyno.core._documents.InvalidValueError: line 2: rate: nan is not a finite number
    """
    for dotted_key in _DOTTED_RE.finditer(text):
        if dotted_key[0].count(".") > _MOST_KEY_PARTS:  # the parser's work grows with the square of a key's parts
            line = text.count("\n", 0, dotted_key.start()) + 1
            raise ValueError(f"a key of more than {_MOST_KEY_PARTS} parts at line {line}")
    try:
        value = tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(f"nested more than {DEEPEST} levels deep at line {_deepest_line(text)}") from error
    problem = _first_invalid_value(value)
    if problem is not None:
        place, words = problem
        key = next((str(part) for part in reversed(place) if isinstance(part, str)), "")
        raise InvalidValueError(_line_of_key(text, key), f"{key[:80]}: {words}")
    return value


def _line_of_key(text: str, key: str) -> int:
    """Return the line in which a key gets a value that is no number; else the first in which it gets one."""
    lines = [number for number, line in enumerate(text.split("\n"), 1) if _has_key(line, key)]
    strange_lines = [number for number in lines if _STRANGE_RE.search(text.split("\n")[number - 1])]
    return next(iter(strange_lines or lines), 1)


def _has_key(line: str, key: str) -> bool:
    key_text, sign, _ = line.partition("=")
    return bool(sign) and key in re.findall(r"[^\s.\"'{,]+", key_text + " " + line)


def check_plain(value: Any) -> None:  # noqa: ANN401 - foreign data
    """Refuse what is nested too deeply and numbers that are none, in what a parser of JSON or TOML gave.

    Raises
    ------
    ValueError : with the pointer to it
    """
    problem = _first_invalid_value(value)
    if problem is not None:
        place, words = problem
        raise ValueError(f"{pointer(place[:8])}: {words}")


def _first_invalid_value(value: Any) -> tuple[_Place, str] | None:  # noqa: ANN401 - foreign data
    """Return the first place that holds an invalid value, and what that is."""
    if _is_valid(value):
        return None
    open_values: list[tuple[Any, _Place]] = [(value, ())]
    while open_values:
        inner, place = open_values.pop()
        if isinstance(inner, dict | list):
            if len(place) >= DEEPEST:
                return place, f"nested more than {DEEPEST} levels deep"
            open_values += _unsafe_parts(inner, place)
        elif isinstance(inner, float) and not math.isfinite(inner):
            return place, f"{inner} is not a finite number"
        elif isinstance(inner, int) and not -_MOST_WHOLE <= inner < 2 * _MOST_WHOLE:
            return place, "a whole number beyond 64 bits"
    return None


def _is_valid(value: Any) -> bool:  # noqa: ANN401 - foreign data
    """Return whether a value is valid: level by level, without places, as nearly all documents are."""
    parts: list[Any] = [value]
    for _ in range(DEEPEST):
        containers: list[Any] = []
        for part in parts:
            kind = type(part)
            if kind is dict:
                containers += part.values()
            elif kind is list:
                containers += part
            elif kind is float:
                if not math.isfinite(part):
                    return False
            elif kind is int and not -_MOST_WHOLE <= part < 2 * _MOST_WHOLE:
                return False
        if not containers:
            return True
        parts = containers
    return False


def _unsafe_parts(value: dict[str, Any] | list[Any], place: _Place) -> Iterator[tuple[Any, _Place]]:
    """Yield parts of a value that need a look; texts, most of all parts, need none."""
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return ((part, (*place, key)) for key, part in parts if not isinstance(part, str | bool | None))


def pointer(at: tuple[Any, ...]) -> str:
    """Return the JSON pointer (RFC 6901) of a place; the whole document is the slash alone, for readers.

    >>> pointer(("a/b", 3)), pointer(())
    ('/a~1b/3', '/')
    """
    return "".join(f"/{str(key)[:80].replace('~', '~0').replace('/', '~1')}" for key in at) or "/"


def _deepest_line(text: str) -> int:
    """Return the line in which the most brackets are open; those in texts count, too, so it may be a later one."""
    depth = deepest = 0
    line = deepest_line = 1
    for sign in re.findall(r"[\[\]{}\n]", text):
        if sign == "\n":
            line += 1
        else:
            depth += 1 if sign in "[{" else -1
            if depth > deepest:
                deepest, deepest_line = depth, line
    return deepest_line
