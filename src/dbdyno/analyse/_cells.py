"""The question: how much work does each cell do, and how sure is that.

A cell's level is the mean of its runs on the scale ln(TPS). Its interval comes from the spread between its repeats,
moderated by that of the other cells, and is never narrower than what the seconds inside its windows allow. A cell
that was run once says so and gets an assumed (or, among repeated cells, a borrowed) spread.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from dbdyno.core import Cell, RunRecord
from dbdyno.stats import LogLevel, bounded_exp, moderated_spread, repeated_level, single_run_level

IntervalKind = Literal["repeats, moderated", "repeats", "one run, borrowed spread", "one run, assumed spread"]


@dataclass(frozen=True, slots=True)
class CellJudgement:
    """One cell: its throughput and how far to trust it.

    Parameters
    ----------
    runs : all runs of the cell, whatever became of them
    judged : the good runs, behind the numbers; the suspect ones when there are no good ones
    trusted : whether the judged runs are good: only then does a finding rest on the cell
    tps_mean : geometric mean of the judged runs; None when there is none
    tps_low, tps_high : 95 % interval, noise and spread
    noise_half_width : TPS, of the pooled windows alone
    level : the same on the log scale
    interval_kind : where the spread comes from
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

    @property
    def place(self) -> tuple[str, str, int, int]:
        """Workload, route, tier and concurrency: where targets are compared."""
        return (self.cell.workload, self.cell.route, self.cell.tier_bytes, self.cell.concurrency)


def judge_cells(records: Sequence[RunRecord]) -> list[CellJudgement]:
    """Every cell of the records, in the order in which they first appear."""
    groups = [_chosen(cell, runs) for cell, runs in _by_cell(records).items()]
    with_level = [group for group in groups if group.judged]
    spread = moderated_spread([logs_of(group) for group in with_level])
    found = zip(with_level, spread.sd, spread.df, strict=True)
    levels = {group.cell: level_of(group, sd, df, plain=math.isnan(spread.prior_sd)) for group, sd, df in found}
    return [_with_level(group, *levels[group.cell]) if group.cell in levels else group for group in groups]


def level_of(group: CellJudgement, sd: float, df: float, *, plain: bool) -> tuple[LogLevel, IntervalKind]:
    """Level of a judged cell with the spread that its fellows leave it, and where that spread comes from.

    Parameters
    ----------
    sd, df : of the cell, as `dbdyno.stats.moderated_spread` gives them
    plain : whether too few cells were repeated to moderate anything
    """
    logs = logs_of(group)
    if len(logs) > 1:
        return repeated_level(logs, sd, df), "repeats" if plain else "repeats, moderated"
    run = group.judged[0]
    assumed = single_run_level(run.tps_mean or 0.0, run.tps_half_width or 0.0)
    if math.isnan(sd):
        return assumed, "one run, assumed spread"
    return repeated_level(logs, max(sd, assumed.sd), max(df, 1.0)), "one run, borrowed spread"


def logs_of(group: CellJudgement) -> list[float]:
    """ln(TPS) of each judged run."""
    return [math.log(run.tps_mean) for run in group.judged if run.tps_mean]


def _by_cell(records: Iterable[RunRecord]) -> dict[Cell, list[RunRecord]]:
    cells: dict[Cell, list[RunRecord]] = {}
    for record in records:
        if not record.run.is_sentinel:
            cells.setdefault(record.run.cell, []).append(record)
    return cells


def _chosen(cell: Cell, runs: Sequence[RunRecord]) -> CellJudgement:
    good = tuple(run for run in runs if run.status == "good" and run.tps_mean)
    suspect = tuple(run for run in runs if run.status == "suspect" and run.tps_mean)
    ordered = tuple(sorted(runs, key=lambda record: record.run.repeat))
    return CellJudgement(cell, ordered, good or suspect, trusted=bool(good))


def _with_level(group: CellJudgement, level: LogLevel, kind: IntervalKind) -> CellJudgement:
    mean, half = math.exp(level.mean), level.half_width()
    noise = math.sqrt(sum((run.tps_half_width or 0.0) ** 2 for run in group.judged)) / len(group.judged)
    low, high = math.exp(level.mean - half), bounded_exp(level.mean + half)
    return CellJudgement(
        group.cell,
        group.runs,
        group.judged,
        group.trusted,
        tps_mean=mean,
        tps_low=max(0.0, min(low, mean - noise)),
        tps_high=max(high, mean + noise),
        noise_half_width=noise,
        level=level,
        interval_kind=kind,
    )
