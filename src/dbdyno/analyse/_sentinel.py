"""The question: did the machine stay the same while the study went on. One cell, driven again and again, tells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analyse._words import counted, percent_words
from dbdyno.core import Cell, RunRecord
from dbdyno.stats import t_quantile

MOST_DRIFT = 0.03
_LEAST_RUNS = 3


@dataclass(frozen=True, slots=True)
class SentinelJudgement:
    """What the sentinel's runs show.

    Parameters
    ----------
    runs : good ones with a level, of `planned`
    change : from the first to the last along a straight line over time, as a share; None below three runs
    half_width : of the change, at 95 %, on the scale ln(TPS)
    spread : standard deviation of its runs around the line, on the same scale
    """

    cell: Cell
    runs: int
    planned: int
    change: float | None
    half_width: float | None
    spread: float | None

    @property
    def has_drifted(self) -> bool:
        """Whether the machine has to be suspected."""
        return self.change is not None and abs(self.change) > MOST_DRIFT

    @property
    def is_shown(self) -> bool:
        """Whether the change is more than what the spread of its runs makes by chance."""
        return self.change is not None and abs(math.log1p(self.change)) > (self.half_width or 0.0)


def judge_sentinel(records: Sequence[RunRecord]) -> SentinelJudgement | None:
    """Judge the runs of a study's sentinel by when they were made; None where there is none."""
    planned = [record for record in records if record.run.is_sentinel]
    if not planned:
        return None
    good = [record for record in planned if record.status == "good" and record.level_tps and record.is_settled]
    cell = planned[0].run.cell
    if len(good) < _LEAST_RUNS:
        return SentinelJudgement(cell, len(good), len(planned), None, None, None)
    change, half_width, spread = _line(
        [float(record.started_ns or record.run.order_index) for record in good],
        [math.log(record.level_tps or 1.0) for record in good],
    )
    return SentinelJudgement(cell, len(good), len(planned), math.expm1(change), half_width, spread)


def sentinel_spread(records: Sequence[RunRecord]) -> tuple[float, float] | None:
    """Spread between the sentinel's runs around their drift, with its degrees of freedom; None without enough runs."""
    found = judge_sentinel(records)
    return None if found is None or found.spread is None else (found.spread, found.runs - 2.0)


def sentinel_words(found: SentinelJudgement) -> str:
    """What it shows, in one sentence.

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
    return f"{who}, {runs} through the study: {change}, spread {percent_words(found.spread)}"


def _line(when: Sequence[float], level: Sequence[float]) -> tuple[float, float, float]:
    """Change over the time along a line, its half-width at 95 %, and the spread around it."""
    time, values = np.asarray(when), np.asarray(level)
    span = float(np.ptp(time))
    if span == 0:
        return 0.0, math.inf, float(values.std(ddof=1))
    centred = (time - time.mean()) / span
    slope = float(centred @ (values - values.mean()) / (centred @ centred))
    residuals = values - values.mean() - slope * centred
    df = len(values) - 2
    spread = math.sqrt(float(residuals @ residuals) / df)
    return slope, t_quantile(0.975, float(df)) * spread / math.sqrt(float(centred @ centred)), spread
