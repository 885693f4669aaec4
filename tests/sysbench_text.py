"""sysbench's output with what varies from run to run taken out, and nothing else.

A figure becomes ``<width.decimals>`` where the column has a width and ``<.decimals>`` where it has none, so padding and
the number of decimals stay under comparison. Rows of the latency histogram are checked by the rules they follow
(bucket, bar, alignment) and then stand as one line; a script's own histograms stay as they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

_STARS = 40
_BUCKETS, _BUCKETS_FROM_MS, _BUCKETS_TO_MS = 1024, 0.001, 100_000.0
_LATENCIES = "Latency histogram (values are in milliseconds)"
_ROW_RE = re.compile(r"^ *(\d+\.\d{3}) \|([* ]{40}) (\d+)$")
_REPEATED_RE = re.compile(r"^\(last message repeated \d+ times\)$")
_FOLDED_RE = re.compile(r"^\(last message repeated (\d+) times\)$")
_MESSAGE_RE = re.compile(r"^(FATAL|ALERT|WARNING|DEBUG): |exceeded, exiting\.\.\.$")


def _wide(match: re.Match[str]) -> str:
    """A right-aligned figure: its column's width, its decimals."""
    column = match[2]
    return f"{match[1]}<{len(column)}.{len(column.partition('.')[2])}>"


def _left(match: re.Match[str]) -> str:
    """A count, left-aligned in six; what is aligned otherwise stays and shows."""
    padded = f"{int(match[2]):<6} ("
    return f"{match[1]}<6> ({match[4]}" if match[3] == padded[len(match[2]) :] else match[0]


def _interval(match: re.Match[str]) -> str:
    """All figures but the connections' rate of reconnects, which is 0.00; no percentile, no figure."""
    line = re.sub(r"\d+\.\d\d", "<.2>", match[1]) + " lat " + match[2]
    latency = match[3] if match[2].endswith(",0%): ") else "<.2>"
    return line + latency + re.sub(r"(err/s:?) \d+\.\d\d", r"\1 <.2>", match[4])


_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
_FIGURES: tuple[_Rule, ...] = (
    (re.compile(r"^( +(?:min|avg|max|sum|[ \d]{3}th percentile):)( +\d+\.\d\d)$"), _wide),
    (re.compile(r"^(    events per second: )( *\d+\.\d\d)$"), _wide),
    (re.compile(r"^(    (?:transactions|queries|ignored errors): +\d+ *\()\d+\.\d\d( per sec\.\))$"), r"\1<.2>\2"),
    (re.compile(r"^(    total time: +)\d+\.\d{4}s$"), r"\1<.4>s"),
    (re.compile(r"^(    (?:events|execution time) \(avg/stddev\): +)\d+\.\d{4}/\d+\.\d\d$"), r"\1<.4>/<.2>"),
    (re.compile(r"^(\[ \d+s \] thds: \d+ (?:tps|eps): .*?) lat (\(ms,\d+%\): )(\d+\.\d\d)(.*)$"), _interval),
    (re.compile(r"^(\[ \d+s \] queue length: )\d+(,?) concurrency: \d+$"), r"\1<>\2 concurrency: <>"),
    (re.compile(r"^(\d+,\d+)((?:,\d+\.\d\d){8})$"), lambda match: match[1] + ",<.2>" * 8),
    (re.compile(r'^( +"(?:tps|total|reads|writes|other|latency|errors)": )\d+\.\d\d'), r"\1<.2>"),
    (re.compile(r"\d+\.\d{4}s"), "<.4>s"),
    (re.compile(r"(  events: )\d+$"), r"\1<>"),
    (_REPEATED_RE, "(last message repeated <> times)"),
)
_COUNTS: tuple[_Rule, ...] = (
    (re.compile(r"^(    (?:transactions|queries|ignored errors): +)(\d+)( *\()(.*)$"), _left),
    (re.compile(r"^(        (?:read|write|other|total): +)\d+$"), r"\1<>"),
    (re.compile(r"^(    total number of events: +)\d+$"), r"\1<>"),
)


def masked(text: str, *, counted: bool = False, unordered: bool = False) -> str:
    """`text` without what varies.

    `counted`: the run ended after a number of events, so counts hold. `unordered`: lines of several threads; messages
    that were folded count as often as they were sent.
    """
    lines = _without_folders(text).split("\n")
    if unordered:
        lines = sorted(_unfolded(lines))
    else:
        lines = _debug_in_order(lines)
    lines = _histograms(lines)
    rules = _FIGURES if counted else _FIGURES + _COUNTS
    return "\n".join(_apply(rules, line) for line in lines)


def _apply(rules: tuple[_Rule, ...], line: str) -> str:
    for pattern, replacement in rules:
        line = pattern.sub(replacement, line)
    return line


def _without_folders(text: str) -> str:
    """Where the bundled scripts are installed is not part of the contract."""
    return re.sub(r"(?<![\w.])/[\w./-]+/(oltp_common\.lua)", r"\1", text)


def _unfolded(lines: list[str]) -> list[str]:
    whole: list[str] = []
    last = ""
    for line in lines:
        if folded := _FOLDED_RE.match(line):
            whole += [last] * int(folded[1])
        else:
            whole.append(line)
            last = line if _MESSAGE_RE.search(line) else last
    return whole


def _debug_in_order(lines: list[str]) -> list[str]:
    """Each stretch of worker messages sorted: threads come as they come."""
    ordered: list[str] = []
    stretch: list[str] = []
    for line in [*lines, ""]:
        if line.startswith("DEBUG: Worker thread"):
            stretch.append(line)
        else:
            ordered += [*sorted(stretch), line]
            stretch = []
    return ordered[:-1]


def _histograms(lines: list[str]) -> list[str]:
    kept: list[str] = []
    rows: list[re.Match[str]] = []
    for line in [*lines, ""]:
        if (row := _ROW_RE.match(line)) and _LATENCIES in kept[-2:]:
            rows.append(row)
            continue
        if rows:
            _check_histogram(rows)
            kept.append("<rows>")
            rows = []
        kept.append(line)
    return kept[:-1]


def _check_histogram(rows: list[re.Match[str]]) -> None:
    largest = max(int(row[3]) for row in rows)
    values = [float(row[1]) for row in rows]
    assert values == sorted(set(values)), "values rise"
    for row in rows:
        value, bar, count = row.groups()
        assert row[0].startswith(f"{float(value):12.3f} |"), f"width of the value: {row[0]!r}"
        assert bar.rstrip() == "*" * math.floor(int(count) * _STARS / largest + 0.5), f"length of the bar: {row[0]!r}"
        assert int(count) > 0, "empty buckets are left out"
        assert any(abs(float(value) - bucket) < 0.0006 for bucket in _near(float(value))), f"bucket: {row[0]!r}"


def _near(value: float) -> list[float]:
    """The points of the buckets around a value."""
    step = math.log(_BUCKETS_TO_MS / _BUCKETS_FROM_MS) / (_BUCKETS - 1)
    at = math.floor(math.log(value / _BUCKETS_FROM_MS) / step)
    return [_BUCKETS_FROM_MS * math.exp(step * index) for index in (at - 1, at, at + 1, at + 2)]
