"""Answers which of two targets is faster at the same place.

Every pair of targets is compared at every place (workload, route, tier, concurrency) where both have a trusted
level. The p-values of one place are adjusted together (Holm), because they are read together. A pair of which a cell
has not settled is not tested: its verdict is ``not settled``, regardless of its numbers.

Runs of the same round are compared in pairs from four rounds on, for what moved the machine moved both. The spread of
four differences is hardly known; how far the same two targets' differences spread at other places says more, so it is
moderated over them as the spread of cells is. Where the same two were compared in eight panels (workload, route,
memory) or more, two rounds are enough. So they are where the rounds of a cell come from several benches: the spread of
its levels is mostly that of the benches, which both runs of a pair share. Rounds that a bench ran of one target alone,
as happens where a bench was lost, are left out of the comparison; without a shared round there is none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dbdyno.analyse._cells import CellJudgement, judge_cells, noise_se
from dbdyno.analyse._phrases import slower_words
from dbdyno.analyse._settled import remedy_words
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.core import Cell, Comparison, is_vague_ratio, target_title
from dbdyno.stats import (
    LogDifference,
    LogLevel,
    compare,
    compare_pairs,
    holm,
    moderated_spread,
    rank_intervals,
    repeats_to_decide,
    rounds_to_pair,
    spreads_to_stand,
    verdict_of,
)

Pair = tuple[CellJudgement, CellJudgement]
Place = tuple[str, str, int, int]
"""Workload, route, tier and concurrency."""
Panel = tuple[str, str, int]
"""Workload, route and tier: all places that differ in their concurrency alone."""
ALL_CONCURRENCIES = 0
"""The concurrency of a cell, a place or a comparison that stands for the average over all of them."""


def compare_targets(judgements: Sequence[CellJudgement]) -> list[Comparison]:
    """Return all comparisons, place by place in the order of the judgements; `left` comes first there."""
    place_pairs = [
        [shared for pair in itertools.combinations(group, 2) if (shared := _pair_by_shared_rounds(pair)) is not None]
        for group in by_place(judgements).values()
    ]
    differences = _pair_differences([pair for pairs in place_pairs for pair in pairs])
    return [comparison for pairs in place_pairs for comparison in _compare_place(pairs, differences)]


def rank_places(
    judgements: Sequence[CellJudgement], comparisons: Sequence[Comparison]
) -> dict[Place, dict[str, tuple[int, int]]]:
    """Return for each place the places that each target may hold; targets that can't be told apart overlap.

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
    """Return cells with a trusted level, grouped by where they can be compared."""
    places: dict[Place, list[CellJudgement]] = {}
    for judgement in judgements:
        if judgement.trusted and judgement.level is not None:
            places.setdefault(judgement.place, []).append(judgement)
    return places


def place_of(pair: Comparison) -> Place:
    """Return where two targets were compared."""
    return (pair.workload, pair.route, pair.tier_bytes, pair.concurrency)


def pair_at(place: Place, better: str, other: str, comparisons: Sequence[Comparison]) -> Comparison | None:
    """Return the comparison of two targets at a place, turned so that `better` is on the left."""
    for pair in comparisons:
        if place_of(pair) == place and {pair.left, pair.right} == {better, other}:
            return pair if pair.left == better else turned(pair)
    return None


def turned(pair: Comparison) -> Comparison:
    """Return the same comparison seen from the other side.

    >>> pair = Comparison("a", "b", "w", 1, 1, "socket", 2.0, 1.6, 2.5, 0.01, "different")
    >>> turned(pair).left, turned(pair).ratio, turned(pair).low, turned(pair).high
    ('b', 0.5, 0.4, 0.625)
    """
    low = 1 / pair.high
    high = 1 / pair.low if pair.low > 0 else float("inf")
    return replace(pair, left=pair.right, right=pair.left, ratio=1 / pair.ratio, low=low, high=high)


def distance_words(pair: Comparison) -> str:
    """Return how far the right one is behind the left one, as far as the interval says."""
    title = target_title(pair.right)
    if not is_vague_ratio(pair.low, pair.high):
        return f"{title} is {slower_words(pair.ratio, pair.low, pair.high)}"
    if pair.low > 1:
        return f"{title} is at least {100 * (1 - 1 / pair.low):.0f} % slower"
    return f"{title} cannot be compared, as the runs differ too much"


def _pair_by_shared_rounds(pair: Pair) -> Pair | None:
    """Return the pair by the rounds of which one bench ran both, where they come from several; None without any."""
    left_rounds, right_rounds = ({(run.run.repeat, run.bench) for run in side.judged} for side in pair)
    if left_rounds == right_rounds or not _are_across_benches(*pair):
        return pair
    shared_rounds = left_rounds & right_rounds
    if not shared_rounds:
        return None
    runs = [run for side in pair for run in side.judged if (run.run.repeat, run.bench) in shared_rounds]
    judgements = {judgement.cell: judgement for judgement in judge_cells(runs)}
    # Where the best of each target is compared, a side has another cell than its runs: one without connections. And
    # whether it has settled is decided by all its runs, not by those that happen to be shared.
    left, right = (
        replace(judgements[side.judged[0].run.cell], cell=side.cell, runs=side.runs, is_settled=side.is_settled)
        for side in pair
    )
    return left, right


def _compare_place(pairs: Sequence[Pair], differences: Mapping[tuple[Cell, Cell], LogDifference]) -> list[Comparison]:
    tested_pairs = [pair for pair in pairs if all(judgement.decides for judgement in pair)]
    p_values = [differences[left.cell, right.cell].p for left, right in tested_pairs]
    tests = zip(tested_pairs, holm(p_values), _spreads_to_stand(tested_pairs, p_values), strict=True)
    test_by_cells = {(left.cell, right.cell): (p, stands_to) for (left, right), p, stands_to in tests}
    return [
        _comparison(
            (left, right),
            differences[left.cell, right.cell],
            test_by_cells.get((left.cell, right.cell)),
            len(tested_pairs),
        )
        for left, right in pairs
    ]


def _pair_differences(pairs: Sequence[Pair]) -> dict[tuple[Cell, Cell], LogDifference]:
    """Return each pair's difference: of paired runs where there are enough, else of the two levels."""
    by_targets: dict[tuple[str, str], list[Pair]] = {}
    for left, right in pairs:
        by_targets.setdefault((left.cell.target, right.cell.target), []).append((left, right))
    paired_differences = {
        cells: difference
        for members in by_targets.values()
        for cells, difference in _paired_run_differences(members).items()
    }
    return {
        (left.cell, right.cell): paired_differences.get((left.cell, right.cell)) or _compare_levels(left, right)
        for left, right in pairs
    }


def _paired_run_differences(pairs: Sequence[Pair]) -> dict[tuple[Cell, Cell], LogDifference]:
    """Return differences of two targets by their paired runs, at the places with enough of them.

    Only places of the same two targets are taken together: they share no run, so their spreads are independent.
    """
    logs = {(left.cell, right.cell): _log_ratios(left, right) for left, right in pairs}
    panels = {left.place[:3] for left, right in pairs if len(logs[left.cell, right.cell]) > 1}
    least_rounds = {
        (left.cell, right.cell): 2 if _are_across_benches(left, right) else rounds_to_pair(len(panels))
        for left, right in pairs
    }
    sufficient_logs = {cells: ratios for cells, ratios in logs.items() if len(ratios) >= least_rounds[cells]}
    spread = moderated_spread(list(sufficient_logs.values()))
    rows = zip(sufficient_logs.items(), spread.sd, spread.df, strict=True)
    noise = {
        (left.cell, right.cell): math.hypot(noise_se(left.judged), noise_se(right.judged))
        for left, right in pairs
        if (left.cell, right.cell) in sufficient_logs
    }
    return {cells: compare_pairs(ratios, sd, df, noise[cells]) for (cells, ratios), sd, df in rows if sd > 0}


def _log_ratios(left: CellJudgement, right: CellJudgement) -> list[float]:
    """Return ln(left / right) of each round in which one bench ran both; none of cells repeated for their spread.

    The spread of such pairs would be that of runs which are there because of it, so these cells are compared by their
    levels.
    """
    if any(run.run.is_further for run in (*left.judged, *right.judged)):
        return []
    left_tps = {(run.run.repeat, run.bench): run.level_tps for run in left.judged}
    right_tps = {(run.run.repeat, run.bench): run.level_tps for run in right.judged}
    shared_rounds = sorted(left_tps.keys() & right_tps.keys())
    return [math.log(left_tps[key] or 1.0) - math.log(right_tps[key] or 1.0) for key in shared_rounds]


def _are_across_benches(left: CellJudgement, right: CellJudgement) -> bool:
    return len({run.bench for run in (*left.judged, *right.judged)}) > 1


def _compare_levels(left: CellJudgement, right: CellJudgement) -> LogDifference:
    return compare(_level_of(left), _level_of(right))


def _level_of(judgement: CellJudgement) -> LogLevel:
    if judgement.level is None:
        raise ValueError("only cells that settled are compared")
    return judgement.level


def _spreads_to_stand(pairs: Sequence[Pair], p_values: Sequence[float]) -> list[float]:
    """Return up to which spread between repeats each of the tested pairs of a place would still differ."""
    levels = [(_level_of(left), _level_of(right)) for left, right in pairs]
    return spreads_to_stand(levels, [(left.assumed_spread, right.assumed_spread) for left, right in pairs], p_values)


def _comparison(pair: Pair, difference: LogDifference, test: tuple[float, float] | None, family: int) -> Comparison:
    """Return the pair's comparison.

    Parameters
    ----------
    test : adjusted p-value, and up to which spread the two would still differ; None of a pair that was not tested, as
        one of the two has not settled
    family : pairs that were tested together
    """
    left, right = pair
    p_adjusted, stands_to = (None, None) if test is None else test
    verdict = "not settled" if p_adjusted is None else verdict_of(difference, p_adjusted)
    low, high = difference.interval()
    repeats_needed = None
    if verdict == "undecided":
        done = min(len(left.judged), len(right.judged))
        repeats_needed = repeats_to_decide(difference.difference, difference.sd, 0.05 / family, done=done)
    assumed_spread = most_assumed_spread(pair)
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
        p_adjusted=p_adjusted if assumed_spread is None else None,
        verdict=verdict,
        repeats_needed=repeats_needed,
        is_significant=p_adjusted is not None and p_adjusted < 0.05,
        assumed_spread=assumed_spread,
        stands_to=None if assumed_spread is None else stands_to or None,
        remedy=remedy_words([run for judgement in pair if not judgement.is_settled for run in judgement.unsettled]),
    )
