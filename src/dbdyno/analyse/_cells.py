"""Answers how much work each cell does, and how sure that is.

A cell's level is the mean of its runs' levels on the scale ln(TPS); the level of a run is that of its settled part. Its
interval comes from the spread between its repeats, moderated by that of the other cells, and is never narrower than
what the seconds inside its windows allow. The spread of a cell that was run once is not known: it is borrowed from the
cells of the study that were repeated and from its sentinel, or else assumed, and what rests on it says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dbdyno.analyse._sentinel import sentinel_spread
from dbdyno.analyse._settled import settled_runs
from dbdyno.core import Cell, RunRecord
from dbdyno.stats import (
    LEAST_SHARED_DF,
    LogLevel,
    assumed_spread_of_one,
    borrowed_level,
    bounded_exp,
    moderated_spread,
    pooled_spread,
    repeated_level,
    single_run_level,
    staged_levels,
)

IntervalKind = Literal["repeats, moderated", "repeats", "one run, borrowed spread", "one run, assumed spread"]
Spread = tuple[float, float]
"""A standard deviation between repeats on the scale ln(TPS), and its degrees of freedom."""
_WIDEST = math.log(2)
"""Half-width on the log scale from which on an interval says nothing: half to twice the level, or wider."""


@dataclass(frozen=True, slots=True)
class CellJudgement:
    """Holds the judgement of one cell: its throughput and how far to trust it.

    Parameters
    ----------
    runs : all runs of the cell, good or not
    judged : the good runs behind the numbers, those that have not settled left out; these where most have not; the
        suspect ones when there are no good ones
    trusted : whether the judged runs are good
    is_settled : whether the judged runs have a level that lasts, as far as that can be judged
    tps_mean : geometric mean of the levels of the judged runs; None when there is none
    tps_low, tps_high : 95 % interval, noise and spread
    noise_half_width : TPS, of the pooled windows alone
    level : the same on the log scale
    interval_kind : where the spread comes from
    assumed_spread : between repeats, on the log scale, where it is assumed; None where it was seen
    """

    cell: Cell
    runs: tuple[RunRecord, ...]
    judged: tuple[RunRecord, ...]
    trusted: bool
    tps_mean: float | None = None
    tps_low: float | None = None
    tps_high: float | None = None
    noise_half_width: float | None = None
    level: LogLevel | None = None
    interval_kind: IntervalKind | None = None
    is_settled: bool = True
    assumed_spread: float | None = None

    @property
    def place(self) -> tuple[str, str, int, int]:
        """Return workload, route, tier and concurrency: where targets are compared."""
        return (self.cell.workload, self.cell.route, self.cell.tier_bytes, self.cell.concurrency)

    @property
    def decides(self) -> bool:
        """Return whether findings may rest on the cell: good runs with a level that lasts."""
        return self.trusted and self.is_settled and self.level is not None

    @property
    def unsettled(self) -> tuple[RunRecord, ...]:
        """Return its good runs that have no level that lasts, whether they are judged or left out."""
        return tuple(run for run in self.runs if run.status == "good" and run.figures.tps_mean and not run.is_settled)

    @property
    def is_vague(self) -> bool:
        """Return whether its interval is so wide that it says nothing: its runs disagree, or one run is all noise."""
        return self.level is not None and is_vague_level(self.level)


def is_vague_level(level: LogLevel) -> bool:
    """Return whether the interval of a level says nothing."""
    return level.half_width() > _WIDEST


def judge_cells(records: Sequence[RunRecord]) -> list[CellJudgement]:
    """Return every cell of the records, in the order in which they first appear."""
    groups = [_choose_judged_runs(cell, runs) for cell, runs in _records_by_cell(records).items()]
    spread = sentinel_spread(records)
    levels = levels_of([group for group in groups if group.judged], [spread] if spread else [])
    return [_with_level(group, levels[group.cell]) if group.cell in levels else group for group in groups]


@dataclass(frozen=True, slots=True)
class CellLevel:
    """Holds a level, where its spread comes from, and that spread if it is assumed."""

    level: LogLevel
    kind: IntervalKind
    assumed_spread: float | None = None


def levels_of(groups: Sequence[CellJudgement], others: Sequence[Spread] = ()) -> dict[Cell, CellLevel]:
    """Return levels of judged cells, by cell; each with the spread that its fellows leave it.

    Cells on which nothing may rest have a level, too, and no say in the spread of the others.

    Parameters
    ----------
    others : spreads that are also known, such as a sentinel's
    """
    group_levels = zip(groups, levels_in_order(groups, others), strict=True)
    return {group.cell: level for group, level in group_levels}


def levels_in_order(groups: Sequence[CellJudgement], others: Sequence[Spread] = ()) -> list[CellLevel]:
    """Return the same in the order of the groups, among which a cell may be twice."""
    levels: dict[int, CellLevel] = {}
    for is_firm in (True, False):
        indexed_groups = [
            (index, group) for index, group in enumerate(groups) if (group.trusted and group.is_settled) == is_firm
        ]
        cell_levels = _cell_levels([group for _, group in indexed_groups], others)
        levels |= {index: level for (index, _), level in zip(indexed_groups, cell_levels, strict=True)}
    return [levels[index] for index in range(len(groups))]


def logs_of(group: CellJudgement) -> list[float]:
    """Return ln(TPS) of each judged run."""
    return [math.log(run.level_tps) for run in group.judged if run.level_tps]


def noise_se(runs: Sequence[RunRecord]) -> float:
    """Return the standard error of the runs' mean ln(TPS) that the seconds inside their windows alone give."""
    noises = [(run.level_half_width or 0.0) / run.level_tps / 1.96 for run in runs if run.level_tps]
    return math.hypot(*noises) / len(noises) if noises else 0.0


def _with_noise(level: LogLevel, group: CellJudgement) -> LogLevel:
    return replace(level, noise_se=noise_se(group.judged))


def _cell_levels(groups: Sequence[CellJudgement], others: Sequence[Spread]) -> list[CellLevel]:
    logs = [logs_of(group) for group in groups]
    if any(run.run.is_further for group in groups for run in group.judged):
        return _staged_cell_levels(groups, others)
    spread = moderated_spread(logs)
    is_plain = math.isnan(spread.prior_sd)
    pooled = pooled_spread(logs, others)
    levels = []
    for group, run_logs, sd, df in zip(groups, logs, spread.sd, spread.df, strict=True):
        if len(run_logs) > 1:
            level = _with_noise(repeated_level(run_logs, sd, df), group)
            levels.append(CellLevel(level, "repeats" if is_plain else "repeats, moderated"))
        else:
            levels.append(
                _single_run_cell_level(group.judged[0], pooled if is_plain else (sd, df), is_moderated=not is_plain)
            )
    return levels


def _staged_cell_levels(groups: Sequence[CellJudgement], others: Sequence[Spread]) -> list[CellLevel]:
    """Return levels where some cells were repeated further because of their spread: see `staged_levels`."""
    first_logs = [
        [math.log(run.level_tps) for run in group.judged if run.level_tps and not run.run.is_further]
        for group in groups
    ]
    all_logs = [logs_of(group) for group in groups]
    spread = moderated_spread([run_logs or [0.0] for run_logs in first_logs])
    is_plain = math.isnan(spread.prior_sd)
    pooled = pooled_spread([run_logs for run_logs in first_logs if run_logs], others)
    kind: IntervalKind = "repeats" if is_plain else "repeats, moderated"
    levels = []
    for group, level, sd, df in zip(groups, staged_levels(first_logs, all_logs), spread.sd, spread.df, strict=True):
        cell_spread = pooled if is_plain else (sd, df)
        levels.append(
            CellLevel(_with_noise(level, group), kind)
            if level
            else _single_run_cell_level(group.judged[0], cell_spread, is_moderated=not is_plain)
        )
    return levels


def _single_run_cell_level(run: RunRecord, study_spread: Spread, *, is_moderated: bool) -> CellLevel:
    """Return the level of a cell that was run once; `study_spread` is what the study shows elsewhere."""
    mean, half = run.level_tps or 0.0, run.level_half_width or 0.0
    spread, df = study_spread
    if is_moderated or df >= LEAST_SHARED_DF:
        return CellLevel(borrowed_level(mean, half, spread, df), "one run, borrowed spread")
    assumed_spread = assumed_spread_of_one(spread if df else 0.0)
    return CellLevel(single_run_level(mean, half, assumed_spread), "one run, assumed spread", assumed_spread)


def _records_by_cell(records: Iterable[RunRecord]) -> dict[Cell, list[RunRecord]]:
    cells: dict[Cell, list[RunRecord]] = {}
    for record in records:
        if not record.run.is_sentinel:
            cells.setdefault(record.run.cell, []).append(record)
    return cells


def _choose_judged_runs(cell: Cell, runs: Sequence[RunRecord]) -> CellJudgement:
    good_runs = tuple(run for run in runs if run.status == "good" and run.figures.tps_mean)
    suspect_runs = tuple(run for run in runs if run.status == "suspect" and run.figures.tps_mean)
    runs_with_level = settled_runs(good_runs)
    judged_runs = runs_with_level or good_runs or suspect_runs
    ordered_runs = tuple(sorted(runs, key=lambda record: record.run.repeat))
    is_settled = bool(runs_with_level) or (not good_runs and all(run.is_settled for run in suspect_runs))
    return CellJudgement(cell, ordered_runs, judged_runs, trusted=bool(good_runs), is_settled=is_settled)


def _with_level(group: CellJudgement, cell_level: CellLevel) -> CellJudgement:
    level = cell_level.level
    mean, half = math.exp(level.mean), level.half_width()
    noise = math.sqrt(sum((run.level_half_width or 0.0) ** 2 for run in group.judged)) / len(group.judged)
    low, high = math.exp(level.mean - half), bounded_exp(level.mean + half)
    return replace(
        group,
        tps_mean=mean,
        tps_low=max(0.0, min(low, mean - noise)),
        tps_high=max(high, mean + noise),
        noise_half_width=noise,
        level=level,
        interval_kind=cell_level.kind,
        assumed_spread=cell_level.assumed_spread,
    )
