"""Reads text with one row per second: comma, semicolon or tab between columns that the first line names."""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from dbdyno.core import SeriesError
from dbdyno.tables.series._rows import COLUMNS, MOST_ROWS, Rows

_PRINTED_RE = re.compile(r"^\[ (\d+)s \] thds: \d+ (?:tps|eps): (\d+(?:\.\d+)?)")
_HEAD_BYTES = 65_536
_LONGEST_LINE = 1_000_000
_TEXT_REMEDY = "save it as CSV in UTF-8, or name a Parquet file or a log of sysbench"
_DELIMITERS = ",;\t"
_NO_REPORT = frozenset({"", "nan", "na", "n/a", "null", "none"})


class _Gathered:
    """Rows of one run while the file is read."""

    __slots__ = ("places", "seconds", "tps")

    def __init__(self) -> None:
        self.seconds, self.tps, self.places = array("d"), array("d"), array("q")

    def rows(self) -> Rows:
        """Return what was gathered, as arrays."""
        return Rows(np.array(self.seconds), np.array(self.tps), np.array(self.places))


def text_rows(source: str, name: str, data: bytes) -> dict[str, Rows]:
    """Return rows by run, in the order in which runs first appear.

    Parameters
    ----------
    source : the file's name for messages
    name : of the run where the file has no column for it

    Raises
    ------
    SeriesError : not text, no head, a column that is missing, a row that is broken or a value that is no number
    """
    lines = _lines(source, data)
    head = next(lines, None)
    if head is None:
        remedy = "it needs a first line run,second,tps and one row per second, or the lines that sysbench prints"
        raise SeriesError(f"{source} is empty", "", remedy)
    columns = head_columns(source, "line 1", head[1])
    return _gather_rows(source, name, columns, lines)


def printed_rows(source: str, name: str, data: bytes) -> dict[str, Rows]:
    """Return the seconds that sysbench printed, by run; empty where the text is not sysbench's.

    Raises
    ------
    SeriesError : it reported less often than each second, or not at all
    """
    head = data[:_HEAD_BYTES]
    if b"] thds: " not in head:
        if head.startswith(b"sysbench ") and b"Running the test" in head:
            fatal = re.search(rb"^FATAL: (.*)$", head, re.MULTILINE)
            why = fatal[1].decode(errors="replace")[:200] if fatal else "it was run without --report-interval=1"
            raise SeriesError(
                f"{source} is a log of sysbench without its line for each second",
                why,
                f"run it again with --report-interval=1, or import what it has: dbdyno import sysbench {source} -o DIR",
            )
        return {}
    lines = enumerate(data.decode(errors="replace").splitlines(), start=1)
    matches = [(number, match) for number, line in lines if (match := _PRINTED_RE.match(line))]
    seconds = np.array([float(match[1]) for _, match in matches])
    if len(seconds) > 1 and np.median(np.diff(seconds)) > 1:
        why = f"sysbench reported every {np.median(np.diff(seconds)):g} s"
        raise SeriesError(f"{source} has no seconds", why, "run it with --report-interval=1")
    tps = np.array([float(match[2]) for _, match in matches])
    return {name: Rows(seconds, tps, np.array([number for number, _ in matches], dtype=np.int64))} if matches else {}


def head_columns(source: str, place: str, head: Sequence[str]) -> dict[str, int]:
    """Return where the columns stand that are read; ``run`` may be missing.

    Raises
    ------
    SeriesError : a column is missing or named twice
    """
    names = [cell.strip().lower() for cell in head]
    for column in COLUMNS:
        if names.count(column) > 1:
            raise SeriesError(f"{source}, {place}: the column {column} is named {names.count(column)} times")
    for column in ("second", "tps"):
        if column not in names:
            names_text = ", ".join(names)
            why = f"{place} names: {names_text[:200]}{'…' if len(names_text) > 200 else ''}"
            remedy = "name the columns run, second and tps; a log of sysbench needs --report-interval=1"
            raise SeriesError(f"{source} has no column {column}", why, remedy)
    return {column: names.index(column) for column in COLUMNS if column in names}


def _lines(source: str, data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of every line that holds something; the first shows the delimiter."""
    first_line = next((line for line in _text_lines(source, data) if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first_line.count)
    reader = csv.reader(_text_lines(source, data), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if cells and any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise SeriesError(f"{source}, line {max(reader.line_num, 1)}: {error}") from error


def _text_lines(source: str, data: bytes) -> Iterator[str]:
    """Yield lines with their ends, one at a time: the text as a whole would take several times the file."""
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    number = 0
    try:
        while line := text.readline(_LONGEST_LINE + 1):
            number += 1
            if len(line) > _LONGEST_LINE:
                why = f"a line of more than {_LONGEST_LINE:,} characters"
                raise SeriesError(
                    f"{source}, line {number}: {why}", "", "write one row per second, each on its own line"
                )
            yield line
    except UnicodeDecodeError as error:
        line_at, byte = _first_invalid_byte(data)
        raise SeriesError(f"{source}, line {line_at}: byte 0x{byte:02x} is not UTF-8", "", _TEXT_REMEDY) from error


def _first_invalid_byte(data: bytes) -> tuple[int, int]:
    """Return the line and value of the first byte that is no UTF-8."""
    for number, line in enumerate(io.BytesIO(data), 1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return number, line[error.start]
    return 1, data[0]


def _gather_rows(
    source: str, name: str, columns: dict[str, int], lines: Iterator[tuple[int, list[str]]]
) -> dict[str, Rows]:
    run_at, second_at, tps_at = columns.get("run"), columns["second"], columns["tps"]
    widest = max(columns.values())
    runs: dict[str, _Gathered] = {}
    count = 0
    for line, cells in lines:
        if len(cells) <= widest:
            why = f"{len(cells)} columns where the first line names at least {widest + 1}"
            raise SeriesError(f"{source}, line {line}: {why}")
        run = name if run_at is None else cells[run_at].strip()
        if not run:
            raise SeriesError(f"{source}, line {line}: column run is empty")
        gathered = runs.get(run) or runs.setdefault(run, _Gathered())
        count += 1
        if count > MOST_ROWS:
            raise SeriesError(f"{source} holds more than {MOST_ROWS:,} rows", "", "split its runs into several files")
        gathered.seconds.append(_parse_cell(source, line, "second", cells[second_at]))
        is_absent = cells[tps_at].strip().lower() in _NO_REPORT
        gathered.tps.append(math.nan if is_absent else _parse_cell(source, line, "tps", cells[tps_at]))
        gathered.places.append(line)
    return {run: gathered.rows() for run, gathered in runs.items()}


def _parse_cell(source: str, line: int, column: str, cell: str) -> float:
    try:
        return float(cell.replace("_", "?"))  # Python's numbers may hold underscores, a file's may not
    except ValueError as error:
        cell_text = f"'{cell[:40]}{'…' if len(cell) > 40 else ''}'" if cell.strip() else "nothing"
        why = f"column {column} holds {cell_text}, not a number"
        remedy = "use a point for decimals" if "," in cell else ""
        raise SeriesError(f"{source}, line {line}: {why}", "", remedy) from error
