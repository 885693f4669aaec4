"""Assigns rows of go-tpc to runs and, inside of one, to intervals."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.imports._run import RunHeader
from dbdyno.imports.go_tpc._rows import Row

_COMMAND_RE = re.compile(r"^.{0,60}?(?:go-tpc|tiup bench) +(tpcc|ch)\b(.*\brun\b.*)$", re.MULTILINE)
_WORKERS_RE = re.compile(r"^Finished: (\d{1,7}) OLTP workers", re.MULTILINE)
_SECONDS_RE = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?")
_SHORT = {"-T": "threads", "-H": "host", "-D": "db"}
_SECRETS = frozenset({"password", "p"})


@dataclass(frozen=True, slots=True)
class RunRows:
    """Describes the rows of one run.

    Parameters
    ----------
    intervals : the rows of each interval, in order
    summary : of the whole run
    tpmc, tpm_total : as printed at the end; None where they are not
    """

    intervals: tuple[tuple[Row, ...], ...]
    summary: tuple[Row, ...]
    tpmc: float | None
    tpm_total: float | None
    first_line: int
    last_line: int


def runs_of(rows: Sequence[Row]) -> tuple[RunRows, ...]:
    """Return the runs of a log: one ends where, after its summary, another interval or the same summary begins."""
    runs: list[list[Row]] = []
    summarised_operations: set[str] = set()
    for row in rows:
        begins = not runs or (
            bool(summarised_operations)
            and (row.kind == "current" or (row.kind == "summary" and row.operation in summarised_operations))
        )
        if begins:
            runs.append([])
            summarised_operations = set()
        if row.kind == "summary":
            summarised_operations.add(row.operation)
        runs[-1].append(row)
    return tuple(_run_rows(run) for run in runs if any(row.kind != "total" for row in run))


def _run_rows(rows: Sequence[Row]) -> RunRows:
    total = next((row.values for row in rows if row.kind == "total"), {})
    summary = tuple(row for row in rows if row.kind == "summary")
    intervals = _split_intervals([row for row in rows if row.kind == "current"])
    return RunRows(intervals, summary, total.get("tpmc"), total.get("tpmtotal"), rows[0].line, rows[-1].line)


def _split_intervals(rows: Sequence[Row]) -> tuple[tuple[Row, ...], ...]:
    """Split intervals: operations are printed in the order of their names, so one ends where the order restarts."""
    intervals: list[list[Row]] = []
    for row in rows:
        last_row = intervals[-1][-1] if intervals else None
        if last_row is None or row.group != last_row.group or (not row.group and row.operation <= last_row.operation):
            intervals.append([])
        intervals[-1].append(row)
    return tuple(tuple(interval) for interval in intervals)


def head_of(text: str, runs: Sequence[RunRows] = (), index: int = 0) -> RunHeader:
    """Return what the command above a run says, and the line that counts the workers of the mixed benchmark.

    >>> head_of("$ go-tpc tpcc -H 10.0.0.1 -T 16 --warehouses 4 run --time 5m --interval 2s").interval_s
    2
    """
    lines = text.split("\n")
    commands = list(_COMMAND_RE.finditer("\n".join(lines[: runs[index].first_line]) if runs else text))
    start = runs[index - 1].last_line if index else 0
    end = runs[index + 1].first_line if index + 1 < len(runs) else None
    workers = _WORKERS_RE.search("\n".join(lines[start:end]))
    options = _read_options(commands[-1][2]) if commands else {}
    threads = options.get("threads", "")
    name = commands[-1][1] if commands else "tpcc"
    # Go's client has no socket file: localhost is an address to it.
    host = (
        {"mysql_host": "127.0.0.1" if options["host"] == "localhost" else options["host"]} if "host" in options else {}
    )
    return RunHeader(
        threads=int(threads) if threads.isascii() and threads.isdigit() else int(workers[1]) if workers else None,
        interval_s=_duration_s(options.get("interval", "")),
        test=f"go-tpc {name}",
        options={name: value for name, value in options.items() if name not in _SECRETS} | host,
    )


def _read_options(text: str) -> dict[str, str]:
    try:
        words = shlex.split(text)
    except ValueError:  # a quote that is never closed
        words = text.split()
    options = {}
    for word, next_word in zip(words, [*words[1:], ""], strict=True):
        name, separator, value = word.partition("=")
        if name.startswith("--") or name in _SHORT:
            options[_SHORT.get(name, name.removeprefix("--")).replace("-", "_")] = value if separator else next_word
    return options


def _duration_s(text: str) -> int | None:
    """Return a duration as Go writes it, whole seconds; None when it is none."""
    match = _SECONDS_RE.fullmatch(text)
    if not text or match is None:
        return None
    hours, minutes, seconds = (int(word or 0) for word in match.groups())
    return hours * 3600 + minutes * 60 + seconds or None
