"""The question: how long do transactions take in each cell, and how sure is that.

Quantiles are read from the histograms of all repeats added together, never averaged. How far they may be off is taken
from the repeats: a moderated interval on ln(quantile), and where a cell was run once, nothing but the value. Imported
runs without histograms give what their tool printed for the whole run; of several the middle one is taken.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dbdyno.analyse._cells import CellJudgement
from dbdyno.core import Cell, LatencyNs
from dbdyno.stats import bounded_exp, moderated_spread, repeated_level

Quantile = Literal["p50", "p95", "p99", "p999"]
QUANTILES: tuple[Quantile, ...] = ("p50", "p95", "p99", "p999")
TAIL: Mapping[Quantile, float] = {"p50": 0.5, "p95": 0.05, "p99": 0.01, "p999": 0.001}
ENOUGH_BEYOND = 20


@dataclass(frozen=True, slots=True)
class LatencyJudgement:
    """One quantile of one cell, nanoseconds.

    Parameters
    ----------
    low_ns, high_ns : 95 % interval over repeats; None for a cell that was run once
    beyond_count : transactions slower than the quantile; fewer than 20 and it is left out
    is_told : as a tool printed it, not read from a histogram here
    """

    cell: Cell
    quantile: Quantile
    value_ns: int
    low_ns: int | None
    high_ns: int | None
    beyond_count: int
    is_told: bool = False


def told_latency(group: CellJudgement) -> tuple[LatencyNs, int] | None:
    """Quantiles that a tool printed for whole runs: of several runs the middle one (of two the larger).

    The value is for cells without histograms, with their transactions; None when nothing was printed.
    """
    printed = [run.latency_ns for run in group.judged if run.latency_ns is not None]
    if not printed or any(run.imported is None for run in group.judged):
        return None

    def middle(name: str) -> int | None:
        values = sorted(value for latency in printed if (value := getattr(latency, name)) is not None)
        return values[len(values) // 2] if len(values) == len(printed) else None

    latency = LatencyNs(*(middle(name) for name in ("p50", "p95", "p99", "p999", "max")))
    return latency, sum(run.transactions for run in group.judged)


def judge_latency(
    judgements: Sequence[CellJudgement], merged: Mapping[Cell, tuple[LatencyNs, int]]
) -> list[LatencyJudgement]:
    """Every quantile that enough transactions lie beyond.

    Parameters
    ----------
    merged : per cell the quantiles of all its judged runs' histograms added together, and their transactions; cells
        without histograms are not in it
    """
    told = {
        group.cell: found
        for group in judgements
        if group.cell not in merged and (found := told_latency(group)) is not None
    }
    known = {**merged, **told}
    cells = [group for group in judgements if group.cell in known and group.judged]
    return [found for quantile in QUANTILES for found in _judge_quantile(quantile, cells, known, told)]


def _judge_quantile(
    quantile: Quantile,
    cells: Sequence[CellJudgement],
    merged: Mapping[Cell, tuple[LatencyNs, int]],
    told: Collection[Cell],
) -> list[LatencyJudgement]:
    logs = {group.cell: _logs(group, quantile) for group in cells}
    known = [group for group in cells if logs[group.cell]]
    spread = moderated_spread([logs[group.cell] for group in known])
    found = []
    for group, sd, df in zip(known, spread.sd, spread.df, strict=True):
        latency, count = merged[group.cell]
        value, beyond = getattr(latency, quantile), int(count * TAIL[quantile])
        if value is None or beyond < ENOUGH_BEYOND:
            continue
        low, high = _interval(value, logs[group.cell], sd, df)
        found.append(LatencyJudgement(group.cell, quantile, value, low, high, beyond, group.cell in told))
    return found


def _logs(group: CellJudgement, quantile: Quantile) -> list[float]:
    values = [getattr(run.latency_ns, quantile) for run in group.judged if run.latency_ns is not None]
    return [math.log(value) for value in values if value is not None and value > 0]


def _interval(value_ns: int, logs: Sequence[float], sd: float, df: float) -> tuple[int | None, int | None]:
    if len(logs) < 2:
        return None, None
    level = repeated_level(logs, sd, df)
    half = level.half_width()
    low, high = math.exp(level.mean - half), bounded_exp(level.mean + half)
    return round(min(low, value_ns)), round(max(high, value_ns))
