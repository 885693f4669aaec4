"""The question: which of two targets does more, at the same place.

Every pair of targets is compared at every place (workload, route, tier, concurrency) where both have a trusted
level. The p-values of one place are adjusted together (Holm), because they are read together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from dbdyno.analyse._cells import CellJudgement
from dbdyno.core import Comparison
from dbdyno.stats import LogDifference, compare, holm, rank_intervals, repeats_to_decide, verdict_of

Place = tuple[str, str, int, int]


def compare_targets(judgements: Sequence[CellJudgement]) -> list[Comparison]:
    """All comparisons, place by place in the order of the judgements; `left` is the one that comes first there."""
    return [found for group in by_place(judgements).values() for found in _compare_place(group)]


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


def _compare_place(group: Sequence[CellJudgement]) -> list[Comparison]:
    pairs = list(itertools.combinations(group, 2))
    differences = [_difference(left, right) for left, right in pairs]
    adjusted = holm([difference.p for difference in differences])
    return [
        _comparison(left, right, difference, p, len(pairs))
        for (left, right), difference, p in zip(pairs, differences, adjusted, strict=True)
    ]


def _difference(left: CellJudgement, right: CellJudgement) -> LogDifference:
    if left.level is None or right.level is None:
        raise ValueError("only cells with a level are compared")
    mine = {run.run.repeat: run.tps_mean for run in left.judged}
    theirs = {run.run.repeat: run.tps_mean for run in right.judged}
    shared = sorted(mine.keys() & theirs.keys())
    paired = [math.log(mine[repeat] or 1.0) - math.log(theirs[repeat] or 1.0) for repeat in shared]
    return compare(left.level, right.level, paired)


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
