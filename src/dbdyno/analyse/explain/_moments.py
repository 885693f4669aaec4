"""Answers what differs in the seconds in which a run stalls, or at the trough of a wave.

Seconds of the same runs are compared as two targets are: stalled against median ones, or the crest of a wave, folded at
its period, against its trough. The repeats are up to three stretches of each run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse.explain._circumstances import LEVELS, Circumstances, processors_used
from dbdyno.analyse.explain._gap import compare_breakdowns
from dbdyno.analyse.explain._part import Breakdown, FloatArray
from dbdyno.analyse.explain._ranking import CauseRanking, rank_causes
from dbdyno.analyse.explain._statements import PinnedServer, RunTimes, StatementTimes, split_by_statement
from dbdyno.analyse.explain._threads import split_by_threads
from dbdyno.core import AnalysisError, Cell, Run
from dbdyno.stats import period, stalled_seconds

MomentKind = Literal["stalls", "waves"]
SIDES: Mapping[MomentKind, tuple[str, str]] = {
    "stalls": ("median seconds", "stalled seconds"),
    "waves": ("crest", "trough"),
}
SHORTEST_WAVE_S = 40
"""A wave must fit three times into a window, and is not looked for below 12.5 s."""
_MOST_STRETCHES = 3
_NEAR_MEDIAN = 0.1
_QUARTER = 0.25
_PHASES = 8
_SESSIONS = "sessions."


@dataclass(frozen=True, slots=True)
class RunSeconds:
    """Describes the judged seconds of a run; all arrays have one value a second.

    Parameters
    ----------
    tps : committed transactions in each second
    statements : by type
    metrics : of the telemetry; NaN where a second was not read
    pinned, is_client_here : see `RunTimes`
    """

    run: Run
    tps: FloatArray
    statements: Mapping[str, StatementTimes] = field(default_factory=dict)
    metrics: Mapping[str, FloatArray] = field(default_factory=dict)
    pinned: PinnedServer | None = None
    is_client_here: bool = True

    def of(self, seconds: NDArray[np.bool_]) -> RunTimes:
        """Return times of some of its seconds."""
        count, transactions = int(seconds.sum()), round(float(self.tps[seconds].sum()))
        means = {
            name: float(np.nanmean(values[seconds]))
            for name, values in self.metrics.items()
            if _is_read(values[seconds])
        }
        counters = {
            name: mean * count / transactions
            for name, mean in means.items()
            if name.startswith("engine.") and name not in LEVELS and transactions
        }
        threads = {name.removeprefix(_SESSIONS): mean for name, mean in means.items() if name.startswith(_SESSIONS)}
        statements = {
            name: StatementTimes(times.counts[seconds], times.sums_ms[seconds])
            for name, times in self.statements.items()
        }
        return RunTimes(
            self.run,
            rests=False,
            seconds=float(count),
            transactions=transactions,
            attempts=transactions,
            statements=statements or None,
            missing="" if statements else "no statement times are stored",
            threads=threads if threads.get("count") else None,
            counted=counters,
            levels={name: means[name] for name in LEVELS if name in means},
            processors=processors_used(means, self.pinned, is_client_here=self.is_client_here),
            pinned=self.pinned,
            is_client_here=self.is_client_here,
        )


@dataclass(frozen=True, slots=True)
class Moments:
    """Holds what sets two kinds of seconds of a cell apart.

    Parameters
    ----------
    runs : that have such seconds
    seconds : stalled ones, or those of a trough
    ranking : None if unknown
    missing : why not
    period_s : of a wave
    """

    kind: MomentKind
    cell: Cell
    runs: int
    seconds: int
    ranking: CauseRanking | None
    missing: str = ""
    period_s: float | None = None


def has_moments(tps: FloatArray) -> bool:
    """Return whether a run has stalls or a wave to explain."""
    return bool(tps.any()) and (bool(_stall_masks(tps)[1].any()) or _wave_period_s(tps) is not None)


def stalls_explained(runs: Sequence[RunSeconds]) -> Moments | None:
    """Return stalled seconds against median ones; None where nothing stalled."""
    masked_runs = [(run_seconds, *_stall_masks(run_seconds.tps)) for run_seconds in runs]
    return _explain_moments(
        "stalls", [(run_seconds, usual, stalled) for run_seconds, usual, stalled in masked_runs if stalled.any()]
    )


def waves_explained(runs: Sequence[RunSeconds]) -> Moments | None:
    """Return the trough of waves against their crest; None where there is no wave."""
    masked_runs, periods = [], []
    for run_seconds in runs:
        period_s = _wave_period_s(run_seconds.tps)
        if period_s is not None:
            periods.append(period_s)
            masked_runs.append((run_seconds, *_wave_masks(run_seconds.tps, period_s)))
    moments = _explain_moments("waves", masked_runs)
    return None if moments is None else replace(moments, period_s=float(np.mean(periods)))


def _stall_masks(tps: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return seconds near the median, and stalled ones."""
    try:
        stalled = stalled_seconds(tps)
    except AnalysisError:  # half of the seconds have no transactions, so none is typical
        return np.zeros(len(tps), bool), np.zeros(len(tps), bool)
    middle = float(np.median(tps))
    return np.abs(tps - middle) <= _NEAR_MEDIAN * middle, stalled


def _wave_period_s(tps: FloatArray) -> float | None:
    wave = period(tps) if len(tps) >= SHORTEST_WAVE_S else None
    return wave.period_s if wave is not None and wave.is_wave else None


def _wave_masks(tps: FloatArray, period_s: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return seconds of the quarter of the period with most throughput, and of that with least."""
    phases = (np.arange(len(tps)) % period_s / period_s * _PHASES).astype(np.int64)
    means = np.array([tps[phases == phase].mean() if (phases == phase).any() else np.nan for phase in range(_PHASES)])
    order = np.argsort(np.where(np.isnan(means), np.nanmean(means), means))
    count = round(_QUARTER * _PHASES)
    return np.isin(phases, order[-count:]), np.isin(phases, order[:count])


Masked = tuple[RunSeconds, NDArray[np.bool_], NDArray[np.bool_]]


def _explain_moments(kind: MomentKind, runs: Sequence[Masked]) -> Moments | None:
    if not runs:
        return None
    cell = runs[0][0].run.cell
    seconds = int(sum(after.sum() for _, _, after in runs))
    names = SIDES[kind]
    side_times = [
        [times for run_seconds, before, _ in runs for times in _stretches(run_seconds, before, names[0])],
        [times for run_seconds, _, after in runs for times in _stretches(run_seconds, after, names[1])],
    ]
    reason = _missing_words(side_times, kind)
    if reason:
        return Moments(kind, cell, len(runs), seconds, None, reason)
    breakdowns = {times[0].run.cell: split for times, split in zip(side_times, _split_sides(side_times), strict=True)}
    left, right = breakdowns
    (gap,) = compare_breakdowns(breakdowns, [(left, right)])
    ranking = rank_causes(gap, breakdowns, Circumstances.of(side_times[0], side_times[1]))
    return Moments(
        kind, cell, len(runs), seconds, ranking, "" if ranking else "neither threads nor statements are stored"
    )


def _stretches(run_seconds: RunSeconds, mask: NDArray[np.bool_], name: str) -> list[RunTimes]:
    """Return up to three stretches of the chosen seconds of a run, as repeats of a cell that is called by its side."""
    masked_indices = np.flatnonzero(mask)
    cell = replace(run_seconds.run.cell, target=name)
    stretches = []
    for index, stretch in enumerate(np.array_split(masked_indices, min(_MOST_STRETCHES, len(masked_indices)) or 1)):
        seconds = np.zeros(len(mask), bool)
        seconds[stretch] = True
        number = run_seconds.run.repeat * _MOST_STRETCHES + index
        times = run_seconds.of(seconds)
        stretches.append(replace(times, run=replace(run_seconds.run, cell=cell, repeat=number)))
    return stretches


def _missing_words(sides: Sequence[Sequence[RunTimes]], kind: MomentKind) -> str:
    for name, side in zip(SIDES[kind], sides, strict=True):
        if any(not times.transactions for times in side):
            return f"nothing was committed in some {name}, so there is no time per transaction"
        if len(side) < 2:
            return f"only one stretch of {name}, so their spread is unknown"
    return ""


def _split_sides(side_times: Sequence[Sequence[RunTimes]]) -> list[tuple[Breakdown, ...]]:
    """Split both sides by their threads; by statement where a stretch of either has no such parts."""
    by_threads = [_breakdowns([split_by_threads(times) for times in side]) for side in side_times]
    if all(breakdown.parts for side in by_threads for breakdown in side):
        return by_threads
    return [_breakdowns([split_by_statement(times, {}) for times in side]) for side in side_times]


def _breakdowns(found: Sequence[Breakdown | None]) -> tuple[Breakdown, ...]:
    return tuple(breakdown for breakdown in found if breakdown is not None)


def _is_read(values: FloatArray) -> bool:
    return bool(len(values)) and not np.isnan(values).all()
