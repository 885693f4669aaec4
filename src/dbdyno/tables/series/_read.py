"""Reads one file of seconds in any form: recognised by its content, not by its name."""

from __future__ import annotations

import sys
from pathlib import Path

from dbdyno.core import LIMIT_VARIABLE, SeriesError, input_limit, read_input, too_large, unpacked_gzip, words_of
from dbdyno.tables.series._parquet import parquet_rows
from dbdyno.tables.series._rows import RunSeries, ordered
from dbdyno.tables.series._text import printed_rows, text_rows

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
STANDARD_INPUT = Path("-")


def read_series(path: Path) -> tuple[RunSeries, ...]:
    """Return the runs of a file, in the order in which they first appear.

    Parameters
    ----------
    path : CSV or Parquet, either also compressed by gzip, with columns ``second`` and ``tps`` and, where it holds
        several runs, ``run``; or what sysbench prints with ``--report-interval=1``; ``-`` for standard input

    Raises
    ------
    SeriesError : can't be read, or is not one row a second, with the line or row where it is not
    """
    source = "standard input" if path == STANDARD_INPUT else str(path)
    data = _unpack(source, _read_bytes(source, path))
    name = "run" if path == STANDARD_INPUT else path.name.partition(".")[0] or path.name
    if data.startswith(_PARQUET):
        return ordered(source, "row", parquet_rows(source, name, data))
    printed_runs = printed_rows(source, name, data)
    return ordered(source, "line", printed_runs or text_rows(source, name, data))


def _read_bytes(source: str, path: Path) -> bytes:
    try:
        limit = input_limit()
        if path != STANDARD_INPUT:
            return read_input(path, limit)
        content = sys.stdin.buffer.read(limit + 1)
    except IsADirectoryError as error:
        remedy = (
            "name a file with one row per second; `dbdyno report` judges a results folder, `dbdyno import` "
            "a folder of logs"
        )
        raise SeriesError(f"{source} can't be judged", "it is a folder", remedy, code="folder") from error
    except (OSError, ValueError) as error:
        remedy = "name a CSV or Parquet file with one row per second, or a log of sysbench"
        raise SeriesError(f"{source} can't be read", words_of(error), remedy, code="unreadable") from error
    if len(content) > limit:
        raise SeriesError(f"{source} can't be read", too_large(limit), code="unreadable")
    return content


def _unpack(source: str, data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    try:
        return unpacked_gzip(data, input_limit())
    except ValueError as error:
        is_large = LIMIT_VARIABLE in str(error)
        problem, remedy = ("can't be read", "") if is_large else ("is damaged", "fetch or write it again")
        raise SeriesError(f"{source} {problem}", str(error), remedy) from error
