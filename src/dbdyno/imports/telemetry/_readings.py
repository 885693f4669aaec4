"""Converts a tool's reports into readings for the store, and finds the second of each.

Most of these tools write no clock. Then their reports are counted: the first covers the time since the machine was
started and is left out, the next is taken for second 0. Where the tool wrote a clock, the clock decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dbdyno.tables import Table, Texts, concatenate

IntArray = NDArray[np.int64]
MOST_SERIES = 400
_MOST = 1e18


@dataclass(frozen=True, slots=True)
class ColumnUnit:
    """Holds how a column of a report is kept: name, unit, and what its numbers are multiplied with."""

    name: str
    unit: str
    factor: float = 1.0


@dataclass(slots=True)
class Series:
    """Holds readings of one metric: number of the report each was in, from 0, and its value."""

    unit: str
    reports: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ToolReports:
    """Holds all reports of one file of a tool.

    Parameters
    ----------
    series : metric -> readings, in stored units
    count : reports, that since the start of the machine included
    clock_s : time of each report, rising, from any beginning; empty where the tool wrote none
    has_since_boot : the first report covers the time since the machine was started
    late_s : report -> by how many seconds it came later than a second after the one before, where the tool says so
    facts : what the head of the file says of the machine
    diagnostics : line from 1, and what is wrong
    """

    series: Mapping[str, Series]
    count: int
    clock_s: Sequence[int] = ()
    has_since_boot: bool = True
    late_s: Mapping[int, int] = field(default_factory=dict)
    facts: Mapping[str, str | int] = field(default_factory=dict)
    diagnostics: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AlignedReadings:
    """Holds readings at their seconds.

    Parameters
    ----------
    table : second, metric, value, unit
    by_clock : False: they were counted
    problem : why nothing could be placed; empty when it could
    """

    table: Table | None
    by_clock: bool
    problem: str = ""


def align(reports: ToolReports, seconds_count: int, lead_s: int = 0) -> AlignedReadings:
    """Put readings to the seconds of a run; those before and after it are left out.

    Parameters
    ----------
    seconds_count : of the run
    lead_s : seconds that its tool drove before them: readings begin there
    """
    seconds = _report_seconds(reports, seconds_count + lead_s)
    if seconds is None:
        whole_s = seconds_count + lead_s
        text = f"{reports.count} readings without a clock for a run of {whole_s} s: not one a second"
        return AlignedReadings(None, by_clock=False, problem=text)
    first_report = 1 if reports.has_since_boot else 0
    tables = []
    for metric, series in sorted(reports.series.items())[:MOST_SERIES]:
        report_indices = np.asarray(series.reports, dtype=np.int64)
        values = np.asarray(series.values, dtype=np.float64)
        report_indices, values = (
            report_indices[report_indices < reports.count],
            values[report_indices < reports.count],
        )  # the last report may be cut off after its header
        run_seconds = seconds[report_indices] - lead_s
        is_kept = (report_indices >= first_report) & (run_seconds >= 0) & (run_seconds < seconds_count)
        if not is_kept.any() or not np.isfinite(values).all():
            continue
        count = int(is_kept.sum())
        texts = {"metric": Texts.repeated(metric, count), "unit": Texts.repeated(series.unit, count)}
        tables.append(Table({"second": run_seconds[is_kept], "value": values[is_kept], **texts}))
    by_clock = bool(reports.clock_s)
    if not tables:
        return AlignedReadings(None, by_clock, "no reading in it")
    return AlignedReadings(concatenate(tables), by_clock)


def _report_seconds(reports: ToolReports, seconds_count: int) -> IntArray | None:
    """Return the second of each report; None if unknown."""
    order: IntArray = np.arange(reports.count, dtype=np.int64) - (1 if reports.has_since_boot else 0)
    if len(reports.clock_s) == reports.count and reports.count:
        clock: IntArray = np.asarray(reports.clock_s, dtype=np.int64)
        return clock - int(clock[0]) - (1 if reports.has_since_boot else 0)
    late_s = np.zeros(reports.count, dtype=np.int64)
    late_s[list(reports.late_s)] = list(reports.late_s.values())
    expected_count = seconds_count + (1 if reports.has_since_boot else 0)
    is_each_second = 0.9 * expected_count - 10 <= reports.count + int(late_s.sum()) <= 1.2 * expected_count + 30
    return order + np.cumsum(late_s) if is_each_second else None


def clock_seconds(texts: Sequence[str]) -> list[int]:
    """Return seconds that rise over midnight, from times of a day such as ``05:51:49`` or ``05:51:49 PM``.

    >>> clock_seconds(["11:59:59 PM", "12:00:00 AM"]), clock_seconds(["23:59:59", "00:00:01"])
    ([86399, 86400], [86399, 86401])
    """
    rising_s: list[int] = []
    days = 0
    for text in texts:
        time, _, half_of_day = text.partition(" ")
        hours, minutes, seconds = (int(part) for part in time.split(":"))
        if half_of_day:
            hours = hours % 12 + (12 if half_of_day.upper() == "PM" else 0)
        at_s = (hours * 60 + minutes) * 60 + seconds + days * 86_400
        if rising_s and at_s < rising_s[-1] - 43_200:
            days, at_s = days + 1, at_s + 86_400
        rising_s.append(at_s)
    return rising_s


def numbers(words: Sequence[str]) -> list[float] | None:
    """Return the numbers of a line that holds nothing else; None where a word is none.

    >>> numbers(["1.5", "2"]), numbers(["1,5"]), numbers(["1", "sda"]), numbers(["1", "nan"])
    ([1.5, 2.0], [1.5], None, None)
    """
    try:
        values = list(map(float, words))
    except ValueError:
        values = []
    if values and sum(map(abs, values)) < _MOST:  # neither NaN nor infinite, nor larger than `number` accepts
        return values
    known_numbers = [value for word in words if (value := number(word)) is not None]
    return known_numbers if len(known_numbers) == len(words) else None


def number(text: str) -> float | None:
    """Return a number of a report, with a comma for its point where the locale had one; None when it is none.

    >>> number("1.5"), number("1,5"), number("x"), number("nan"), number("1e999")
    (1.5, 1.5, None, None, None)
    """
    if not text or len(text) > 24 or text[0] not in "0123456789.-":
        return None
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < _MOST else None
