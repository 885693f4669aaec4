"""The question: how long do transactions take in each cell, and how sure is that.

Quantiles are read from the histograms of all repeats added together, never averaged. How far they may be off is taken
from the repeats: a moderated interval on ln(quantile), and where a cell was run once, nothing but the value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
    """

    cell: Cell
    quantile: Quantile
    value_ns: int
    low_ns: int | None
    high_ns: int | None
    beyond_count: int


def judge_latency(
    judgements: Sequence[CellJudgement], merged: Mapping[Cell, tuple[LatencyNs, int]]
) -> list[LatencyJudgement]:
    """Every quantile that enough transactions lie beyond.

    Parameters
    ----------
    merged : per cell the quantiles of all its judged runs' histograms added together, and their transactions
    """
    cells = [group for group in judgements if group.cell in merged and group.judged]
    return [found for quantile in QUANTILES for found in _judge_quantile(quantile, cells, merged)]


def _judge_quantile(
    quantile: Quantile, cells: Sequence[CellJudgement], merged: Mapping[Cell, tuple[LatencyNs, int]]
) -> list[LatencyJudgement]:
    logs = {group.cell: _logs(group, quantile) for group in cells}
    known = [group for group in cells if logs[group.cell]]
    spread = moderated_spread([logs[group.cell] for group in known])
    found = []
    for group, sd, df in zip(known, spread.sd, spread.df, strict=True):
        latency, count = merged[group.cell]
        value, beyond = getattr(latency, quantile), int(count * TAIL[quantile])
        if beyond < ENOUGH_BEYOND:
            continue
        low, high = _interval(value, logs[group.cell], sd, df)
        found.append(LatencyJudgement(group.cell, quantile, value, low, high, beyond))
    return found


def _logs(group: CellJudgement, quantile: Quantile) -> list[float]:
    values = [getattr(run.latency_ns, quantile) for run in group.judged if run.latency_ns is not None]
    return [math.log(value) for value in values if value > 0]


def _interval(value_ns: int, logs: Sequence[float], sd: float, df: float) -> tuple[int | None, int | None]:
    if len(logs) < 2:
        return None, None
    level = repeated_level(logs, sd, df)
    half = level.half_width()
    low, high = math.exp(level.mean - half), bounded_exp(level.mean + half)
    return round(min(low, value_ns)), round(max(high, value_ns))
