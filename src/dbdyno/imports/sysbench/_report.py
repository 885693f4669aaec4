"""Reads the reports at a run's end, or at its checkpoints: totals, latencies, fairness, the histogram."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hdrh.histogram import HdrHistogram

_NUMBER = r"(\d{1,15}(?:\.\d{1,9})?)"
_LABELS: Mapping[str, tuple[str, str]] = {
    "read": ("reads", r"(\d{1,18})"),
    "write": ("writes", r"(\d{1,18})"),
    "other": ("others", r"(\d{1,18})"),
    "total": ("statements", r"(\d{1,18})"),
    "transactions": ("transactions", rf"(\d{{1,18}}) *\( *{_NUMBER} per sec\.\)"),
    "queries": ("queries", rf"(\d{{1,18}}) *\( *{_NUMBER} per sec\.\)"),
    "ignored errors": ("ignored_errors", rf"(\d{{1,18}}) *\( *{_NUMBER} per sec\.\)"),
    "reconnects": ("reconnects", rf"(\d{{1,18}}) *\( *{_NUMBER} per sec\.\)"),
    "deadlocks": ("deadlocks", rf"(\d{{1,18}}) *\( *{_NUMBER} per sec\.\)"),
    "read/write requests": ("requests", rf"(\d{{1,18}}) *\( *{_NUMBER} per sec\.\)"),
    "other operations": ("other_operations", rf"(\d{{1,18}}) *\( *{_NUMBER} per sec\.\)"),
    "total time": ("elapsed_s", rf"{_NUMBER}s"),
    "time elapsed": ("elapsed_s", rf"{_NUMBER}s"),
    "events/s (eps)": ("eps", _NUMBER),
    "total number of events": ("events", r"(\d{1,18})"),
    "min": ("min_ms", rf"{_NUMBER}(?:ms)?"),
    "avg": ("avg_ms", rf"{_NUMBER}(?:ms)?"),
    "max": ("max_ms", rf"{_NUMBER}(?:ms)?"),
    "sum": ("sum_ms", _NUMBER),
    "total time taken by event execution": ("sum_s", rf"{_NUMBER}s?"),
    "events (avg/stddev)": ("events_each", rf"{_NUMBER}/{_NUMBER}"),
    "execution time (avg/stddev)": ("execution_s_each", rf"{_NUMBER}/{_NUMBER}"),
}
COUNTS = frozenset(name for name, form in _LABELS.values() if form.startswith(r"(\d{1,18})"))
"""Values that are whole numbers."""
_LINE_RE = re.compile(
    r"^ +([a-z][a-z /()]*?|\d{1,3}th percentile|approx\. +\d{1,3} percentile|percentile stats): +(.*?) *$"
)
_PERCENTILE_RE = re.compile(r"(?:approx\. +)?(\d{1,3})(?:th)? percentile")
_BLOCK_RE = re.compile(
    r"^(?:SQL statistics:|General statistics:|Throughput:|Latency \(ms\):|Threads fairness:|Latency histogram .*|"
    r"OLTP test statistics:|Test execution summary:) *$"
)
_HISTOGRAM_RE = re.compile(r"^ *(\d{1,12}\.\d{1,9}) \|\**\s* (\d{1,18}) *$")
_LAST = "execution_s_each"
LOWEST_NS, HIGHEST_NS, DIGITS = 1, 3_600_000_000_000, 3


@dataclass(frozen=True, slots=True)
class Report:
    """Describes one report. Values are as printed, by the names of `_LABELS`; what is not there was not printed.

    Parameters
    ----------
    rates : per second, as printed next to the counts
    deviations : of threads from each other, as printed next to the means
    percentile, percentile_ms : None when percentiles were off, or the line is missing
    percentile_is_off : the report says so
    histogram : bucket value in milliseconds -> count; empty without
    is_whole : its last line is there
    first_line : in the run's text, from 0
    """

    values: Mapping[str, float]
    rates: Mapping[str, float]
    deviations: Mapping[str, float]
    percentile: int | None
    percentile_ms: float | None
    percentile_is_off: bool
    histogram: Mapping[float, int]
    is_whole: bool
    first_line: int
    diagnostics: tuple[tuple[int, str], ...] = ()

    def count(self, name: str) -> int | None:
        """Return a count, None where it was not printed."""
        value = self.values.get(name)
        return None if value is None else int(value)


@dataclass(slots=True)
class _Draft:
    first_line: int = 0
    values: dict[str, float] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    deviations: dict[str, float] = field(default_factory=dict)
    percentile: int | None = None
    percentile_ms: float | None = None
    percentile_is_off: bool = False
    histogram: dict[float, int] = field(default_factory=dict)
    diagnostics: list[tuple[int, str]] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.values or self.histogram or self.diagnostics)

    def done(self) -> Report:
        return Report(
            self.values,
            self.rates,
            self.deviations,
            self.percentile,
            self.percentile_ms,
            self.percentile_is_off,
            self.histogram,
            _LAST in self.values,
            self.first_line,
            tuple(self.diagnostics),
        )


def read_reports(text: str) -> tuple[Report, ...]:
    r"""Return every report in the text of a run, in order; one that is cut off is not whole.

    >>> (report,) = read_reports("General statistics:\n    total time:        2.0008s\n    total number of events: 44")
    >>> report.values, report.is_whole
    ({'elapsed_s': 2.0008, 'events': 44.0}, False)
    """
    reports: list[Report] = []
    draft = _Draft()
    is_inside = False
    for number, line in enumerate(text.split("\n")):
        if line.startswith("[") or not line:
            continue
        if _BLOCK_RE.match(line):
            if not is_inside and draft.is_empty:
                draft.first_line = number
            is_inside = True
        elif is_inside and line.startswith(" "):
            _read_line(draft, number, line)
            if _LAST in draft.values:
                reports.append(draft.done())
                draft, is_inside = _Draft(), False
    return tuple(reports) if draft.is_empty else (*reports, draft.done())


def _read_line(draft: _Draft, number: int, line: str) -> None:
    row = _HISTOGRAM_RE.match(line)
    if row:
        draft.histogram[float(row[1])] = draft.histogram.get(float(row[1]), 0) + int(row[2])
        return
    match = _LINE_RE.match(line)
    if match is None:
        if "|" in line and "*" in line:
            draft.diagnostics.append((number, f"not a whole row of the histogram: {line.strip()[:80]}"))
        return
    label, value_text = match[1], match[2]
    if not _read_percentile(draft, label, value_text) and label in _LABELS:
        name, form = _LABELS[label]
        value = re.fullmatch(form, value_text)
        if value is None:
            draft.diagnostics.append((number, f"'{label}' can't be read: {value_text[:80]}"))
            return
        draft.values[name] = float(value[1])
        if value.re.groups > 1:
            companion_data = draft.rates if name in COUNTS else draft.deviations
            companion_data[name] = float(value[2])


def _read_percentile(draft: _Draft, label: str, value_text: str) -> bool:
    if label == "percentile stats":
        draft.percentile_is_off = True
        return True
    match = _PERCENTILE_RE.fullmatch(label)
    if match is None:
        return False
    value = re.fullmatch(rf"{_NUMBER}(?:ms)?", value_text)
    if value:
        draft.percentile, draft.percentile_ms = int(match[1]), float(value[1])
    return True


def encoded_histogram(reports: Sequence[Report]) -> tuple[str, int] | None:
    """Return the histograms of all reports as one, as stored, and its count; None unless each has a whole one."""
    if not reports or not all(report.histogram for report in reports):
        return None
    if any(sum(report.histogram.values()) != report.count("events") for report in reports):
        return None
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for report in reports:
        for value_ms, count in report.histogram.items():
            histogram.record_value(min(max(round(value_ms * 1e6), LOWEST_NS), HIGHEST_NS), count)
    text: str = histogram.encode().decode()
    return text, int(histogram.get_total_count())
