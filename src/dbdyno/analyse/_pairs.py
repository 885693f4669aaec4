"""Answers which of two targets is faster at the same place.

Every pair of targets is compared at every place (workload, route, tier, concurrency) where both have a trusted
level. The p-values of one place are adjusted together (Holm), because they are read together. A pair of which a cell
has not settled is not tested: its verdict is ``not settled``, whatever its numbers.

Runs of the same round are compared in pairs from four rounds on, for what moved the machine moved both. The spread of
four differences is hardly known; how far the same two targets' differences spread at other places tells more, so it is
moderated over them as the spread of cells is. Where the rounds of a cell come from several benches, pairs begin at two
rounds: the spread of its levels is mostly that of the benches, which both runs of a pair share.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._settled import remedy_words
from dbdyno.core import Cell, Comparison
from dbdyno.stats import (
    LogDifference,
    compare,
    compare_pairs,
    holm,
    moderated_spread,
    rank_intervals,
    repeats_to_decide,
    spread_to_stand,
    verdict_of,
)

Pair = tuple[CellJudgement, CellJudgement]
Place = tuple[str, str, int, int]
PAIRED_FROM = 4
PAIRED_FROM_ACROSS_BENCHES = 2


def compare_targets(judgements: Sequence[CellJudgement]) -> list[Comparison]:
    """All comparisons, place by place in the order of the judgements; `left` is the one that comes first there."""
    places = by_place(judgements)
    differences = _differences([pair for group in places.values() for pair in itertools.combinations(group, 2)])
    return [found for group in places.values() for found in _compare_place(group, differences)]


def rank_places(
    judgements: Sequence[CellJudgement], comparisons: Sequence[Comparison]
) -> dict[Place, dict[str, tuple[int, int]]]:
    """Per place the places that each target may hold; targets that can't be told apart overlap.

    A target whose level has not settled may hold any of them.
    """
    wins: dict[Place, dict[tuple[str, str], bool]] = {}
    for pair in comparisons:
        better, worse = (pair.left, pair.right) if pair.ratio > 1 else (pair.right, pair.left)
        wins.setdefault(place_of(pair), {})[better, worse] = pair.is_significant
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
    """Return where two targets were compared."""
    return (pair.workload, pair.route, pair.tier_bytes, pair.concurrency)


def pair_at(place: Place, better: str, other: str, comparisons: Sequence[Comparison]) -> Comparison | None:
    """The comparison of two targets at a place, turned so that `better` is on the left."""
    for pair in comparisons:
        if place_of(pair) == place and {pair.left, pair.right} == {better, other}:
            return pair if pair.left == better else turned(pair)
    return None


def turned(pair: Comparison) -> Comparison:
    """The same comparison seen from the other side.

    >>> pair = Comparison("a", "b", "w", 1, 1, "socket", 2.0, 1.6, 2.5, 0.01, "different")
    >>> turned(pair).left, turned(pair).ratio, turned(pair).low, turned(pair).high
    ('b', 0.5, 0.4, 0.625)
    """
    low = 1 / pair.high
    high = 1 / pair.low if pair.low > 0 else float("inf")
    return replace(pair, left=pair.right, right=pair.left, ratio=1 / pair.ratio, low=low, high=high)


def _compare_place(
    group: Sequence[CellJudgement], differences: Mapping[tuple[Cell, Cell], LogDifference]
) -> list[Comparison]:
    pairs = list(itertools.combinations(group, 2))
    tested = [pair for pair in pairs if all(side.decides for side in pair)]
    adjusted = holm([differences[left.cell, right.cell].p for left, right in tested])
    known = {(left.cell, right.cell): p for (left, right), p in zip(tested, adjusted, strict=True)}
    return [
        _comparison((left, right), differences[left.cell, right.cell], known.get((left.cell, right.cell)), len(tested))
        for left, right in pairs
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
    least = {
        (left.cell, right.cell): PAIRED_FROM_ACROSS_BENCHES if _are_across_benches(left, right) else PAIRED_FROM
        for left, right in pairs
    }
    enough = {cells: found for cells, found in logs.items() if len(found) >= least[cells]}
    spread = moderated_spread(list(enough.values()))
    rows = zip(enough.items(), spread.sd, spread.df, strict=True)
    return {cells: compare_pairs(found, sd, df) for (cells, found), sd, df in rows if sd > 0}


def _log_ratios(left: CellJudgement, right: CellJudgement) -> list[float]:
    """ln(left / right) of each round in which one bench ran both; none of cells that were repeated for their spread.

    The spread of such pairs would be that of runs which are there because of it, so these cells are compared by their
    levels.
    """
    if any(run.run.is_further for run in (*left.judged, *right.judged)):
        return []
    mine = {(run.run.repeat, run.bench): run.level_tps for run in left.judged}
    theirs = {(run.run.repeat, run.bench): run.level_tps for run in right.judged}
    shared = sorted(mine.keys() & theirs.keys())
    return [math.log(mine[key] or 1.0) - math.log(theirs[key] or 1.0) for key in shared]


def _are_across_benches(left: CellJudgement, right: CellJudgement) -> bool:
    return len({run.bench for run in (*left.judged, *right.judged)}) > 1


def _of_levels(left: CellJudgement, right: CellJudgement) -> LogDifference:
    if left.level is None or right.level is None:
        raise ValueError("only cells that settled are compared")
    return compare(left.level, right.level)


def _comparison(pair: Pair, difference: LogDifference, p_adjusted: float | None, family: int) -> Comparison:
    """The pair's comparison; without a p-value it was not tested, as one of the two has not settled."""
    left, right = pair
    verdict = "not settled" if p_adjusted is None else verdict_of(difference, p_adjusted)
    low, high = difference.interval()
    needed = repeats_to_decide(difference.difference, difference.sd, 0.05 / family) if verdict == "undecided" else None
    runs = max(len(left.judged), len(right.judged))
    assumed = assumed_of(pair)
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
        p_adjusted=p_adjusted if assumed is None else None,
        verdict=verdict,
        repeats_needed=None if needed is None else max(needed, runs + 1),
        is_significant=p_adjusted is not None and p_adjusted < 0.05,
        assumed_spread=assumed,
        stands_to=_stands_to(pair, family) if assumed is not None and p_adjusted is not None else None,
        remedy=remedy_words([run for side in pair if not side.is_settled for run in side.unsettled]),
    )


def _stands_to(pair: Pair, family: int) -> float | None:
    """Up to which spread between repeats the two would still differ; nothing where they do not."""
    left, right = pair
    if left.level is None or right.level is None:
        return None
    found = spread_to_stand(left.level, right.level, (left.assumed_spread, right.assumed_spread), 0.05 / family)
    return found or None


def assumed_of(pair: Pair) -> float | None:
    """The spread between repeats that a comparison of two cells rests on, where it is assumed for either."""
    return max((side.assumed_spread for side in pair if side.assumed_spread is not None), default=None)
