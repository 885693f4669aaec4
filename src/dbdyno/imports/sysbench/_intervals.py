"""The interval lines of a sysbench run, whichever of its report functions wrote them.

The default function, its form without a database, ``sysbench.report_csv`` and ``sysbench.report_json``. Lines are taken
all at once by one expression; only where one was not taken are they looked at one by one, to name it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

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
_FORMS: tuple[tuple[re.Pattern[str], str, int | None], ...] = (
    (_DATABASE_RE, "r/w/o: ", 7),
    (_PLAIN_RE, "eps: ", 3),
    (_CSV_RE, ",", None),
    (_JSON_RE, '"threads"', None),
)
"""Forms of a line, words without which it is not worth looking, and the group that names the percentile."""
_QUEUE_RE = re.compile(rf"{_AT}queue length: (\d{{1,12}}),? concurrency: (\d{{1,12}})[ \t]*$", re.MULTILINE)
_LIKE_RE = re.compile(r"^(?:\[ *\d{1,9}(?: ?s.*)?|.*(?:thds: \d|\(r/w/o: |reconn/s:? [\d.]).*)$", re.MULTILINE)
_CSV_LIKE_RE = re.compile(r"^\d{1,9},\d{1,7}(?:,.*)?$", re.MULTILINE)
_KNOWN_RE = re.compile(rf"{_AT}Checkpoint report:[ \t]*$")
_SPOKEN_RE = re.compile(
    rf"{_AT}(?:queue length|Checkpoint report)|(?:FATAL|ALERT|WARNING|DEBUG|NOTICE):|\(last message repeated|"
    r"(?:SQL statistics|General statistics|Throughput|Latency|Threads fairness)\b| {4}"
)
"""What sysbench itself says between interval lines."""
_OLD_RE = re.compile(r"^\[ *\d+s\] threads: \d+, tps: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Intervals:
    """Interval lines as columns; all arrays have one value a line.

    Parameters
    ----------
    end_s : run time at which each was printed, rising
    tps : events per second where no database was used
    qps, reads, writes, others, errors, reconnects : per second; None where no database was used
    latency_ms : of the percentile, as printed; NaN where nothing was counted or percentiles were off
    percentile : which one the lines name; None when they don't, or name several
    queue, busy : of an open loop: events waiting, users at work; None elsewhere
    complaints : line in the run's text and what is wrong there
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
    complaints: tuple[tuple[int, str], ...] = ()

    def __len__(self) -> int:
        return len(self.end_s)


def read_intervals(text: str) -> Intervals:
    r"""The interval lines in the text of a run.

    >>> found = read_intervals("[ 1s ] thds: 2 eps: 18.96 lat (ms,95%): 41.85\n[ 2s ] thds: 2 eps: 2")
    >>> found.tps.tolist(), found.percentile, found.complaints
    ([18.96], 95, ((1, 'not a whole interval line: [ 2s ] thds: 2 eps: 2'),))
    """
    pattern, columns, percentiles = _taken(text)
    complaints: tuple[tuple[int, str], ...] = ()
    kept = None
    if not _is_tidy(text, pattern, columns):
        complaints, kept = _untidy(text, pattern, columns)
    if not columns:
        empty, whole = np.empty(0), np.empty(0, dtype=np.int64)
        return Intervals(whole, whole, empty, empty, complaints=complaints)
    columns = columns if kept is None else [column[kept] for column in columns]
    shown = sorted(set(percentiles))
    if len(shown) > 1:
        complaints += ((0, f"percentiles {shown[0]} and {shown[-1]} in one run: none is used"),)
    whole = columns[0].astype(np.int64)
    queue, busy = _queues(text, whole)
    return Intervals(
        end_s=whole,
        threads=columns[1].astype(np.int64),
        tps=columns[2],
        latency_ms=_latency(columns[-3] if len(columns) > 4 else columns[-1], shown),
        **dict(zip(("qps", "reads", "writes", "others"), columns[3:7], strict=False)) if len(columns) > 4 else {},
        **{"errors": columns[-2], "reconnects": columns[-1]} if len(columns) > 4 else {},
        percentile=shown[0] if len(shown) == 1 else None,
        queue=queue,
        busy=busy,
        complaints=complaints,
    )


def _taken(text: str) -> tuple[re.Pattern[str], list[FloatArray], list[int]]:
    """Form of the lines, columns (time, threads, tps, [qps, r, w, o], latency, [errors, reconnects]), percentiles."""
    for pattern, words, at in _FORMS:
        rows = pattern.findall(text) if words in text else []
        if rows:
            columns = list(zip(*rows, strict=True))
            percentiles = [] if at is None else [int(word) for word in set(columns.pop(at))]
            return pattern, [np.array(list(map(float, column))) for column in columns], percentiles
    return _DATABASE_RE, [], []


def _is_tidy(text: str, pattern: re.Pattern[str], columns: Sequence[FloatArray]) -> bool:
    """Whether nothing needs a second look: as many lines as there are traces of lines, at equal steps."""
    if not columns or pattern not in (_DATABASE_RE, _PLAIN_RE):
        return False
    count = len(columns[0])
    brackets = text.count("\n[") + text.startswith("[")
    steps = np.diff(columns[0])
    return brackets == text.count("thds: ") == count and (count < 2 or bool((steps == steps[0]).all() and steps[0] > 0))


def _untidy(
    text: str, pattern: re.Pattern[str], columns: Sequence[FloatArray]
) -> tuple[tuple[tuple[int, str], ...], IntArray | None]:
    """Complaints by line, and which of the lines that were taken are to be kept."""
    found = list(pattern.finditer(text))
    complaints = _not_taken(text, pattern, found)
    if not columns:
        return complaints, None
    lines = _line_numbers(text, [match.start() for match in found])
    kept, disorder = _rising(columns[0].astype(np.int64), lines)
    named = {number for number, _ in (*complaints, *disorder)}
    between = _between(text, columns[0][kept].astype(np.int64), lines[kept], named)
    return complaints + disorder + between, kept


def _latency(values: FloatArray, percentiles: Sequence[int]) -> FloatArray:
    """Latencies; 0.00 is printed where nothing was counted, and ``0%`` stands for percentiles switched off."""
    if percentiles == [0] or len(percentiles) > 1:
        return np.full(len(values), np.nan)
    return np.where(values == 0, np.nan, values)


def _not_taken(text: str, pattern: re.Pattern[str], found: Sequence[re.Match[str]]) -> tuple[tuple[int, str], ...]:
    """Lines that look like intervals and are none: cut off, overwritten, mixed up, or of an older sysbench."""
    starts = {match.start() for match in found}
    is_csv = bool(found) and pattern is _CSV_RE
    suspects = [match for match in (_CSV_LIKE_RE if is_csv else _LIKE_RE).finditer(text) if match.start() not in starts]
    wrong = [match for match in suspects if not _KNOWN_RE.match(match[0]) and not _QUEUE_RE.match(match[0])]
    numbers = _line_numbers(text, [match.start() for match in wrong])
    return tuple(
        (int(n), f"{_what(match[0])}: {match[0].strip()[:120]}") for n, match in zip(numbers, wrong, strict=True)
    )


def _between(text: str, end_s: IntArray, lines: IntArray, named: Collection[int]) -> tuple[tuple[int, str], ...]:
    """Lines in the place of missing seconds that are no interval line any more."""
    if len(end_s) < 3:
        return ()
    steps = np.diff(end_s)
    gaps = np.flatnonzero((steps > int(np.median(steps))) & (np.diff(lines) > 1))
    rows = text.split("\n") if len(gaps) else []
    found = [
        (number, rows[number])
        for gap in gaps.tolist()
        for number in range(int(lines[gap]) + 1, int(lines[gap + 1]))
        if rows[number].strip() and number not in named and not _SPOKEN_RE.match(rows[number])
    ]
    return tuple((number, f"in the place of an interval line: {row.strip()[:120]}") for number, row in found)


def _what(line: str) -> str:
    return "an interval line of sysbench 0.5, which is not read" if _OLD_RE.match(line) else "not a whole interval line"


def _line_numbers(text: str, starts: Sequence[int]) -> IntArray:
    if not starts:
        return np.empty(0, dtype=np.int64)
    if text.isascii():
        characters = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    else:
        characters = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    ends = np.flatnonzero(characters == ord("\n"))
    return np.searchsorted(ends, np.asarray(starts)).astype(np.int64)


def _rising(end_s: IntArray, lines: IntArray) -> tuple[IntArray, tuple[tuple[int, str], ...]]:
    """Indices of the lines whose times rise, and complaints about the others."""
    if len(end_s) < 2 or bool((np.diff(end_s) > 0).all()):
        return np.arange(len(end_s)), ()
    kept: list[int] = []
    wrong: list[tuple[int, str]] = []
    last = -1
    for index, at in enumerate(end_s.tolist()):
        following = int(end_s[index + 1]) if index + 1 < len(end_s) else at + 1
        if at <= last:
            wrong.append((int(lines[index]), f"second {at} comes after second {last}: left out"))
        elif last < following <= at and following - last < at - last:
            wrong.append((int(lines[index]), f"second {at} is followed by second {following}: left out"))
        else:
            kept.append(index)
            last = at
    return np.asarray(kept, dtype=np.int64), tuple(wrong)


def _queues(text: str, end_s: IntArray) -> tuple[FloatArray | None, FloatArray | None]:
    if "queue length: " not in text:
        return None, None
    rows = {int(match[1]): (float(match[2]), float(match[3])) for match in _QUEUE_RE.finditer(text)}
    if not rows:
        return None, None
    nothing = (np.nan, np.nan)
    pairs = np.array([rows.get(at, nothing) for at in end_s.tolist()], dtype=np.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
