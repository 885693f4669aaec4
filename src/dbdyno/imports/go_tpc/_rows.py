"""Reads what go-tpc prints per interval and at its end into rows of named numbers, in any of its styles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from dbdyno.core import json_value
from dbdyno.imports._lines import NUMBER
from dbdyno.imports._run import Wrong

Kind = Literal["current", "summary", "total"]
_PLAIN_RE = re.compile(r"^[> \t]*\[(Current|Summary)\] +(\S.{0,80}?) +- +(.*)$")
_FIELD_RE = re.compile(rf"([A-Za-z0-9.]+(?:\(\w+\))?): *({NUMBER})(?=[,\s]|$)")
_TOTAL_RE = re.compile(rf"^[> \t]*tpmC: *({NUMBER})(?:, *tpmTotal: *({NUMBER}))?")
_LIKE_RE = re.compile(r"^[> \t]*\[(?:Curr|Summ)")
_WAITS_RE = re.compile(r" - [\d.]+s *$|Avg\(s\)|^\|[^|]*\|[^|]*\| *[\d.]+s *\|$", re.IGNORECASE)
"""What ``--wait`` adds: mean keying and thinking times."""
_BRACKETS = "[] "


@dataclass(frozen=True, slots=True)
class Row:
    """Describes one row.

    Parameters
    ----------
    kind : of an interval, of the whole run, or its last line
    operation : such as ``NEW_ORDER`` or ``NEW_ORDER_ERR``; empty on the last line
    values : such as ``takes(s)``, ``count``, ``99th(ms)``; of the last line ``tpmc`` and ``tpmtotal``
    line : from 1
    group : rows of one table or JSON line share it; 0 in plain text
    """

    kind: Kind
    operation: str
    values: Mapping[str, float] = field(default_factory=dict)
    line: int = 0
    group: int = 0


def read_rows(text: str) -> tuple[tuple[Row, ...], Wrong]:
    r"""Return all rows of a log, and lines that should be some and are none.

    >>> rows, wrong = read_rows("[Summary] PAYMENT - Takes(s): 2.0, Count: 4, TPM: 120.0\n[Current] NEW_O\n")
    >>> rows[0].operation, rows[0].values["count"], wrong
    ('PAYMENT', 4.0, ((2, 'not a whole line of go-tpc: [Current] NEW_O'),))
    """
    rows: list[Row] = []
    problems: list[tuple[int, str]] = []
    columns: list[str] = []
    header = 0
    for number, line in enumerate(text.split("\n"), 1):
        rows_before = len(rows)
        if "[Current]" not in line and "[Summary]" not in line and "tpmC" not in line and not line.startswith("|"):
            columns = columns if line.startswith("+-") else []
        elif line.lstrip().startswith("[{"):
            rows += _rows_of_json(line, number)
        elif line.lstrip().startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not columns or cells[0].upper() in ("PREFIX", "TPMC"):
                columns, header = [cell.lower().replace("99 9th", "99.9th") for cell in cells], number
                continue
            rows += _rows_of_cells(columns, cells, number, header)
        else:
            rows += _rows_of_plain(line, number)
        is_like = _LIKE_RE.match(line) or line.lstrip().startswith(('[{"', "| ["))
        if is_like and len(rows) == rows_before and not _WAITS_RE.search(line):
            problems.append((number, f"not a whole line of go-tpc: {line.strip()[:120]}"))
    return tuple(rows), tuple(problems)


def _rows_of_plain(line: str, number: int) -> Iterator[Row]:
    match = _PLAIN_RE.match(line)
    if match:
        values = {name.lower(): float(value) for name, value in _FIELD_RE.findall(match[3])}
        if "count" in values:
            yield Row("current" if match[1] == "Current" else "summary", match[2], values, number)
        return
    total = _TOTAL_RE.match(line)
    if total:
        values = {"tpmc": float(total[1])} | ({"tpmtotal": float(total[2])} if total[2] else {})
        yield Row("total", "", values, number)


def _rows_of_json(line: str, number: int) -> Iterator[Row]:
    try:
        document = json_value(line)
    except ValueError:
        return
    for entry in document if isinstance(document, list) else []:
        if isinstance(entry, dict):
            texts = {str(name).lower(): str(value) for name, value in entry.items()}
            yield from _rows_of_texts(texts, number, number)


def _rows_of_cells(columns: list[str], cells: list[str], number: int, header: int) -> Iterator[Row]:
    if len(cells) == len(columns):
        yield from _rows_of_texts(dict(zip(columns, cells, strict=True)), number, header)


def _rows_of_texts(texts: Mapping[str, str], number: int, group: int) -> Iterator[Row]:
    values = {name: float(text) for name, text in texts.items() if re.fullmatch(NUMBER, text)}
    prefix = texts.get("prefix", "").strip(_BRACKETS).lower()
    if "tpmc" in values:
        yield Row("total", "", values, number, group)
    elif prefix in ("current", "summary") and "count" in values and texts.get("operation"):
        yield Row("current" if prefix == "current" else "summary", texts["operation"], values, number, group)
