"""Averages the throughput of targets over all concurrencies of a workload, route and memory size.

What moves a machine within minutes moves one place of a comparison and rarely all: the average over four concurrencies
decides what none of them decides alone. The average of a round is one figure, the geometric mean over concurrencies at
which every target has a level; averages are then judged and compared as cells are, by their spread between rounds. So
nothing is taken for independent that shares a start of the server. Two or three rounds of few averages show their
spread hardly (from four rounds on, differences are taken within rounds); that of the averaged cells is known better,
and an average spreads no more than its cells do on average.
An average hides a crossing; the places show it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from dbdyno.analyse._cells import CellJudgement, judge_cells
from dbdyno.analyse._pairs import ALL_CONCURRENCIES, Panel, Place, compare_targets, place_of, turned
from dbdyno.analyse._phrases import listed, listed_or_counted
from dbdyno.analyse._places import panel_namer, place_namer
from dbdyno.analyse._standing import are_all_slower, standing_words
from dbdyno.core import Comparison, RunRecord, TotalFigures, target_title, verb_for

_LEAST_ROUNDS = 2
_TWO = 2


def compare_averages(judgements: Sequence[CellJudgement]) -> list[Comparison]:
    """Return comparisons of the targets' averages, panel by panel; none with fewer than two concurrencies to average.

    Studies of a single round have none, as the spread between rounds is not known.
    """
    panels = _by_panel(judgements)
    averages = judge_cells([record for group in panels.values() for record in _average_records(group)])
    return compare_targets([_with_spread_of_cells(average, panels[average.place[:3]]) for average in averages])


def _with_spread_of_cells(average: CellJudgement, panel: Sequence[CellJudgement]) -> CellJudgement:
    """Return an average whose own spread is hardly known with the most that it can be: the mean of its cells' spreads.

    However much the cells of a round share, a mean spreads no more than that. What they share says the same about the
    spread several times, so it counts once.
    """
    level, shared = average.level, _shared_concurrencies(panel)
    cells = [one for one in panel if one.cell.target == average.cell.target and one.cell.concurrency in shared]
    cell_levels = [cell.level for cell in cells if cell.level and cell.interval_kind == "repeats, moderated"]
    if level is None or average.interval_kind != "repeats" or len(cell_levels) < len(cells):
        return average
    sd = sum(cell_level.sd for cell_level in cell_levels) / len(cells)
    df = max(min(cell_level.df for cell_level in cell_levels) / len(cells), level.df)
    return replace(average, level=replace(level, sd=sd, se=sd / math.sqrt(level.repeats), df=df))


def average_namer(judgements: Sequence[CellJudgement], places: Sequence[Place]) -> Callable[[Place], str]:
    """Return `place_namer` of these places; an average says over how many concurrencies, which it leaves out and why.

    Parameters
    ----------
    judgements : those that the averages are made of
    """
    name, panel_name, panels = place_namer(places), panel_namer(places), _by_panel(judgements)

    def name_with_left_out(place: Place) -> str:
        panel = panels.get(place[:3], [])
        concurrencies = {judgement.cell.concurrency for judgement in panel}
        shared = _shared_concurrencies(panel)
        if place[3] != ALL_CONCURRENCIES or not shared:
            return name(place)
        left_out = sorted(concurrencies.difference(shared))
        words = f"{panel_name(place)}, on average over"
        if not left_out:
            return f"{words} {len(shared)} numbers of connections ({min(shared):,} to {max(shared):,})"
        left_out_words = f"{listed([f'{n:,}' for n in left_out])} left out: {_unsettled_words(panel, left_out)} there"
        return f"{words} {len(shared)} of {len(concurrencies)} numbers of connections ({left_out_words})"

    return name_with_left_out


def average_sentences(
    averages: Sequence[Comparison], named_places: Sequence[Place], namer: Callable[[Place], str]
) -> dict[Panel, str]:
    """Return who is fastest on average in the panels of these places; empty for two targets: the places show it.

    Parameters
    ----------
    namer : names a place
    """
    if len({pair.left for pair in averages} | {pair.right for pair in averages}) <= _TWO:
        return {}
    pairs_by_panel = averages_by_panel(averages)
    panels = dict.fromkeys(place[:3] for place in named_places if place[:3] in pairs_by_panel)
    return {panel: _average_words(pairs_by_panel[panel], namer((*panel, ALL_CONCURRENCIES))) for panel in panels}


def averages_by_panel(averages: Sequence[Comparison]) -> dict[Panel, list[Comparison]]:
    """Return comparisons of averages by the panel that they are of."""
    pairs_by_panel: dict[Panel, list[Comparison]] = {}
    for pair in averages:
        pairs_by_panel.setdefault(place_of(pair)[:3], []).append(pair)
    return pairs_by_panel


def _average_words(pairs: Sequence[Comparison], where: str) -> str:
    """Return which target of a panel is fastest, and how the others stand to it."""
    both_ways = [side for pair in pairs for side in (pair, turned(pair))]
    leads = Counter(side.left for side in both_ways if side.ratio > 1)
    best = max(dict.fromkeys(side.left for side in both_ways), key=leads.__getitem__)
    rivals = sorted((side for side in both_ways if side.left == best), key=lambda side: side.ratio)
    words = standing_words(rivals)
    if are_all_slower(rivals):
        words.insert(0, f"{target_title(best)} is fastest")
    return f"With {where}: {'; '.join(words)}."


def _by_panel(judgements: Iterable[CellJudgement]) -> dict[Panel, list[CellJudgement]]:
    """Return cells of the targets that have a level that lasts in a panel, whether the cell itself has one or not."""
    panels: dict[Panel, list[CellJudgement]] = {}
    for judgement in judgements:
        panels.setdefault(judgement.place[:3], []).append(judgement)
    deciding = {
        panel: {judgement.cell.target for judgement in group if judgement.decides} for panel, group in panels.items()
    }
    return {
        panel: [judgement for judgement in group if judgement.cell.target in deciding[panel]]
        for panel, group in panels.items()
    }


def _shared_concurrencies(panel: Sequence[CellJudgement]) -> list[int]:
    """Return the concurrencies at which every target of a panel has a level that lasts."""
    targets = {judgement.cell.target for judgement in panel}
    counts = Counter(judgement.cell.concurrency for judgement in panel if judgement.decides)
    return [concurrency for concurrency, count in counts.items() if count == len(targets)]


def _unsettled_words(panel: Sequence[CellJudgement], concurrencies: Sequence[int]) -> str:
    """Return which targets lack a level that lasts at some of these concurrencies."""
    cells = {(judgement.cell.target, judgement.cell.concurrency) for judgement in panel if judgement.decides}
    targets = [
        target
        for target in dict.fromkeys(judgement.cell.target for judgement in panel)
        if any((target, concurrency) not in cells for concurrency in concurrencies)
    ]
    names = listed_or_counted([target_title(target) for target in targets], "target")
    return f"{names} {verb_for(len(targets), 'has', 'have')} no settled level"


def _average_records(panel: Sequence[CellJudgement]) -> Iterator[RunRecord]:
    """Yield a record for each target and round, whose throughput is the average over concurrencies."""
    shared = _shared_concurrencies(panel)
    if len(shared) < 2:
        return
    cells = {(judgement.cell.target, judgement.cell.concurrency): judgement for judgement in panel if judgement.decides}
    targets = dict.fromkeys(target for target, _ in cells)
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
