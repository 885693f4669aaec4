"""Reads the interval lines of a sysbench run, of every version and report function.

Of 1.0 and later the default function, its form without a database, ``sysbench.report_csv`` and
``sysbench.report_json``; the two forms of 0.5 and that of 0.4.12.10. Lines are taken all at once by one expression;
only where one was not taken are they looked at one by one, to name it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
_N = r"(\d{1,15}(?:\.\d{1,9})?)"
_AT = r"^\[ *(\d{1,9})s ?\] "
_LATENCY = rf"lat \(ms, ?(\d{{1,3}})%\): {_N}"
_DATABASE_RE = re.compile(
    rf"{_AT}thds: (\d{{1,7}}) tps: {_N} qps: {_N} \(r/w/o: {_N}/{_N}/{_N}\) {_LATENCY} "
    rf"err/s:? {_N} reconn/s:? {_N}[ \t]*$",
    re.MULTILINE,
)
_PLAIN_RE = re.compile(rf"{_AT}thds: (\d{{1,7}}) eps: {_N} {_LATENCY}[ \t]*$", re.MULTILINE)
_CSV_RE = re.compile(rf"^(\d{{1,9}}),(\d{{1,7}}){f',{_N}' * 8}[ \t]*$", re.MULTILINE)
_JSON_RE = re.compile(
    rf'\{{\s*"time":\s*(\d{{1,9}}),\s*"threads":\s*(\d{{1,7}}),\s*"tps":\s*{_N},\s*"qps":\s*\{{\s*"total":\s*{_N},'
    rf'\s*"reads":\s*{_N},\s*"writes":\s*{_N},\s*"other":\s*{_N}\s*\}},\s*"latency":\s*{_N},\s*"errors":\s*{_N},'
    rf'\s*"reconnects":\s*{_N}\s*\}}'
)
_OLD = (
    rf"{_AT}(?:timestamp: \d{{1,12}}, )?(?:threads: (\d{{1,7}})|Intermediate results: (\d{{1,7}}) threads), tps: {_N}, "
    rf"reads(?:/s)?: {_N}, writes(?:/s)?: {_N},? response time: {_N}ms \((\d{{1,3}})%\)"
)
_OLD_RE = re.compile(rf"{_OLD}[ \t]*$", re.MULTILINE)
_OLD_ERRORS_RE = re.compile(rf"{_OLD}, errors: {_N}, reconnects: +{_N}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _LineForm:
    """Describes a form of a line.

    Parameters
    ----------
    columns : names of its groups; one that comes twice has its value in either of them
    words : without which a text is not worth looking at
    mark : which stands once in every line; empty where lines are not recognised by a bracket at their beginning
    """

    pattern: re.Pattern[str]
    columns: tuple[str, ...]
    words: str
    mark: str


_FIRST = ("end_s", "threads", "tps")
_COUNTED = ("qps", "reads", "writes", "others")
_LAST = ("latency_ms", "errors", "reconnects")
_OLD_COLUMNS = ("end_s", "threads", "threads", "tps", "reads", "writes", "latency_ms", "percentile")
_FORMS = (
    _LineForm(_DATABASE_RE, (*_FIRST, *_COUNTED, "percentile", *_LAST), "r/w/o: ", "thds: "),
    _LineForm(_PLAIN_RE, (*_FIRST, "percentile", "latency_ms"), "eps: ", "thds: "),
    _LineForm(_OLD_ERRORS_RE, (*_OLD_COLUMNS, "errors", "reconnects"), "reconnects: ", "response time: "),
    _LineForm(_OLD_RE, _OLD_COLUMNS, "response time: ", "response time: "),
    _LineForm(_CSV_RE, (*_FIRST, *_COUNTED, *_LAST), ",", ""),
    _LineForm(_JSON_RE, (*_FIRST, *_COUNTED, *_LAST), '"threads"', ""),
)
_QUEUE_RE = re.compile(rf"{_AT}queue length: (\d{{1,12}}),? concurrency: (\d{{1,12}})[ \t]*$", re.MULTILINE)
_LIKE_RE = re.compile(
    r"^(?:\[ *\d{1,9}(?: ?s.*)?|.*(?:thds: \d|\(r/w/o: |reconn/s:? [\d.]|tps: [\d.]+, reads).*)$", re.MULTILINE
)
_CSV_LIKE_RE = re.compile(r"^\d{1,9},\d{1,7}(?:,.*)?$", re.MULTILINE)
_KNOWN_RE = re.compile(rf"{_AT}Checkpoint report:[ \t]*$")
_SPOKEN_RE = re.compile(
    rf"{_AT}(?:queue length|Checkpoint report)|(?:FATAL|ALERT|WARNING|DEBUG|NOTICE):|\(last message repeated|"
    r"(?:SQL statistics|General statistics|Throughput|Latency|Threads fairness)\b| {4}"
)
"""What sysbench itself says between interval lines."""

_LONGEST_GAP = 600
"""Intervals that reports can be late. A wider gap, as at the end of a log, comes from a damaged number."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """Holds interval lines as columns; all arrays have one value a line.

    Parameters
    ----------
    end_s : run time at which each was printed, rising
    tps : events per second where no database was used
    qps, reads, writes, others, errors, reconnects : per second; None where no database was used, or not printed
    latency_ms : of the percentile, as printed; NaN where nothing was counted or percentiles were off
    percentile : which one the lines name; None when they don't, or name several
    queue, busy : of an open loop: events waiting, users at work; None elsewhere
    is_after_damage : something that can't be read stands between the line and the one before; None where nothing does
    diagnostics : line in the run's text and what is wrong there
    """

    end_s: IntArray
    threads: IntArray
    tps: FloatArray
    latency_ms: FloatArray
    qps: FloatArray | None = None
    reads: FloatArray | None = None
    writes: FloatArray | None = None
    others: FloatArray | None = None
    errors: FloatArray | None = None
    reconnects: FloatArray | None = None
    percentile: int | None = None
    queue: FloatArray | None = None
    busy: FloatArray | None = None
    is_after_damage: NDArray[np.bool_] | None = None
    diagnostics: tuple[tuple[int, str], ...] = ()

    def __len__(self) -> int:
        return len(self.end_s)

    def widths_s(self, interval_s: int) -> IntArray:
        """Return the seconds that each line covers.

        Sysbench skips reports that are late and divides by the time since the last one: the line after a gap covers
        it. Where damaged lines stand in the gap, or its end is no time that the run can have reached, it does not.
        """
        widths_s = np.full(len(self), interval_s, dtype=np.int64)
        steps_s = np.diff(self.end_s)
        is_skipped = steps_s <= interval_s * _LONGEST_GAP
        if self.is_after_damage is not None:
            is_skipped &= ~self.is_after_damage[1:]
        widths_s[1:] = np.where(is_skipped, steps_s, np.minimum(steps_s, interval_s))
        return widths_s


def read_intervals(text: str) -> Intervals:
    r"""Return the interval lines in the text of a run.

    >>> found = read_intervals("[ 1s ] thds: 2 eps: 18.96 lat (ms,95%): 41.85\n[ 2s ] thds: 2 eps: 2")
    >>> found.tps.tolist(), found.percentile, found.diagnostics
    ([18.96], 95, ((1, 'not a whole interval line: [ 2s ] thds: 2 eps: 2'),))
    """
    form, columns, percentiles = _parse_lines(text)
    diagnostics: tuple[tuple[int, str], ...] = ()
    kept_indices = is_after_damage = None
    if not _is_tidy(text, form, columns):
        diagnostics, kept_indices, is_after_damage = _check_untidy_lines(text, form.pattern, columns)
    if not columns:
        empty, end_s = np.empty(0), np.empty(0, dtype=np.int64)
        return Intervals(end_s, end_s, empty, empty, diagnostics=diagnostics)
    columns = columns if kept_indices is None else {name: column[kept_indices] for name, column in columns.items()}
    distinct_percentiles = sorted(set(percentiles))
    if len(distinct_percentiles) > 1:
        diagnostics += (
            (0, f"percentiles {distinct_percentiles[0]} and {distinct_percentiles[-1]} in one run: none is used"),
        )
    end_s = columns["end_s"].astype(np.int64)
    queue, busy = _queue_lengths(text, end_s)
    return Intervals(
        end_s=end_s,
        threads=columns["threads"].astype(np.int64),
        tps=columns["tps"],
        latency_ms=_clean_latency(columns["latency_ms"], distinct_percentiles),
        **{name: columns[name] for name in (*_COUNTED, "errors", "reconnects") if name in columns},
        percentile=distinct_percentiles[0] if len(distinct_percentiles) == 1 else None,
        queue=queue,
        busy=busy,
        is_after_damage=is_after_damage,
        diagnostics=diagnostics,
    )


def _parse_lines(text: str) -> tuple[_LineForm, dict[str, FloatArray], list[int]]:
    """Return the form of the lines, their columns by name, the percentiles that they name."""
    for form in _FORMS:
        rows = form.pattern.findall(text) if form.words in text else []
        if rows:
            count = len(rows) * len(form.columns)
            cells = np.fromiter(map(_parse_number, chain.from_iterable(rows)), dtype=np.float64, count=count)
            columns = dict[str, FloatArray]()
            for name, column in zip(form.columns, cells.reshape(len(rows), -1).T.copy(), strict=True):
                columns[name] = np.fmax(columns[name], column) if name in columns else column
            percentiles = columns.pop("percentile", np.empty(0))
            return form, columns, [int(percentile) for percentile in np.unique(percentiles)]
    return _FORMS[0], {}, []


def _parse_number(word: str) -> float:
    """Return a number; of the two places of a value the empty one is none."""
    return float(word or "nan")


def _is_tidy(text: str, form: _LineForm, columns: Mapping[str, FloatArray]) -> bool:
    """Return whether nothing needs a second look: as many lines as there are traces of lines, at equal steps."""
    if not columns or not form.mark:
        return False
    count = len(columns["end_s"])
    brackets = text.count("\n[") + text.startswith("[")
    steps = np.diff(columns["end_s"])
    is_whole = brackets == text.count(form.mark) == count
    return is_whole and (count < 2 or bool((steps == steps[0]).all() and steps[0] > 0))


def _check_untidy_lines(
    text: str, pattern: re.Pattern[str], columns: Mapping[str, FloatArray]
) -> tuple[tuple[tuple[int, str], ...], IntArray | None, NDArray[np.bool_] | None]:
    """Return complaints by line, which of the lines that were taken are to be kept, and which follow a damaged one."""
    matches = list(pattern.finditer(text))
    diagnostics = _damaged_line_diagnostics(text, pattern, matches)
    if not columns:
        return diagnostics, None, None
    lines = _line_numbers(text, [match.start() for match in matches])
    kept_indices, disorder = _keep_rising_times(columns["end_s"].astype(np.int64), lines)
    named_lines = {number for number, _ in (*diagnostics, *disorder)}
    displaced_lines = _displaced_line_diagnostics(
        text, columns["end_s"][kept_indices].astype(np.int64), lines[kept_indices], named_lines
    )
    diagnostics += disorder + displaced_lines
    damaged_before = np.searchsorted(sorted(number for number, _ in diagnostics), lines[kept_indices])
    return diagnostics, kept_indices, np.diff(damaged_before, prepend=0) > 0


def _clean_latency(values: FloatArray, percentiles: Sequence[int]) -> FloatArray:
    """Return latencies; 0.00 is printed where nothing was counted, and ``0%`` stands for percentiles switched off."""
    if percentiles == [0] or len(percentiles) > 1:
        return np.full(len(values), np.nan)
    return np.where(values == 0, np.nan, values)


def _damaged_line_diagnostics(
    text: str, pattern: re.Pattern[str], matches: Sequence[re.Match[str]]
) -> tuple[tuple[int, str], ...]:
    """Return lines that look like intervals and are none: cut off, overwritten, mixed up."""
    starts = {match.start() for match in matches}
    is_csv = bool(matches) and pattern is _CSV_RE
    candidates = [
        match for match in (_CSV_LIKE_RE if is_csv else _LIKE_RE).finditer(text) if match.start() not in starts
    ]
    damaged_lines = [match for match in candidates if not _KNOWN_RE.match(match[0]) and not _QUEUE_RE.match(match[0])]
    numbers = _line_numbers(text, [match.start() for match in damaged_lines])
    return tuple(
        (int(n), f"not a whole interval line: {match[0].strip()[:120]}")
        for n, match in zip(numbers, damaged_lines, strict=True)
    )


def _displaced_line_diagnostics(
    text: str, end_s: IntArray, lines: IntArray, named: Collection[int]
) -> tuple[tuple[int, str], ...]:
    """Return lines in the place of missing seconds that are no interval line any more."""
    if len(end_s) < 3:
        return ()
    steps = np.diff(end_s)
    gaps = np.flatnonzero((steps > int(np.median(steps))) & (np.diff(lines) > 1))
    rows = text.split("\n") if len(gaps) else []
    displaced_lines = [
        (number, rows[number])
        for gap in gaps.tolist()
        for number in range(int(lines[gap]) + 1, int(lines[gap + 1]))
        if rows[number].strip() and number not in named and not _SPOKEN_RE.match(rows[number])
    ]
    return tuple((number, f"in the place of an interval line: {row.strip()[:120]}") for number, row in displaced_lines)


def _line_numbers(text: str, starts: Sequence[int]) -> IntArray:
    if not starts:
        return np.empty(0, dtype=np.int64)
    if text.isascii():
        characters = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    else:
        characters = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    newline_places = np.flatnonzero(characters == ord("\n"))
    return np.searchsorted(newline_places, np.asarray(starts)).astype(np.int64)


def _keep_rising_times(end_s: IntArray, lines: IntArray) -> tuple[IntArray, tuple[tuple[int, str], ...]]:
    """Return indices of the lines whose times rise, and diagnostics about the others."""
    if len(end_s) < 2 or bool((np.diff(end_s) > 0).all()):
        return np.arange(len(end_s)), ()
    kept_indices: list[int] = []
    problems: list[tuple[int, str]] = []
    last_s = -1
    for index, at_s in enumerate(end_s.tolist()):
        next_s = int(end_s[index + 1]) if index + 1 < len(end_s) else at_s + 1
        if at_s <= last_s:
            problems.append((int(lines[index]), f"second {at_s} comes after second {last_s}: left out"))
        elif last_s < next_s <= at_s and next_s - last_s < at_s - last_s:
            problems.append((int(lines[index]), f"second {at_s} is followed by second {next_s}: left out"))
        else:
            kept_indices.append(index)
            last_s = at_s
    return np.asarray(kept_indices, dtype=np.int64), tuple(problems)


def _queue_lengths(text: str, end_s: IntArray) -> tuple[FloatArray | None, FloatArray | None]:
    if "queue length: " not in text:
        return None, None
    rows = {int(match[1]): (float(match[2]), float(match[3])) for match in _QUEUE_RE.finditer(text)}
    if not rows:
        return None, None
    nothing = (np.nan, np.nan)
    pairs = np.array([rows.get(at_s, nothing) for at_s in end_s.tolist()], dtype=np.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
