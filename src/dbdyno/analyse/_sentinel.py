"""Answers whether the machine stayed the same during the study, from one cell that is driven again and again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.core import Cell, RunRecord, counted, short_percent
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
    planned_records = [record for record in of_working_benches(records) if record.run.is_sentinel]
    if not planned_records:
        return None
    good_records = [
        record for record in planned_records if record.status == "good" and record.level_tps and record.is_settled
    ]
    cell = planned_records[0].run.cell
    bench_names = [record.bench for record in good_records]
    benches = len(set(bench_names))
    if len(good_records) < _LEAST_RUNS + benches - 1:
        return SentinelJudgement(cell, len(good_records), len(planned_records), None, None, None)
    change, half_width, spread = _fit_common_slope(
        [float(record.span.started_ns or record.run.order_index) for record in good_records],
        levels := [math.log(record.level_tps or 1.0) for record in good_records],
        bench_names,
    )
    bench_means = [
        float(np.mean([y for y, name in zip(levels, bench_names, strict=True) if name == bench]))
        for bench in set(bench_names)
    ]
    apart = math.expm1(max(bench_means) - min(bench_means))
    return SentinelJudgement(
        cell, len(good_records), len(planned_records), math.expm1(change), half_width, spread, apart, benches
    )


def of_working_benches(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Leave out the sentinel's runs of benches that were found unlike the others by them, and made no other run."""
    working = {record.bench for record in records if not record.run.is_sentinel}
    return [record for record in records if record.bench in working or not working]


def sentinel_spread(records: Sequence[RunRecord]) -> tuple[float, float] | None:
    """Return the spread between the sentinel's runs around their drift, with its degrees of freedom; None for few."""
    sentinel = judge_sentinel(records)
    return (
        None
        if sentinel is None or sentinel.spread is None
        else (sentinel.spread, sentinel.runs - 1.0 - sentinel.benches)
    )


def sentinel_words(judgement: SentinelJudgement) -> str:
    """Return what it shows, in one sentence.

    >>> cell = Cell("mysql:9.7", 64 << 20, 4, "oltp_read_only", "socket")
    >>> sentinel_words(SentinelJudgement(cell, 6, 6, 0.012, 0.02, 0.008))
    'mysql:9.7 at 4 connections, 6 runs through the study: +1.2 % from the first to the last (±2 %), spread 0.8 %'
    """
    who = f"{judgement.cell.target} at {counted(judgement.cell.concurrency, 'connection')}"
    runs = counted(judgement.runs, "run") + ("" if judgement.runs == judgement.planned else f" of {judgement.planned}")
    if judgement.change is None or judgement.half_width is None or judgement.spread is None:
        return f"{who}, {runs}: too few to see a drift of the machine"
    half_width = short_percent(judgement.half_width)
    change = f"{short_percent(judgement.change, signed=True)} from the first to the last (±{half_width})"
    benches, apart = judgement.benches, short_percent(judgement.apart)
    apart_words = f"; {benches} benches, up to {apart} apart" if benches > 1 else ""
    return f"{who}, {runs} through the study: {change}, spread {short_percent(judgement.spread)}{apart_words}"


def _fit_common_slope(
    when: Sequence[float], level: Sequence[float], groups: Sequence[str]
) -> tuple[float, float, float]:
    """Return the change over time along lines of one slope, one per group, its half-width at 95 %, and the spread."""
    time, values, value_groups = np.asarray(when), np.asarray(level), np.asarray(groups)
    members = [value_groups == group for group in sorted(set(groups))]
    centred_time, centred_values = np.empty_like(time), np.empty_like(values)
    span = float(np.ptp(time)) or math.inf
    for member in members:
        centred_time[member] = (time[member] - time[member].mean()) / span
        centred_values[member] = values[member] - values[member].mean()
    freedom = len(values) - len(members)
    if not centred_time.any():
        return 0.0, math.inf, math.sqrt(float(centred_values @ centred_values) / freedom)
    slope = float(centred_time @ centred_values / (centred_time @ centred_time))
    residuals = centred_values - slope * centred_time
    spread = math.sqrt(float(residuals @ residuals) / (freedom - 1))
    return slope, t_quantile(0.975, freedom - 1.0) * spread / math.sqrt(float(centred_time @ centred_time)), spread
