"""Averages the throughput of targets over all concurrencies of a workload, route and memory size.

What moves a machine within minutes moves one place of a comparison and rarely all: the average over four concurrencies
decides what none of them decides alone. The average of a round is one figure, the geometric mean over concurrencies at
which every target has a level; averages are then judged and compared as cells are, by their spread between rounds. So
nothing is taken for independent that shares a start of the server. An average hides a crossing: the places tell it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from dbdyno.analyse._cells import CellJudgement, judge_cells
from dbdyno.analyse._pairs import compare_targets
from dbdyno.core import Comparison, RunRecord, TotalFigures

ALL_CONCURRENCIES = 0
"""The concurrency of a cell, a place or a comparison that stands for the average over all of them."""
_LEAST_ROUNDS = 2


def compare_averages(judgements: Sequence[CellJudgement]) -> list[Comparison]:
    """Comparisons of the targets' averages, panel by panel; none where fewer than two concurrencies can be averaged.

    Studies of a single round have none, as the spread between rounds is not known.
    """
    panels: dict[tuple[str, str, int], list[CellJudgement]] = {}
    for judgement in judgements:
        if judgement.decides:
            panels.setdefault(judgement.place[:3], []).append(judgement)
    records = [record for group in panels.values() for record in _average_records(group)]
    return compare_targets(judge_cells(records))


def _average_records(panel: Sequence[CellJudgement]) -> Iterator[RunRecord]:
    """Yield a record for each target and round, whose throughput is the average over concurrencies."""
    cells = {(judgement.cell.target, judgement.cell.concurrency): judgement for judgement in panel}
    targets = dict.fromkeys(target for target, _ in cells)
    concurrencies = dict.fromkeys(concurrency for _, concurrency in cells)
    shared = [concurrency for concurrency in concurrencies if all((target, concurrency) in cells for target in targets)]
    if len(shared) < 2:
        return
    for target in targets:
        averages = list(_average_rounds([cells[target, concurrency] for concurrency in shared]))
        yield from averages if len(averages) >= _LEAST_ROUNDS else ()


def _average_rounds(group: Sequence[CellJudgement]) -> Iterator[RunRecord]:
    """Yield the average of each round of a target that has a run at every concurrency.

    Runs that were added because a cell's spread was large are left out: their cells would have the more weight.
    """
    rounds: dict[tuple[int, str], list[RunRecord]] = {}
    for run in (run for judgement in group for run in judgement.judged if not run.run.is_further and run.level_tps):
        rounds.setdefault((run.run.repeat, run.bench), []).append(run)
    return (_average(runs) for _, runs in sorted(rounds.items()) if len(runs) == len(group))


def _average(runs: Sequence[RunRecord]) -> RunRecord:
    first = runs[0]
    levels = [run.level_tps or 1.0 for run in runs]
    mean = math.exp(sum(map(math.log, levels)) / len(levels))
    noise = _root_of_squares((run.level_half_width or 0.0) / level for run, level in zip(runs, levels, strict=True))
    figures = TotalFigures(
        window_s=sum(run.figures.window_s for run in runs),
        tps_mean=mean,
        tps_half_width=mean * noise / len(runs),
    )
    cell = replace(first.run.cell, concurrency=ALL_CONCURRENCIES)
    return replace(first, run=replace(first.run, cell=cell), figures=figures, settled=None)


def _root_of_squares(values: Iterable[float]) -> float:
    return math.sqrt(sum(value * value for value in values))
