"""Reads LinkBench's two CSV files: a line per type at the end of a phase, or per thread and type at intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.imports._lines import NUMBER
from dbdyno.imports._run import Wrong

STATS_HEAD = "op,count,p25_low,p25_high,p50_low,p50_high,p75_low,p75_high,p95_low,p95_high,p99_low,p99_high,max,mean"
STREAM_HEAD = "threadID,timestamp,op,totalops,totalerrors,ops,"
NO_REQUESTS = frozenset({"LOAD_NODE_BULK", "LOAD_LINK", "LOAD_LINKS_BULK", "LOAD_COUNTS_BULK", "RANGE_SIZE"})
NO_REQUESTS |= {"LOAD_LINKS_BULK_NLINKS", "LOAD_COUNTS_BULK_NLINKS", "UNKNOWN"}
"""Types that are no requests: batches of the load phase, and counts of rows."""


@dataclass(frozen=True, slots=True)
class TypeStats:
    """Describes one type over a whole phase; of quantiles the upper edge of the bucket in which they lie.

    Parameters
    ----------
    p50_ms, p95_ms, p99_ms : upper edges
    """

    name: str
    count: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float
    mean_ms: float


@dataclass(frozen=True, slots=True)
class ThreadTotals:
    """Holds what the stream says at its end.

    Parameters
    ----------
    threads : that wrote to it
    failed : requests that failed, by type
    """

    threads: int
    failed: Mapping[str, int]


def read_stats(text: str) -> tuple[tuple[TypeStats, ...], Wrong]:
    """Return the last table of ``-csvstats`` that holds requests, and lines that can't be read.

    >>> head = STATS_HEAD + chr(10)
    >>> stats, wrong = read_stats(head + "GET_NODE,4,0.1,0.2,0.2,0.3,0.3,0.4,1,2,1,2,1.5,0.4" + chr(10) + "ADD_NODE,x")
    >>> stats[0].p95_ms, wrong
    (2.0, ((3, 'not a whole line of statistics: ADD_NODE,x'),))
    """
    tables: list[dict[str, TypeStats]] = []
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() == STATS_HEAD:
            tables.append({})
        elif line.strip() and tables:
            stats = _type_stats(line.strip().split(","))
            if stats is None:
                problems.append((number, f"not a whole line of statistics: {line.strip()[:120]}"))
            elif stats.name not in NO_REQUESTS:
                tables[-1][stats.name] = stats
    last_table = next((table for table in reversed(tables) if table), {})
    return tuple(last_table.values()), tuple(problems)


def _type_stats(cells: list[str]) -> TypeStats | None:
    if len(cells) != 14 or not re.fullmatch(r"[A-Z][A-Z_]{1,40}", cells[0]):
        return None
    if not re.fullmatch(r"\d{1,15}", cells[1]) or not all(re.fullmatch(NUMBER, cell) for cell in cells[2:]):
        return None
    p50, p95, p99, maximum, mean = (float(cells[index]) for index in (5, 9, 11, 12, 13))
    return TypeStats(cells[0], int(cells[1]), p50, p95, p99, maximum, mean)


def read_stream(text: str) -> tuple[ThreadTotals, Wrong]:
    """Return what ``-csvstream`` comes to: its counts grow, so the last line of each thread and type holds all."""
    errors: dict[tuple[str, str], int] = {}
    threads: set[str] = set()
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("threadID,"):
            continue
        cells = line.strip().split(",")
        is_whole = len(cells) >= 8 and all(re.fullmatch(r"\d{1,15}", cell) for cell in (cells[0], *cells[3:6]))
        if not is_whole:
            problems.append((number, f"not a whole line of the stream: {line.strip()[:120]}"))
            continue
        threads.add(cells[0])
        errors[cells[0], cells[2]] = int(cells[4])
    failed_by_type: dict[str, int] = {}
    for (_, name), count in errors.items():
        if name not in NO_REQUESTS:
            failed_by_type[name] = failed_by_type.get(name, 0) + count
    return ThreadTotals(len(threads), failed_by_type), tuple(problems)
