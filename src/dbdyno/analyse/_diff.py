"""Answers what changed between two studies of the same cells, cell by cell, and how sure that is.

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

from dbdyno.analyse._cells import CellJudgement, Spread, levels_in_order
from dbdyno.analyse._latency import ENOUGH_BEYOND, TAIL, Quantile, quantile_levels
from dbdyno.analyse._settled import remedy_words
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.core import Cell, Verdict
from dbdyno.stats import (
    LogDifference,
    LogLevel,
    benjamini_hochberg,
    bounded_exp,
    compare,
    holm,
    repeats_to_decide,
    smallest_detectable_ratio,
    t_quantile,
    verdict_of,
)

Measure = Literal["tps", "p50", "p95", "p99", "p999"]
Pair = tuple[CellJudgement, CellJudgement]


@dataclass(frozen=True, slots=True)
class CellChange:
    """Describes one measure of one cell, before and after.

    Parameters
    ----------
    base, new : the cell on either side; they differ at most in the name of the target
    base_value, new_value : TPS or nanoseconds, geometric means of the judged runs
    ratio, low, high : new over base with its 95 % interval
    p_adjusted : two-sided, Holm over all cells of the measure; None where the spread between repeats is assumed, and
        where nothing could be tested
    p_marked : the same by Benjamini and Hochberg
    is_significant : whether there is a change at all, small or not
    is_marked : whether it is worth a look: `p_marked` is below 0.05
    smallest : the smallest ratio, above 1, that these repeats find with power 0.8
    sd : spread of one run on the scale of the logarithm
    repeats_needed : repeats that would decide; None when decided or not foreseeable
    runs : of the side that has fewer
    assumed_spread, remedy : as of a `dbdyno.core.Comparison`
    """

    base: Cell
    new: Cell
    measure: Measure
    base_value: float
    new_value: float
    ratio: float
    low: float
    high: float
    p_adjusted: float | None
    p_marked: float | None
    verdict: Verdict
    smallest: float
    repeats_needed: int | None
    is_significant: bool = False
    is_marked: bool = False
    sd: float = 0.0
    runs: int = 1
    assumed_spread: float | None = None
    remedy: str = ""

    @property
    def is_worse(self) -> bool:
        """Return whether it went, significantly or not, the wrong way: less work or longer response times."""
        return self.ratio < 1 if self.measure == "tps" else self.ratio > 1

    @property
    def outcome(self) -> str:
        """Return the verdict with its direction, such as ``slower`` or ``slightly longer``."""
        if self.verdict in ("same", "not settled"):
            return self.verdict
        if self.verdict == "undecided":
            return "undecided, worth a look" if self.is_marked else "undecided"
        words = ("slower", "faster") if self.measure == "tps" else ("shorter", "longer")
        direction = words[self.ratio > 1]
        return direction if self.verdict == "different" else f"slightly {direction}"


@dataclass(frozen=True, slots=True)
class TargetShift:
    """Holds how far all cells of a target moved together.

    Parameters
    ----------
    ratio, low, high : geometric mean of new over base of its cells, with its 95 % interval
    """

    target: str
    cells: int
    ratio: float
    low: float
    high: float


def compare_studies(pairs: Sequence[Pair], others: Sequence[Spread] = ()) -> list[CellChange]:
    """Return the throughput of cells before and after; cells without a trusted level on both sides are left out.

    Parameters
    ----------
    others : spreads between repeats that are also known, such as those of the studies' sentinels
    """
    trusted_pairs = [pair for pair in pairs if all(group.trusted and group.level is not None for group in pair)]
    cell_levels = levels_in_order([group for pair in trusted_pairs for group in pair], others)
    level_pairs = zip(cell_levels[::2], cell_levels[1::2], strict=True)
    assumed_spreads = [most_assumed_spread(level_pair) for level_pair in level_pairs]
    return _cell_changes("tps", trusted_pairs, [level.level for level in cell_levels], assumed_spreads)


def compare_quantiles(pairs: Sequence[Pair], quantile: Quantile) -> list[CellChange]:
    """Return a quantile of cells before and after; only where both sides have two trusted runs and enough beyond it.

    A single run's quantile has no known spread, and none is assumed.
    """
    logs = {id(group): _quantile_logs(group, quantile) for pair in pairs for group in pair}
    supported_pairs = [
        pair
        for pair in pairs
        if all(group.trusted and len(logs[id(group)]) > 1 and is_supported(group, quantile) for group in pair)
    ]
    groups = [group for pair in supported_pairs for group in pair]
    levels = quantile_levels(groups, [logs[id(group)] for group in groups])
    return _cell_changes(quantile, supported_pairs, levels, [None] * len(supported_pairs))


def common_shifts(changes: Sequence[CellChange]) -> dict[str, TargetShift]:
    """Map targets (as new names them) to how far their cells moved together; only those with two cells or more."""
    logs: dict[str, list[tuple[float, float]]] = {}
    for change in (change for change in changes if change.verdict != "not settled"):
        half = (math.log(change.high) - math.log(change.low)) / 2 if change.low > 0 else math.inf
        logs.setdefault(change.new.target, []).append((math.log(change.ratio), half / 1.96))
    return {target: _target_shift(target, log_changes) for target, log_changes in logs.items() if len(log_changes) > 1}


def _target_shift(target: str, log_changes: Sequence[tuple[float, float]]) -> TargetShift:
    values = np.array([log for log, _ in log_changes])
    count = len(values)
    within = math.sqrt(sum(se**2 for _, se in log_changes)) / count
    half = max(t_quantile(0.975, count - 1.0) * float(values.std(ddof=1)) / math.sqrt(count), 1.96 * within)
    mean = float(values.mean())
    return TargetShift(target, count, math.exp(mean), bounded_exp(mean - half), bounded_exp(mean + half))


def _quantile_logs(group: CellJudgement, quantile: Quantile) -> list[float]:
    values = [getattr(run.figures.latency_ns, quantile) for run in group.judged if run.figures.latency_ns is not None]
    return [math.log(value) for value in values if value is not None and value > 0]


def is_supported(group: CellJudgement, quantile: Quantile) -> bool:
    """Return whether enough transactions lie beyond the quantile, over all judged runs."""
    return sum(run.figures.transactions for run in group.judged) * TAIL[quantile] >= ENOUGH_BEYOND


def _cell_changes(
    measure: Measure, pairs: Sequence[Pair], levels: Sequence[LogLevel], assumed_spreads: Sequence[float | None]
) -> list[CellChange]:
    """Return changes of all pairs; `levels` in the order base, new, base, new. An unsettled pair is not tested."""
    level_pairs = list(zip(levels[::2], levels[1::2], strict=True))
    differences = [compare(new, base) for base, new in level_pairs]
    tested_indices = [index for index, pair in enumerate(pairs) if all(group.is_settled for group in pair)]
    p_values = [differences[index].p for index in tested_indices]
    rows = zip(tested_indices, holm(p_values), benjamini_hochberg(p_values), strict=True)
    p_by_index = {index: (adjusted, marked) for index, adjusted, marked in rows}
    return [
        _cell_change(
            measure,
            pair,
            level_pairs[index],
            differences[index],
            p_by_index.get(index),
            len(tested_indices),
            assumed_spreads[index],
        )
        for index, pair in enumerate(pairs)
    ]


def _cell_change(
    measure: Measure,
    pair: Pair,
    levels: tuple[LogLevel, LogLevel],
    difference: LogDifference,
    p_values: tuple[float, float] | None,
    family: int,
    assumed_spread: float | None,
) -> CellChange:
    verdict = "not settled" if p_values is None else verdict_of(difference, p_values[0])
    low, high = difference.interval()
    runs = min(level.repeats for level in levels)
    repeats_needed = None
    if verdict == "undecided":
        repeats_needed = repeats_to_decide(difference.difference, difference.sd, 0.05 / family, done=runs)
    reported_p_values = p_values if assumed_spread is None else None
    return CellChange(
        base=pair[0].cell,
        new=pair[1].cell,
        measure=measure,
        base_value=math.exp(levels[0].mean),
        new_value=math.exp(levels[1].mean),
        ratio=difference.ratio,
        low=low,
        high=high,
        p_adjusted=reported_p_values[0] if reported_p_values else None,
        p_marked=reported_p_values[1] if reported_p_values else None,
        verdict=verdict,
        smallest=smallest_detectable_ratio(difference.sd, difference.df, runs),
        repeats_needed=repeats_needed,
        is_significant=p_values is not None and p_values[0] < 0.05,
        is_marked=p_values is not None and p_values[1] < 0.05,
        sd=difference.sd,
        runs=runs,
        assumed_spread=assumed_spread,
        remedy=remedy_words([run for group in pair if not group.is_settled for run in group.unsettled]),
    )


QUANTILE_OF: Mapping[str, Quantile] = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p999", "p99.9": "p999"}
"""How a quantile may be written -> its name."""
