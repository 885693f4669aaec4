"""Answers whether the machine stayed the same during the study, from one cell that is driven again and again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analyse._words import percent_words
from dbdyno.core import Cell, RunRecord, counted
from dbdyno.stats import t_quantile

MOST_DRIFT = 0.03
_LEAST_RUNS = 3


@dataclass(frozen=True, slots=True)
class SentinelJudgement:
    """Holds what the sentinel's runs show.

    Parameters
    ----------
    runs : good ones with a level, of `planned`
    change : from the first to the last along a straight line over time, as a share; None below three runs
    half_width : of the change, at 95 %, on the scale ln(TPS)
    spread : standard deviation of its runs around the line, on the same scale
    apart : of several benches, how much faster the fastest is than the slowest, as a share; one line has the same slope
        for all, and a level for each
    benches : that it ran on
    """

    cell: Cell
    runs: int
    planned: int
    change: float | None
    half_width: float | None
    spread: float | None
    apart: float = 0.0
    benches: int = 1

    @property
    def has_drifted(self) -> bool:
        """Return whether the machine has to be suspected."""
        return self.change is not None and abs(self.change) > MOST_DRIFT

    @property
    def is_shown(self) -> bool:
        """Return whether the change is more than what the spread of its runs makes by chance."""
        return self.change is not None and abs(math.log1p(self.change)) > (self.half_width or 0.0)


def judge_sentinel(records: Sequence[RunRecord]) -> SentinelJudgement | None:
    """Judge the runs of a study's sentinel by when they were made; None where there is none."""
    planned = [record for record in records if record.run.is_sentinel]
    if not planned:
        return None
    good = [record for record in planned if record.status == "good" and record.level_tps and record.is_settled]
    cell = planned[0].run.cell
    names = [record.bench for record in good]
    benches = len(set(names))
    if len(good) < _LEAST_RUNS + benches - 1:
        return SentinelJudgement(cell, len(good), len(planned), None, None, None)
    change, half_width, spread = _line(
        [float(record.started_ns or record.run.order_index) for record in good],
        levels := [math.log(record.level_tps or 1.0) for record in good],
        names,
    )
    own = [float(np.mean([y for y, name in zip(levels, names, strict=True) if name == bench])) for bench in set(names)]
    apart = math.expm1(max(own) - min(own))
    return SentinelJudgement(cell, len(good), len(planned), math.expm1(change), half_width, spread, apart, benches)


def sentinel_spread(records: Sequence[RunRecord]) -> tuple[float, float] | None:
    """Spread between the sentinel's runs around their drift, with its degrees of freedom; None without enough runs."""
    found = judge_sentinel(records)
    return None if found is None or found.spread is None else (found.spread, found.runs - 1.0 - found.benches)


def sentinel_words(found: SentinelJudgement) -> str:
    """Return what it shows, in one sentence.

    >>> cell = Cell("mysql:9.7", 64 << 20, 4, "oltp_read_only", "socket")
    >>> sentinel_words(SentinelJudgement(cell, 6, 6, 0.012, 0.02, 0.008))
    'mysql:9.7 at 4 connections, 6 runs through the study: +1.2 % from the first to the last (±2 %), spread 0.8 %'
    """
    who = f"{found.cell.target} at {counted(found.cell.concurrency, 'connection')}"
    runs = counted(found.runs, "run") + ("" if found.runs == found.planned else f" of {found.planned}")
    if found.change is None or found.half_width is None or found.spread is None:
        return f"{who}, {runs}: too few to see a drift of the machine"
    change = (
        f"{percent_words(found.change, signed=True)} from the first to the last (±{percent_words(found.half_width)})"
    )
    apart = f"; {found.benches} benches, up to {percent_words(found.apart)} apart" if found.benches > 1 else ""
    return f"{who}, {runs} through the study: {change}, spread {percent_words(found.spread)}{apart}"


def _line(when: Sequence[float], level: Sequence[float], groups: Sequence[str]) -> tuple[float, float, float]:
    """Change over the time along lines of one slope, one for each group, its half-width at 95 %, and the spread."""
    time, values, own = np.asarray(when), np.asarray(level), np.asarray(groups)
    members = [own == group for group in sorted(set(groups))]
    centred, moved = np.empty_like(time), np.empty_like(values)
    span = float(np.ptp(time)) or math.inf
    for member in members:
        centred[member] = (time[member] - time[member].mean()) / span
        moved[member] = values[member] - values[member].mean()
    freedom = len(values) - len(members)
    if not centred.any():
        return 0.0, math.inf, math.sqrt(float(moved @ moved) / freedom)
    slope = float(centred @ moved / (centred @ centred))
    residuals = moved - slope * centred
    spread = math.sqrt(float(residuals @ residuals) / (freedom - 1))
    return slope, t_quantile(0.975, freedom - 1.0) * spread / math.sqrt(float(centred @ centred)), spread
