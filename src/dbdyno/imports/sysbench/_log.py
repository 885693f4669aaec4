"""Splits a sysbench log into its runs: one file may hold the runs of a whole sweep, with other text between."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dbdyno.imports._run import LogPart, RunHeader
from dbdyno.imports.sysbench._header import VERSION_RE, read_head
from dbdyno.imports.sysbench._intervals import Intervals, read_intervals
from dbdyno.imports.sysbench._report import Report, read_reports

_TRACES_RE = re.compile(
    r"^(?:\[ *\d+s ?\] (?:thds: |threads: |timestamp: |Intermediate results: )|"
    r"Running the test with following options|SQL statistics:|General statistics:|"
    r"OLTP test statistics:|Test execution summary:|sysbench \d|\d+,\d+(?:,\d+\.\d\d){8}\s*$)",
    re.MULTILINE,
)
_FATAL = "FATAL: "
_UNFINISHED_RE = re.compile(r"^Number of unfinished transactions on forced shutdown: (\d{1,9})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SysbenchRun:
    """Describes one run of a log, as it is written there.

    Parameters
    ----------
    reports : of its checkpoints and of its end
    fatal : line in the log and text of FATAL messages
    counts_events : it opened no transactions, so its events stand in their place, in the seconds by their statements
    unfinished : transactions under way when it was shut down by force; None when it was not
    diagnostics : line in the log and what is wrong there
    first_line, last_line : in the log, from 1
    """

    head: RunHeader
    intervals: Intervals
    reports: tuple[Report, ...]
    fatal: tuple[tuple[int, str], ...]
    unfinished: int | None
    diagnostics: tuple[tuple[int, str], ...]
    first_line: int
    last_line: int
    counts_events: bool = False

    @property
    def is_complete(self) -> bool:
        """Return whether its last report is there, whole."""
        return bool(self.reports) and self.reports[-1].is_whole


def is_sysbench(text: str) -> bool:
    r"""Return whether a text shows traces of sysbench.

    >>> is_sysbench("$ sysbench x run\nsysbench 1.0.20 (y)\n"), is_sysbench("# sysbench notes\n")
    (True, False)
    """
    return _TRACES_RE.search(text) is not None


@functools.lru_cache(maxsize=1)  # each run of a log reads it again
def log_parts(text: str) -> tuple[LogPart, ...]:
    """Return the runs of a log, without reading their intervals; none when there is no trace of a run in it."""
    starts = _run_starts(text)
    if not starts:
        is_run = len(read_intervals(text)) or read_reports(text)
        return (LogPart(read_head(text, ""), 0, len(text), 1),) if is_run else ()
    parts = []
    lead = text[: starts[0]]
    if lead.strip() and (len(read_intervals(lead)) or read_reports(lead)):
        parts.append(LogPart(read_head(lead, ""), 0, starts[0], 1))
    for index, start in enumerate(starts):
        end = starts[index + 1] if index + 1 < len(starts) else len(text)
        text_before = text[max(starts[index - 1] if index else 0, start - 8192) : start]
        line = text.count("\n", 0, start) + 1
        parts.append(LogPart(read_head(text[start:end], text_before), start, end, line))
    return tuple(parts)


def _run_starts(text: str) -> list[int]:
    """Return where each run begins: at the version that stands above its options, else at the options."""
    versions = [position for position in _line_starts(text, "sysbench ") if VERSION_RE.match(text, position)]
    starts: list[int] = []
    last_start = -1
    for position in _line_starts(text, "Running the test with following options:"):
        version_index = bisect.bisect_left(versions, position) - 1
        starts.append(
            versions[version_index] if version_index >= 0 and versions[version_index] > last_start else position
        )
        last_start = position
    return starts


def _line_starts(text: str, words: str) -> list[int]:
    r"""Return where lines begin with some words; an expression would take a hundred times as long.

    >>> _line_starts("ab\nxab\nab", "ab")
    [0, 7]
    """
    starts = [0] if text.startswith(words) else []
    position = text.find(f"\n{words}")
    while position >= 0:
        starts.append(position + 1)
        position = text.find(f"\n{words}", position + 1)
    return starts


def read_run(text: str, part: LogPart) -> SysbenchRun:
    """Return one run of a log."""
    part_text = text[part.start : part.end]
    intervals, reports, counts_events = _count_events_as_transactions(
        read_intervals(part_text), read_reports(part_text)
    )
    fatal = tuple(
        (part.first_line + part_text.count("\n", 0, position), part_text[position + len(_FATAL) :].split("\n", 1)[0])
        for position in _line_starts(part_text, _FATAL)
    )
    unfinished_match = _UNFINISHED_RE.search(part_text) if fatal else None
    problems = [*intervals.diagnostics, *(diagnostic for report in reports for diagnostic in report.diagnostics)]
    return SysbenchRun(
        head=part.head,
        intervals=intervals,
        reports=reports,
        fatal=fatal,
        unfinished=int(unfinished_match[1]) if unfinished_match else None,
        diagnostics=tuple(sorted((part.first_line + line, words) for line, words in problems)),
        first_line=part.first_line,
        last_line=part.last_line(part_text),
        counts_events=counts_events,
    )


def _without_key(values: Mapping[str, float], name: str = "transactions") -> dict[str, float]:
    return {key: value for key, value in values.items() if key != name}


def _count_events_as_transactions(
    intervals: Intervals, reports: tuple[Report, ...]
) -> tuple[Intervals, tuple[Report, ...], bool]:
    """Count events in place of transactions where a run opened none, which 0.4 and 0.5 print as zero.

    Every event of such a script has the same statements, so those of a second give its events.
    """
    events, statements = (sum(report.values.get(name, 0.0) for report in reports) for name in ("events", "requests"))
    if not events or any(report.values.get("transactions", 1.0) for report in reports):
        return intervals, reports, False
    of_events = tuple(replace(r, values=_without_key(r.values), rates=_without_key(r.rates)) for r in reports)
    if statements and intervals.reads is not None and intervals.writes is not None and not intervals.tps.any():
        intervals = replace(intervals, tps=(intervals.reads + intervals.writes) * (events / statements))
    return intervals, of_events, True
