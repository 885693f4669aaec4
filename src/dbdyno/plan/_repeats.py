"""Adds repeats of the cells that are not known well enough: decides after each round, from what is stored by then.

A cell is sure enough when its level is known to what the study asks, or when it is told apart from every other target
at its place beyond any doubt. Both are asked after whole rounds only, from the second one on.

Asking again and again must not make differences of nothing, nor intervals too narrow. How many runs a cell gets is
decided by the spread of its first runs, and those alone give its spread in every judgement (`staged_levels`): the mean
of all runs does not depend on that, so intervals hold as often as they say. Stopping by a difference does favour one,
so it takes a p below 0.001 (the boundary of Haybittle and Peto): what is found at the end is tested as if asked once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.core import Cell, Run, RunRecord
from dbdyno.plan._order import rounds
from dbdyno.plan._parts import work_unit
from dbdyno.stats import MARGIN, LogLevel, compare, holm, staged_levels
from dbdyno.study import Study

EARLY_P = 0.001


@dataclass(frozen=True, slots=True)
class FurtherRound:
    """Describes a round beyond those that are made in any case.

    Parameters
    ----------
    runs : of the cells that are not sure enough, in order, with the round's sentinels; none when all are
    sure_count, cell_count : cells that are sure enough, and all
    """

    repeat: int
    runs: tuple[Run, ...]
    sure_count: int
    cell_count: int


def further_rounds(study: Study, planned: Sequence[Run], records: Sequence[RunRecord]) -> tuple[FurtherRound, ...]:
    """Return the rounds beyond `repeats` that the stored runs call for; the last one may not have been made yet.

    A round is asked for once all runs of those before it are stored, and from them alone: a study that is gone on with
    makes the same runs as one that was never interrupted.

    Parameters
    ----------
    planned : runs that are made in any case: of the study, or of a part of it, which repeats its own cells
    """
    if study.repeats_max is None:
        return ()
    stored_records = {record.run.run_id: record for record in records}
    units = {work_unit(run) for run in planned}
    needed_runs = list(planned)
    further: list[FurtherRound] = []
    for repeat, round_runs in enumerate(rounds(study, study.repeats_max)[study.repeats :], start=study.repeats + 1):
        runs = [run for run in round_runs if work_unit(run) in units]
        if any(run.run_id not in stored_records for run in needed_runs):
            break
        cells = {run.cell for run in runs if not run.is_sentinel}
        cells_to_repeat = unsure_cells(study, [stored_records[run.run_id] for run in needed_runs])
        further_runs = tuple(
            run for run in runs if run.cell in cells_to_repeat or (run.is_sentinel and cells_to_repeat)
        )
        further.append(FurtherRound(repeat, further_runs, len(cells) - len(cells_to_repeat), len(cells)))
        if not cells_to_repeat:
            break
        needed_runs += further_runs
    return tuple(further)


def unsure_cells(study: Study, records: Sequence[RunRecord]) -> frozenset[Cell]:
    """Return cells of which further runs are worth their time."""
    runs: dict[Cell, list[RunRecord]] = {record.run.cell: [] for record in records if not record.run.is_sentinel}
    for record in records:
        if record.status == "good" and record.is_settled and record.level_tps and not record.run.is_sentinel:
            runs[record.run.cell].append(record)
    records_by_cell = {cell: cell_records for cell, cell_records in runs.items() if cell_records}
    levels = _levels(records_by_cell)
    distinct_cells = _distinct_cells(levels, runs)
    return frozenset(
        cell
        for cell in runs
        if cell not in levels
        or (
            cell not in distinct_cells
            and max(levels[cell].half_width(), noise_share(records_by_cell[cell])) > study.level_target_half_width
        )
    )


def _levels(records_by_cell: Mapping[Cell, Sequence[RunRecord]]) -> dict[Cell, LogLevel]:
    """Estimate levels of cells with two runs or more: one shows nothing of its spread."""
    first_logs = [
        [_log_throughput(record) for record in cell_records if not record.run.is_further]
        for cell_records in records_by_cell.values()
    ]
    all_logs = [[_log_throughput(record) for record in cell_records] for cell_records in records_by_cell.values()]
    levels = staged_levels(first_logs, all_logs) if records_by_cell else []
    return {cell: level for cell, level in zip(records_by_cell, levels, strict=True) if level is not None}


def _log_throughput(record: RunRecord) -> float:
    return math.log(record.level_tps or 1.0)


def noise_share(runs: Sequence[RunRecord]) -> float:
    """Return noise half-width of the mean of a cell's runs, as a share."""
    return math.sqrt(sum(((run.level_half_width or 0.0) / (run.level_tps or 1.0)) ** 2 for run in runs)) / len(runs)


def _distinct_cells(levels: Mapping[Cell, LogLevel], cells: Iterable[Cell]) -> frozenset[Cell]:
    """Return cells that differ from all others at their place, by more than the margin and far beyond chance."""
    places: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        places.setdefault((cell.workload, cell.route, cell.tier_bytes, cell.concurrency), []).append(cell)
    distinct_cells: set[Cell] = set()
    for place_cells in places.values():
        if any(cell not in levels for cell in place_cells):
            continue
        pairs = list(itertools.combinations(place_cells, 2))
        differences = [compare(levels[left], levels[right]) for left, right in pairs]
        adjusted_p = holm([difference.p for difference in differences])
        doubtful_cells = {
            cell
            for pair, difference, p in zip(pairs, differences, adjusted_p, strict=True)
            for cell in pair
            if p >= EARLY_P or abs(difference.difference) < MARGIN
        }
        distinct_cells |= set(place_cells) - doubtful_cells if pairs else set()
    return frozenset(distinct_cells)
