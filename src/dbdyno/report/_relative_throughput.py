"""Computes each target's throughput over the best one's, and the places it may hold.

At each number of connections, and at the best of each target. The best is chosen after it was measured, so it leans
upward by about what noise can do; places at the best are compared between different numbers of connections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dbdyno.analyse import CellJudgement, Place, compare_targets, rank_places, turned
from dbdyno.core import Cell, Comparison, is_vague_ratio
from dbdyno.report._study_analysis import StudyAnalysis

AT_BEST = 0


@dataclass(frozen=True, slots=True)
class RelativeThroughput:
    """Describes a target at a place.

    Parameters
    ----------
    at : connections, or `AT_BEST` for those at which each target is fastest
    ratio : of its throughput over that of the best target there
    low, high : 95 % interval of the ratio; None of the best itself and of cells that were not compared
    first, last : places it may hold; None where nothing was compared
    of : targets compared there
    """

    group: CellJudgement
    at: int
    ratio: float
    low: float | None
    high: float | None
    first: int | None
    last: int | None
    of: int

    @property
    def cell(self) -> Cell:
        """Return the cell, with the connections that it was measured at."""
        return self.group.cell

    @property
    def may_be_first(self) -> bool:
        """Return whether the findings leave open that nobody does more."""
        return self.first == 1

    @property
    def has_ratio(self) -> bool:
        """Return whether its ratio is a number: there is none where the runs disagree too much for one."""
        return not self.group.decides or self.low is not None or self.ratio == 1.0

    def ratio_text(self, digits: int = 3) -> str:
        """Return the ratio to the best; in brackets where the level does not decide."""
        if not self.has_ratio:
            return "not known"
        return f"{self.ratio:.{digits}f}" if self.group.decides else f"({self.ratio:.{digits}f})"

    @property
    def why_no_place(self) -> str:
        """Return why it has no place: nothing may rest on its level, or nothing was compared."""
        return "" if self.group.is_settled else "not settled"


def relative_throughputs(analysis: StudyAnalysis) -> list[RelativeThroughput]:
    """Return throughputs at the best of each target first, then by connections; a lone target has none."""
    fastest_groups = best_groups(analysis.judgements)
    relabelled_groups = [replace(group, cell=replace(group.cell, concurrency=AT_BEST)) for group in fastest_groups]
    pairs = compare_targets(relabelled_groups)
    best_throughputs = _throughputs_at(fastest_groups, pairs, rank_places(relabelled_groups, pairs), at_best=True)
    measured_groups = [group for group in analysis.judgements if group.tps_mean is not None]
    return [*best_throughputs, *_throughputs_at(measured_groups, analysis.comparisons, analysis.ranks, at_best=False)]


def best_groups(judgements: Sequence[CellJudgement]) -> list[CellJudgement]:
    """Return the fastest trusted cell of each target, workload, route and memory.

    Where that one has not settled, the target has no place at its best: its best settled cell would rank it too low.
    """
    fastest: dict[tuple[str, str, str, int], CellJudgement] = {}
    for group in judgements:
        key = (group.cell.target, *group.place[:3])
        if group.trusted and group.tps_mean and (key not in fastest or group.tps_mean > (fastest[key].tps_mean or 0)):
            fastest[key] = group
    return list(fastest.values())


def _throughputs_at(
    groups: Sequence[CellJudgement],
    pairs: Sequence[Comparison],
    ranks: dict[Place, dict[str, tuple[int, int]]],
    *,
    at_best: bool,
) -> list[RelativeThroughput]:
    by_place: dict[Place, list[CellJudgement]] = {}
    for group in groups:
        by_place.setdefault((*group.place[:3], AT_BEST) if at_best else group.place, []).append(group)
    pairs_at: dict[Place, list[Comparison]] = {}
    for pair in pairs:
        pairs_at.setdefault((pair.workload, pair.route, pair.tier_bytes, pair.concurrency), []).append(pair)
    return [
        relative_throughput
        for place, place_groups in by_place.items()
        if len(place_groups) > 1
        for relative_throughput in _place_throughputs(
            place[3], place_groups, pairs_at.get(place, []), ranks.get(place, {})
        )
    ]


def _place_throughputs(
    concurrency: int, groups: Sequence[CellJudgement], pairs: Sequence[Comparison], ranks: dict[str, tuple[int, int]]
) -> list[RelativeThroughput]:
    best = max(groups, key=lambda group: (group.decides, group.trusted, group.tps_mean or 0.0))
    throughputs = []
    for group in groups:
        pair = _comparison_with_best(group.cell.target, best.cell.target, pairs)
        first_rank, last_rank = ranks.get(group.cell.target, (None, None)) if group.decides else (None, None)
        ratio = pair.ratio if pair else (group.tps_mean or 0.0) / (best.tps_mean or 1.0)
        has_interval = pair is not None and pair.verdict != "not settled" and not is_vague_ratio(pair.low, pair.high)
        low, high = (pair.low, pair.high) if pair is not None and has_interval else (None, None)
        throughputs.append(RelativeThroughput(group, concurrency, ratio, low, high, first_rank, last_rank, len(ranks)))
    return throughputs


def _comparison_with_best(target: str, best: str, pairs: Sequence[Comparison]) -> Comparison | None:
    """Return the comparison of a target with the best one, the best below the line."""
    comparison = next((pair for pair in pairs if {pair.left, pair.right} == {target, best}), None)
    return comparison if comparison is None or comparison.left == target else turned(comparison)
