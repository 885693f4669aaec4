"""Reads interval lines of tpcc-mysql: since 2016 they begin with ``trx:``, before, each type had its own group.

The five counts are New-Order, Payment, Order-Status, Delivery and Stock-Level, in this order in every form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbdyno.imports._lines import NUMBER, line_of
from dbdyno.imports._run import Wrong

_N = NUMBER
_TRX_RE = re.compile(
    rf"^ *(\d{{1,9}}), trx: (\d{{1,12}}),?(?: 95%: ({_N}), 99%: ({_N}),)? max_rt: ({_N})"
    + rf", (\d{{1,12}})\|({_N})" * 4
    + r"[ \t]*$",
    re.MULTILINE,
)
_GROUP = rf"(\d{{1,12}})(?:\(\d{{1,12}}\))?:{_N}(?:\|{_N})?"
_GROUPS_RE = re.compile(rf"^ *(\d{{1,9}}), {', '.join([_GROUP] * 5)}[ \t]*$", re.MULTILINE)
_LIKE_RE = re.compile(r"^ *\d{1,9}, ?(?:trx|\d{1,12}[(:|]).*$", re.MULTILINE)
_CUT_RE = re.compile(r"^ *\d{1,9},? ?\S{0,200}\Z", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Interval:
    """Describes one interval.

    Parameters
    ----------
    end_s : seconds since measuring began
    counts : transactions that ended in it, late ones included, by type
    p95_ms, p99_ms : of New-Order; None in forms that print none in a unit that is known
    max_ms : of each type; None likewise
    """

    end_s: int
    counts: tuple[int, ...]
    p95_ms: float | None = None
    p99_ms: float | None = None
    max_ms: tuple[float, ...] | None = None


def read_lines(text: str) -> tuple[tuple[Interval, ...], Wrong]:
    r"""Return the interval lines of a run, and lines that should be some and are none.

    >>> read_lines("  10, 9(0):0.1|0.2, 8(0):0.1|0.2, 1(0):0.1|0.2, 1(0):0.1|0.2, 1(0):0.1|0.2\n  20, 9(0):")
    ((Interval(end_s=10, counts=(9, 8, 1, 1, 1), p95_ms=None, p99_ms=None, max_ms=None),), ((2, 'not a whole ...
    """
    placed_intervals: list[tuple[int, Interval]] = []
    for match in _TRX_RE.finditer(text):
        end_s, orders, p95, p99, order_max, *other_cells = match.groups()
        counts = (int(orders), *map(int, other_cells[::2]))
        max_ms = (float(order_max), *map(float, other_cells[1::2]))
        quantiles = [None if word is None else float(word) for word in (p95, p99)]
        placed_intervals.append((match.start(), Interval(int(end_s), counts, quantiles[0], quantiles[1], max_ms)))
    for match in _GROUPS_RE.finditer(text):
        end_s, *counts_text = match.groups()
        placed_intervals.append((match.start(), Interval(int(end_s), tuple(map(int, counts_text)))))
    placed_intervals.sort(key=lambda pair: pair[0])
    starts = {position for position, _ in placed_intervals}
    candidates = [*_LIKE_RE.finditer(text), *_CUT_RE.finditer(text)]
    damaged_lines = {m.start(): m[0].strip()[:120] for m in candidates if m.start() not in starts and m[0].strip()}
    problems = [
        (line_of(text, position), f"not a whole interval line: {words}")
        for position, words in sorted(damaged_lines.items())
    ]
    intervals, disorder = _keep_rising_intervals(text, placed_intervals)
    return intervals, tuple(sorted([*problems, *disorder]))


def _keep_rising_intervals(
    text: str, placed_intervals: list[tuple[int, Interval]]
) -> tuple[tuple[Interval, ...], list[tuple[int, str]]]:
    intervals: list[Interval] = []
    problems = []
    for position, interval in placed_intervals:
        last_s = intervals[-1].end_s if intervals else 0
        if interval.end_s > last_s:
            intervals.append(interval)
        else:
            problems.append((line_of(text, position), f"second {interval.end_s} comes after second {last_s}: left out"))
    return tuple(intervals), problems
