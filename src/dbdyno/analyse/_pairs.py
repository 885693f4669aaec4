"""The question: which of two targets does more, at the same place.

Every pair of targets is compared at every place (workload, route, tier, concurrency) where both have a trusted
level. The p-values of one place are adjusted together (Holm), because they are read together.

Runs of the same round are compared in pairs from four rounds on, for what moved the machine moved both. The spread of
four differences is hardly known; how far the same two targets' differences spread at other places tells more, so it is
moderated over them as the spread of cells is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from dbdyno.analyse._cells import CellJudgement
from dbdyno.core import Cell, Comparison
from dbdyno.stats import (
    LogDifference,
    compare,
    compare_pairs,
    holm,
    moderated_spread,
    rank_intervals,
    repeats_to_decide,
    verdict_of,
)

Pair = tuple[CellJudgement, CellJudgement]
Place = tuple[str, str, int, int]
PAIRED_FROM = 4


def compare_targets(judgements: Sequence[CellJudgement]) -> list[Comparison]:
    """All comparisons, place by place in the order of the judgements; `left` is the one that comes first there."""
    places = by_place(judgements)
    differences = _differences([pair for group in places.values() for pair in itertools.combinations(group, 2)])
    return [found for group in places.values() for found in _compare_place(group, differences)]


def rank_places(
    judgements: Sequence[CellJudgement], comparisons: Sequence[Comparison]
) -> dict[Place, dict[str, tuple[int, int]]]:
    """Per place the places that each target may hold; targets that can't be told apart overlap."""
    wins: dict[Place, dict[tuple[str, str], bool]] = {}
    for pair in comparisons:
        better, worse = (pair.left, pair.right) if pair.ratio > 1 else (pair.right, pair.left)
        wins.setdefault(place_of(pair), {})[better, worse] = pair.p_adjusted < 0.05
    return {
        place: rank_intervals([group.cell.target for group in groups], wins.get(place, {}))
        for place, groups in by_place(judgements).items()
    }


def by_place(judgements: Sequence[CellJudgement]) -> dict[Place, list[CellJudgement]]:
    """Cells with a trusted level, grouped by where they can be compared."""
    places: dict[Place, list[CellJudgement]] = {}
    for judgement in judgements:
        if judgement.trusted and judgement.level is not None:
            places.setdefault(judgement.place, []).append(judgement)
    return places


def place_of(pair: Comparison) -> Place:
    """Where two targets were compared."""
    return (pair.workload, pair.route, pair.tier_bytes, pair.concurrency)


def _compare_place(
    group: Sequence[CellJudgement], differences: Mapping[tuple[Cell, Cell], LogDifference]
) -> list[Comparison]:
    pairs = list(itertools.combinations(group, 2))
    found = [differences[left.cell, right.cell] for left, right in pairs]
    adjusted = holm([difference.p for difference in found])
    return [
        _comparison(left, right, difference, p, len(pairs))
        for (left, right), difference, p in zip(pairs, found, adjusted, strict=True)
    ]


def _differences(pairs: Sequence[Pair]) -> dict[tuple[Cell, Cell], LogDifference]:
    """Each pair's difference: of paired runs where there are enough, else of the two levels."""
    by_targets: dict[tuple[str, str], list[Pair]] = {}
    for left, right in pairs:
        by_targets.setdefault((left.cell.target, right.cell.target), []).append((left, right))
    paired = {cells: found for members in by_targets.values() for cells, found in _paired(members).items()}
    return {
        (left.cell, right.cell): paired.get((left.cell, right.cell)) or _of_levels(left, right) for left, right in pairs
    }


def _paired(pairs: Sequence[Pair]) -> dict[tuple[Cell, Cell], LogDifference]:
    """Differences of two targets by their paired runs, at the places with enough of them.

    Only places of the same two targets are taken together: they share no run, so their spreads are independent.
    """
    logs = {(left.cell, right.cell): _log_ratios(left, right) for left, right in pairs}
    enough = {cells: found for cells, found in logs.items() if len(found) >= PAIRED_FROM}
    spread = moderated_spread(list(enough.values()))
    rows = zip(enough.items(), spread.sd, spread.df, strict=True)
    return {cells: compare_pairs(found, sd, df) for (cells, found), sd, df in rows if sd > 0}


def _log_ratios(left: CellJudgement, right: CellJudgement) -> list[float]:
    """ln(left / right) of each round in which both were run."""
    mine = {run.run.repeat: run.tps_mean for run in left.judged}
    theirs = {run.run.repeat: run.tps_mean for run in right.judged}
    shared = sorted(mine.keys() & theirs.keys())
    return [math.log(mine[repeat] or 1.0) - math.log(theirs[repeat] or 1.0) for repeat in shared]


def _of_levels(left: CellJudgement, right: CellJudgement) -> LogDifference:
    if left.level is None or right.level is None:
        raise ValueError("only cells with a level are compared")
    return compare(left.level, right.level)


def _comparison(
    left: CellJudgement, right: CellJudgement, difference: LogDifference, p_adjusted: float, family: int
) -> Comparison:
    verdict = verdict_of(difference, p_adjusted)
    low, high = difference.interval()
    needed = repeats_to_decide(difference.difference, difference.sd, 0.05 / family) if verdict == "undecided" else None
    runs = max(len(left.judged), len(right.judged))
    return Comparison(
        left=left.cell.target,
        right=right.cell.target,
        workload=left.cell.workload,
        tier_bytes=left.cell.tier_bytes,
        concurrency=left.cell.concurrency,
        route=left.cell.route,
        ratio=difference.ratio,
        low=low,
        high=high,
        p_adjusted=p_adjusted,
        verdict=verdict,
        repeats_needed=None if needed is None else max(needed, runs + 1),
    )
