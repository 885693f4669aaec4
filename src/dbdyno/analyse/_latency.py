"""Answers how long transactions take in each cell, and how sure that is.

Quantiles are read from the histograms of all repeats added together, never averaged. How far they may be off is taken
from the repeats: a moderated interval on ln(quantile). Where a cell was run once, it is taken from the seconds of that
run, and is of noise alone. Transactions of a second share its fate, so what lies beyond a quantile is counted in
independent ones; where they are too few, the quantile is left out. Imported runs without histograms give what their
tool printed for the whole run; of several the middle one is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse._cells import CellJudgement
from dbdyno.core import Cell, LatencyNs
from dbdyno.stats import LogLevel, bounded_exp, exceedances_at, moderated_spread, quantile_interval, repeated_level

Quantile = Literal["p50", "p95", "p99", "p999"]
QUANTILES: tuple[Quantile, ...] = ("p50", "p95", "p99", "p999")
TAIL: Mapping[Quantile, float] = {"p50": 0.5, "p95": 0.05, "p99": 0.01, "p999": 0.001}
ENOUGH_BEYOND = 20
SHORTEST_NOISE_S = 60  # blocks of ten seconds: of fewer, too few are drawn
IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
_DRAWS = 1000
_PRINTED_STEP = 0.018  # sysbench's histogram has 1,024 steps from 1 µs to 100 s, on a logarithmic scale
_PRINTED_DIGIT_NS = 10_000  # and it prints hundredths of a millisecond
_OWN_STEP = 1 / 1024  # three significant digits
_BIN_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class LatencyJudgement:
    """Describes one quantile of one cell, nanoseconds.

    Parameters
    ----------
    low_ns, high_ns : 95 % interval; None where it is not known
    beyond_count : transactions slower than the quantile
    is_told : as a tool printed it, not read from a histogram here
    interval_of : ``repeats`` (noise and spread), ``noise`` (of one run's seconds), or empty
    independent_count : those slower worth as much as so many independent ones; fewer than 20 and the quantile is left
        out. None where no seconds are stored, and `beyond_count` decides
    """

    cell: Cell
    quantile: Quantile
    value_ns: int
    low_ns: int | None
    high_ns: int | None
    beyond_count: int
    is_told: bool = False
    interval_of: Literal["repeats", "noise", ""] = ""
    independent_count: float | None = None


@dataclass(frozen=True, slots=True)
class SecondHistograms:
    """Holds histograms of one run's seconds.

    Parameters
    ----------
    counts : shape (seconds, bins)
    values_ns : shape (bins,), ascending
    """

    counts: IntArray
    values_ns: FloatArray

    @classmethod
    def coarse(
        cls, second: IntArray, column: IntArray, count: IntArray, values_ns: FloatArray, seconds: int
    ) -> SecondHistograms:
        """Return bins of one percent, by the highest value in each: fine enough for an interval, and fewer to draw.

        Parameters
        ----------
        second, column, count : shape (counts,), of each bin that holds something: its second from 0, which of
            `values_ns` it is, and how many
        values_ns : shape (bins,), ascending
        seconds : how many
        """
        if len(values_ns) == 0:
            return cls(np.zeros((seconds, 0), dtype=np.int64), values_ns)
        steps = np.floor(np.log(np.maximum(values_ns, 1.0)) / _BIN_SHARE)
        is_first = np.diff(steps, prepend=-1.0) != 0
        bins, of_column = int(is_first.sum()), np.cumsum(is_first) - 1
        last = np.append(np.flatnonzero(is_first)[1:], len(values_ns)) - 1
        counts = np.bincount(second * bins + of_column[column], count, seconds * bins)
        return cls(counts.astype(np.int64).reshape(seconds, bins), values_ns[last])


def printed_latency(group: CellJudgement) -> tuple[LatencyNs, int] | None:
    """Return quantiles that a tool printed for whole runs: of several runs the middle one (of two the larger).

    The value is for cells without histograms, with their transactions; None when nothing was printed.
    """
    printed_latencies = [run.figures.latency_ns for run in group.judged if run.figures.latency_ns is not None]
    if not printed_latencies or any(run.imported is None for run in group.judged):
        return None

    def middle(name: str) -> int | None:
        values = sorted(value for latency in printed_latencies if (value := getattr(latency, name)) is not None)
        return values[len(values) // 2] if len(values) == len(printed_latencies) else None

    latency = LatencyNs(*(middle(name) for name in ("p50", "p95", "p99", "p999", "max")))
    return latency, sum(run.figures.transactions for run in group.judged)


def judge_latency(
    judgements: Sequence[CellJudgement],
    merged: Mapping[Cell, tuple[LatencyNs, int]],
    seconds: Mapping[Cell, Sequence[SecondHistograms]] = MappingProxyType({}),
) -> list[LatencyJudgement]:
    """Return every quantile that enough transactions lie beyond.

    Parameters
    ----------
    merged : per cell the quantiles of all its judged runs' histograms added together, and their transactions; cells
        without histograms are not in it
    seconds : per cell those of its judged runs, where they are stored
    """
    printed_by_cell = {
        group.cell: printed
        for group in judgements
        if group.cell not in merged and (printed := printed_latency(group)) is not None
    }
    latency_by_cell = {**merged, **printed_by_cell}
    cells = [group for group in judgements if group.cell in latency_by_cell and group.judged]
    independent = {group.cell: _independent_counts(_runs_with_transactions(seconds, group.cell)) for group in cells}
    latencies = [
        latency for quantile in QUANTILES for latency in _judge_quantile(quantile, cells, latency_by_cell, independent)
    ]
    return [replace(latency, is_told=latency.cell in printed_by_cell) for latency in latencies]


def quantile_resolution(group: CellJudgement, value_ns: float) -> float:
    """Return what rounding to a step of a histogram leaves open of ln(quantile), as a standard deviation."""
    is_printed = any(run.imported is not None for run in group.judged)
    step = max(_PRINTED_STEP, _PRINTED_DIGIT_NS / value_ns) if is_printed else _OWN_STEP
    return step / math.sqrt(12)


def quantile_level(group: CellJudgement, logs: Sequence[float], sd: float, df: float) -> LogLevel:
    """Return the level of a quantile from its runs and their spread.

    Runs whose quantiles fall into one step of a histogram are rounded alike: further ones don't average that out.

    Parameters
    ----------
    logs : ln(quantile) of each run
    """
    resolution = quantile_resolution(group, math.exp(sum(logs) / len(logs)))
    return replace(repeated_level(logs, max(sd, resolution), df), noise_se=resolution)


def quantile_levels(groups: Sequence[CellJudgement], logs: Sequence[Sequence[float]]) -> list[LogLevel]:
    """Return levels of a quantile in the order of the groups; of a cell that was run once, without a spread to use.

    Cells on which nothing may rest have a level, too, and no say in the spread of the others, as of throughput.

    Parameters
    ----------
    logs : per group ln(quantile) of each run, one at least
    """
    levels: dict[int, LogLevel] = {}
    for is_firm in (True, False):
        indices = [index for index, group in enumerate(groups) if (group.trusted and group.is_settled) == is_firm]
        spread = moderated_spread([logs[index] for index in indices])
        for index, sd, df in zip(indices, spread.sd, spread.df, strict=True):
            levels[index] = quantile_level(groups[index], logs[index], sd, df)
    return [levels[index] for index in range(len(groups))]


def with_noise_intervals(
    latency: Iterable[LatencyJudgement], seconds: Mapping[Cell, Sequence[SecondHistograms]]
) -> list[LatencyJudgement]:
    """Return the same; a cell that was run once gets the interval of its noise, drawn a thousand times."""
    judgements = []
    for judgement in latency:
        runs = _runs_with_transactions(seconds, judgement.cell)
        if not judgement.interval_of and runs and len(runs[0].counts) >= SHORTEST_NOISE_S:
            low, high = _single_run_interval(judgement.quantile, judgement.value_ns, runs[0])
            judgement = replace(judgement, low_ns=low, high_ns=high, interval_of="noise")
        judgements.append(judgement)
    return judgements


def _judge_quantile(
    quantile: Quantile,
    cells: Sequence[CellJudgement],
    merged: Mapping[Cell, tuple[LatencyNs, int]],
    independent_counts: Mapping[Cell, Mapping[Quantile, float]],
) -> list[LatencyJudgement]:
    logs = {group.cell: _log_quantiles(group, quantile) for group in cells}
    cells_with_logs = [group for group in cells if logs[group.cell]]
    levels = quantile_levels(cells_with_logs, [logs[group.cell] for group in cells_with_logs])
    judgements = []
    for group, level in zip(cells_with_logs, levels, strict=True):
        latency, count = merged[group.cell]
        value, beyond = getattr(latency, quantile), int(count * TAIL[quantile])
        if value is None or beyond < ENOUGH_BEYOND:
            continue
        independent = independent_counts[group.cell].get(quantile)
        if independent is not None and independent < ENOUGH_BEYOND:
            continue
        judgement = LatencyJudgement(group.cell, quantile, value, None, None, beyond, independent_count=independent)
        if len(logs[group.cell]) > 1:
            low, high = _interval(value, level)
            judgement = replace(judgement, low_ns=low, high_ns=high, interval_of="repeats")
        judgements.append(judgement)
    return judgements


def _runs_with_transactions(seconds: Mapping[Cell, Sequence[SecondHistograms]], cell: Cell) -> list[SecondHistograms]:
    """Runs of a cell in which anything was done."""
    return [run for run in seconds.get(cell, ()) if run.counts.any()]


def _independent_counts(runs: Sequence[SecondHistograms]) -> dict[Quantile, float]:
    """Return what those slower than each quantile are worth as independent ones, in all runs; empty without seconds."""
    shares = [1 - TAIL[quantile] for quantile in QUANTILES]
    runs_exceedances = [exceedances_at(run.counts, run.values_ns, shares) for run in runs]
    return {
        quantile: sum(beyond_at(share) for beyond_at in runs_exceedances)
        for quantile, share in zip(QUANTILES, shares, strict=True)
        if runs_exceedances
    }


def _single_run_interval(quantile: Quantile, value_ns: int, run: SecondHistograms) -> tuple[int, int]:
    """Return the interval of a run made once, from its seconds."""
    interval = quantile_interval(run.counts, run.values_ns, 1 - TAIL[quantile], draws=_DRAWS)
    return round(min(interval.low, value_ns)), round(max(interval.high, value_ns))


def _log_quantiles(group: CellJudgement, quantile: Quantile) -> list[float]:
    values = [getattr(run.figures.latency_ns, quantile) for run in group.judged if run.figures.latency_ns is not None]
    return [math.log(value) for value in values if value is not None and value > 0]


def _interval(value_ns: int, level: LogLevel) -> tuple[int, int]:
    half = level.half_width()
    low, high = math.exp(level.mean - half), bounded_exp(level.mean + half)
    return round(min(low, value_ns)), round(max(high, value_ns))
