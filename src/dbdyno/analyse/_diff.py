"""The question: what changed between two studies of the same cells, cell by cell, and how sure is that.

Throughput and quantiles of response times are compared on the scale of their logarithms, with the spread of all
compared cells moderated together. The p-values of one measure are adjusted over all its cells (Holm), because a
reader, or a build that fails on the first slower cell, reads them together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dbdyno.analyse._cells import CellJudgement, level_of, logs_of
from dbdyno.analyse._latency import ENOUGH_BEYOND, TAIL, Quantile
from dbdyno.core import Cell, Verdict
from dbdyno.stats import (
    LogDifference,
    LogLevel,
    benjamini_hochberg,
    bounded_exp,
    compare,
    holm,
    moderated_spread,
    repeated_level,
    repeats_to_decide,
    smallest_detectable_ratio,
    t_quantile,
    verdict_of,
)

Measure = Literal["tps", "p50", "p95", "p99", "p999"]
Pair = tuple[CellJudgement, CellJudgement]
_SD_FLOOR = 1e-4  # runs whose quantiles fall into the same bucket of a histogram are not infinitely alike


@dataclass(frozen=True, slots=True)
class CellChange:
    """One measure of one cell, before and after.

    Parameters
    ----------
    base, new : the cell on either side; they differ at most in the name of the target
    base_value, new_value : TPS or nanoseconds, geometric means of the judged runs
    ratio, low, high : new over base with its 95 % interval
    p_adjusted : two-sided, Holm over all cells of the measure
    p_marked : the same by Benjamini and Hochberg: below 0.05 it is worth a look
    smallest : the smallest ratio, above 1, that these repeats find with power 0.8
    repeats_needed : repeats that would decide; None when decided or not foreseeable
    """

    base: Cell
    new: Cell
    measure: Measure
    base_value: float
    new_value: float
    ratio: float
    low: float
    high: float
    p_adjusted: float
    p_marked: float
    verdict: Verdict
    smallest: float
    repeats_needed: int | None

    @property
    def is_significant(self) -> bool:
        """Whether there is a change at all, small or not."""
        return self.p_adjusted < 0.05

    @property
    def is_worse(self) -> bool:
        """Whether it went, significantly or not, the wrong way: less work or longer response times."""
        return self.ratio < 1 if self.measure == "tps" else self.ratio > 1

    @property
    def outcome(self) -> str:
        """The verdict with its direction, such as ``slower`` or ``slightly longer``."""
        if self.verdict == "same":
            return "same"
        if self.verdict == "undecided":
            return "undecided, worth a look" if self.p_marked < 0.05 else "undecided"
        words = ("slower", "faster") if self.measure == "tps" else ("shorter", "longer")
        direction = words[self.ratio > 1]
        return direction if self.verdict == "different" else f"slightly {direction}"


@dataclass(frozen=True, slots=True)
class Shift:
    """How far all cells of a target moved together.

    Parameters
    ----------
    ratio, low, high : geometric mean of new over base of its cells, with its 95 % interval
    """

    target: str
    cells: int
    ratio: float
    low: float
    high: float


def compare_studies(pairs: Sequence[Pair]) -> list[CellChange]:
    """Throughput of cells before and after; cells without a trusted level on both sides are left out."""
    known = [pair for pair in pairs if all(group.trusted and group.level is not None for group in pair)]
    groups = [group for pair in known for group in pair]
    spread = moderated_spread([logs_of(group) for group in groups])
    plain = math.isnan(spread.prior_sd)
    levels = [
        level_of(group, sd, df, plain=plain)[0] for group, sd, df in zip(groups, spread.sd, spread.df, strict=True)
    ]
    return _changes("tps", known, levels)


def compare_quantiles(pairs: Sequence[Pair], quantile: Quantile) -> list[CellChange]:
    """A quantile of cells before and after; only where both sides have two trusted runs, and enough lies beyond it.

    A single run's quantile has no known spread, and none is assumed.
    """
    logs = {id(group): _quantile_logs(group, quantile) for pair in pairs for group in pair}
    known = [
        pair
        for pair in pairs
        if all(group.trusted and len(logs[id(group)]) > 1 and _is_supported(group, quantile) for group in pair)
    ]
    values = [logs[id(group)] for pair in known for group in pair]
    spread = moderated_spread(values)
    levels = [
        repeated_level(own, max(sd, _SD_FLOOR), df) for own, sd, df in zip(values, spread.sd, spread.df, strict=True)
    ]
    return _changes(quantile, known, levels)


def common_shifts(changes: Sequence[CellChange]) -> dict[str, Shift]:
    """By target (as new names it) how far its cells moved together; only of targets with two cells or more."""
    logs: dict[str, list[tuple[float, float]]] = {}
    for change in changes:
        half = (math.log(change.high) - math.log(change.low)) / 2 if change.low > 0 else math.inf
        logs.setdefault(change.new.target, []).append((math.log(change.ratio), half / 1.96))
    return {target: _shift(target, found) for target, found in logs.items() if len(found) > 1}


def _shift(target: str, found: Sequence[tuple[float, float]]) -> Shift:
    values = np.array([log for log, _ in found])
    count = len(values)
    within = math.sqrt(sum(se**2 for _, se in found)) / count
    half = max(t_quantile(0.975, count - 1.0) * float(values.std(ddof=1)) / math.sqrt(count), 1.96 * within)
    mean = float(values.mean())
    return Shift(target, count, math.exp(mean), bounded_exp(mean - half), bounded_exp(mean + half))


def _quantile_logs(group: CellJudgement, quantile: Quantile) -> list[float]:
    values = [getattr(run.latency_ns, quantile) for run in group.judged if run.latency_ns is not None]
    return [math.log(value) for value in values if value is not None and value > 0]


def _is_supported(group: CellJudgement, quantile: Quantile) -> bool:
    """Whether enough transactions lie beyond the quantile, over all judged runs."""
    return sum(run.transactions for run in group.judged) * TAIL[quantile] >= ENOUGH_BEYOND


def _changes(measure: Measure, pairs: Sequence[Pair], levels: Sequence[LogLevel]) -> list[CellChange]:
    """Changes of all pairs; `levels` in the order base, new, base, new."""
    sides = list(zip(levels[::2], levels[1::2], strict=True))
    differences = [compare(new, base) for base, new in sides]
    p_values = [difference.p for difference in differences]
    adjusted, marked = holm(p_values), benjamini_hochberg(p_values)
    rows = zip(pairs, sides, differences, adjusted, marked, strict=True)
    return [_change(measure, pair, side, found, (p, mark), len(pairs)) for pair, side, found, p, mark in rows]


def _change(
    measure: Measure,
    pair: Pair,
    levels: tuple[LogLevel, LogLevel],
    found: LogDifference,
    p_values: tuple[float, float],
    family: int,
) -> CellChange:
    verdict = verdict_of(found, p_values[0])
    low, high = found.interval()
    runs = min(level.repeats for level in levels)
    needed = repeats_to_decide(found.difference, found.sd, 0.05 / family) if verdict == "undecided" else None
    return CellChange(
        base=pair[0].cell,
        new=pair[1].cell,
        measure=measure,
        base_value=math.exp(levels[0].mean),
        new_value=math.exp(levels[1].mean),
        ratio=found.ratio,
        low=low,
        high=high,
        p_adjusted=p_values[0],
        p_marked=p_values[1],
        verdict=verdict,
        smallest=smallest_detectable_ratio(found.sd, found.df, runs),
        repeats_needed=None if needed is None else max(needed, runs + 1),
    )


QUANTILE_OF: Mapping[str, Quantile] = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p999", "p99.9": "p999"}
"""How a quantile may be written -> its name."""
